"""Learners for a few steps, in plain Python.

The suite's own tests of learners are whole runs, which must reach a floor.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, ClassVar

import matplotlib.figure
import numpy as np
import pytest
import torch

from parlour.baselines import make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.networks.checkpoints import load_checkpoint
from parlour.envs.core.game import NO_SEAT
from parlour.envs.core.play.loops import EXTERNAL
from parlour.envs.core.play.tables import action_masks
from parlour.envs.registry import load_game
from parlour.training import dqn, mlp, ppo, self_play, session
from parlour.training.dqn import explore
from parlour.training.self_play import NO_DECISION, Batch
from parlour.training.session import Losses
from tests import toy_game
from tests.probe_duel import equal, probe_duel
from tests.probe_game import probe_game

pytestmark = pytest.mark.plain

CARDS = load_game("trick_taking", num_values=2)
TOY = toy_game.game(num_players=3)
DQN = dqn.Config(
    total_steps=60,
    hidden=(4,),
    num_tables=4,
    opponents=(),
    opponent_weights=(),
    n_steps=1,
    batch_size=4,
    buffer_size=50,
    target_update_interval=2,
    updates_per_step=1.0,
    num_threads=1,
)
MLP = mlp.Config(num_batches=2, num_matches=6, num_epochs=1, hidden=(4,), opponent="random")
PPO = ppo.Config(
    total_steps=90,
    hidden=(4,),
    num_tables=5,
    batch_decisions=6,
    minibatch_size=10,
    epochs=2,
    num_threads=1,
)


class SlowAdam(torch.optim.Adam):
    """Notes the learning rate of every step."""

    rates: ClassVar[list[float]] = []

    def step(self, closure: Any = None) -> Any:
        self.rates.append(self.param_groups[0]["lr"])
        return super().step(closure)


@pytest.fixture
def rates(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The learning rates of the steps taken."""
    noted: list[float] = []
    monkeypatch.setattr(SlowAdam, "rates", noted)
    monkeypatch.setattr(torch.optim, "Adam", SlowAdam)
    return noted


def test_the_q_learner_takes_as_many_updates_as_are_due(rates: list[float]) -> None:
    def updates(per_step: float) -> list[int]:
        config = dataclasses.replace(DQN, updates_per_step=per_step)
        return [progress.updates for progress, _ in dqn.Learner(probe_game(), config).run()]

    once, twice = updates(1.0), updates(2.0)
    assert len(once) == 15
    assert twice == [2 * count for count in once]
    assert set(np.diff([0, *once])) == {0, 1}
    assert 0 == once[0] < once[-1] > 8
    assert len(rates) == once[-1] + twice[-1]
    assert rates[0] > rates[once[-1] - 1] > 0
    assert max(rates) <= DQN.learning_rate


def test_exploring_takes_a_random_legal_action_as_often_as_asked() -> None:
    actions, masks = np.zeros(2000, np.int64), np.tile(np.array([[1, 0, 1, 1]], np.int8), (2000, 1))
    random = np.random.default_rng(0)
    assert not explore(actions, masks, 0.0, random).any()
    shares = np.bincount(explore(actions, masks, 0.3, random), minlength=4) / 2000
    np.testing.assert_allclose(shares, [0.8, 0, 0.1, 0.1], atol=0.03)


def first_batches(learner: ppo.Learner) -> list[tuple[Batch, Any, Any]]:
    """The batches of a run, copied, the weights that made them, and the tables."""
    made, acting = [], learner._acting

    def spy(play: Any, batch: Batch) -> Any:
        state = {key: tensor.clone() for key, tensor in learner.network.state_dict().items()}
        fill = acting(play, batch)

        def noted_fill(tables: slice) -> None:
            fill(tables)
            made.append((Batch(*(array.copy() for array in batch)), state, play))

        return noted_fill if len(batch.actions) else fill  # compiling comes first

    learner._acting = spy  # type: ignore[method-assign]
    for _ in learner.run():
        pass
    return made


def estimated(batch: Batch, gae_lambda: float) -> np.ndarray:
    """Advantages [tables, decisions], one after the other in plain Python."""
    advantages = np.zeros_like(batch.values)
    for table, next_decisions in enumerate(batch.next_decisions):
        for index in reversed(range(len(next_decisions))):
            value, after = batch.values[table, index], next_decisions[index]
            advantages[table, index] = (
                batch.ends[table, index] - value
                if after == NO_DECISION
                else batch.values[table, after] - value + gae_lambda * advantages[table, after]
            )
    return advantages


