"""A result in a store is used again exactly as long as nothing that it depends on has changed.

Every run is a process of its own, forked from this one: a player's modules are loaded anew in each.
"""

import importlib
import multiprocessing
import re
import shutil
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from parlour.baselines.arena import Store, play_match
from parlour.baselines.arena.contest.time_control import TimeControl
from parlour.baselines.arena.play.batches import DealBatch
from parlour.baselines.arena.play.playing import Plan
from parlour.baselines.arena.play.workers import Workers
from parlour.baselines.arena.results import identity
from parlour.baselines.arena.results.identity import identity_of
from parlour.baselines.players.making import make_policy
from parlour.envs import load_game
from parlour.envs.core.play.legal import PlayerError
from tests.commands import told

pytestmark = pytest.mark.plain

NUM_DEALS = 4
GAME = load_game("trick_taking", num_values=4)

PLAYER = """
import sys
sys.path.insert(0, {folder!r})
{imports}

def mine(observations, action_masks, rngs):
    {late}
    last = action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)
    return last if {is_high} else action_masks.argmax(axis=1)
"""

# How the player comes to know whether it plays high: what is imported at once, late, and the test.
WAYS = {
    "a helper module": ("import helper", "pass", "helper.IS_HIGH"),
    "a module imported late": ("", "import helper", "helper.IS_HIGH"),
    "a text file in a folder": (
        "",
        'name = "data"; text = open(f"{folder}/below/{name}.txt").read()',
        'text.strip() == "True"',
    ),
    "weights": ("import torch", 'weights = torch.load("{folder}/data.pt")', "bool(weights[0])"),
}


def write_data(folder: Path, is_high: bool) -> None:
    (folder / "helper.py").write_text(f"IS_HIGH = {is_high}\n")
    (folder / "below").mkdir(exist_ok=True)
    (folder / "below/data.txt").write_text(f"{is_high}\n")
    torch.save(torch.tensor([is_high]), folder / "data.pt")
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)  # two edits in one second


def write_player(folder: Path, way: str) -> str:
    imports, late, is_high = (part.replace("{folder}", str(folder)) for part in WAYS[way])
    text = PLAYER.format(folder=str(folder), imports=imports, late=late, is_high=is_high)
    (folder / "mine.py").write_text(text)
    return f"{folder}/mine.py:mine"


def in_a_child(function: Callable[..., Any], *arguments: Any) -> Any:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(function(*arguments)))
    child.start()
    sender.close()
    try:
        return receiver.recv()
    finally:
        child.join()


def play(
    path: Path, spec: str, workers: int = 1, control: TimeControl | None = None
) -> tuple[float, int]:
    """The mean return of a match, and how many batches were played for it and not just read."""
    added = []

    class Watched(Store):
        def add(self, batch: DealBatch, outcomes: Any) -> None:
            added.append(batch)
            super().add(batch, outcomes)

    with Watched(path) as store:
        plan = Plan(workers=Workers(workers), store=store, control=control)
        result = play_match(GAME, spec, "first_legal", NUM_DEALS, plan=plan)
    return result.mean_return[0], len(added)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_data(tmp_path, is_high=False)
    return tmp_path


def assert_an_edit_counts(
    folder: Path, spec: str, workers: int = 1, control: TimeControl | None = None
) -> None:
    """Results are used again until data of the player are edited, and then the new ones."""
    how = (folder / "store.db", spec, workers, control)
    before, played = in_a_child(play, *how)
    assert played == 1
    assert in_a_child(play, *how) == (before, 0)
    write_data(folder, is_high=True)
    after, played = in_a_child(play, *how)
    assert played == 1 and after != before
    assert in_a_child(play, *how) == (after, 0)


@pytest.mark.parametrize(
    ("way", "workers"),
    [*((way, 1) for way in WAYS), pytest.param("weights", 2, marks=pytest.mark.long)],
)
def test_an_edit_in_the_folder_of_the_player_counts(folder: Path, way: str, workers: int) -> None:
    assert_an_edit_counts(folder, write_player(folder, way), workers)


def test_in_a_contest_too(folder: Path) -> None:
    control = TimeControl(logs=str(folder / "logs"), sandbox="none", secret="k1")
    assert_an_edit_counts(folder, write_player(folder, "a helper module"), control=control)


COMMAND = "match trick_taking mine.py:counted,random --set num_values=4 --deals 4"
COUNTED = """
def counted(observations, action_masks, rngs):
    with open("calls.log", "a") as file:
        file.write("x")
    return action_masks.argmax(axis=1)
"""


def test_what_parlour_writes_beside_a_player_is_no_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of several runs of one command only the first plays; an edit makes another version."""
    monkeypatch.chdir(tmp_path)
    player, calls = tmp_path / "mine.py", tmp_path / "calls.log"
    player.write_text(COUNTED)
    run = f"{COMMAND} --store s.db --json r.json"
    first = told(run, capsys)
    num_calls = calls.stat().st_size
    shutil.copy("s.db", "copy of the results")
    Path("notes.md").write_text("nothing to do with it")
    Path("another_player.py").write_text(COUNTED)
    assert [told(run, capsys) for _ in range(2)] == [first, first]
    assert calls.stat().st_size == num_calls
    rated = told("ratings s.db", capsys)
    assert "8 games of 4 deals" in rated and "as of" not in rated
    player.write_text(COUNTED + "# edited")
    assert told(run, capsys) == first and calls.stat().st_size == 2 * num_calls
    rated = told("ratings s.db", capsys)
    versions = re.findall(r"^mine.py:counted \(as of 20..-..-.. ..:..:..", rated, re.MULTILINE)
    assert len(versions) == 4  # two rows in each of two tables
    assert 'Rows with "(as of ...)" are versions of one player: its files or Parlour have' in rated


@pytest.mark.parametrize("has_played", [True, False])
def test_code_edited_after_it_was_loaded_is_not_taken_for_new(
    folder: Path, has_played: bool
) -> None:
    """The player's file is loaded anew for each match, a module that it imports is not."""
    spec, store = write_player(folder, "a helper module"), folder / "store.db"

    def edits_between() -> str:
        if has_played:
            play(store, spec)
        else:
            make_policy(spec, GAME)
        (folder / "helper.py").write_text("IS_HIGH = True\n")
        return refusal(play, store, spec)

    said = in_a_child(edits_between)
    assert f"{folder} has changed since this process loaded code from it" in said
    assert in_a_child(play, store, spec)[1] == 1


