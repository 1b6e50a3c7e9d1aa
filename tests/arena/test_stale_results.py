"""A result in a store is used again exactly as long as nothing that it depends on has changed.

Every run is a process of its own, forked from this one: a player's modules are loaded anew in each.
"""

import json
import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from parlour.baselines.arena import Store, play_match
from parlour.baselines.arena.batches import Batch
from parlour.baselines.arena.contest.time_control import TimeControl
from parlour.baselines.arena.playing import Plan
from parlour.baselines.arena.workers import Workers
from parlour.envs import load_game

ROOT = Path(__file__).resolve().parents[2]
NUM_DEALS = 4

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
    "a module imported by name": (
        "import importlib",
        'helper = importlib.import_module("hel" + "per")',
        "helper.IS_HIGH",
    ),
    "a text file": ("", 'text = open("{folder}/data.txt").read()', 'text.strip() == "True"'),
    "an array": ("import numpy", 'array = numpy.load("{folder}/data.npy")', "array[0]"),
    "a mapped array": (
        "import numpy",
        'array = numpy.load("{folder}/data.npy", mmap_mode="r")',
        "array[0]",
    ),
    "weights": ("import torch", 'weights = torch.load("{folder}/data.pt")', "bool(weights[0])"),
    "a table": (
        "import pandas",
        'table = pandas.read_csv("{folder}/data.csv")',
        "table.is_high[0]",
    ),
    "an opened descriptor": (
        "import os",
        'text = os.read(os.open("{folder}/data.txt", os.O_RDONLY), 4)',
        'text == b"True"',
    ),
}


def write_data(folder: Path, is_high: bool) -> None:
    (folder / "helper.py").write_text(f"IS_HIGH = {is_high}\n")
    (folder / "data.txt").write_text(f"{is_high}\n")
    np.save(folder / "data.npy", np.array([is_high]))
    torch.save(torch.tensor([is_high]), folder / "data.pt")
    pd.DataFrame({"is_high": [is_high]}).to_csv(folder / "data.csv")
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
        def add(self, batch: Batch, outcomes: Any) -> None:
            added.append(batch)
            super().add(batch, outcomes)

    with Watched(path) as store:
        plan = Plan(workers=Workers(workers), store=store, control=control)
        game = load_game("president", num_players=2)
        result = play_match(game, spec, "first_legal", NUM_DEALS, plan=plan)
    return result.mean_return[0], len(added)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_data(tmp_path, is_high=False)
    return tmp_path


@pytest.mark.parametrize("way", WAYS)
def test_an_edit_of_what_the_player_imports_or_opens_counts(folder: Path, way: str) -> None:
    spec, store = write_player(folder, way), folder / "store.db"
    before, played = in_a_child(play, store, spec)
    assert played == 1
    assert in_a_child(play, store, spec) == (before, 0)
    (folder / "other.txt").write_text("nothing to do with it")
    (folder / "other.py").write_text("import helper")
    assert in_a_child(play, store, spec) == (before, 0)
    write_data(folder, is_high=True)
    after, played = in_a_child(play, store, spec)
    assert played == 1 and after != before
    assert in_a_child(play, store, spec) == (after, 0)


def test_files_opened_in_another_process_count(folder: Path) -> None:
    spec, store = write_player(folder, "an array"), folder / "store.db"
    before, played = play(store, spec, workers=2)
    assert played >= 1
    write_data(folder, is_high=True)
    after, played = in_a_child(play, store, spec)
    assert played >= 1 and after != before


@pytest.mark.parametrize(
    "way", ["a helper module", pytest.param("an array", marks=pytest.mark.long)]
)
def test_in_a_contest_too(folder: Path, way: str) -> None:
    spec, store = write_player(folder, way), folder / "store.db"
    control = TimeControl(logs=str(folder / "logs"), sandbox="none", secret="k1")
    before, played = play(store, spec, control=control)
    assert played == 1
    assert play(store, spec, control=control) == (before, 0)
    write_data(folder, is_high=True)
    after, played = in_a_child(play, store, spec, 1, control)
    assert played == 1 and after != before


def test_a_file_that_appears_counts_and_one_that_the_player_writes_does_not(folder: Path) -> None:
    (folder / "mine.py").write_text(
        "from pathlib import Path\n"
        f"FOLDER = Path({str(folder)!r})\n"
        "def mine(observations, action_masks, rngs):\n"
        "    (FOLDER / 'log.txt').write_text(str(rngs))\n"
        "    (FOLDER / 'log.txt').read_text()\n"
        "    try:\n"
        "        (FOLDER / 'wish.txt').read_text()\n"
        "    except FileNotFoundError:\n"
        "        pass\n"
        "    return action_masks.argmax(axis=1)\n"
    )
    spec, store = f"{folder}/mine.py:mine", folder / "store.db"
    assert in_a_child(play, store, spec)[1] == 1
    (folder / "log.txt").write_text("edited by hand")
    assert in_a_child(play, store, spec)[1] == 0
    (folder / "wish.txt").write_text("here")
    assert in_a_child(play, store, spec)[1] == 1