@pytest.mark.parametrize(("weight", "worth"), [(1.0, {1.0, -1.0}), (0.5, {0.9, 1.0, -1.0})])
def test_the_first_place_may_be_worth_more_than_its_return(weight: float, worth: set) -> None:
    """A win that returns 0.8 is worth 1 as a first place, and a mean of both in between."""
    config = dataclasses.replace(PPO, num_tables=64, batch_decisions=7, minibatch_size=64)
    config = dataclasses.replace(config, total_steps=448, first_place_weight=weight)
    batch, _, _ = first_batches(ppo.Learner(probe_duel(), config))[0]
    ended = (batch.next_decisions == NO_DECISION)[:, :-2]
    assert set(batch.ends[:, :-2][ended].astype(float).round(6).tolist()) == worth


@pytest.mark.parametrize("name", ["duel", "toy"])
def test_what_is_noted_of_a_decision_is_what_the_network_says(name: str) -> None:
    game = probe_duel() if name == "duel" else TOY
    learner = ppo.Learner(game, PPO)
    batches = first_batches(learner)
    assert len(batches) == 4
    for batch, state, _ in batches:
        learner.network.load_state_dict(state)
        flat = ppo.flat(batch)
        masks = action_masks(flat.masks, game.num_actions)
        everything = np.tile(np.arange(game.num_actions), (len(masks), 1))
        with torch.no_grad():
            units, values = learner.network.forward_rows(learner.rows, flat.rows, flat.continuous)
            logits = learner.network.legal_logits(units, everything)
            logits[torch.from_numpy(masks) == 0] = -torch.inf
            chances = torch.log_softmax(logits, dim=1).numpy()
        assert masks.sum(axis=1).min() > 1  # what is forced is no decision
        taken = chances[np.arange(len(chances)), flat.actions]
        np.testing.assert_allclose(flat.log_probs, taken, atol=1e-5)
        np.testing.assert_allclose(flat.values, values.numpy(), atol=1e-5)
        np.testing.assert_allclose(batch.advantages, estimated(batch, PPO.gae_lambda), atol=1e-6)
        np.testing.assert_allclose(batch.targets, batch.advantages + batch.values, atol=1e-6)


@pytest.mark.parametrize(
    "damage", [{"network": 3}, {"progress": None}, {}, {"network": {}, "progress": (1,)}]
)
def test_a_state_that_does_not_fit_is_refused(damage: dict[str, Any], tmp_path: Path) -> None:
    learner = ppo.Learner(probe_duel(), PPO)
    path = tmp_path / "state.pt"
    with pytest.raises(ValueError, match="there is no run to resume"):
        learner.load(path)
    torch.save({**learner.state_dict(), **damage} if damage else {}, path)
    with pytest.raises(ValueError, match="does not fit this game and these settings; the model ca"):
        learner.load(path)
    for damaged in (b"", path.read_bytes()[:1000]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"state.pt is not the state of a run, or is damaged"):
            learner.load(path)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [((1.0, 0.0), {EXTERNAL}), ((0.0, 2.0), {0})],
)
def test_tables_are_divided_between_learners_and_players(
    weights: tuple[float, float], expected: set[int]
) -> None:
    learner = ppo.Learner(TOY, PPO)
    opponents = [make_policy("first_legal", TOY)]
    shares = session.shares_of_tables(weights[0], opponents, weights[1:])
    tables = self_play.SelfPlay(TOY, learner.rows, 24, 3, opponents, shares)
    learner._acting(tables, self_play.new_batch(TOY, learner.rows, 24, 2))(slice(0, 24))
    codes = tables._play_state.codes
    assert set(codes.ravel()) == expected | {EXTERNAL}
    num_learning = (codes == EXTERNAL).sum(axis=1)
    assert (num_learning == (3 if expected == {EXTERNAL} else 1)).all()
    seats = tables._play_state.seats
    assert (codes[np.arange(24), seats] == EXTERNAL).all() and (seats != NO_SEAT).all()
    if expected == {0}:  # the lowest card, as `first_legal` plays it
        for state, row in zip(tables._play_state.states, codes, strict=True):
            first, second = state["played"][:, row == 0]
            assert (first < second)[second >= 0].all()


