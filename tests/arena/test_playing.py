"""Results are played once, kept whole, and read back deal by deal; no game is compiled here."""

from pathlib import Path

import numpy as np

from parlour.baselines.arena.play.batches import DealBatch, Match, Outcomes
from parlour.baselines.arena.play.entrants import enter
from parlour.baselines.arena.play.playing import Plan, PlayedMatch, play_matches, read_matches
from parlour.baselines.arena.results.store import Setting, Store
from parlour.envs import load_game
from tests.matches import Scripted

GAME = load_game("trick_taking")
PLAYED: list[int] = []  # the seeds dealt since a test cleared it


def seeds_as_returns(batch: DealBatch, seated: np.ndarray) -> Outcomes:
    """The result tells the deal: player 0 gets seed / 1000 in both sittings."""
    PLAYED.extend(int(seed) for seed in batch.seeds)
    own = np.where(seated == 0, 1, -1)
    return Outcomes(own * np.array(batch.seeds)[:, None, None] / 1000, ())


CONTROL = Scripted(seeds_as_returns)
MATCH = Match(enter(("random", "first_play"), GAME), "field")


def play(store: Store, seeds: range) -> PlayedMatch:
    PLAYED.clear()
    (played,) = play_matches(
        GAME, [MATCH], seeds, Plan(batch_deals=8, store=store, control=CONTROL)
    )
    return played


def assert_deals(played: PlayedMatch, seeds: list[int]) -> None:
    """Every deal is there once, with its own result."""
    assert played.seeds.tolist() == seeds
    assert played.returns[:, 0, 0].tolist() == [seed / 1000 for seed in seeds]
    assert played.returns[:, 1, 0].tolist() == [-seed / 1000 for seed in seeds]


def test_every_deal_of_a_stored_batch_is_read(tmp_path: Path) -> None:
    """All deals, and ranges that begin or end within a batch of 8."""
    with Store(tmp_path / "store.db") as store:
        assert_deals(play(store, range(20)), list(range(20)))
        assert list(range(20)) == PLAYED
        for seeds in (range(20), range(3, 20), range(5), range(7, 9), range(15, 16)):
            assert_deals(play(store, seeds), list(seeds))
            assert PLAYED == []


def test_only_missing_deals_are_played(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        play(store, range(3, 12))
        play(store, range(15, 18))
        assert_deals(play(store, range(25)), list(range(25)))
        assert sorted(PLAYED) == [0, 1, 2, 12, 13, 14, *range(18, 25)]


def test_all_that_a_store_has_is_rated(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        play(store, range(20))
        play(store, range(40, 43))
        (played,) = read_matches(store, Setting.of(GAME, CONTROL))
    assert_deals(played, [*range(20), 40, 41, 42])
