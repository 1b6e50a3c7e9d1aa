"""What all learners share: rollouts, replay buffer, encoder, session; settings that cannot work."""

import csv
import dataclasses
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from parlour.baselines import make_policy
from parlour.baselines.networks.checkpoints import load_checkpoint
from parlour.baselines.networks.modules import WIDEST_UNARY, UnaryEncoder
from parlour.envs import load_game
from parlour.envs.core.fields import Field
from parlour.envs.core.game import Game
from parlour.training import dqn, ppo, session
from parlour.training.dqn import ReplayBuffer, Rollout, Transitions
from parlour.training.session import shares_of_tables

from . import toy_game
from .probe_game import probe_game

pytestmark = pytest.mark.plain

GAMES = {"toy": toy_game.game(num_players=3), "president": load_game("president", num_players=2)}
SMALL = dqn.Config(
    total_steps=256, hidden=(8,), num_tables=16, batch_size=8, buffer_size=400, num_threads=1
)


class Decision(NamedTuple):
    """What one seat saw and did."""

    seat: int
    observation: bytes
    mask: bytes  # int8 [A]
    action: int


class Transition(NamedTuple):
    """One row of a rollout; what follows is empty where the game ended first."""

    observation: bytes
    action: int
    reward: float
    next_observation: bytes
    next_mask: bytes


def by_hand(decisions: list[Decision], returns: Any, n_steps: int) -> list[Transition]:
    """The transitions of one game from what was decided in it; `returns` None while it goes on."""
    out = []
    for seat in {decision.seat for decision in decisions}:
        own = [decision for decision in decisions if decision.seat == seat]
        for now, then in zip(own, own[n_steps:], strict=False):
            out.append(Transition(now.observation, now.action, 0.0, then.observation, then.mask))
        if returns is not None:
            last = own[-n_steps:]
            out += [Transition(d.observation, d.action, returns[seat], b"", b"") for d in last]
    return out


def toy_returns(state: np.record) -> list[float]:
    """By the referee of the toy game, who shares no code with its rules."""
    referee = toy_game.Referee({"hands": state["played"].T.tolist()})
    referee.plays = state["played"].T.tolist()
    referee.drawn = int(state["drawn"])
    return [float(np.float32(value)) for value in referee.returns()]


class Played(NamedTuple):
    """A rollout beside what it should have handed out."""

    got: list[Transition]
    expected: list[Transition]
    games: list[list[Decision]]  # those that ended


def play(
    game: Game, opponents: list[str], self_play: float, n_steps: int, num_steps: int = 60
) -> Played:
    """Roll out at random, and note every decision and every end on the way."""
    rollout = Rollout(
        game,
        num_tables=12,
        opponents=[make_policy(name, game) for name in opponents],
        shares=shares_of_tables(self_play, opponents, ()),
        n_steps=n_steps,
        seed=5,
    )
    random = np.random.default_rng(1)
    tables, returns_of = rollout.tables, rollout.tables.returns
    running: defaultdict[int, list[Decision]] = defaultdict(list)
    out = Played([], [], [])

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        actions = (random.random(masks.shape) * masks).argmax(axis=1)
        seats = tables.show(tables.all_rows)[0]
        for row, action in enumerate(actions.tolist()):
            running[row].append(
                Decision(seats[row], observations[row].tobytes(), masks[row].tobytes(), action)
            )
        return actions

    def at_the_end(rows: np.ndarray) -> np.ndarray:
        returns = returns_of(rows)
        handed_out = returns.astype(np.float32).tolist()
        for row, decision in zip(rows.tolist(), handed_out, strict=True):
            right = toy_returns(tables.states[row]) if game.name == "toy" else decision
            out.expected.extend(by_hand(running[row], right, n_steps))
            out.games.append(running.pop(row))
        return returns

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "returns", at_the_end)
        for _ in range(num_steps):
            out.got.extend(rows_of(game, rollout.step(choose)))
    for decisions in running.values():
        out.expected.extend(by_hand(decisions, None, n_steps))
    return out


