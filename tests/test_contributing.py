"""The guides of CONTRIBUTING.md, followed step by step with Kuhn poker in a copy of the checkout.

After their last step the tests of what was added pass, in plain Python.
"""

import re
import shutil
from pathlib import Path

import pytest

from .processes import ended

CHECKOUT = Path(__file__).resolve().parents[1]
GAME, PLAYER = "kuhn", "careful"
BEST = "mcts"  # where a game names none

COPIED = (".ci", "baselines", "docs", "envs", "integrations", "parlour", "scripts", "tests",
          "training")  # fmt: skip

PLAYERS = '''"""Players of Kuhn poker."""

from ...envs.authoring import is_allowed, rule
from ..policies.roster import Player, scripted


@rule
def careful(observation, mask, rng):
    """Bets and calls with the king alone."""
    return 1 if observation.card == 2 and is_allowed(mask, 1) else 0


PLAYERS: dict[str, Player] = {"careful": scripted(careful)}
'''


def copied(folder: Path) -> Path:
    """A copy of the checkout."""
    for name in COPIED:
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(CHECKOUT / name, folder / name, symlinks=True, ignore=ignored)
    for path in CHECKOUT.iterdir():
        if path.is_file() and path.name != ".git":  # a file in a linked checkout
            shutil.copy(path, folder)
    return folder


class Copy:
    """A copy of the checkout, in which the guides are followed."""

    def __init__(self, folder: Path) -> None:
        self.folder = copied(folder)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def insert(self, name: str, before: str, text: str) -> None:
        """Add text before the first place where `before` stands."""
        old = (self.folder / name).read_text(encoding="utf-8")
        assert before in old, f"{name} has changed: {before!r}"
        self.write(name, old.replace(before, text + before, 1))

    def python(self, *arguments: str) -> str:
        """Run Python in the copy; its output."""
        variables = {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(self.folder)}
        return ended(*arguments, cwd=self.folder, **variables).stdout


def add_package(copy: Copy, package: str, before: str, text: str) -> None:
    copy.write(f"{package.replace('.', '/')}/__init__.py", text)
    copy.insert("setup.cfg", f"    parlour.{before}\n", f"    parlour.{package}\n")


def add_game(copy: Copy) -> None:
    """The guide "Add a game", steps 1 to 5."""
    page = (CHECKOUT / "docs/examples/kuhn.py").read_text(encoding="utf-8")
    page = page.replace("from parlour.envs.authoring", "from ..authoring")
    page = page.replace("    register_game,\n", "").replace("\n\nregister_game(game)\n", "")
    copy.write(f"envs/{GAME}/rules.py", page)
    text = '"""Kuhn poker."""\n\nfrom .rules import game as game\n'
    add_package(copy, f"envs.{GAME}", "envs.notty", text)
    copy.insert("envs/registry.py", '"president"]', f'"{GAME}", ')
    module = (copy.folder / "envs/president_v0.py").read_text(encoding="utf-8")
    module = module.replace("president", GAME).replace("President", "Kuhn poker")
    copy.write(f"envs/{GAME}_v0.py", module)
    show = f"from parlour.envs import find_game; print(find_game({GAME!r}).layout.readme_table())"
    copy.write(f"envs/{GAME}/README.md", f"# Kuhn poker\n\n{copy.python('-c', show)}")
    golden = f'    "{GAME}": {{"2_seats": Golden({{}}, ("random",), ("card", "actions"))}},\n'
    copy.insert("tests/golden/write.py", '    "president": {\n', golden)
    copy.python("-m", "tests.golden.write", GAME)
    copy.insert("README.md", "| [President](", f"| Kuhn poker | `Kuhn-v0` | 2 | | `{BEST}` |\n")


def add_player(copy: Copy) -> None:
    """The guide "Add a player", steps 1, 2 and 4."""
    copy.write(f"baselines/{GAME}/players.py", PLAYERS)
    add_package(copy, f"baselines.{GAME}", "baselines.networks", '"""Players of Kuhn poker."""\n')
    copy.python("-m", "tests.golden.write", GAME)


@pytest.mark.long
def test_a_new_game_and_its_player_are_found_and_pass_the_first_tests(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "parlour")
    add_game(copy)
    add_player(copy)
    tests = "tests/test_contract.py", "tests/test_golden.py"
    shown = copy.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", GAME, *tests)
    counts = re.search(r"(\d+) passed", shown)
    assert counts is not None and int(counts[1]) >= 8, shown[-3000:]
    assert PLAYER in copy.python("-m", "parlour.scripts.main", "games")


def test_the_hooks_run_what_ci_runs() -> None:
    hooks = (CHECKOUT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    ci = (CHECKOUT / ".ci" / "run").read_text(encoding="utf-8")
    entries = [entry.replace(" --force-exclude", "") for entry in re.findall(r"entry: (.+)", hooks)]
    assert entries == [".venv/bin/ruff format", ".venv/bin/ruff check", ".ci/typecheck"]
    assert all(entry in ci for entry in entries)