def test_the_losses_are_those_of_the_paper() -> None:
    """By hand in NumPy: the clipped objective, the squared error, the entropy."""
    game = probe_duel()
    learner = ppo.Learner(game, PPO)
    batch = ppo.flat(first_batches(learner)[-1][0])
    batch = batch._replace(log_probs=batch.log_probs + np.linspace(-1, 1, 30, dtype=np.float32))
    advantages = np.linspace(-1, 2, 30, dtype=np.float32)[::-1].copy()
    losses = learner._losses(batch, advantages, np.arange(30))
    masks = action_masks(batch.masks, game.num_actions)
    with torch.no_grad():
        units, values = learner.network.forward_rows(learner.rows, batch.rows, batch.continuous)
        logits = learner.network.legal_logits(units, np.tile(np.arange(6), (30, 1))).numpy()
        error = ((values.numpy() - batch.targets) ** 2).mean()
    chances = np.where(masks == 1, np.exp(logits), 0)
    chances /= chances.sum(axis=1, keepdims=True)
    ratio = chances[np.arange(30), batch.actions] / np.exp(batch.log_probs)
    clip = learner.config.clip
    clipped = ratio.clip(1 - clip, 1 + clip)
    policy = -np.minimum(ratio * advantages, clipped * advantages).mean()
    logs = np.log(np.where(chances > 0, chances, 1))
    assert losses.policy.item() == pytest.approx(policy, abs=1e-5)
    assert losses.value.item() == pytest.approx(error, abs=1e-5)
    assert losses.entropy.item() == pytest.approx(-(chances * logs).sum(axis=1).mean(), abs=1e-5)


def test_ppo_reports_its_decisions_and_updates_and_goes_on_from_a_file(tmp_path: Path) -> None:
    learner = ppo.Learner(probe_duel(), PPO)
    assert learner.progress[:4] == (0.0, 0.0, 0, 0) and learner.progress.cpu_seconds == 0.0
    progresses = [progress for progress, _ in learner.run()]
    assert [progress.decisions for progress in progresses] == [30, 60, 90]
    assert [progress.updates for progress in progresses] == [6, 12, 18]  # 2 passes of 3 parts
    assert [progress.done for progress in progresses] == pytest.approx([1 / 3, 2 / 3, 1])
    learner.save(tmp_path / "state.pt")
    again = ppo.Learner(probe_duel(), dataclasses.replace(PPO, seed=1))
    assert not equal(learner.network, again.network)
    again.load(tmp_path / "state.pt")
    assert equal(learner.network, again.network) and again.progress == learner.progress


def plan(folder: Path, algorithm: str, config: Any, **settings: Any) -> session.Session:
    """A run of three measurements of one deal each."""
    values: dict[str, Any] = {
        "num_measurements": 3,
        "num_deals": 1,
        "final_deals": 2,
        "against": ("random", "first_play"),
        **settings,
    }
    return session.Session(algorithm, CARDS, config, folder / "run", **values)


RUN = dataclasses.replace(PPO, num_tables=2, batch_decisions=3, total_steps=36)  # six batches


def stopped(folder: Path, stop_after: float, error: type[BaseException]) -> None:
    """Start the run, and stop it by an error once more than this part of it is done."""

    def stop(progress: Any) -> None:
        if progress.done > stop_after:
            raise error

    with pytest.raises(error):
        session.run_session(plan(folder, "ppo", RUN), stop)


def resumed(folder: Path, config: ppo.Config = RUN) -> list[float]:
    """Go on with the run; how much of it is done after each batch."""
    counts: list[float] = []
    again = plan(folder, "ppo", config, resume=True)
    session.run_session(again, lambda progress: counts.append(progress.done))
    return counts


@pytest.mark.parametrize(
    ("stop_after", "rest"), [(0.5, [3 / 6, 4 / 6, 5 / 6, 1]), (0.7, [5 / 6, 1])]
)
def test_a_run_is_measured_at_its_points_and_resumed_where_it_stood(
    stop_after: float, rest: list[float], tmp_path: Path
) -> None:
    stopped(tmp_path, stop_after, ArithmeticError)
    assert resumed(tmp_path) == pytest.approx(rest)
    curve = session.read_curve(tmp_path / "run")
    assert [point["against"] for point in curve] == ["random", "first_play"] * 3
    assert [point["done"] for point in curve[::2]] == pytest.approx([1 / 3, 2 / 3, 1])
    assert [point["games"] for point in curve] == [2, 2, 2, 2, 4, 4]
    with pytest.raises(ValueError, match="complete; give it more minutes, total_steps or num"):
        resumed(tmp_path)
    longer = dataclasses.replace(RUN, total_steps=54)
    assert resumed(tmp_path, longer) == pytest.approx([42 / 54, 48 / 54, 1])
    curve = session.read_curve(tmp_path / "run")
    assert [point["decisions"] for point in curve[::2]] == [12, 24, 36, 54]
    again = session.run_session(plan(tmp_path, "ppo", RUN))  # from the start, in the same folder
    assert again.training["decisions"] == 36
    assert len(session.read_curve(tmp_path / "run")) == 6