def rows_of(game: Game, batch: Transitions) -> list[Transition]:
    """The rows of a batch; words of masks as int8 [A]."""
    actions = np.arange(game.num_actions)
    masks = (batch.next_masks[:, actions // 64] >> (actions % 64) & 1).astype(np.int8)
    rows = []
    for row, mask in enumerate(masks):
        goes_on = mask.any()
        rows.append(
            Transition(
                batch.observations[row].tobytes(),
                int(batch.actions[row]),
                float(batch.rewards[row]),
                batch.next_observations[row].tobytes() if goes_on else b"",
                mask.tobytes() if goes_on else b"",
            )
        )
    return rows


@pytest.mark.parametrize(
    ("name", "opponents", "self_play", "n_steps"),
    [
        ("toy", [], 1.0, 1),
        ("toy", [], 1.0, 3),
        ("toy", ["random"], 0.0, 3),
        ("president", ["random"], 0.0, 3),
    ],
)
def test_a_rollout_hands_out_every_decision_of_a_learning_seat_once_with_what_came_of_it(
    name: str, opponents: list[str], self_play: float, n_steps: int
) -> None:
    """Compared with transitions that are put together by hand, one game after the other."""
    played = play(GAMES[name], opponents, self_play, n_steps, 60)
    assert len(played.games) >= 12
    assert sorted(played.got) == sorted(played.expected)
    ended = [row for row in played.got if not row.next_mask]
    assert {row.reward for row in played.got if row.next_mask} <= {0.0}
    assert min(row.reward for row in ended) < 0 < max(row.reward for row in ended)


def seats_of(games: list[list[Decision]]) -> list[set[int]]:
    return [{decision.seat for decision in game} for game in games]


def test_in_self_play_every_seat_learns_and_against_a_field_one_that_changes() -> None:
    toy = GAMES["toy"]
    assert all(seats == {0, 1, 2} for seats in seats_of(play(toy, [], 1.0, 1).games))
    alone = seats_of(play(toy, ["random"], 0.0, 1).games)
    assert all(len(seats) == 1 for seats in alone)
    assert set.union(*alone) == {0, 1, 2}


def test_tables_are_shared_out_by_weight() -> None:
    """Half of the games are self-play: 3 seats learn; one seat learns in the others."""
    sizes = [len(seats) for seats in seats_of(play(GAMES["toy"], ["random"], 1.0, 1, 100).games)]
    assert set(sizes) == {1, 3}
    share = sizes.count(3) / len(sizes)
    assert share == pytest.approx(0.5, abs=4 * 0.5 / len(sizes) ** 0.5)


def numbered(game: Game, first: int, size: int) -> Transitions:
    """Transitions whose every column says which one it is."""
    batch = Transitions.empty(game, size)
    numbers = np.arange(first, first + size)
    batch.actions[:] = batch.rewards[:] = numbers
    batch.next_masks[:, 0] = numbers
    batch.observations["hand"][:, 0] = batch.next_observations["hand"][:, 0] = numbers
    return batch


def test_the_buffer_keeps_the_latest_and_their_columns_together() -> None:
    toy, random = GAMES["toy"], np.random.default_rng(0)
    buffer = ReplayBuffer(toy, 5)
    for first, size, kept in (
        (0, 3, {0, 1, 2}),
        (3, 4, {2, 3, 4, 5, 6}),
        (7, 5, set(range(7, 12))),
    ):
        buffer.add(numbered(toy, first, size))
        batch = buffer.sample(400, random)
        assert len(buffer) == len(kept)
        assert set(batch.actions.tolist()) == kept
        assert (batch.rewards == batch.actions).all()
        assert (batch.next_masks[:, 0] == batch.actions).all()
        for observations in (batch.observations, batch.next_observations):
            assert (observations["hand"][:, 0] == batch.actions).all()


def test_the_buffer_copies_what_it_is_given() -> None:
    toy = GAMES["toy"]
    buffer, batch = ReplayBuffer(toy, 5), numbered(toy, 0, 5)
    buffer.add(batch)
    batch.actions[:] = -1
    assert buffer.sample(50, np.random.default_rng(0)).actions.min() >= 0


def test_the_buffer_samples_uniformly() -> None:
    toy = GAMES["toy"]
    buffer = ReplayBuffer(toy, 20)
    for first in range(0, 32, 8):
        buffer.add(numbered(toy, first, 8))
    counts = np.bincount(buffer.sample(40_000, np.random.default_rng(0)).actions, minlength=32)
    assert not counts[:12].any()
    chi_squared = ((counts[12:] - 2_000) ** 2 / 2_000).sum()
    assert chi_squared < 45.0  # 19 degrees of freedom: exceeded once in 1,400 times


def encoder_of(*fields: Field) -> tuple[Game, UnaryEncoder]:
    game = dataclasses.replace(probe_game(), observation_fields=fields)
    return game, UnaryEncoder(game)


def test_the_encoder_shows_numbers_in_unary_leaves_out_constants_and_scales_wide_ranges() -> None:
    game, encoder = encoder_of(
        Field("count", np.int8, (), 0, 4, ""),
        Field("fixed", np.int8, (), 3, 3, ""),
        Field("signed", np.int8, (2,), -2, 1, ""),
        Field("widest", np.int8, (), 0, WIDEST_UNARY, ""),
        Field("wide", np.int8, (), -50, 20, ""),
    )
    observations = game.new_observations(2)
    observations["count"] = [3, 0]
    observations["fixed"] = 3
    observations["signed"] = [[-2, 1], [0, -1]]
    observations["widest"] = [WIDEST_UNARY, 1]
    observations["wide"] = [-50, 20]
    shown = encoder(torch.from_numpy(game.layout.integers(observations))).numpy()
    assert shown.dtype == np.float32
    assert shown.shape == (2, encoder.num_outputs)
    all_ones, one_one = [1] * WIDEST_UNARY, [1] + [0] * (WIDEST_UNARY - 1)
    np.testing.assert_allclose(
        shown,
        [
            [1, 1, 1, 0, *(0, 0, 0), *(1, 1, 1), *all_ones, -1.0],
            [0, 0, 0, 0, *(1, 1, 0), *(1, 0, 0), *one_one, 0.4],
        ],
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"opponent_weights": (1.0, 2.0)},
            "opponent_weights has a weight for each of the opponents; got 2 for 1",
        ),
        ({"num_tables": 10**9}, "num_tables must be"),
        ({"hidden": (64, 10**9)}, "hidden must be"),
        ({"opponent_weights": (-1.0,)}, "0 or more"),
        ({"self_play": -0.1}, "0 or more"),
        ({"self_play": float("nan")}, "0 or more"),
        ({"self_play": 0.0, "opponent_weights": (0.0,)}, "not all 0"),
        ({"num_tables": 0}, "num_tables must be"),
        ({"n_steps": 0}, "n_steps must be"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"batch_size": 401}, "buffer of 400 cannot hold"),
        ({"batch_size": 101}, "buffer of 400 cannot hold the 4 batches of 101"),
        ({"opponents": ("nobody",)}, "nobody"),
    ],
)
def test_settings_that_cannot_work_are_refused_before_the_first_step(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        next(dqn.Learner(GAMES["president"], dataclasses.replace(SMALL, **settings)).run())


def test_opponents_without_weights_meet_equally_often() -> None:
    """As the page on training has it: `parlour train ... --opponents random,lowest`."""
    for config in (ppo.Config, dqn.Config):
        opponents = config(opponents=("random", "lowest"), self_play=1.0)
        shares = shares_of_tables(1.0, opponents.opponents, opponents.opponent_weights)
        np.testing.assert_allclose(shares, [1 / 3] * 3)


def session_in(folder: Path, **settings: Any) -> session.Session:
    plan = session.Session(
        algorithm="dqn",
        game=load_game("president", num_players=2),
        config=SMALL,
        folder=folder / "run",
        against=("random", "lowest"),
        num_measurements=4,
        num_deals=2,
        final_deals=3,
        command="parlour train",
    )
    return dataclasses.replace(plan, **settings)


def curve_in(folder: Path) -> list[dict[str, str]]:
    with (folder / "run" / session.CURVE_FILE).open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_session_leaves_its_checkpoint_its_card_and_its_curve(tmp_path: Path) -> None:
    counts: list[float] = []
    games: list[tuple[str, int]] = []
    written = session.run_session(
        session_in(tmp_path),
        lambda progress: counts.append(progress.done),
        on_games=lambda player, num_games: games.append((player, num_games)),
    )
    files = {path.name for path in (tmp_path / "run").iterdir()}
    assert files == {"checkpoint.pt", "checkpoint.md", "curve.csv", "curve.png", "state.pt"}
    assert (tmp_path / "run" / session.PLOT_FILE).read_bytes().startswith(b"\x89PNG")
    assert counts == [step / 16 for step in range(1, 17)]
    told_of_a_point = [("random", 0), ("random", 4), ("lowest", 4)]
    assert games == [*3 * told_of_a_point, ("random", 0), ("random", 6), ("lowest", 6)]
    curve = curve_in(tmp_path)
    assert [point["against"] for point in curve] == ["random", "lowest"] * 4
    assert [float(point["done"]) for point in curve[::2]] == [0.25, 0.5, 0.75, 1.0]
    assert [int(point["games"]) for point in curve[::2]] == [4, 4, 4, 6]
    times = [float(point["cpu_seconds"]) for point in curve[::2]]
    assert 0 < times[0] < times[1] < times[2] < times[3]
    for point in curve:
        assert 0 <= float(point["low"]) <= float(point["first_places"]) <= float(point["high"]) <= 1
    kept = load_checkpoint(tmp_path / "run" / session.CHECKPOINT_FILE)
    assert kept.training["done"] == 1.0
    assert kept.training["decisions"] == SMALL.total_steps
    assert [result["second"] for result in kept.strength] == ["random", "lowest"]
    assert all(torch.equal(kept.weights[key], written.weights[key]) for key in kept.weights)


def test_recipes_are_no_learners() -> None:
    learners = session.algorithms()
    assert "dqn" in learners
    assert not {"sb3_dqn", "sb3_ppo"} & set(learners)
    assert all(session.load_algorithm(name).Config for name in learners)
    with pytest.raises(ValueError, match=r"unknown algorithm 'sb3_dqn'; there is .*dqn"):
        session.load_algorithm("sb3_dqn")
