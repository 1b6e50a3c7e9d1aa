"""How accurate the document's sampled expectations are: `python -m docs.studies.notty_sampling`.

The document says that sampling errs by less than 5 % in the vast majority of cases and only very
rarely by 5 to 10 %. This study compares its estimate with the exact expectation over random
positions.
"""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from parlour.baselines.notty.draws import num_draws
from parlour.baselines.notty.expectations import results_of_draw, sample_draws
from parlour.baselines.notty.players import x_defensive, x_defensive_sampling
from parlour.baselines.policies.policy import compiled_policy
from parlour.baselines.statistics.estimates import Estimate, wilson
from parlour.envs.core.rng import streams
from parlour.envs.notty import game as notty
from parlour.envs.notty.cards import NUM_CARDS, NUM_KINDS, hand_size, hand_words, has_group

HAND_SIZES = (3, 5, 8, 12, 16)
DRAWS = (2, 3)  # a draw of one card is never sampled
SMALL_ERROR, LARGE_ERROR = 0.05, 0.10  # the document's bounds
SAMPLING_PURPOSE = 11  # purpose of the random streams


class Errors(NamedTuple):
    """Relative errors [positions] of one kind of draw, in the two quantities."""

    of_discards: np.ndarray  # the expected number of discarded cards
    of_reduction: np.ndarray  # discards minus cards drawn: what the player compares


def random_hands(rng: np.random.Generator, size: int) -> np.ndarray:
    """Two hands of `size` cards, the first without a group, and the deck: counts [3, 40]."""
    while True:
        cards = rng.permutation(NUM_CARDS) % NUM_KINDS
        parts = np.split(cards, [size, 2 * size])
        counts = np.array([np.bincount(part, minlength=NUM_KINDS) for part in parts])
        if not has_group(words(counts[0])[0]):
            return counts


def words(counts: np.ndarray) -> np.ndarray:
    """Counts [40] as the two words of a hand."""
    out = np.zeros(2, np.int64)
    hand_words(counts, out)
    return out


def errors_of(positions: np.ndarray, count: int) -> Errors:
    """The errors of one estimate in each of the positions [B, 3, 40]."""
    rngs = streams(range(len(positions)), SAMPLING_PURPOSE)
    exact, estimate = np.empty(len(positions)), np.empty(len(positions))
    for index, counts in enumerate(positions):
        hand, deck = words(counts[0]), words(counts[2])
        total = num_draws(hand_size(deck), count)
        exact[index] = results_of_draw(hand, deck, count)[1] / total
        estimate[index] = sample_draws(hand, deck, count, rngs[index])[1] / total
    return Errors(relative(estimate, exact), relative(estimate - count, exact - count))


def relative(estimate: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Relative errors [B]; infinite where the exact value is 0 and the estimate is not."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(estimate == exact, 0.0, np.abs(estimate - exact) / np.abs(exact))


def proportion(flags: np.ndarray) -> Estimate:
    """Return the proportion of true flags, with Wilson's interval."""
    return wilson(float(flags.mean()), len(flags))


def changed_decisions(positions: np.ndarray) -> np.ndarray:
    """Whether sampling changes the first action of x_defensive: bool [B]."""
    game = notty()
    observations = game.new_observations(len(positions))
    observations["hands"], observations["deck"] = positions[:, :2], positions[:, 2]
    observations["last_actions"] = -1
    observations["last_cards"] = -1
    masks = np.ones((len(positions), game.num_actions), np.int8)
    rngs = streams(range(len(positions)), SAMPLING_PURPOSE)
    exact, sampling = (
        compiled_policy("x_defensive", game, row_function)(observations, masks, rngs)
        for row_function in (x_defensive, x_defensive_sampling)
    )
    return np.asarray(exact != sampling)


def rows(num_positions: int, seed: int) -> Iterator[tuple[str, ...]]:
    """The lines of the table, by hand size and draw."""
    rng = np.random.default_rng(seed)
    for size in HAND_SIZES:
        positions = np.array([random_hands(rng, size) for _ in range(num_positions)])
        changed = f"{proportion(changed_decisions(positions)):.1%}"
        for count in DRAWS:
            errors = errors_of(positions, count)
            cells = [str(size), str(count), *summary(errors.of_discards)]
            yield (*cells, *summary(errors.of_reduction), changed)


def summary(errors: np.ndarray) -> list[str]:
    """Return the median error, and the proportions above each of the document's bounds."""
    above = (f"{proportion(errors > bound):.1%}" for bound in (SMALL_ERROR, LARGE_ERROR))
    return [f"{np.median(errors):.1%}", *above]


HEADINGS = (
    *("hand", "draw", "discards: median error", "over 5 %", "over 10 %"),
    *("reduction: median error", "over 5 %", "over 10 %", "other decision"),
)


def main() -> None:
    """Print the study as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=1000, help="positions for each hand size")
    parser.add_argument("--seed", type=int, default=0, help="seed of the positions")
    arguments = parser.parse_args()
    if arguments.positions < 1:
        parser.error(f"--positions must be at least 1, got {arguments.positions}")
    print("| " + " | ".join(HEADINGS) + " |")
    print("|" + "---|" * len(HEADINGS))
    for row in rows(arguments.positions, arguments.seed):
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
