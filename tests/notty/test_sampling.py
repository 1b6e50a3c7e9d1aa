"""The document's sampled estimate, and the study of its error."""

from __future__ import annotations

import numpy as np
import pytest

from docs.studies import notty_sampling as study
from parlour.baselines.notty.draws import num_draws
from parlour.baselines.notty.expectations import results_of_draw, sample_draws
from parlour.envs.core.rng import streams
from parlour.envs.notty.cards import hand_size

pytestmark = pytest.mark.plain

NUM_ESTIMATES = 25


@pytest.mark.long
def test_the_estimate_is_right_on_average_and_never_exact() -> None:
    own, _, rest = study.random_hands(np.random.default_rng(3), 16)
    hand, deck = study.words(own), study.words(rest)
    exact = np.array(results_of_draw(hand, deck, 3), float)
    sums = np.array([sample_draws(hand, deck, 3, rng) for rng in streams(range(NUM_ESTIMATES))])
    total = num_draws(hand_size(deck), 3)
    factor = total // 1000
    expected = exact * (factor * (total // factor) / total)  # the document drops the remainder
    error = sums.std(axis=0) / NUM_ESTIMATES**0.5
    assert (np.abs(sums.mean(axis=0) - expected) < 5 * error).all()
    assert (sums % factor == 0).all()
    assert len(set(sums[:, 1].tolist())) > NUM_ESTIMATES // 3


def test_few_combinations_are_not_sampled() -> None:
    own, _, rest = study.random_hands(np.random.default_rng(3), 12)
    hand, deck = study.words(own), study.words(rest)
    assert num_draws(hand_size(deck), 2) < 2000 < num_draws(hand_size(deck), 3)
    assert sample_draws(hand, deck, 2, streams([0])[0]) == results_of_draw(hand, deck, 2)
