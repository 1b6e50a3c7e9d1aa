"""Lists the packages by looking, so that a new game's folder needs no line here; see setup.cfg."""

from setuptools import find_packages, setup

FOLDERS = ("envs", "baselines", "training", "scripts")

found = find_packages(include=[pattern for name in FOLDERS for pattern in (name, f"{name}.*")])
setup(packages=["parlour", *(f"parlour.{name}" for name in found)])
