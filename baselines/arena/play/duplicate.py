"""Play duplicate matches of two seats: the player that does more with the same hand wins.

Each deal is played twice with the players exchanged, so both hold the hand of seat 0 once, and the
seat that leads is the same in both games.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from ....envs.core.catalogue import as_game
from ....envs.core.game import Game
from ...statistics.anytime import anytime_mean
from ...statistics.estimates import Estimate, proportion_of_deals
from ...statistics.result_data import Result
from .batches import Match
from .entrants import EntrantSpec, enter
from .match import DEFAULT_PLAN, deal_seeds
from .playing import Plan, play_matches


@dataclasses.dataclass(frozen=True)
class DuplicateResult(Result):
    """Proportions of deals, 0 .. 1, that `first` won, drew and lost, with 95 % intervals."""

    game: str  # its name
    first: str  # its name
    second: str  # its name
    num_deals: int  # each is played twice
    wins: Estimate  # proportion of deals with a higher return of `first` from the same hand
    draws: Estimate  # proportion of deals with equal returns
    losses: Estimate  # proportion of deals with a lower return

    def __str__(self) -> str:
        estimates = zip(("win", "draw", "loss"), (self.wins, self.draws, self.losses), strict=True)
        lines = [f"  {name:4} {estimate.scaled(100):.1f} %" for name, estimate in estimates]
        title = f"{self.first} v {self.second} at {self.game}: {self.num_deals:,} duplicate deals"
        return "\n".join([title, *lines])


def play_duplicate(
    game: Game | str,
    first: EntrantSpec,
    second: EntrantSpec,
    num_deals: int = 1000,
    seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
    plan: Plan = DEFAULT_PLAN,
) -> DuplicateResult:
    """Play `first` against `second` in duplicate: each deal twice, with the hands exchanged.

    The player with the greater return when it held the hand of seat 0 wins the deal; equal returns
    are a draw. `first` and `second` are as in `play_match`. `on_progress` is
    called with the number of games played. Raises ValueError for a game of more than two seats.
    """
    game = as_game(game)
    if game.num_seats != 2:
        raise ValueError(f"a duplicate match is for two seats; {game.name} has {game.num_seats}")
    match = Match(enter((first, second), game, plan.control is None), "field")
    seeds = deal_seeds(seed, num_deals)
    played = play_matches(game, [match], seeds, plan, on_progress)[0]
    # Each player's return with the hand of seat 0.
    one_return, other_return = played.returns[:, :, 0].T
    outcomes = np.sign(one_return - other_return)
    proportion = proportion_of_deals if plan.until is None else anytime_mean
    wins, draws, losses = (proportion((outcomes == sign) * 1.0, 1) for sign in (1, 0, -1))
    first_name, second_name = (entrant.name for entrant in match.entrants)
    return DuplicateResult(game.name, first_name, second_name, len(outcomes), wins, draws, losses)
