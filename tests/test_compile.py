"""Compiled rules: fast, the same everywhere, and never run from a cache that does not fit them."""

import hashlib
import importlib
import logging
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.event import install_recorder

from parlour.envs.core import code_cache, compile
from parlour.envs.core.bits import popcount
from parlour.envs.core.compile import Rule, array_rule, bind, reason_of, relate, rule
from tests.processes import ROOT, ended


def run(script: str, folder: Path, *arguments: str, **settings: str) -> tuple[list[str], str]:
    """Return what a script prints in a process of its own: words, and the text on stderr."""
    paths = os.pathsep.join(map(str, (folder, ROOT)))
    variables = {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **settings}
    done = ended("-c", script, *arguments, cwd=ROOT, **variables)
    return done.stdout.split(), done.stderr


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for compiled code; nothing was warned of or logged before."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(code_cache, "_noted", set())
    return tmp_path / "cache"


# What is compiled


@rule
def double(value):
    return 2 * value


@rule
def triple(value):
    return 3 * value


@numba.njit
def _length_of_an_array(value):
    return np.zeros(value).size


@rule
def factorial(number):
    return number * factorial(number - 1) if number else 1


@rule
def is_even(number):
    return number == 0 or is_odd(number - 1)


@rule
def is_odd(number):
    return number != 0 and is_even(number - 1)


def _twice_changed(value):
    return change(change(value))  # noqa: F821 (a name that `bind` gives a meaning)


def _shifted(values):
    values[1:] = values[:-1]  # which may overlap: Numba makes an array between
    return values[0]


def _first_of_new(count):
    return np.zeros(count)[0]


def test_bind_compiles_a_copy_for_each_meaning() -> None:
    by_two, by_three = bind(_twice_changed, change=double), bind(_twice_changed, change=triple)
    assert (by_two(1), by_three(1)) == (4, 9)
    assert bind(_twice_changed, change=by_two)(1) == 16
    assert bind(_twice_changed, change=_length_of_an_array)(5) == 5


def test_rules_of_other_packages_may_make_arrays_and_lean_ones_may_not() -> None:
    assert array_rule(_first_of_new)(3) == rule(_first_of_new)(3) == 0
    for function, argument in ((_first_of_new, 3), (_shifted, np.arange(4))):
        with pytest.raises(numba.errors.NumbaError) as caught:
            Rule(function, compile._LEAN)(argument)
        assert reason_of(caught.value).endswith("that makes an array is an @array_rule)")


@pytest.mark.parametrize("called", [factorial, is_even])
def test_a_rule_that_calls_itself_is_a_clear_error(called: Any) -> None:
    with pytest.raises(TypeError, match=f"rule {called.__name__} calls itself; write a stack"):
        called(3)


def test_threads_may_compile_at_once_and_each_rule_once() -> None:
    def one_more(value):
        return value + 1

    def one_less(value):
        return value - 1

    more: Any = rule(one_more)
    less: Any = rule(one_less)
    start = Barrier(4)

    def call(compiled: Any) -> int:
        start.wait(60)
        return int(compiled(3))

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(call, [more, less, more, less])) == [4, 2, 4, 2]
    for compiled in (more, less):
        assert [len(one.overloads) for one in compiled._kept.values()] == [1]


# What is kept on disk


@rule
def _doubled_number(record):
    return 2 * record.number


@rule
def _sum_of_one(records):
    return _doubled_number(records[0])


@rule
def _sum_of_two(records, others):
    return _doubled_number(records[0]) + others[0].other


def test_loops_over_related_records_share_the_code_of_a_rule(cache: Path) -> None:
    one, other, common = (
        np.dtype((np.record, [(name, np.int64)])) for name in ("number", "other", "common")
    )
    relate((one, other), (common,))
    with install_recorder("numba:compile") as compiled:
        assert _sum_of_one(np.ones(1, one)) == 2
        assert _sum_of_two(np.ones(1, one), np.ones(1, other)) == 3
    started = [event.data["dispatcher"] for _, event in compiled.buffer if event.is_start]
    names = [dispatcher.py_func.__name__ for dispatcher in started]
    assert names.count("_sum_of_one") == names.count("_sum_of_two") == 1
    assert names.count("_doubled_number") == 1


