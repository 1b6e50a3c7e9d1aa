"""A game as text, ply by ply, as one seat sees it or with everything shown."""

import numpy as np

from ...baselines import Policy
from ...baselines.advice.move_values import HintLines
from ...baselines.policies.policy import values_of
from ...envs.core.game import Game
from ...envs.core.play.one_game import game_at
from ...envs.core.play.playthrough import Playthrough
from ...envs.core.play.visibility import is_seen
from ...envs.core.words import visible
from ..options import HUMAN

COMMENTED_ACTIONS = 3


def show(
    played: Playthrough, shown: int | None, hint_lines: HintLines | None, max_plies: int | None
) -> None:
    """Play, and print each position and ply as seat `shown` sees it; stop after `max_plies`."""
    for turn in played:
        if turn.number - 1 == max_plies:
            break
        position, *hints = position_lines(turn.game, turn.state, shown, hint_lines)
        is_prompted = turn.policy.name == HUMAN  # with the position
        for line in hints if is_prompted else [position, *hints]:
            print(visible(line))
        turn.choose()
        text = ply_text(turn.policy, turn.state, turn.action, shown, turn.rngs)
        print(visible(f"{turn.number:4}  {text}\n"), flush=True)
    print(visible(played.game.describe(played.state, shown)))


def position_lines(
    game: Game, state: np.record, shown: int | None, hint_lines: HintLines | None
) -> list[str]:
    """Return the position as seat `shown` sees it, with hints when that seat is to act.

    Without a seat, return everything, with hints for the seat to act.
    """
    seat = int(game.seat_to_act(state))
    hints = [] if hint_lines is None or shown not in (None, seat) else hint_lines(game, state, seat)
    return [game.describe(state, shown), *hints]


def ply_text(
    player: Policy, state: np.record, action: int, shown: int | None, rngs: np.ndarray
) -> str:
    """Describe the action of `player`, as far as seat `shown` sees it.

    The player's own evaluation is shown only to its seat: it would reveal the hand to others. A
    player that searches repeats its search for it; `rngs` [1] is its stream before the choice.
    """
    game = player.game
    seat = int(game.seat_to_act(state))
    who = f"player {seat} ({player.name})"
    if shown is not None and not is_seen(game, state, action, shown):
        return f"{who}: what it does is hidden from player {shown}"
    comment = _comment(player, state, rngs) if shown in (None, seat) else ""
    played = f"{who}: {game.label_action(state, action)}"
    return f"{played}   ({comment})" if comment else played


def _comment(player: Policy, state: np.record, rngs: np.ndarray) -> str:
    """Return the expected returns of the best actions, for a player that has such values."""
    game = player.game
    turn = game_at(game, state, rngs).turn
    legal = np.flatnonzero(turn.masks[0]).tolist()
    if len(legal) == 1:
        return "the only choice"
    if player.values is None:
        return ""
    positions, masks = turn.determinized(rngs), np.ascontiguousarray(turn.masks)
    values = values_of(player, turn.observations, masks, rngs, positions)[0]
    valued = [action for action in legal if not np.isnan(values[action])]  # a search leaves some
    best = sorted(valued, key=lambda action: -values[action])[:COMMENTED_ACTIONS]
    words = ((game.label_action(state, a), game.value_scale.words(values[a])) for a in best)
    return "expects " + ", ".join(f"{label}: {value}" for label, value in words)