def test_a_player_that_writes_into_its_folder_is_refused(folder: Path) -> None:
    (folder / "mine.py").write_text(
        "from pathlib import Path\n"
        f"FOLDER = Path({str(folder)!r})\n"
        "def mine(observations, action_masks, rngs):\n"
        "    (FOLDER / 'run.log').write_text(str(rngs))\n"
        "    return action_masks.argmax(axis=1)\n"
        "def learns(observations, action_masks, rngs):\n"
        "    (FOLDER / 'seen.txt').write_text(str(rngs))\n"
        "    return action_masks.argmax(axis=1)\n"
    )
    store = folder / "store.db"
    assert play(store, f"{folder}/mine.py:mine")[1] == 1
    said = refusal(play, store, f"{folder}/mine.py:learns")
    assert "files that learns depends on changed while it played" in said
    with Store(store) as kept:
        (setting,) = kept.settings()
        assert len(kept.matches(setting)) == 1


def refusal(call: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises((ValueError, PlayerError)) as refused:
        call(*arguments)
    return str(refused.value)


def test_results_of_another_parlour_are_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether its version is another, or only one of its files."""
    installed = folder / "site-packages/parlour"
    (installed / "baselines").mkdir(parents=True)
    for name in ("__init__.py", "baselines/values.npy", "README.md"):
        (installed / name).touch()
    played = []
    for change in (
        lambda: None,
        lambda: (installed / "README.md").write_text("edited"),
        lambda: (installed / "baselines/values.npy").write_text("edited"),
        lambda: (installed / "__init__.py").write_text("edited"),
        lambda: monkeypatch.setattr(identity, "__version__", "99.0"),
    ):
        change()
        identity.parlour_digest.cache_clear()
        with monkeypatch.context() as patch:
            patch.setattr(identity, "__file__", str(installed / "baselines/arena/results/i.py"))
            played.append(play(folder / "store.db", "random")[1])
    identity.parlour_digest.cache_clear()
    assert played == [1, 0, 1, 1, 1]


def test_a_game_of_another_package_depends_on_its_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a child, because a game is registered once and for all."""
    (folder / "game_of_mine").mkdir()
    (folder / "game_of_mine/__init__.py").write_text(
        "from parlour.envs import load_game\n"
        "def mine(**config):\n"
        "    game = load_game('notty', **config)\n"
        "    object.__setattr__(game, 'make', mine)\n"
        "    return game\n"
        "CARDS = 'cards.csv'\n"
    )
    monkeypatch.syspath_prepend(str(folder))

    def found() -> str:
        return identity_of("random", importlib.import_module("game_of_mine").mine())

    monkeypatch.setattr(identity, "_STARTED", float("inf"))  # edits before this process began
    before = in_a_child(found)
    assert "; random; __init__.py " in before
    assert in_a_child(found) == before
    (folder / "game_of_mine/cards.csv").write_text("")
    assert in_a_child(found) != before


def test_what_results_depend_on_is_printed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec, store = write_player(folder, "a helper module"), folder / "store.db"
    in_a_child(play, store, spec)
    said = told(f"ratings {store} --files", capsys)
    assert f"made of {spec}" in said and "  mine.py " in said and "  parlour/0." in said
    assert "differs now" not in said
    write_data(folder, is_high=True)
    said = told(f"ratings {store} --files", capsys)
    (line,) = (line for line in said.splitlines() if "differs now" in line)
    assert line.startswith("  mine.py ")


WITH_A_SETTING = """
class Mine:
    def __init__(self, weights):
        self.is_high = open(weights).read().strip() == "True"

    def begin(self, seat, game): pass
    def watch(self, observation): pass

    def choose(self, observation, mask, rng):
        return int(mask.nonzero()[0][-1 if self.is_high else 0])
"""


def test_a_setting_that_names_a_file_stands_for_its_content(folder: Path) -> None:
    (folder / "mine.py").write_text(WITH_A_SETTING)
    assert_an_edit_counts(folder, f"{folder}/mine.py:Mine:weights={folder}/below/data.txt")


def test_a_move_of_the_folder_does_not_count(folder: Path, tmp_path: Path) -> None:
    write_player(folder, "a helper module")
    before = identity_of(f"{folder}/mine.py:mine", GAME)
    shutil.copytree(folder, tmp_path / "elsewhere")
    assert identity_of(f"{tmp_path}/elsewhere/mine.py:mine", GAME) == before


def test_modules_without_a_path_are_in_no_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Torch has some, with a file such as "_ops.py"; the current folder is not theirs."""
    monkeypatch.setitem(sys.modules, "no_path", types.ModuleType("no_path"))
    monkeypatch.setattr(sys.modules["no_path"], "__file__", "_ops.py", raising=False)
    monkeypatch.chdir(folder)
    (folder / "mine.py").write_text("def mine(o, masks, r):\n    return masks.argmax(axis=1)\n")
    assert not identity_of("mine.py:mine", GAME).startswith(identity.UNKNOWN)
