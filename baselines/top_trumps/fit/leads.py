"""Fit what `david` takes a field to be worth while the opponent's top card is unknown.

`python -m parlour.baselines.top_trumps.fit.leads` samples leads from games of two `goliath` and
compares all fields of each in the same re-deals. It prints, by the number of cards that the
opponent has never played: the slope of a field's worth (games won) over its chance to win the
trick, both less those of goliath's field; the deviation of what is left of its worth; the deviation
in one re-deal; and how many re-deals tell as much as the chance does. `david.py` has simple
functions of the number of cards that are near these.
"""

import time

import numpy as np

from ....envs.core.compile import rule
from ....envs.core.rng import below, streams
from ....envs.registry import load_game
from ....envs.top_trumps.rules import NO_CARD, apply_action, deal
from ..david import begin, chance_to_win, compare_fields, goliath_field, known_top, new_field_search

SEED, NUM_DEALS = 50_500_000, 2000
LEADS_BETWEEN_SAMPLES = 8
NUM_PLAYOUTS = 150  # in each of two halves, whose errors are independent
MAX_BEHIND = 0.25  # chances further below that of goliath's field are left out
CLASSES = ((2, 3), (4, 5), (6, 8), (9, 12), (13, 16), (17, 20), (21, 25))


def main() -> None:
    """Print the fit by the number of cards that the opponent has never played."""
    start = time.process_time()
    num_unseen, chances, worths = sample(NUM_DEALS)
    print("cards   leads   slope   deviation left   in a re-deal   re-deals")
    for low, high in CLASSES:
        rows = (num_unseen >= low) & (num_unseen <= high)
        slope, left, spread = fit_leads(chances[rows], worths[rows])
        print(
            f"{low:2}-{high:2}   {rows.sum():5}   {slope:5.3f}   {left:14.4f}   {spread:12.3f}"
            f"   {(spread / left) ** 2:8.0f}"
        )
    print(f"{time.process_time() - start:.0f} s of processor time")


def fit_leads(chances: np.ndarray, worths: np.ndarray) -> tuple[float, float, float]:
    """Return the slope, the deviation left, and that of one re-deal, of [leads, fields (, 2)]."""
    is_near = (chances > -MAX_BEHIND) & (chances != 0)
    chance, worth = chances[is_near], worths[is_near]
    slope = float(chance @ worth.mean(axis=1) / (chance @ chance))
    first, second = (worth - slope * chance[:, None]).T
    left = np.sqrt(max(float((first * second).mean()), 1e-12))
    spread = np.sqrt(float(((first - second) ** 2).mean()) / 2 * NUM_PLAYOUTS)
    return slope, float(left), float(spread)


def sample(num_deals: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return of leads: the cards never played; chances [fields] and worths [fields, 2].

    Chances and worths are those of each field less those of goliath's.
    """
    game = load_game("top_trumps")
    size = num_deals * game.config.num_cards // LEADS_BETWEEN_SAMPLES
    num_unseen = np.zeros(size, np.int64)
    chances = np.zeros((size, game.num_actions))
    worths = np.zeros((size, game.num_actions, 2))
    rngs = streams(range(SEED, SEED + num_deals))
    count = _sample(game.new_states()[0], rngs, new_field_search(game), num_unseen, chances, worths)
    return num_unseen[:count], chances[:count], worths[:count]


@rule
def _sample(state, rngs, search, num_unseen, chances, worths):
    """Play the deals and write the samples; return their number."""
    num_samples = 0
    for row in range(rngs.shape[0]):
        deal(state, rngs[row])
        while max(state.num_unplayed[0], state.num_unplayed[1]) > 1:
            seat = np.int64(state.starter)
            field = goliath_field(state, seat, rngs[row])
            is_sampled = below(rngs[row], LEADS_BETWEEN_SAMPLES) == 0
            has_room = num_samples < num_unseen.shape[0]
            if is_sampled and has_room and known_top(state, 1 - seat) == NO_CARD:
                num_unseen[num_samples] = state.num_unplayed[1 - seat]
                measure(state, rngs[row], search, field, chances[num_samples], worths[num_samples])
                num_samples += 1
            apply_action(state, field)
    return num_samples


@rule
def measure(state, rng, search, base, chances, worths):
    """Write the chance of each field to win the trick and its worth in two sets of re-deals."""
    seat = np.int64(state.starter)
    for half in range(2):
        begin(state, search)
        search.scores[:] = 0.0
        for _ in range(NUM_PLAYOUTS):
            compare_fields(state, rng, search)
        for field in range(chances.shape[0]):
            worths[field, half] = (search.scores[field] - search.scores[base]) / NUM_PLAYOUTS
    for field in range(chances.shape[0]):
        chances[field] = chance_to_win(state, seat, field) - chance_to_win(state, seat, base)


if __name__ == "__main__":
    main()
