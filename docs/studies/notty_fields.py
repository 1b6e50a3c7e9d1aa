"""How often a player is first in a field: `python -m docs.studies.notty_fields`.

Every player in turn takes the same place beside the players of the field, on the same deals. Each
deal is played from every seat; the order of the players changes from deal to deal. The table shows
how often the player is first, how many points more the first player of the list has, and how many
games are decided. `two_seat_finisher` is the finisher by the tables of two seats, as it was before
it learned for more.
"""

import argparse
import time
from collections.abc import Sequence

import numpy as np

from parlour.baselines.arena.play.batches import play_deals
from parlour.baselines.arena.play.seatings import latin_square
from parlour.baselines.notty.finisher import VALUES, best_turn_action, opponent_model_of
from parlour.baselines.notty.players import hands_of
from parlour.baselines.players.making import make_policy
from parlour.baselines.policies.policy import Policy, compiled_policy
from parlour.baselines.statistics.estimates import Estimate, mean_of_deals, proportion_of_deals
from parlour.envs.core.compile import array_rule
from parlour.envs.core.game import Game, check_range
from parlour.envs.registry import load_game

from .notty_pairs import FIRST_SEED, markdown_row

MAX_DEALS = 10**7
ONE_OPPONENT = 1  # the opponent model with two seats
COLUMNS = "player", "games", "first, %", "lead of {}, points", "decided, %"


def main() -> None:
    """Play every player in the field and print a row of a Markdown table for each."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--deals", type=int, default=100, help="deals, each played from every seat")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="seed of the first deal")
    parser.add_argument("--field", default="finisher,x_defensive", help="the other seats' players")
    parser.add_argument(
        "--players",
        default="finisher,x_defensive",
        help="names of players, of whom the first leads",
    )
    arguments = parser.parse_args()
    players, field = arguments.players.split(","), arguments.field.split(",")
    try:
        check_range("--deals", arguments.deals, 1, MAX_DEALS)
        game = load_game("notty", num_players=1 + len(field))
        for player in [*players, *field]:
            player_of(player, game)
    except ValueError as error:
        parser.error(str(error))
    seeds = np.arange(arguments.seed, arguments.seed + arguments.deals)
    start = time.process_time()
    print(markdown_row([name.format(f"`{players[0]}`") for name in COLUMNS]))
    print(markdown_row(["---"] * len(COLUMNS)))
    leading = None
    for player in players:
        is_first, is_decided = play_field([player, *field], seeds)
        leading = is_first if leading is None else leading
        print(markdown_row(row_of(player, is_first, is_decided, leading)), flush=True)
    print(f"\n{time.process_time() - start:.0f} seconds of processor time")


def play_field(names: Sequence[str], seeds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether the first of these players won, and whether anybody did: [deals, seats]."""
    game = load_game("notty", num_players=len(names))
    seated = latin_square(len(names), seeds)
    won = play_deals(game, tuple(player_of(name, game) for name in names), seeds, seated) > 0
    return np.asarray((won & (seated == 0)).any(axis=2)), np.asarray(won.any(axis=2))


def player_of(name: str, game: Game) -> Policy:
    """Make a player that ships, or the one of this study."""
    if name == two_seat_finisher.__name__:
        return compiled_policy(name, game, two_seat_finisher)
    return make_policy(name, game)


@array_rule
def two_seat_finisher(observation, mask, rng):
    """Play like `finisher`, as if there were a single opponent."""
    model = min(opponent_model_of(observation.turns_played, observation.takes), ONE_OPPONENT)
    hands, passes = hands_of(observation), observation.passes
    return best_turn_action(VALUES[model], model, mask, hands, observation.phase, passes, rng)[0]


def row_of(
    player: str, is_first: np.ndarray, is_decided: np.ndarray, leading: np.ndarray
) -> list[str]:
    """A row of the table from [deals, seats] of this player and of the first of the list."""
    games = is_first.shape[1]
    first, decided = (
        proportion_of_deals(games_counted.sum(axis=1), games).scaled(100)
        for games_counted in (is_first, is_decided)
    )
    lead = mean_of_deals(leading.sum(axis=1) - 1.0 * is_first.sum(axis=1), games).scaled(100)
    shown = "-" if leading is is_first else _signed(lead)
    return [f"`{player}`", f"{is_first.size:,}", f"{first:.1f}", shown, f"{decided.mean:.1f}"]


def _signed(lead: Estimate) -> str:
    return f"{lead:+.1f}"


if __name__ == "__main__":
    main()
