"""The cache of compiled rules: stale or damaged code never runs, and nothing else is discarded."""

import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest
from parlour.envs.core.memory import scratch

from parlour.envs import GAMES as OUR_GAMES
from parlour.envs.core import code_cache, jit, progress
from parlour.envs.core.compile import (
    apart,
    array_rule,
    bind,
    bind_flat,
    bind_flat_upwards,
    bind_inline,
    rule,
)

ROOT = Path(jit.__file__).resolve().parents[2]
FOLDERS = ("parlour", "envs", "baselines")

# Compile a function of the core, or find it; print whether it was found and where it is kept.
PROBE = """
import numba
import numpy as np
from parlour.envs.core import bits
assert bits.popcount(np.int64(7)) == 3
print(sum(bits.popcount.stats.cache_hits.values()), bits.popcount.stats.cache_path)
"""

# Two games in a package of its own beside a checkout, a loop bound to them, a table and a plot.
GAMES = {
    "__init__.py": "",
    "chess/__init__.py": "",
    "chess/rules.py": """
from parlour.envs.core.compile import rule
from . import pieces
from .costs import COST

@rule
def value(state):
    return state + COST + pieces.count(state)
""",
    "chess/pieces.py": """
from parlour.envs.core.compile import rule
from .more import PIECES

@rule
def count(state):
    return PIECES
""",
    "chess/more.py": "PIECES = 100\n",
    "chess/costs.py": """
from pathlib import Path
COST = int((Path(__file__).parent / "tables" / "costs.csv").read_text())
""",
    "chess/tables/costs.csv": "5\n",
    "chess/board.py": """
import numpy as np
from parlour.envs.core.compile import rule

@rule
def num_squares(boards):
    return boards[0].squares.shape[0]

def new_boards(num_squares):
    return np.zeros(1, [("squares", "i1", num_squares)])
""",
    "chess/plot.py": "from . import rules\n",
    "chess/README.txt": "",
    "ludo/__init__.py": "",
    "ludo/rules.py": """
from parlour.envs.core.compile import rule

@rule
def value(state):
    return state + 2
""",
    "loops.py": """
from parlour.envs.core.compile import bind

def twice(state):
    return value(value(state))

def bound(value):
    return bind(twice, value=value)
""",
}
PLAY_GAMES = """
import numba
import numpy as np
from games import loops
from games.chess import rules as chess
from games.ludo import rules as ludo
for value in (chess.value, ludo.value, loops.bound(chess.value), loops.bound(ludo.value)):
    print(value(np.int64(0)), sum(value.stats.cache_hits.values()))
"""

