"""Whether rules compile and stay inside their arrays: as plain Python each error has a place.

Compiled code reads and writes outside an array silently, and its errors name types, not lines.
"""

import time
import traceback
from pathlib import Path

from ..compile import entry_point, reason_of
from ..game import Game
from ..in_python import in_python, sample_arguments
from .report import CheckError, Trial
from .situation import FEW, Sample

_CORE = Path(__file__).resolve().parents[1]
SECONDS = 10.0  # of the processor, after which no further game is played as plain Python


def compile_rules(game: Game, trial: Trial) -> None:
    """Compile all that is compiled, so that an error names the function that it is in."""
    for name, arguments in sample_arguments(game).items():
        rule = getattr(game, name)
        if rule is not None:
            try:
                entry_point(rule, arguments)
            except Exception as error:
                raise CheckError(
                    "compiles", f"{name} cannot be compiled: {_why_not(game, trial, error)}"
                ) from None  # Numba's hundred lines would hide this one


def _why_not(game: Game, trial: Trial, error: Exception) -> str:
    """Why rules cannot be compiled: the place where they fail as plain Python, if they do."""
    said = _said(error)
    try:
        _play_in_python(game, trial._replace(seeds=trial.seeds[:2]))
    except (CheckError, RecursionError):
        pass
    except Exception as failure:
        return f"{_place_of(failure)} fails: {_said(failure)} (Numba says {said})"
    return (
        f"{said}; a @rule works with numbers, arrays, the fields of its records and other @rule "
        "functions, and draws with below(rng, n). As plain Python it does not fail: with "
        "NUMBA_DISABLE_JIT=1 in the environment a debugger shows it"
    )


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {reason_of(error)}"


def check_bounds(game: Game, trial: Trial) -> str | None:
    """No index is outside its array: games are played as plain Python, which checks them.

    Returns why this could not be checked in all games, or None. It comes before compiled games,
    because compiled code would write somewhere else.
    """
    start = time.process_time()
    for number, seed in enumerate(trial.seeds):
        if number and time.process_time() - start > SECONDS:
            games = f"{number} of {len(trial.seeds)} games"
            return f"Checked in {games}, which took {SECONDS:g} seconds of the processor as Python."
        try:
            _play_in_python(game, trial._replace(seeds=range(seed, seed + 1)))
        except IndexError as error:
            raise CheckError(
                "bounds",
                f"seed {seed}: {_place_of(error)}: {error}; compiled code silently reads or "
                "writes something else",
            ) from None
        except Exception as error:
            place = "" if isinstance(error, CheckError) else f" at {_place_of(error)}"
            return f"As plain Python the game stops{place}: {_said(error)}"
    return None


def _play_in_python(game: Game, trial: Trial) -> None:
    """Play games as plain Python, and ask every question at some positions of them."""
    sample = Sample(in_python(game), trial)
    for position, seat, _ in sample.redeals(FEW):
        position.seen(seat)
        position.returns()


def _place_of(error: BaseException) -> str:
    """The place of an error in the author's code: file, line, function and call."""
    frames = traceback.extract_tb(error.__traceback__)
    of_author = [
        frame
        for frame in frames
        if not Path(frame.filename).resolve().is_relative_to(_CORE)
        and "site-packages" not in Path(frame.filename).parts
    ]
    last = (of_author or frames)[-1]
    return f"{Path(last.filename).name}, line {last.lineno}, in {last.name}: `{last.line}`"
