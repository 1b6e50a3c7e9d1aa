"""What is installed: every folder of code, under one import name, with its data and its types."""

import configparser
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
FOLDERS = ("envs", "baselines", "training", "scripts")
HEAVY = ("torch", "numba", "pandas", "stable_baselines3", "matplotlib", "pygame")


def settings() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(CHECKOUT / "setup.cfg")
    return parser


def installed_packages() -> set[str]:
    """The packages as setup.py names them, without building anything."""
    program = (
        "import setuptools; setuptools.setup = lambda packages: print(*packages);"
        "exec(open('setup.py').read())"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    return set(shown.stdout.split())


def test_every_folder_of_code_is_a_package_that_installs() -> None:
    sources = [path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*.py")]
    names = {".".join(path.relative_to(CHECKOUT).parent.parts) for path in sources}
    assert installed_packages() == {"parlour", *(f"parlour.{name}" for name in names)}


def test_the_folders_install_under_one_import_name() -> None:
    mapping = settings()["options"]["package_dir"].split("\n")
    pairs = dict(line.split(" = ") for line in mapping if line)
    assert pairs == {"parlour": "parlour", **{f"parlour.{name}": name for name in FOLDERS}}


@pytest.mark.parametrize("folder", ["parlour", *FOLDERS])
def test_types_are_declared_to_be_there(folder: str) -> None:
    assert (CHECKOUT / folder / "py.typed").is_file()
    assert "py.typed" in settings()["options.package_data"]["*"]


def test_every_data_file_of_the_games_is_packed() -> None:
    packed = {pattern.strip() for pattern in settings()["options.package_data"]["*"].split(",")}
    code = {".py", ".pyc", ".typed"}
    data = {path.suffix for path in (CHECKOUT / "envs").rglob("*.*") if path.is_file()} - code
    assert data <= {Path(pattern).suffix for pattern in packed}


def test_requirements_are_ranges_never_pins() -> None:
    requirements = settings()["options"]["install_requires"]
    assert "==" not in requirements
    assert all(">=" in line for line in requirements.split("\n") if line)


def test_constraints_pin_a_version_of_every_requirement() -> None:
    pins = (CHECKOUT / "constraints.txt").read_text().lower().replace("_", "-").split("\n")
    pinned = {line.split("==")[0] for line in pins if "==" in line}
    required = settings()["options"]["install_requires"].split("\n")
    assert {line.split(">=")[0] for line in required if line} <= pinned
    assert not any("+" in line for line in pins if not line.startswith("#")), "a local build tag"


def test_importing_parlour_is_light(tmp_path: Path) -> None:
    """No torch, no pandas, no compilation: nothing appears in an empty cache folder."""
    program = (
        "import sys, parlour, parlour.envs;"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program],
        cwd=CHECKOUT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == "[]\n"
    assert not list(tmp_path.rglob("*.nb*"))
