"""A result in a store is used again exactly as long as nothing that it depends on has changed.

Every run is a process of its own, forked from this one: a player's modules are loaded anew in each.
"""

import contextlib
import importlib
import json
import multiprocessing
import shutil
import sqlite3
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
from parlour.envs.core.play.seating import PlayerError
from tests.commands import told
from tests.processes import ROOT, ended

NUM_DEALS = 4
GAME = load_game("president", num_players=2)

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
    "a text file": ("", 'text = open("{folder}/data.txt").read()', 'text.strip() == "True"'),
    "a text file in a folder": (
        "",
        'text = open("{folder}/below/data.txt").read()',
        'text.strip() == "True"',
    ),
    "weights": ("import torch", 'weights = torch.load("{folder}/data.pt")', "bool(weights[0])"),
}
WITH_A_SETTING = """
class Mine:
    def __init__(self, weights):
        self.is_high = open(weights).read().strip() == "True"

    def begin(self, seat, game): pass
    def watch(self, observation): pass

    def choose(self, observation, mask, rng):
        return int(mask.nonzero()[0][-1 if self.is_high else 0])
"""


def write_data(folder: Path, is_high: bool) -> None:
    (folder / "helper.py").write_text(f"IS_HIGH = {is_high}\n")
    (folder / "data.txt").write_text(f"{is_high}\n")
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


@pytest.mark.parametrize("way", WAYS)
def test_an_edit_in_the_folder_of_the_player_counts(folder: Path, way: str) -> None:
    assert_an_edit_counts(folder, write_player(folder, way))


def test_players_in_other_processes_count(folder: Path) -> None:
    assert_an_edit_counts(folder, write_player(folder, "a module imported late"), workers=2)


def test_in_a_contest_too(folder: Path) -> None:
    control = TimeControl(logs=str(folder / "logs"), sandbox="none", secret="k1")
    assert_an_edit_counts(folder, write_player(folder, "a helper module"), control=control)


def test_a_setting_that_names_a_file_stands_for_its_content(folder: Path) -> None:
    (folder / "mine.py").write_text(WITH_A_SETTING)
    assert_an_edit_counts(folder, f"{folder}/mine.py:Mine:weights={folder}/data.txt")


def test_an_edit_of_the_player_counts_and_one_of_logs_and_caches_does_not(folder: Path) -> None:
    spec, store = write_player(folder, "a helper module"), folder / "store.db"
    before, _ = in_a_child(play, store, spec)
    for left_out in ("run.log", ".hidden", ".git/index", "__pycache__/a.pyc", "README.md"):
        (folder / left_out).parent.mkdir(exist_ok=True)
        (folder / left_out).write_text("nothing to do with it")
    shutil.copy(store, folder / "copy of the results")
    assert in_a_child(play, store, spec) == (before, 0)
    player = folder / "mine.py"
    player.write_text(player.read_text().replace("helper.IS_HIGH", "not helper.IS_HIGH"))
    after, played = in_a_child(play, store, spec)
    assert played == 1 and after != before


def test_a_move_of_the_folder_does_not_count(folder: Path, tmp_path: Path) -> None:
    write_player(folder, "a helper module")
    before = identity_of(f"{folder}/mine.py:mine", GAME)
    shutil.copytree(folder, tmp_path / "elsewhere")
    assert identity_of(f"{tmp_path}/elsewhere/mine.py:mine", GAME) == before


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
    assert f"{folder} were edited after this process loaded code from there" in said
    assert in_a_child(play, store, spec)[1] == 1