NAME_COMPILED = """
from games.chess import board
board.num_squares(board.new_boards({size}))
(compiled,) = board.num_squares.overloads.values()
print(compiled.fndesc.mangled_name)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the sources, to be edited."""
    target = tmp_path / "checkout"
    for folder in FOLDERS:
        skipped = shutil.ignore_patterns("__pycache__", "checkpoints")
        shutil.copytree(ROOT / folder, target / folder, ignore=skipped, symlinks=True)
    return target


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A folder with a user's package of two games.

    Edits of it change the size of a file: Python does not notice an edit within the same second
    that leaves the size as it was, and would run the byte code of the old text.
    """
    for name, text in GAMES.items():
        path = tmp_path / "users" / "games" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "users"


def run(
    script: str,
    *paths: Path,
    cache: Path | None = None,
    arguments: Sequence[str] = (),
    **settings: str,
) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, our modules imported from these folders."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), **settings}
    environment.pop("NUMBA_CACHE_DIR", None)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=paths[0],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def probe(
    *paths: Path, script: str = PROBE, cache: Path | None = None, **settings: str
) -> list[str]:
    """The words that a script prints; it must not fail, or print anything else."""
    done = run(script, *paths, cache=cache, **settings)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    return done.stdout.split()


def play(games: Path, tmp_path: Path) -> tuple[list[int], list[str]]:
    """What the two games and the two loops give, and which of them were found on disk."""
    words = probe(games, ROOT, script=PLAY_GAMES, cache=tmp_path / "cache")
    names = ("chess", "ludo", "chess loop", "ludo loop")
    return [int(word) for word in words[::2]], [
        name for name, hits in zip(names, words[1::2], strict=True) if hits != "0"
    ]


def test_an_edit_in_one_game_recompiles_that_game_alone(games: Path, tmp_path: Path) -> None:
    """Its rules, a module they import from afar, and a table that a constant is read from."""
    assert play(games, tmp_path) == ([105, 2, 210, 4], [])
    assert play(games, tmp_path) == ([105, 2, 210, 4], ["chess", "ludo", "chess loop", "ludo loop"])
    rules = GAMES["chess/rules.py"].replace("+ COST", "+ 2 * COST")
    for edited, text, value in (
        ("chess/rules.py", rules, 110),
        ("chess/more.py", "PIECES = 2 * 100\n", 210),
        ("chess/tables/costs.csv", "7\n", 214),
    ):
        (games / "games" / edited).write_text(text)
        assert play(games, tmp_path) == ([value, 2, 2 * value, 4], ["ludo", "ludo loop"])


def test_an_edit_of_a_plot_discards_nothing_and_of_a_template_only_its_loops(
    games: Path, tmp_path: Path
) -> None:
    play(games, tmp_path)
    (games / "games/chess/plot.py").write_text("print")
    (games / "games/chess/README.txt").write_text("edited")
    assert len(play(games, tmp_path)[1]) == 4
    loops = GAMES["loops.py"].replace("value(value(state))", "value(state)")
    (games / "games/loops.py").write_text(loops)
    assert play(games, tmp_path) == ([105, 2, 105, 2], ["chess", "ludo"])


def test_what_is_edited_after_the_start_is_not_kept(games: Path, tmp_path: Path) -> None:
    """The old text is what runs: its code must not be found under the digest of the new one."""
    edit = "import pathlib; pathlib.Path(ludo.__file__).write_text(pathlib.Path(ludo.__file__)"
    edit += ".read_text().replace('+ 2', '+ 2 + 1'))\n"
    late = PLAY_GAMES.replace("for value", f"{edit}for value")
    assert probe(games, ROOT, script=late, cache=tmp_path / "cache")[2:4] == ["2", "0"]
    assert play(games, tmp_path) == ([105, 3, 210, 6], ["chess", "chess loop"])


# The digest of all that each game's loops and players are compiled from, after each edit alone. A
# fork edits a file and digests what it then finds; the games are imported once.
DIGESTS = """
import json, os, sys
from pathlib import Path
import parlour
from parlour.envs.core.sources import digest_of
from parlour.baselines.players import players_of
from parlour.envs import GAMES, load_game
from parlour.envs.core.compile import _modules_of
from parlour.envs.core.play.loops import loops_of

modules = {}
for name in GAMES:
    game = load_game(name)
    players = players_of(game).values()
    functions = [player.row_function for player in players if player.row_function is not None]
    functions.append(loops_of(game).step_tables)
    modules[name] = frozenset().union(*map(_modules_of, functions))

def digests(path):
    receive, send = os.pipe()
    if os.fork() == 0:
        if path:
            Path(path).write_bytes(Path(path).read_bytes() + b"\\n")
            os.utime(path, (0, 0))  # a file edited after the start has no digest
        os.write(send, json.dumps({name: digest_of(modules[name]) for name in modules}).encode())
        os._exit(0)
    os.close(send)
    os.wait()
    return json.loads(os.fdopen(receive).read())

