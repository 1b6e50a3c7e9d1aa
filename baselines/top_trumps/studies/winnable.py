"""How many games can be won from `goliath` once every card has been seen?

`python -m parlour.baselines.top_trumps.studies.winnable` lets two `goliath` play the first tricks,
in which nobody knows the opponent's top card. From then on a seat that knew all cards would meet a
`goliath` whose moves are certain: it wins if it can, else draws if it can. The study looks for
moves that win, in playouts that now and then draw or lose on purpose.
"""

import argparse
import time

import numpy as np

from ....envs.core.jit import rule
from ....envs.core.rng import below, streams, uniform
from ....envs.registry import load_game
from ....envs.top_trumps.rules import apply_action, deal, is_terminal, place_at
from ..search import greedy_field

SEED = 10_000_000
STEPS = (1, 10, 100, 1_000, 10_000)  # playouts
WIN, DRAW, LOSE = 1, 2, 4  # bits of what the leader of a trick can choose
MAX_TRICKS = 400  # in a playout
LEAST_DEVIATION, DEVIATIONS = 0.02, 0.3  # the chance of a deviation is drawn for each playout
RING = 128  # places in a deck, a power of two
OWN, OTHER, PILE = 0, 1, 2  # rows of `cards`, and of `num_cards`
NEVER = -1
NOT_REACHED = -2


def main() -> None:
    """Print the share of positions that can be won, by the number of playouts."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--deals", type=int, default=1500, help="number of deals (default 1500)")
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the first deal")
    arguments = parser.parse_args()
    if arguments.deals < 1:
        parser.error(f"--deals must be at least 1; got {arguments.deals}")
    start = time.process_time()
    found, leads = winnable(arguments.deals, arguments.seed)
    print("playouts   with the lead, %   without, %   all, %")
    for limit in STEPS:
        won = (found >= 0) & (found < limit)
        shares = [100 * won[rows].mean() for rows in (leads == 1, leads == 0, leads >= 0)]
        print(f"{limit:8,}   {shares[0]:16.1f}   {shares[1]:10.1f}   {shares[2]:6.1f}")
    print(f"{len(found):,} positions, {time.process_time() - start:.0f} s of processor time")


def winnable(num_deals: int, seed: int = SEED) -> tuple[np.ndarray, np.ndarray]:
    """Return the playout that first won, or NEVER, and who led (1: the seat): int [positions].

    Deals that end before every card was seen are left out.
    """
    game = load_game("top_trumps")
    found, leads = np.empty(num_deals, np.int64), np.empty(num_deals, np.int64)
    cards, num_cards, tops = (
        np.zeros((3, RING), np.int64),
        np.zeros(3, np.int64),
        np.zeros(2, np.int64),
    )
    choices = np.zeros((game.config.num_cards,) * 2, np.int64)
    rngs = streams(range(seed, seed + num_deals))
    decks, sizes = cards.copy(), num_cards.copy()
    _search(game.new_states(), rngs, cards, num_cards, choices, decks, sizes, tops, found, leads)
    is_reached = found != NOT_REACHED
    return found[is_reached], leads[is_reached]


@rule
def _search(states, rngs, cards, num_cards, choices, decks, sizes, tops, found, leads):
    for row in range(found.shape[0]):
        state, rng, seat = states[0], rngs[row], row & 1
        deal(state, rng)
        while not is_terminal(state) and max(state.num_unplayed[0], state.num_unplayed[1]) > 0:
            apply_action(state, greedy_field(state, np.int64(state.starter), rng))
        found[row] = NOT_REACHED
        if not is_terminal(state):
            note_choices(state.values, choices)
            read_decks(state, seat, cards, num_cards)
            leads[row] = state.starter == seat
            found[row] = first_win(leads[row], rng, cards, num_cards, choices, decks, sizes, tops)


@rule
def first_win(leads, rng, cards, num_cards, choices, decks, sizes, tops):
    """The number of the first playout that wins, or NEVER; `decks` and so on are scratch."""
    for playout in range(STEPS[-1]):
        deviation = 0.0 if playout == 0 else LEAST_DEVIATION + DEVIATIONS * uniform(rng) ** 2
        for row in range(3):
            sizes[row] = num_cards[row]
            for index in range(num_cards[row]):
                decks[row, index] = cards[row, index]
        tops[OWN] = tops[OTHER] = 0
        if wins(leads, deviation, rng, decks, sizes, tops, choices):
            return playout
    return NEVER


@rule
def note_choices(values, choices):
    """[own, other]: whether the card's leader can win, draw or lose against the other."""
    for own in range(values.shape[0]):
        for other in range(values.shape[0]):
            found = 0
            for field in range(values.shape[1]):
                lead = np.int64(values[own, field]) - np.int64(values[other, field])
                found |= WIN if lead > 0 else DRAW if lead == 0 else LOSE
            choices[own, other] = found


@rule
def read_decks(state, seat, cards, num_cards):
    """Write both decks from the top, the seat's first, and the pile."""
    for row in range(2):
        owner = seat if row == OWN else 1 - seat
        num_cards[row] = state.deck_sizes[owner]
        for depth in range(num_cards[row]):
            cards[row, depth] = state.decks[owner, place_at(state, owner, depth)]
    num_cards[PILE] = state.pile_size
    for index in range(num_cards[PILE]):
        cards[PILE, index] = state.pile[index]


@rule
def wins(leads, deviation, rng, decks, sizes, tops, choices):
    """Whether the seat empties the other deck."""
    leader = OWN if leads == 1 else OTHER
    for _ in range(MAX_TRICKS):
        if sizes[OWN] == 0 or sizes[OTHER] == 0:
            break
        led, answer = lift(leader, decks, sizes, tops), lift(1 - leader, decks, sizes, tops)
        chosen = choose(choices[led, answer], leader, deviation, rng)
        if chosen == DRAW:
            decks[PILE, sizes[PILE]], decks[PILE, sizes[PILE] + 1] = answer, led
            sizes[PILE] += 2
        elif chosen == WIN:
            take_trick(leader, led, answer, decks, sizes, tops)
        else:
            leader = 1 - leader
            take_trick(leader, answer, led, decks, sizes, tops)
    return sizes[OTHER] == 0 and sizes[OWN] > 0


@rule
def lift(row, decks, sizes, tops):
    """Take the top card off a deck."""
    card = decks[row, tops[row]]
    tops[row] = (tops[row] + 1) % RING
    sizes[row] -= 1
    return card


@rule
def take_trick(winner, own, lost, decks, sizes, tops):
    """Put the winner's card, the loser's and the pile at the bottom of the winner's deck."""
    end = tops[winner] + sizes[winner]
    decks[winner, end % RING] = own
    decks[winner, (end + 1) % RING] = lost
    for index in range(sizes[PILE]):
        decks[winner, (end + 2 + index) % RING] = decks[PILE, index]
    sizes[winner] += 2 + sizes[PILE]
    sizes[PILE] = 0


@rule
def choose(possible, leader, deviation, rng):
    """Win if possible, else draw if possible; the seat now and then does anything possible."""
    if leader == OWN and uniform(rng) < deviation:
        drawn = 1 << below(rng, 3)
        if possible & drawn:
            return drawn
    return WIN if possible & WIN else DRAW if possible & DRAW else LOSE


if __name__ == "__main__":
    main()
