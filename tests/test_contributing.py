"""The guides of CONTRIBUTING.md, followed step by step with Kuhn poker in a copy of the checkout.

After the last step of a guide the tests of what was added pass. The copy runs without compilation,
but for one test: compiled games are tested elsewhere, and Kuhn poker is small.
"""

import re
import shutil
from pathlib import Path

import pytest

from .processes import ended
from .test_documents import copied

CHECKOUT = Path(__file__).resolve().parents[1]
GUIDE = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
GAME, PLAYER, LEARNER = "kuhn", "careful", "my_learner"
BEST = "mcts"  # where a game names none
OVER_THE_REGISTRY = re.compile(r"parametrize\(.*GAMES|for name in GAMES|\bevery_game\b")
OTHERS = {"changing_opponents", "mcts", "packaging", "slices"}  # they list games too
LEFT_OUT = {"checkpoint", "cli", "contributing"}
AT_ONCE = ["contract", "golden"]  # of these, in every run of the suite
# Of these tests those with the game's name, and those that compare lists.
CHOSEN = f"{GAME} or are_listed or every_game_that_ships or recipes_are_no_learners"

PLAYERS = '''"""Players of Kuhn poker."""

from ...envs.authoring import is_allowed, rule
from ..policies.roster import Player, scripted


@rule
def careful(observation, mask, rng):
    """Bets and calls with the king alone."""
    return 1 if observation.card == 2 and is_allowed(mask, 1) else 0


PLAYERS: dict[str, Player] = {"careful": scripted(careful)}
'''


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

    def python(self, *arguments: str, is_compiled: bool = False) -> str:
        """Run Python in the copy; its output."""
        variables = {"NUMBA_DISABLE_JIT": str(int(not is_compiled)), "PYTHONPATH": str(self.folder)}
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
    """The guide "Add a player", steps 1 and 2."""
    copy.write(f"baselines/{GAME}/players.py", PLAYERS)
    add_package(copy, f"baselines.{GAME}", "baselines.networks", '"""Players of Kuhn poker."""\n')


def add_learner(copy: Copy) -> None:
    """The guide "Add a learner", steps 1 and 2: a copy of one that there is."""
    source = (CHECKOUT / "training/dqn.py").read_text(encoding="utf-8")
    copy.write(f"training/{LEARNER}.py", source.replace('"dqn"', f'"{LEARNER}"'))
    line = '    "dqn": '
    kinds = (CHECKOUT / "baselines/networks/kinds.py").read_text(encoding="utf-8")
    value = kinds.partition(line)[2].partition("\n")[0]
    copy.insert("baselines/networks/kinds.py", line, f'    "{LEARNER}": {value}\n')


def add_trained_player(copy: Copy) -> None:
    """The guide "Add a trained player", steps 1 and 2."""
    run = copy.folder / "runs" / "mine"
    small = (
        "--total-steps 64 --num-tables 8 --batch-size 8 --buffer-size 200 --hidden 8 "
        "--num-threads 1"
    )
    train = f"train {LEARNER} {GAME} --evaluate-against random --points 1 --deals 10000 --out {run}"
    copy.python("-m", "parlour.scripts.main", *train.split(), *small.split())
    checkpoints = copy.folder / "baselines" / GAME / "checkpoints"
    checkpoints.mkdir()
    for suffix in (".pt", ".md"):
        shutil.copy(run / f"checkpoint{suffix}", checkpoints / f"{LEARNER}{suffix}")


def run_tests(copy: Copy, names: list[str], at_least: int) -> None:
    files = [f"tests/test_{name}.py" for name in names]
    shown = copy.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", CHOSEN, *files)
    counts = re.search(r"(\d+) passed", shown)
    assert counts is not None and int(counts[1]) >= at_least, shown[-3000:]


@pytest.mark.long
def test_a_new_game_and_its_player_are_found_and_pass_the_first_tests(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "parlour")
    add_game(copy)
    add_player(copy)
    run_tests(copy, AT_ONCE, at_least=8)
    assert PLAYER in copy.python("-m", "parlour.scripts.main", "games")


@pytest.mark.long
def test_a_new_learner_and_what_it_trained_pass_the_tests(tmp_path: Path) -> None:
    """Its 20,000 games take half a minute, as the copy is not compiled."""
    copy = Copy(tmp_path / "parlour")
    add_game(copy)
    add_player(copy)
    add_learner(copy)
    add_trained_player(copy)
    sources = {path.stem: path.read_text() for path in (CHECKOUT / "tests").glob("test_*.py")}
    over = {name[5:] for name, source in sources.items() if OVER_THE_REGISTRY.search(source)}
    run_tests(copy, sorted((over | OTHERS) - LEFT_OUT), at_least=60)
    assert LEARNER in copy.python("-m", "parlour.scripts.main", "games")


def test_every_folder_of_code_has_its_line() -> None:
    rows = set(re.findall(r"^\| `([\w/<>]+)` \|", GUIDE, re.MULTILINE))
    games = {path.parent.name for path in (CHECKOUT / "envs").glob("*/rules.py")}
    for top in ("envs", "baselines"):
        folders = {path.parent.name for path in (CHECKOUT / top).glob("*/__init__.py")}
        assert {f"{top}/{name}/" for name in folders - games} <= rows
    assert {"envs/<game>/", "baselines/<game>/", "training/", "scripts/"} <= rows


def test_the_hooks_run_what_ci_runs() -> None:
    hooks = (CHECKOUT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    ci = (CHECKOUT / ".ci" / "run").read_text(encoding="utf-8")
    entries = [entry.replace(" --force-exclude", "") for entry in re.findall(r"entry: (.+)", hooks)]
    assert entries == [".venv/bin/ruff format", ".venv/bin/ruff check", ".ci/typecheck"]
    assert all(entry in ci for entry in entries)