print(json.dumps([digests(path) for path in sys.argv[1:]]))
"""


def test_our_games_depend_on_their_own_folders_and_on_the_core(checkout: Path) -> None:
    """No game sees an edit of another, all see one of the core."""
    edits: dict[str, list[str]] = {
        "envs/president/rules.py": ["president"],
        "envs/splendor/cards.csv": ["splendor"],
        "baselines/arena/plots.py": [],
        "envs/registry.py": [],
        "envs/core/rng.py": list(OUR_GAMES),
    }
    for path in checkout.rglob("*"):
        if not path.is_symlink():
            os.utime(path, (0, 0))
    done = run(DIGESTS, checkout, arguments=["", *edits])
    assert done.returncode == 0, done.stderr
    before, *after = json.loads(done.stdout)
    assert len(set(before.values())) == len(before) == 5
    for (edited, expected), found in zip(edits.items(), after, strict=True):
        assert [name for name in before if found[name] != before[name]] == expected, edited
        before = found


def test_two_processes_give_code_for_different_records_different_names(
    games: Path, tmp_path: Path
) -> None:
    """A process that loads two functions of one name runs the first in place of the second."""

    def name(size: int) -> str:
        script = NAME_COMPILED.format(size=size)
        return probe(games, ROOT, script=script, cache=tmp_path / "cache")[0]

    assert name(3) != name(5)


def test_the_bounds_check_has_a_folder_of_its_own_within_numba_cache_dir(tmp_path: Path) -> None:
    cache = tmp_path / "mine"
    folder = Path(probe(ROOT, cache=cache)[1])
    assert folder.parent == cache
    assert list(folder.glob("popcount-*"))
    hits, checked = probe(ROOT, cache=cache, NUMBA_BOUNDSCHECK="1")
    assert (hits, Path(checked).parent) == ("0", cache)
    assert Path(checked) != folder


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def zeroed(content: bytes) -> bytes:
    return bytes(len(content))


def emptied(content: bytes) -> bytes:
    return b""


def one_bit_turned(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def test_damaged_code_is_compiled_again_with_one_warning(games: Path, tmp_path: Path) -> None:
    """Every file in one of four ways."""
    play(games, tmp_path)
    paths = sorted((tmp_path / "cache").rglob("*.code"))
    damages = itertools.cycle((cut, zeroed, emptied, one_bit_turned))
    for path, damage in zip(paths, damages, strict=False):
        path.write_bytes(damage(path.read_bytes()))
    assert len(paths) >= 4
    done = run(PLAY_GAMES, games, ROOT, cache=tmp_path / "cache")
    assert done.stdout.split() == ["105", "0", "2", "0", "210", "0", "4", "0"]
    assert len(re.findall("Warning: damaged compiled code", done.stderr)) == 1
    assert len(play(games, tmp_path)[1]) == 4


def test_code_that_cannot_be_kept_is_compiled_with_one_warning(games: Path, tmp_path: Path) -> None:
    """A file stands where the folder should be, which stops even the superuser."""
    (tmp_path / "file").write_text("in the way")
    before = set(ROOT.glob("*/**/*.nb[ci]"))
    for settings in ({"cache": tmp_path / "file" / "cache"}, {"XDG_CACHE_HOME": "/dev/null"}):
        done = run(PLAY_GAMES, games, ROOT, **settings)
        assert done.stdout.split() == ["105", "0", "2", "0", "210", "0", "4", "0"]
        assert len(re.findall("Warning: cannot keep compiled code", done.stderr)) == 1
    assert set(ROOT.glob("*/**/*.nb[ci]")) == before


def test_a_full_disk_costs_one_warning(games: Path, tmp_path: Path) -> None:
    full = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, {2**40}))\n"
    done = run(full + PLAY_GAMES, games, ROOT, cache=tmp_path / "cache")
    assert done.stdout.split()[::2] == ["105", "2", "210", "4"]
    assert len(re.findall("Warning: cannot keep compiled code", done.stderr)) == 1
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_rules_run_as_plain_python() -> None:
    script = """
