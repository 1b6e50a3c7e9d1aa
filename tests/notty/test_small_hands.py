"""The table of small hands that nobody takes from."""

import numpy as np
import pytest

from parlour.baselines.notty.fit import small_hands as learning
from parlour.baselines.notty.small_hands import (
    CHANCES_FILE,
)

pytestmark = pytest.mark.plain

TABLE = np.load(CHANCES_FILE)


@pytest.mark.long
def test_chances_grow_to_those_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """From nothing, each sweep finds more ways to empty a hand; few sweeps do not find them all."""
    monkeypatch.setattr(learning, "NUM_OTHERS", 500)
    computed = learning.compute_chances(num_sweeps=2)
    assert (computed["hand"] == TABLE["hand"]).all()
    assert 0 < computed["chance"].mean() < TABLE["chance"].mean()
    assert np.corrcoef(computed["chance"], TABLE["chance"])[0, 1] > 0.5