def test_a_setting_that_names_a_file_stands_for_its_content(folder: Path) -> None:
    (folder / "mine.py").write_text(
        "class Mine:\n"
        "    def __init__(self, weights):\n"
        "        self.is_high = open(weights).read().strip() == 'True'\n"
        "    def begin(self, seat, game): pass\n"
        "    def watch(self, observation): pass\n"
        "    def choose(self, observation, mask, rng):\n"
        "        return int(mask.nonzero()[0][-1 if self.is_high else 0])\n"
    )
    spec, store = f"{folder}/mine.py:Mine:weights={folder}/data.txt", folder / "store.db"
    before, _ = in_a_child(play, store, spec)
    assert in_a_child(play, store, spec) == (before, 0)
    write_data(folder, is_high=True)
    after, played = in_a_child(play, store, spec)
    assert played == 1 and after != before


def test_the_store_says_which_results_a_changed_file_makes_doubtful(folder: Path) -> None:
    spec, store = write_player(folder, "a text file"), folder / "store.db"
    in_a_child(play, store, spec)
    with Store(store) as kept:
        (setting,) = kept.settings()
        assert kept.doubts(setting) == []
        write_data(folder, is_high=True)
        (doubt,) = kept.doubts(setting)
        assert f"{folder}/data.txt" in doubt and "mine" in doubt


def test_a_store_of_the_format_before_is_read_and_doubted(folder: Path) -> None:
    store = folder / "store.db"
    in_a_child(play, store, "random")
    database = sqlite3.connect(store)
    database.execute("DROP TABLE files")
    database.execute("UPDATE player SET identity = 'old ' || name || ' of 0123456789abcdef'")
    database.execute("PRAGMA user_version = 1")
    database.commit()
    database.close()
    with Store(store) as kept:
        (setting,) = kept.settings()
        (contest,) = kept.contests(setting)
        assert len(list(kept.read(setting, contest))) == 1
        (doubt,) = kept.doubts(setting)
        assert doubt == "kept before results told what they depend on: first_legal, random"
    assert in_a_child(play, store, "random")[1] == 1


# Our own code and data: a copy of the tree is edited, and identities are compared.

IDENTITIES = """
import json, os, sys
from pathlib import Path
from parlour.envs import load_game
from parlour.baselines import sources
from parlour.baselines.arena import identity
from parlour.baselines.arena.identity import identities_of

PLAYERS = json.loads(sys.argv[1])

def identities():
    found = {}
    for name, players in PLAYERS.items():
        game = load_game(name)
        keys = [f"{name} {player}" for player in players]
        found |= zip(keys, identities_of(players, game), strict=True)
    return found

def edited(paths):
    receive, send = os.pipe()
    if os.fork() == 0:
        old = {path: Path(path).read_bytes() for path in paths}
        for path in paths:
            extra = b"\\n# edited" if path.endswith(".py") else b"\\n"
            Path(path).write_bytes(old[path] + extra)
            os.utime(path, (0, 0))
        os.write(send, json.dumps(identities()).encode())
        for path in paths:
            Path(path).write_bytes(old[path])
            os.utime(path, (0, 0))
        os._exit(0)
    os.close(send)
    os.wait()
    return json.loads(os.fdopen(receive).read())

identities()  # finds the imports of every file, once for all forks; the edits add none
for digests in (identity._digest, sources._digest, sources.file_digest):
    digests.cache_clear()
print(json.dumps([edited(paths.split()) for paths in sys.argv[2:]]))
"""

OURS = {
    "notty": ["random", "finisher", "mcts"],
    "president": ["lowest", "dqn"],
    "splendor": ["random"],
}
EVERYONE = {f"{name} {player}" for name, players in OURS.items() for player in players}
NOTTY = {"notty random", "notty finisher", "notty mcts"}
UNRELATED = (  # changed at once: none of them may matter
    "training/dqn.py",
    "scripts/watch.py",
    "baselines/arena/ratings.py",
    "baselines/splendor/players.py",
    "envs/core/environments/aec.py",
    "baselines/trick_taking/solver.py",
)
# What an edit of each file changes. A search asks for the scripts of its game to play out with.
EDITS = {
    " ".join(UNRELATED): set(),
    "baselines/notty/players.py": {"notty finisher", "notty mcts"},
    "baselines/notty/values.npy": {"notty finisher", "notty mcts"},
    "envs/notty/rules.py": NOTTY,
    "envs/splendor/cards.csv": {"splendor random"},
    "baselines/search/mcts.py": {"notty mcts"},
    "baselines/generic.py": None,  # at least the random players
    "baselines/president/checkpoints/dqn.pt": {"president dqn"},
    "envs/core/play/seating.py": EVERYONE,
    "baselines/arena/batches.py": EVERYONE,
}


def test_our_players_results_depend_on_their_games_and_their_own_files_only(
    tmp_path: Path,
) -> None:
    for name in ("envs", "baselines", "training", "scripts", "parlour"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=ignored)
    script = tmp_path / "identities.py"
    script.write_text(IDENTITIES)
    for path in tmp_path.rglob("*"):
        if not path.is_symlink():
            os.utime(path, (0, 0))
    (tmp_path / "nothing.py").write_text("")
    files = ["nothing.py", *EDITS]
    command = [sys.executable, str(script), json.dumps(OURS), *files]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    before, *after = json.loads(done.stdout)
    assert set(before) == EVERYONE and None not in before.values()
    for edited, found in zip(EDITS, after, strict=True):
        changed = {who for who in EVERYONE if found[who] != before[who]}
        expected = EDITS[edited]
        if expected is None:
            assert {"notty random", "splendor random"} <= changed, edited
        else:
            assert changed == expected, edited