import numba
import numpy as np
from parlour.envs.core import bits
assert bits.popcount(np.int64(-1)) == 64 and not hasattr(bits.popcount, "stats")
print("fine")
"""
    assert probe(ROOT, script=script, NUMBA_DISABLE_JIT="1") == ["fine"]


def test_old_digests_are_pruned_and_young_ones_kept(tmp_path: Path) -> None:
    names = ("rules-old", "rules-young", "unrelated")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("")
    long_ago = time.time() - 30 * 24 * 3600
    for name in ("rules-old", "unrelated"):
        os.utime(tmp_path / name, (long_ago, long_ago))
    code_cache._prune(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])


def test_a_function_within_another_is_compiled_but_not_kept() -> None:
    def halve(value):
        return value // 2

    compiled = rule(halve)
    assert compiled(np.int64(4)) == 2
    assert vars(compiled)["_cache"].cache_path is None


@rule
def double(value):
    return 2 * value


@rule
def triple(value):
    return 3 * value


def _twice_changed(value):
    return change(change(value))  # noqa: F821 (a name that `bind` gives a meaning)


def test_bind_compiles_a_copy_for_each_meaning() -> None:
    by_two, by_three = bind(_twice_changed, change=double), bind(_twice_changed, change=triple)
    assert by_two(1) == 4
    assert by_three(1) == 9
    names = {jit.python_source(one).__qualname__ for one in (by_two, by_three)}
    assert len(names) == 2


@numba.njit
def _length_of_an_array(value):
    return np.zeros(value).size


def test_a_bound_loop_may_call_from_outside_what_makes_arrays() -> None:
    loop = bind(_twice_changed, change=_length_of_an_array)
    assert loop(5) == 5


def test_a_function_that_would_lose_an_array_is_not_compiled() -> None:
    def numbers(count):
        return np.zeros(count)

    maker = jit._compile(numbers)

    def first(count):
        return maker(count)[0]

    with pytest.raises(numba.TypingError, match="declare it as array_rule"):
        jit._compile(first, lean=True)(3)
    assert jit._compile(first)(3) == 0.0


def test_only_code_that_allocates_starts_numbas_runtime_and_square_roots_need_nothing() -> None:
    """Loading the rest of Numba, which imports SciPy, takes longer than all else at a start."""

    def root(number):
        return math.sqrt(number)

    def numbers(count):
        return np.zeros(count)

    assert code_cache._needs(_library(jit._compile(root), 2.0)) == (False, False)
    assert code_cache._needs(_library(jit._compile(numbers), 2)) == (False, True)


def _library(compiled: Any, argument: Any) -> Any:
    compiled(argument)
    (result,) = compiled.overloads.values()
    return result.library


def _overloads(compiled: Any) -> dict[Any, Any]:
    """What compiled callers of a rule use, by the types of its arguments."""
    (inner,) = compiled.get_overload.args
    overloads: dict[Any, Any] = inner().overloads
    return overloads


def _code_that_passes_arrays(lean: bool) -> str:
    def same(array):
        return array

    inside = jit._compile(same, lean=lean)

    def last_start(arrays, kept):
        for index in range(arrays.shape[0]):
            kept = inside(arrays[index])
        return kept[0]

    compiled: Any = jit._compile(last_start, lean=lean)
    arrays = np.arange(6).reshape(2, 3)
    assert compiled(arrays, arrays[0]) == 3
    return "".join(compiled.inspect_llvm().values())


def test_lean_code_does_not_count_references() -> None:
    """Of `_nrt`, an option that Numba does not document, which all but `array_rule` set."""
    assert "NRT_incref" in _code_that_passes_arrays(lean=False)
    assert "NRT_incref" not in _code_that_passes_arrays(lean=True)


def test_whole_numbers_of_all_sizes_and_values_share_one_function() -> None:
    def add(first, second):
        return first + second

    added = rule(add)

    def total(array):
        return added(array[0], 1) + added(array[1], array[0]) + added(-3, np.int16(5))

    assert rule(total)(np.array([100, -4], np.int8)) == 101 + 96 + 2
    assert len(_overloads(added)) == 1


def _functions_in_loop(rarely: Any) -> list[str]:
    def loop(values):
        total = 0
        for value in values:
            if value < 0:
                total += rarely(value)
        return total

    compiled: Any = rule(loop)
    assert compiled(np.array([3, -2, 4, -1])) == 5
    code = "".join(compiled.inspect_llvm().values())
    return re.findall(r"^define .*?@(\S+)\(", code, re.MULTILINE)


def test_a_rule_apart_stays_out_of_the_loop_that_calls_it() -> None:
    def square(value):
        return value * value

    rule_of_loop = rule(square)
    assert not any("square" in name for name in _functions_in_loop(rule_of_loop))
    assert any("square" in name for name in _functions_in_loop(apart(rule_of_loop)))


def _long(value: Any) -> Any:
    """Too long for LLVM to put it into three places by itself."""
    for step in range(value):
        for part in range(step):
            value ^= (value << step) * 7 + part // 3 - (value >> (step & 7)) % 11
            if value & 1:
                value += (value >> 3) * (step % 5) + (value << 2) // 7 - (step ^ value)
            elif value % 3 == part:
                value -= (value >> 5) * (part % 13) + (value << 1) // 9 - (part | value)
            else:
                value = (value % 1001) * (step % 17) + (value % 77) // 5 - (step & part)
    return value


called: Any = None  # stands for a function; `bind` says which


def _loop(values: Any) -> Any:
    return called(values[0]) + called(values[1]) + called(values[2])


def _step(value: Any) -> Any:
    return called(value)


def _has_function_of_its_own(bind_loop: Any, function: Any) -> bool:
    compiled = bind_loop(_loop, called=function)
    values = np.array([3, 5, 9])
    assert compiled(values) == sum(map(_long, values))
    code = "".join(compiled.inspect_llvm().values())
    return any("_long" in name for name in re.findall(r"^define .*?@(\S+)\(", code, re.MULTILINE))


def test_a_flat_loop_has_all_that_it_calls_inside_except_what_is_apart() -> None:
    assert _has_function_of_its_own(bind, rule(_long))
    for bind_loop in (bind_flat, bind_flat_upwards):
        assert not _has_function_of_its_own(bind_loop, rule(_long))
        assert _has_function_of_its_own(bind_loop, apart(rule(_long)))


def test_what_is_bound_to_a_loop_that_is_flat_upwards_is_flat() -> None:
    def around(bind_loop: Any) -> Any:
        return lambda template, called: bind(_step, called=bind_loop(template, called=called))

    assert _has_function_of_its_own(around(bind), rule(_long))
    assert _has_function_of_its_own(around(bind_flat), rule(_long))
    assert not _has_function_of_its_own(around(bind_flat_upwards), rule(_long))


def test_a_rule_that_inlined_code_calls_first_is_not_inlined_itself() -> None:
    long = rule(_long)
    inlined = bind_inline(_step, called=long)
    assert bind(_step, called=inlined)(3) == _long(3)
    assert _has_function_of_its_own(bind, long)


def test_scratch_is_memory_of_each_call() -> None:
    def reversed_digits(number):
        digits = scratch(3)
        for place in range(3):
            digits[place] = number % 10
            number //= 10
        return digits[0] * 100 + digits[1] * 10 + digits[2]

    called = rule(reversed_digits)

    def total(numbers):
        result = 0
        for number in numbers:
            result += called(number) - called(called(number))
        return result

    numbers = np.arange(100, 1000)
    assert rule(total)(numbers) == sum(map(int, (str(n)[::-1] for n in numbers))) - numbers.sum()


def test_the_size_of_scratch_is_a_constant() -> None:
    def first(size):
        return scratch(size)[0]

    with pytest.raises(numba.TypingError, match="must be a constant"):
        rule(first)(3)


def test_an_array_rule_apart_may_still_make_arrays() -> None:
    def sum_of_copy(value):
        return np.full(2, value).sum() // 2

    made = apart(array_rule(sum_of_copy))

    def loop(values):
        return made(values[0]) + made(values[1])

    assert rule(loop)(np.array([3, 4])) == 7


def test_a_value_that_must_be_known_when_compiled_is_kept() -> None:
    def element(pair, index):
        return pair[index]

    chosen = rule(element)

    def both(value):
        pair = (value, 2.5)
        return chosen(pair, 0) + chosen(pair, 1)

    assert rule(both)(3) == 5.5


def test_a_long_compilation_says_what_and_how_far(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def one_more(value):
        return value + 1

    added = rule(one_more)

    def two_more(value):
        return added(added(value))

    monkeypatch.setattr(progress._Clock, "next_line", 0.0)
    compiled = rule(two_more)
    assert compiled(1) == 3
    line = r"parlour: compiling \S+, \d+ of at most \d+ functions after \d+ s"
    assert re.match(line, capsys.readouterr().err)
    compiled(1)
    assert capsys.readouterr().err == ""


def test_two_threads_may_compile_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    remove = llvm.ffi.unregister_lock_callback

    def remove_slowly(*timer: Any) -> None:
        time.sleep(0.05)
        remove(*timer)

    monkeypatch.setattr(llvm.ffi, "unregister_lock_callback", remove_slowly)

    def one_more(value):
        return value + 1

    def one_less(value):
        return value - 1

    numba.njit(one_more)(0)  # the first one adds Numba's timers
    timers = list(llvm.ffi.lib._lock._cblist)
    assert timers
    with ThreadPoolExecutor() as threads:
        assert list(threads.map(lambda made: made(3), [rule(one_more), rule(one_less)])) == [4, 2]
    assert llvm.ffi.lib._lock._cblist == timers
