"""Matches on duplicate deals: the same whatever the batch, fair to equals, clear about mistakes."""

import dataclasses
from typing import Any

import gymnasium
import numpy as np
import pytest

from parlour.baselines.arena import Plan, Workers, play_match
from parlour.baselines.arena.play.batches import DealBatch, Fault, Outcomes
from parlour.baselines.players.making import make_policy
from parlour.baselines.policies.policy import Policy
from parlour.envs import load_game
from parlour.envs.core.play import slices
from parlour.envs.core.play.legal import PlayerError
from parlour.envs.core.rng import streams
from tests import toy_game as toy

pytestmark = pytest.mark.plain

TWO = load_game("president", num_players=2)
FOUR = load_game("president")


@pytest.mark.parametrize("size", [1, 4096])
def test_the_result_does_not_depend_on_the_batch(size: int) -> None:
    plain = play_match(FOUR, "lowest", "random", num_deals=5, seed=3)
    batched = play_match(FOUR, "lowest", "random", 5, 3, plan=Plan(batch_deals=size))
    assert batched == plain


@pytest.mark.parametrize("second", ["random", "playout:num_playouts=2"])
def test_the_result_does_not_depend_on_the_number_of_threads(
    second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "MIN_PLIES", 1)
    game = load_game("trick_taking", num_values=3)
    plain = play_match(game, "high_low", second, num_deals=5, seed=3)
    threaded = Plan(Workers(num_threads=3))
    assert play_match(game, "high_low", second, 5, 3, plan=threaded) == plain


@pytest.mark.parametrize("wrong", [0, -1, 1.5])
def test_a_number_of_threads_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"num_threads must be an integer in 1 \.\. 1024; got"):
        play_match(TWO, "lowest", "random", 2, plan=Plan(Workers(num_threads=wrong)))


def test_equals_that_never_draw_come_out_exactly_even() -> None:
    result = play_match(FOUR, "lowest", "lowest", num_deals=5)
    assert result.mean_return.mean == pytest.approx(0)
    assert result.first_places.mean == pytest.approx(result.fair_share) == pytest.approx(0.25)
    assert result.elo.mean == pytest.approx(0)


def test_equals_that_draw_are_even_within_the_interval() -> None:
    """Each sitting has luck of its own, so that a player never merely repeats itself."""
    result = play_match(TWO, "random", "random", num_deals=60)
    assert result.mean_return.low < 0 < result.mean_return.high
    assert result.first_places.low < 0.5 < result.first_places.high
    assert result.mean_return.low < result.mean_return.high


@pytest.mark.compiled
def test_lowest_beats_random_far_beyond_its_fair_share() -> None:
    """Uniform play in place of `lowest` would score 25 %."""
    four = play_match(FOUR, "lowest", "random", num_deals=400)
    assert four.first_places.low > 0.6
    assert four.mean_return.low > 0.3


@pytest.mark.parametrize(
    ("action", "said"),
    [(0, r"0 \(pass\), which is not legal; legal"), (99, r"99 \(no action of this game\)")],
)
def test_an_illegal_policy_is_named_with_what_it_chose(action: int, said: str) -> None:
    def always(observations, action_masks, rngs):
        return np.full(len(observations), action)

    with pytest.raises(ValueError, match=f"always chose {said}"):
        play_match(TWO, always, "random", num_deals=3)


def test_a_match_without_deals_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one deal"):
        play_match(TWO, "random", "random", num_deals=0)


def test_a_policy_acts_at_one_table() -> None:
    policy = make_policy("first_legal", TWO)
    mask = np.zeros(TWO.num_actions, np.int8)
    mask[[3, 7]] = 1
    view = TWO.new_observations()[0]
    assert policy.act(view, mask) == 3
    assert make_policy("random", TWO).act(view, mask, rng=streams([1])) in (3, 7)


def test_a_game_of_ones_own_has_the_generic_players() -> None:
    result = play_match(toy.game(num_players=3), "first_legal", "random", num_deals=20)
    assert result.num_games == 60
    with pytest.raises(ValueError, match="toy has no player 'lowest'"):
        play_match(toy.game(), "lowest", "random", num_deals=1)


