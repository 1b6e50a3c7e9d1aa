"""One public call that tests any game or environment for what public checkers miss.

Owns the question (what is being checked, with what) and the answer; the checks themselves, one idea
each, are in `check_rules` (a Game) and `check_views` (an environment).
"""

from collections.abc import Callable
from typing import Any

from ..game import Game
from . import rules as check_rules
from . import views as check_views
from .report import CheckError, CheckReport, Trial

__all__ = ["CheckError", "CheckReport", "check_game"]


def check_game(
    game_or_env: Any,
    referee: Callable[[int], tuple[Any, Any]] | None = None,
    num_games: int = 10,
    seed: int = 0,
    *,
    has_chance: bool = True,
    max_plies: int = 20_000,
) -> CheckReport:
    """Test a Game, a PettingZoo AEC environment or a Gymnasium environment, ours or anybody's.

    `referee(seed)` gives a deal as plain data and a slow, naive referee of the same game that has
    taken it: with `seat_to_act()`, `legal_actions()` (names), `apply(name)`, `is_terminal()`,
    `returns()`, and, for a game that draws in mid-game, `chance(state)`, which is shown the state
    after each draw. Actions of an environment without a `game` are named by their numbers.
    `has_chance=False` says that every game starts alike, by the rules. A game longer than
    `max_plies` counts as endless.

    Returns what was checked and what could not be. Raises CheckError, an AssertionError, with one
    sentence about the first failing found; TypeError for what is neither a game nor an environment.
    """
    seeds = range(seed, seed + num_games)
    trial = Trial(seeds, referee, has_chance, max_plies)
    if isinstance(game_or_env, Game):
        return check_rules.check(game_or_env, trial)
    return check_views.check(game_or_env, trial)
