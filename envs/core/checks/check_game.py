"""One public call that tests any game or environment for faults that public checkers miss.

Owns the question (what is being checked, with what) and the answer; the checks themselves, one idea
each, are in `check_rules` (a Game) and `check_views` (an environment).
"""

from collections.abc import Callable
from typing import Any

from ..catalogue import as_game
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
    has_chance: bool | None = None,
    max_plies: int = 20_000,
) -> CheckReport:
    """Test a Game or the name of one, a PettingZoo AEC or a Gymnasium environment, ours or not.

    `referee(seed)` returns a deal as plain data, and a slow, naive implementation of the same game
    that starts from it: with `seat_to_act()`, `legal_actions()` (names), `apply(name)`,
    `is_terminal()`, `returns()`, and, for a game with chance nodes, `chance(state)`, called with
    the state after each draw. Actions of an environment without a `game` are named by their
    numbers. A Game declares `has_chance` and `has_hidden`, and is tried accordingly.
    `has_chance=False` says the same of an environment without a `game`: all its episodes start
    alike. A game longer than `max_plies` counts as endless.

    Returns a report: the checks that were made, those that could not be, and for each seat the
    fields that count as hidden, because `reshuffle_unseen` resamples them. Compare these with the
    rules. Only a referee finds masks that are too wide or too narrow. Raises CheckError, an
    AssertionError, with one sentence on the first fault and its place or remedy. Raises TypeError
    for anything that is neither a game nor an environment, and ValueError for a `has_chance` that
    contradicts the game::

        >>> import parlour
        >>> game = parlour.load_game("trick_taking", num_values=2)
        >>> report = parlour.check_game(game, num_games=1)
    """
    if isinstance(game_or_env, str):
        game_or_env = as_game(game_or_env)
    game = getattr(getattr(game_or_env, "unwrapped", game_or_env), "game", game_or_env)
    declared = has_chance is not False
    if isinstance(game, Game):
        declared = game.has_chance
        if has_chance not in (None, declared):
            raise ValueError(f"{game.name} declares has_chance={declared} itself")
    trial = Trial(range(seed, seed + num_games), referee, declared, max_plies)
    if isinstance(game_or_env, Game):
        return check_rules.check(game_or_env, trial)
    return check_views.check(game_or_env, trial)