def test_every_point_of_a_curve_measures_the_weights_of_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is resumed before its second point; two of six batches prefer high cards."""

    def learn(learner: ppo.Learner, batch: Batch, random: Any) -> Losses:
        bias = 1000 * torch.arange(game.num_actions, dtype=torch.float32)
        prefers_high = round(6 * learner.progress.done) in (2, 3)
        learner.network.actions.bias.data = bias if prefers_high else -bias
        return Losses(0.0, 0.0, 0.0)

    def last_legal(observations: np.ndarray, action_masks: np.ndarray, rngs: Any) -> np.ndarray:
        return game.num_actions - 1 - action_masks[:, ::-1].argmax(axis=1)

    def stop(progress: Any) -> None:
        if progress.done > 0.4:
            raise ArithmeticError

    monkeypatch.setattr(ppo.Learner, "_learn", learn)
    config = dataclasses.replace(RUN, derived_inputs=False)  # else actions have other numbers
    run = plan(tmp_path, "ppo", config, num_deals=20, final_deals=20, against=("random",))
    run.game = game = load_game("trick_taking", num_values=4)
    with pytest.raises(ArithmeticError):
        session.run_session(run, stop)
    session.run_session(dataclasses.replace(run, resume=True))
    measured = [point["mean_return"] for point in session.read_curve(run.folder)]
    low, high, file = (
        play_match(game, player, "random", 20, 0).mean_return.mean
        for player in ("first_legal", last_legal, str(run.folder / session.CHECKPOINT_FILE))
    )
    assert measured == pytest.approx([low, high, low])
    assert low != high and file == pytest.approx(low)


def test_a_run_stopped_between_measurements_continues_from_its_latest_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saved after each of six batches here; measured at every second."""
    monkeypatch.setattr(session, "SECONDS_BETWEEN_STATES", 0.0)
    stopped(tmp_path, 0.5, KeyboardInterrupt)
    assert resumed(tmp_path) == pytest.approx([4 / 6, 5 / 6, 1])
    assert not list((tmp_path / "run").glob("*.partial"))


def test_a_run_without_a_gradient_step_has_learned_nothing(tmp_path: Path) -> None:
    with pytest.raises(session.NothingLearned):
        session.run_session(plan(tmp_path, "dqn", dataclasses.replace(DQN, total_steps=8)))


@pytest.mark.parametrize(
    ("algorithm", "config", "longer"),
    [("dqn", DQN, {"total_steps": 80}), ("mlp", MLP, {"num_batches": 3})],
)
def test_q_learning_and_imitation_go_on_where_they_stood(
    algorithm: str, config: Any, longer: dict[str, int], tmp_path: Path
) -> None:
    """Their complete runs, which may now take longer; every weight was kept."""
    session.run_session(plan(tmp_path, algorithm, config))
    before = session.read_curve(tmp_path / "run")[-1]
    counts: list[Any] = []
    again = plan(tmp_path, algorithm, dataclasses.replace(config, **longer), resume=True)
    learner = session.load_algorithm(algorithm).Learner(CARDS, again.config)
    learner.load(tmp_path / "run" / session.STATE_FILE)
    kept = load_checkpoint(tmp_path / "run" / session.CHECKPOINT_FILE).weights
    assert all(
        torch.equal(kept[name], value) for name, value in learner.network.state_dict().items()
    )
    session.run_session(again, counts.append)
    assert counts[0].decisions > before["decisions"] and counts[0].done > 0.7
    assert counts[-1].done == 1.0 and counts[-1].updates > before["updates"]


def test_the_curve_shows_every_point_with_its_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    save = matplotlib.figure.Figure.savefig

    def savefig(figure: matplotlib.figure.Figure, *arguments: Any, **settings: Any) -> None:
        save(figure, *arguments, **settings)
        drawn.append(figure)

    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", savefig)
    curve = [
        {
            "against": player,
            "seconds": 60.0 * point,
            "cpu_seconds": 90.0 * point,
            "first_places": 0.1 * point + share,
            "low": 0.1 * point,
            "high": 0.1 * point + 2 * share,
            "fair_share": 0.25,
        }
        for point in (1, 2, 3)
        for player, share in (("lowest", 0.2), ("random", 0.3))
    ]
    session.draw_curve(curve, tmp_path / "curve.png")
    (axes,) = drawn[0].axes
    first, second, fair = axes.get_lines()
    for line, player, shares in ((first, "lowest", (30, 40, 50)), (second, "random", (40, 50, 60))):
        assert line.get_label() == f"against {player}: {shares[-1]}.0 %"
        np.testing.assert_allclose(
            np.asarray(line.get_xydata()), np.transpose([(1.5, 3.0, 4.5), shares])
        )
    assert set(np.asarray(fair.get_ydata()).tolist()) == {25.0}
    for text in (axes.yaxis.label, axes.xaxis.label):
        box, page = text.get_window_extent(), drawn[0].bbox
        assert page.x0 <= box.x0 < box.x1 <= page.x1 and page.y0 <= box.y0 < box.y1 <= page.y1