def test_modules_without_a_path_are_in_no_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Torch has some, with a file such as "_ops.py"; the current folder is not theirs."""
    monkeypatch.setitem(sys.modules, "no_path", types.ModuleType("no_path"))
    monkeypatch.setattr(sys.modules["no_path"], "__file__", "_ops.py", raising=False)
    monkeypatch.chdir(folder)
    (folder / "mine.py").write_text("def mine(o, masks, r):\n    return masks.argmax(axis=1)\n")
    assert identity_of("mine.py:mine", GAME).startswith(identity.SCHEME)


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
        assert len(kept.contests(setting)) == 1


def test_a_folder_that_is_too_large_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, store = write_player(folder, "a helper module"), folder / "store.db"
    monkeypatch.setattr(identity, "MAX_FILES", 400)
    for number in range(401):
        (folder / f"{number}.txt").touch()
    said = refusal(play, store, spec)
    assert f"{folder} has more than 400 files or 256 MiB" in said and "cannot be kept" in said
    play_match(GAME, spec, "first_legal", 1)  # without a store


def refusal(call: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises((ValueError, PlayerError)) as refused:
        call(*arguments)
    return str(refused.value)


def test_results_of_another_version_are_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert play(folder / "store.db", "random")[1] == 1
    assert play(folder / "store.db", "random")[1] == 0
    monkeypatch.setattr(identity, "__version__", "99.0")
    assert play(folder / "store.db", "random")[1] == 1


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
    )
    monkeypatch.syspath_prepend(str(folder))

    def found() -> str:
        return identity_of("random", importlib.import_module("game_of_mine").mine())

    monkeypatch.setattr(identity, "_STARTED", float("inf"))  # edits before this process began
    before = in_a_child(found)
    assert "; package game_of_mine " in before
    assert in_a_child(found) == before
    (folder / "game_of_mine/cards.csv").write_text("")
    assert in_a_child(found) != before


def test_what_results_depend_on_is_printed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec, store = write_player(folder, "a helper module"), folder / "store.db"
    play(store, spec)
    said = told(f"ratings {store} --files", capsys)
    assert f"made of {spec}" in said and "  folder of mine.py " in said and "  parlour 0." in said
    assert "differs now" not in said
    (folder / "other.txt").write_text("")
    said = told(f"ratings {store} --files", capsys)
    (line,) = (line for line in said.splitlines() if "differs now" in line)
    assert line.startswith("  folder of mine.py ")


def test_a_store_of_another_format_is_refused(folder: Path) -> None:
    store = folder / "store.db"
    play(store, "random")
    with contextlib.closing(sqlite3.connect(store)) as database:
        database.execute("PRAGMA user_version = 2")
    with pytest.raises(ValueError, match="it has format 2, and this version of Parlour reads"):
        Store(store)


# Our own code and data: a copy of the tree is edited, and identities are compared.

IDENTITIES = """
import json, os, sys
from pathlib import Path
from parlour.envs import load_game
from parlour.baselines.arena.results import identity

PLAYERS = json.loads(sys.argv[1])

def identities():
    found = {}
    for name, players in PLAYERS.items():
        game = load_game(name)
        keys = [f"{name} {player}" for player in players]
        found |= zip(keys, (identity.identity_of(one, game) for one in players), strict=True)
    return found

def edited(paths):
    receive, send = os.pipe()
    if os.fork() == 0:
        old = {path: Path(path).read_bytes() for path in paths}
        for path in paths:
            extra = b"\\n# edited" if path.endswith(".py") else b"\\n"
            Path(path).write_bytes(old[path] + extra)
        os.write(send, json.dumps(identities()).encode())
        for path in paths:
            Path(path).write_bytes(old[path])
        os._exit(0)
    os.close(send)
    os.wait()
    return json.loads(os.fdopen(receive).read())

identity._STARTED = float("inf")  # an edit stands for one before this process began
print(json.dumps([edited(paths.split()) for paths in sys.argv[2:]]))
"""

OURS = {
    "notty": ["random", "finisher", "mcts"],
    "president": ["lowest", "dqn"],
    "splendor": ["random", "mine/mine.py:choose"],
}
EVERYONE = {f"{name} {player}" for name, players in OURS.items() for player in players}
USERS = "splendor mine/mine.py:choose"  # it may import anything of Parlour
NOTTY = {"notty random", "notty finisher", "notty mcts", USERS}
# What an edit of each file changes.
EDITS = {
    "scripts/commands/watch.py envs/notty/README.md": set(),
    "training/dqn.py": {USERS},
    "baselines/notty/values.npy": NOTTY,
    "envs/notty/rules.py": NOTTY,
    "envs/splendor/cards.csv": {"splendor random", USERS},
    "baselines/president/checkpoints/dqn.pt": {"president dqn", "president lowest", USERS},
    "baselines/search/mcts.py": EVERYONE,
    "baselines/arena/play/batches.py": EVERYONE,
    "envs/core/play/seating.py": EVERYONE,
    "envs/registry.py": EVERYONE,
    "mine/mine.py": {USERS},
}


def test_our_players_results_depend_on_parlour_and_on_their_game(
    tmp_path: Path,
) -> None:
    for name in ("envs", "baselines", "training", "scripts", "parlour"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=ignored)
    script = tmp_path / "identities.py"
    script.write_text(IDENTITIES)
    (tmp_path / "mine").mkdir()
    for name in ("mine/mine.py", "nothing.log"):
        (tmp_path / name).write_text("")
    files = ["nothing.log", *EDITS]
    arguments = (str(script), json.dumps(OURS), *files)
    before, *after = json.loads(ended(*arguments, cwd=tmp_path, PYTHONPATH=str(tmp_path)).stdout)
    assert set(before) == EVERYONE
    assert all(text.startswith(identity.SCHEME) for text in before.values())
    for edited, found in zip(EDITS, after, strict=True):
        assert {who for who in EVERYONE if found[who] != before[who]} == EDITS[edited], edited