@dataclasses.dataclass(frozen=True)
class WinsSharesLoses:
    """A control of three seats: player 0 wins a deal, shares the next, loses the third.

    In sitting 0 of each deal it also commits a fault, in the other sittings an opponent does.
    """

    name: str = "script"

    def play(self, batch: DealBatch, seated: np.ndarray) -> Outcomes:
        own = seated == 0
        returns = np.zeros(seated.shape)
        for deal, seed in enumerate(batch.seeds):
            mine, others = ((1.0, -0.5), (0.5, 0.5), (-1.0, 0.5))[seed % 3]
            returns[deal] = np.where(own[deal], mine, others)
            if seed % 3 == 1:  # one of the others shares, the other is last
                returns[deal][np.roll(own[deal], 1, axis=1)] = -1.0
        faults = [
            Fault(int(seed), sitting, seat, "", "time", "")
            for seed in batch.seeds
            for sitting, seat in ((0, 0), (1, 0), (2, 0))
        ]
        return Outcomes(returns, tuple(faults))

    def deal_seed(self, number: int) -> int:
        return number

    def as_data(self) -> dict:
        return dataclasses.asdict(self)


def test_every_figure_of_a_match_is_what_its_deals_say() -> None:
    game = toy.game(num_players=3)
    counts: list[int] = []
    plan = Plan(batch_deals=4, control=WinsSharesLoses())
    result = play_match(game, "first_legal", "random", 12, on_progress=counts.append, plan=plan)
    assert counts == [12, 24, 36]
    assert (result.num_deals, result.num_games) == (12, 36)
    for estimate, mean in (
        (result.wins, 1 / 3),
        (result.draws, 1 / 3),
        (result.losses, 1 / 3),
        (result.first_places, 1 / 2),
        (result.mean_return, 1 / 6),
    ):
        assert estimate.mean == pytest.approx(mean)
    assert result.fair_share == pytest.approx(1 / 3)
    assert result.faults == (12, 24)
    assert result.control == {"name": "script"}
    assert str(result).endswith("first_legal 12 games, random 24")


def test_a_decided_match_counts_games_and_faults_up_to_the_deciding_deal() -> None:
    counts: list[int] = []
    plan = Plan(batch_deals=5, control=WinsSharesLoses(), until=150)
    game = toy.game(num_players=3)
    result = play_match(game, "first_legal", "random", 60, 0, counts.append, plan)
    assert result.verdict is not None
    num_deals = result.verdict.num_deals
    assert num_deals % 5 and num_deals > 5
    assert counts == [15 * (block + 1) for block in range(num_deals // 5 + 1)]
    assert result.num_deals == num_deals
    assert result.faults == (num_deals, 2 * num_deals)
    assert str(result).endswith(str(result.verdict))


def forges_masks(observations: Any, action_masks: np.ndarray, rngs: Any) -> np.ndarray:
    action_masks[:] = 1
    return np.full(len(action_masks), 2)


def forges_observations(observations: np.ndarray, action_masks: np.ndarray, rngs: Any) -> Any:
    observations.view(np.uint8)[:] = 0
    return action_masks.argmax(axis=1)


@pytest.mark.parametrize("forge", [forges_masks, forges_observations])
def test_a_player_cannot_change_what_it_is_judged_by(forge: Any) -> None:
    """In a match and as an opponent; the one that chose is the one that is blamed."""
    game = load_game("trick_taking", num_values=3)
    forger = Policy("forger", game, forge)
    with pytest.raises(ValueError, match=r"read-only|not writeable|WRITEABLE"):
        play_match(game, forger, "high_low", 20)
    env = gymnasium.make("parlour:TrickTaking-v0", num_values=3, opponents=forger)
    _, info = env.reset(seed=0)
    with pytest.raises(ValueError, match=r"read-only|not writeable|WRITEABLE"):
        env.step(int(info["action_mask"].argmax()))


def test_a_mask_that_is_made_writable_again_changes_no_verdict() -> None:
    game = load_game("trick_taking", num_values=3)

    def forge(observations: Any, action_masks: np.ndarray, rngs: Any) -> np.ndarray:
        base = action_masks if action_masks.base is None else action_masks.base
        base.flags.writeable = True
        base[:] = -1
        return np.full(len(action_masks), 2)

    with pytest.raises(PlayerError, match=r"forger chose 2 .* not legal"):
        play_match(game, Policy("forger", game, forge), "random", 20)