def _total(values):
    total = 0
    for value in values:
        total += value
    return total


_total_rule = rule(_total)


def _largest_of_total(values):
    return max(_total_of(values), 0)


@rule
def _total_of(values):
    return values.sum()


def hits(compiled: Any) -> int:
    """Return how often the code of a rule was found on disk."""
    return sum(sum(one.stats.cache_hits.values()) for one in compiled._kept.values())


def call_anew(*, function: Callable[..., Any] = _total) -> int:
    """Call a rule as a new process would; return how often its code was found."""
    compiled = rule(function)
    assert compiled(np.arange(4)) == 6
    return hits(compiled)


def test_the_name_of_kept_code_depends_on_no_order_of_a_set(tmp_path: Path) -> None:
    """Else every process might compile it again."""
    script = (
        "from parlour.envs.core import code_cache\n"
        "from parlour.envs.splendor import rules as game\n"
        "rules = [one for one in vars(game).values() if hasattr(one, 'py_func')]\n"
        "print(*(code_cache.content_digest(one) for one in rules))\n"
    )
    (first, _), (second, _) = (run(script, tmp_path, PYTHONHASHSEED=seed) for seed in "12")
    assert first and first == second


def test_a_cold_start_logs_one_line_and_a_warm_one_none(
    cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Numba's setting, which it reads from the environment, is put back."""
    with caplog.at_level(logging.WARNING, "parlour.compile"):
        assert call_anew() == 0
        assert rule(_first_of_new)(2) == 0
        (line,) = caplog.messages
        assert line.startswith("parlour: compiling, once") and line.endswith(f"in {cache}")
        caplog.clear()
        code_cache._noted.clear()
        assert call_anew() == 1
    assert not caplog.messages
    assert str(cache) == numba.config.CACHE_DIR


def test_a_function_with_values_of_another_is_compiled_but_not_kept(cache: Path) -> None:
    start = 2

    def total_from(values):
        return _total_rule(values) + start - 2

    for _ in range(2):
        assert call_anew(function=total_from) == 0
    assert not list(cache.glob("*/total_from*"))


def one_bit_turned(part: int, content: bytes) -> bytes:
    place = part * len(content) // 8
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "zeroed": lambda content: bytes(len(content)),
    "emptied": lambda content: b"",
    **{f"bit in part {part}": partial(one_bit_turned, part) for part in range(8)},
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_code_is_compiled_again_with_one_warning(
    damage: Callable[[bytes], bytes], cache: Path
) -> None:
    call_anew()
    files = [path for path in cache.rglob("*") if path.is_file()]
    assert files
    for path in files:
        path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(RuntimeWarning, match="damaged compiled code in .*: compiling") as warned:
        assert call_anew() == 0
    assert len(warned) == 1
    assert call_anew() == 1


def test_code_of_a_version_with_other_modules_is_compiled_again(cache: Path) -> None:
    """It names a module that no longer exists; nothing is wrong with it, so nothing is said."""
    call_anew()
    code = b"cparlour.module_of_before\nClass\n."  # pickled
    for path in [path for path in cache.rglob("*") if path.is_file()]:
        path.write_bytes(hashlib.sha256(code).digest() + code)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [call_anew(), call_anew()] == [0, 1]


@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"])
def test_code_that_cannot_be_kept_is_compiled_with_one_warning(
    variable: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file stands where the folder or home should be, which stops even the superuser."""
    cache.write_text("in the way")
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(cache / "inner"))
    with pytest.warns(RuntimeWarning, match=r"cannot keep .*\(Not a directory\)") as warned:
        assert call_anew() == call_anew() == 0
    assert len(warned) == 1


def test_code_is_kept_in_the_private_folder_and_read_from_both(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a sandbox, where the cache itself is read-only."""
    assert call_anew(function=_total) == 0
    before = sorted(cache.rglob("*"))
    monkeypatch.setenv(code_cache.PRIVATE_CODE, str(tmp_path / "private"))
    assert call_anew(function=_total) == 1
    assert [call_anew(function=_largest_of_total), call_anew(function=_largest_of_total)] == [0, 1]
    assert sorted(cache.rglob("*")) == before


def test_a_full_disk_costs_one_warning(cache: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.warns(RuntimeWarning, match="cannot keep compiled code") as warned:
            assert call_anew() == call_anew() == 0
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert len(warned) == 1
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_old_code_is_pruned_and_young_code_kept(cache: Path) -> None:
    names = ("rules-old", "rules-young", "unrelated")
    for name in names:
        (cache / name).mkdir(parents=True)
        (cache / name / "file").write_text("")
    long_ago = time.time() - 30 * 24 * 3600
    for name in ("rules-old", "unrelated"):
        os.utime(cache / name, (long_ago, long_ago))
    call_anew()
    kept = {path.name for path in cache.iterdir()}
    assert kept >= set(names[1:]) and "rules-old" not in kept


# What the code depends on

GAME = {  # in a package of its own: a rule that needs three other files
    "__init__.py": "",
    "rules.py": """
from parlour.envs.core.compile import rule
from . import pieces
from .costs import COSTS

@rule
def value(state):
    return state + COSTS[0][0] + pieces.count(state)
""",
    "pieces.py": """
from parlour.envs.core.compile import rule
from .more import PIECES, Colour

@rule
def count(state):
    return PIECES * Colour.RED
""",
    "more.py": "import enum\nPIECES = 100\nclass Colour(enum.IntEnum):\n    RED = 1\n",
    "costs.py": "import numpy as np\nCOSTS = (np.full(2000, 5), 1.5)\n",
    "plot.py": "from . import rules\n",
    "board.py": """
from parlour.envs.core.compile import rule

@rule
def size(board):  # too long for LLVM to put it into its caller
    total = 0
    for i in range(board.squares.shape[0]):
        for j in range(i):
            if board.squares[j] > i:
                total ^= (board.squares[i] << j) * 7 + total // 3
            else:
                total += board.squares[i] * i - total // 5
    return board.squares.shape[0] + total

@rule
def num_squares(boards):
    return size(boards[0])
""",
    "players.py": """
from parlour.envs.core.compile import bind, rule

@rule
def lowest(hand):
    return 1

@rule
def highest(hand):
    return 9

def chosen(hand):  # too long for LLVM to put it into its caller
    total = 0
    for i in range(hand.shape[0]):
        for j in range(i):
            if hand[j] > i:
                total ^= (hand[i] << j) * 7 + total // 3
            else:
                total += hand[i] * i - total // 5
    return choose(hand) + total

def play(hand):
    return chosen(hand)

PLAYS = {
    player.__name__: bind(play, chosen=bind(chosen, choose=player)) for player in (lowest, highest)
}
""",
}
PLAY = """
import numpy as np
from game import rules
print(rules.value(np.int64(0)), sum(rules.value.for_records(()).stats.cache_hits.values()))
"""
COUNT_SQUARES = """
import sys
import numpy as np
from game.board import num_squares
for size in sys.argv[1:]:
    boards = np.zeros(1, [("squares", "i1", int(size))])
    print(num_squares(boards), sum(num_squares.for_records((boards,)).stats.cache_hits.values()))
"""
PLAY_AS = """
import sys
import numpy as np
from game.players import PLAYS
for play in map(PLAYS.get, sys.argv[1:]):
    print(play(np.zeros(3, int)), sum(play.for_records(()).stats.cache_hits.values()))
"""


def write_game(folder: Path, old: str = "", new: str = "") -> Path:
    """Write the package, with `new` in place of `old` in all its files."""
    (folder / "game").mkdir(exist_ok=True)
    for name, text in GAME.items():
        (folder / "game" / name).write_text(text.replace(old, new) if old else text)
    return folder


def digest_with(
    folder: Path, monkeypatch: pytest.MonkeyPatch, old: str = "", new: str = ""
) -> str | None:
    """Return the digest of the rule `value` after this edit."""
    with monkeypatch.context() as patch:
        patch.syspath_prepend(write_game(folder, old, new))
        patch.setattr(sys, "dont_write_bytecode", True)
        for name in [name for name in sys.modules if name.partition(".")[0] == "game"]:
            del sys.modules[name]
        code_cache.content_digest.cache_clear()
        return code_cache.content_digest(importlib.import_module("game.rules").value)


@pytest.mark.parametrize(
    ("old", "new", "is_another"),
    [
        ("state + COSTS", "state - COSTS", True),
        ("PIECES *", "PIECES +", True),  # in a rule that it calls
        ("= 100", "= 101", True),  # a constant of that
        ("RED = 1", "RED = 2", True),
        ("(2000, 5)", "(2000, 6)", True),
        ("1.5", "2.5", True),
        ("import rules\n", "import rules as other\n", False),
        ("total // 3", "total // 4", False),
        ("import enum\n", "# a comment\nimport enum\nOTHERS = 3\n", False),
    ],
)
def test_an_edit_of_what_a_rule_needs_makes_a_new_digest(
    old: str, new: str, is_another: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest_with(tmp_path, monkeypatch)
    assert (digest_with(tmp_path, monkeypatch, old, new) != before) is is_another


@pytest.mark.parametrize(("setting", "value"), [("BOUNDSCHECK", 1), ("OPT", 0)])
def test_settings_that_change_the_code_have_code_of_their_own(
    setting: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = code_cache.content_digest(popcount)
    monkeypatch.setattr(numba.config, setting, value)
    code_cache.content_digest.cache_clear()
    assert code_cache.content_digest(popcount) != before


def test_an_edit_is_seen_by_the_next_process(tmp_path: Path, cache: Path) -> None:
    play = lambda *edit: run(PLAY, write_game(tmp_path, *edit))  # noqa: E731
    assert play()[0] == ["105", "0"]
    assert play() == (["105", "1"], "")
    assert play("= 100", "= 300")[0] == ["305", "0"]


@pytest.mark.long
def test_code_for_other_records_of_another_process_is_not_mistaken(
    tmp_path: Path, cache: Path
) -> None:
    """Numba names both by the same number: a process that loads two would run the first twice."""
    write_game(tmp_path)
    for size in ("30", "50"):
        assert run(COUNT_SQUARES, tmp_path, size)[0] == [size, "0"]
    assert run(COUNT_SQUARES, tmp_path, "30", "50") == (["30", "1", "50", "1"], "")


@pytest.mark.long
def test_code_for_another_player_of_another_process_is_not_mistaken(
    tmp_path: Path, cache: Path
) -> None:
    """The loops of both bear one name, and so may what they call."""
    write_game(tmp_path)
    assert run(PLAY_AS, tmp_path, "lowest")[0] == ["1", "0"]
    assert run(PLAY_AS, tmp_path, "highest")[0] == ["9", "0"]
    assert run(PLAY_AS, tmp_path, "lowest", "highest") == (["1", "1", "9", "1"], "")
    assert run(PLAY_AS, tmp_path, "highest", "lowest") == (["9", "1", "1", "1"], "")


def _last_start(arrays, kept):
    for index in range(arrays.shape[0]):
        kept = arrays[index]
    return kept[0]


@pytest.mark.parametrize("is_lean", [True, False])
def test_lean_code_does_not_count_references(is_lean: bool, cache: Path) -> None:
    """Of `_nrt`, an option that Numba does not document, which makes small steps fast."""
    arrays = np.arange(6).reshape(2, 3)
    made: Any = popcount if is_lean else rule(_last_start)
    compiled = Rule(_last_start, made.options).for_records((arrays, arrays[0]))
    assert compiled(arrays, arrays[0]) == 3
    assert ("NRT_incref" in "".join(compiled.inspect_llvm().values())) is not is_lean
