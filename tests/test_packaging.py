"""What is installed: every folder of code, under one import name, with its data and its types."""

import importlib
import re
import runpy
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from parlour.envs.core.environments import aec as views
from parlour.envs.registry import GAMES, GameName, pettingzoo_names
from tests.documents.tree import setup
from tests.processes import run_python

CHECKOUT = Path(__file__).resolve().parents[1]
FOLDERS = ("envs", "baselines", "training", "scripts")
LATE = ("parlour.baselines.arena", "parlour.envs.core.played")
HEAVY = ("torch", "numba", "pandas", "stable_baselines3", "matplotlib", "pygame")


def lines_of(section: str, key: str) -> list[str]:
    return [line for line in setup()[section][key].split("\n") if line]


def long_description(readme: str) -> str:
    """What setup.py makes of a README."""
    return runpy.run_path(str(CHECKOUT / "setup.py"))["long_description"](readme)


def test_the_packages_are_listed_and_no_others() -> None:
    sources = [path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*.py")]
    names = {".".join(path.relative_to(CHECKOUT).parent.parts) for path in sources}
    packages = lines_of("options", "packages")
    assert packages == ["parlour", *sorted(f"parlour.{name}" for name in names)]


def test_every_game_that_ships_is_known_to_type_checkers_and_has_a_module() -> None:
    folders = {path.parent.name for path in (CHECKOUT / "envs").glob("*/rules.py")}
    assert set(get_args(GameName)) == folders <= set(GAMES)
    assert set(pettingzoo_names().values()) == folders
    for versioned, name in pettingzoo_names().items():
        module = importlib.import_module(f"parlour.envs.{versioned}")
        assert get_type_hints(module.env, vars(views))["return"] is views.CheckedEnv
        assert get_type_hints(module.raw_env, vars(views))["return"] is views.RawEnv
        assert module.env().unwrapped.game.name == module.raw_env().game.name == name


def test_a_checkout_imports_from_its_parent_folder() -> None:
    """Where `parlour` is the folder of the checkout, its links lead on to the code."""
    for name in FOLDERS:
        link = CHECKOUT / "parlour" / name
        assert link.is_symlink() and link.resolve() == CHECKOUT / name
    assert setup()["editable_wheel"]["mode"] == "compat"


def test_the_long_description_has_no_link_into_the_checkout() -> None:
    text = long_description((CHECKOUT / "README.md").read_text())
    assert re.findall(r"\]\((?!https?:)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)) == []
    assert long_description("a [rule](envs/README.md)\n\n![t](t.png)\n\nb") == "a rule\n\nb"
    kept = "[site](https://example.org)\n```python\nplays[0](game)\n```\n"
    assert long_description(kept) == kept


def test_the_folders_install_under_one_import_name() -> None:
    pairs = dict(line.split(" = ") for line in lines_of("options", "package_dir"))
    assert pairs == {"parlour": "parlour", **{f"parlour.{name}": name for name in FOLDERS}}


@pytest.mark.parametrize("folder", ["parlour", *FOLDERS])
def test_types_are_declared_to_be_there(folder: str) -> None:
    assert (CHECKOUT / folder / "py.typed").is_file()
    assert "py.typed" in setup()["options.package_data"]["*"]


def test_every_data_file_of_the_games_is_packed() -> None:
    packed = {pattern.strip() for pattern in setup()["options.package_data"]["*"].split(",")}
    code = {".py", ".pyc", ".typed"}
    data = {path.suffix for path in (CHECKOUT / "envs").rglob("*.*") if path.is_file()} - code
    assert data <= {Path(pattern).suffix for pattern in packed}


def test_requirements_are_ranges_never_pins_and_numba_has_no_upper_bound() -> None:
    """Where an option is no longer known, `tests/test_compile.py` fails, not the installation."""
    requirements = lines_of("options", "install_requires")
    assert all(">=" in line and "==" not in line for line in requirements)
    assert "<" not in next(line for line in requirements if line.startswith("numba"))


def test_constraints_pin_a_version_of_every_requirement() -> None:
    pins = (CHECKOUT / "constraints.txt").read_text().lower().replace("_", "-").split("\n")
    pinned = {line.split("==")[0] for line in pins if "==" in line}
    required = lines_of("options", "install_requires")
    assert {line.split(">=")[0] for line in required} <= pinned
    assert not any("+" in line for line in pins if not line.startswith("#")), "a local build tag"


def test_importing_parlour_is_light(tmp_path: Path) -> None:
    """No torch, no pandas, no compilation: nothing appears in an empty cache folder.

    What `parlour` offers is imported when it is used.
    """
    program = (
        "import sys, parlour, parlour.envs;"
        f"print([name for name in {(*HEAVY, *LATE)} if name in sys.modules])"
    )
    assert run_python(program, NUMBA_CACHE_DIR=str(tmp_path)) == "[]\n"
    assert not list(tmp_path.rglob("*.nb*"))
