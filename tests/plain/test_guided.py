"""The search guided by a network against a slow one of dictionaries, in plain Python.

Both start from the same determinized positions; every visit and value of their trees must agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import torch

from parlour.baselines.networks.compiled import network_functions, to_chances
from parlour.baselines.networks.inputs import octets
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.baselines.search import guided
from parlour.baselines.search.guided import (
    GuidedSearch,
    GuidedSettings,
    new_tree,
)
from parlour.baselines.search.tree import Tree
from parlour.envs import load_game
from parlour.envs.core.game import NO_SEAT, Game
from parlour.envs.core.play.loops import bindings_of
from parlour.envs.core.rng import streams
from tests import toy_game
from tests.probe_duel import DOOR, GATE, probe_duel
from tests.searching import after_plies
from tests.test_guided import record

pytestmark = pytest.mark.plain

DUEL = probe_duel()
TRICKS = load_game("trick_taking", num_values=3)
TOY = toy_game.game(num_players=3)


@dataclass
class Action:
    """An action at a node: what it has brought, and what came of it."""

    prior: float
    visits: int = 0
    total: float = 0.0
    outcomes: dict[Any, Outcome] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        return self.total / self.visits if self.visits else 0.0


@dataclass
class Outcome:
    """A place where a seat chooses."""

    total: float
    actions: dict[int, Action]
    visits: int = 1


class SlowSearch:
    """One search, from the positions that the fast one has determinized."""

    def __init__(self, game: Game, how: GuidedSettings, position: np.record) -> None:
        self.game, self.how, self.rules = game, how, bindings_of(game)
        self.weights = record(game)
        self.scratch = guided.new_scratch(game, how)
        tree = new_tree(game, how.num_simulations)
        begin = guided.guided_functions(game, 2).begin
        self.fast_count = begin(position, streams([7])[0], self.weights[0], tree, how, self.scratch)
        self.seat = int(self.rules["seat_to_act"](position))
        self.root = self.outcome_of(position, self.seat)[1]

    def outcome_of(self, state: np.record, seat: int) -> tuple[float, Outcome, Any]:
        """What the seat to act makes of a position: value, new outcome, and all that it knows."""
        words = np.zeros(self.game.num_mask_words, np.int64)
        self.rules["legal_actions"](state, words)
        view = self.game.new_observations()
        self.rules["observe"](state, seat, view[0])
        chances = np.zeros(self.game.num_actions, np.float32)
        data = octets(view)[0]
        value = float(network_functions(2).evaluate(self.weights[0], data, words, chances))
        to_chances(words, chances)
        value = min(1.0, max(-1.0, value))
        legal = [a for a in range(self.game.num_actions) if int(words[a // 64]) >> a % 64 & 1]
        actions = {action: Action(float(chances[action])) for action in reversed(legal)}
        return value, Outcome(value, actions), (seat, view.tobytes(), words.tobytes())

    def simulate(self, action: int) -> None:
        taken = self.root.actions[action]
        index = taken.visits % self.how.num_determinizations
        state = self.scratch.roots[index : index + 1].copy()
        rng = self.scratch.root_streams[index : index + 1].copy()
        words = np.zeros(self.game.num_mask_words, np.int64)
        path: list[tuple[Any, int]] = []
        seat = self.seat
        while True:
            path.append((taken, seat))
            seat = int(self.rules["play"](state[0], rng[0], action, words))
            values = np.zeros(self.game.num_seats)
            if seat == NO_SEAT:
                self.rules["returns"](state[0], values)
                break
            value, outcome, key = self.outcome_of(state[0], seat)
            if key not in taken.outcomes:
                taken.outcomes[key] = outcome
                values[:] = -value / (self.game.num_seats - 1)
                values[seat] = value
                break
            outcome = taken.outcomes[key]
            path.append((outcome, seat))
            action = self.best(outcome)
            taken = outcome.actions[action]
        for node, chooser in path:
            node.visits += 1
            node.total += values[chooser]

    def best(self, outcome: Outcome) -> int:
        spread = self.how.exploration_constant * math.sqrt(outcome.visits)

        def bound(action: int) -> float:
            taken = outcome.actions[action]
            mean = taken.mean if taken.visits else outcome.total / outcome.visits
            return float(mean + spread * np.float32(taken.prior) / (1 + taken.visits))

        return max(outcome.actions, key=bound)  # the first of equals

    def scale(self) -> float:
        return 0.5 * (50 + max(one.visits for one in self.root.actions.values()))

    def logit(self, action: int) -> float:
        return math.log(max(self.root.actions[action].prior, 1e-30))

    def run(self) -> int:
        """Search, and return the action chosen."""
        how, scale = self.how, self.scale()
        order = sorted(self.root.actions, key=self.logit, reverse=True)
        left = order[: min(len(order), how.num_considered, how.num_simulations)]
        assert self.fast_count == len(left)
        phases, budget = max(1, math.ceil(math.log2(len(left)))), how.num_simulations
        for phase in range(phases if len(left) > 1 else 0):
            spent = max(how.num_simulations // (phases * len(left)), 1) * len(left)
            spent = min(budget, spent) if phase < phases - 1 else budget
            for index in range(spent):
                self.simulate(left[index % len(left)])
            budget -= spent
            scale = self.scale()
            left.sort(
                key=lambda action: self.logit(action) + scale * self.root.actions[action].mean,
                reverse=True,
            )
            left = left[: (len(left) + 1) // 2]
        return left[0]


def positions() -> list[Any]:
    cases = []
    for game, places in ((DUEL, (GATE, DOOR)), (TRICKS, (None, None)), (TOY, (None, None))):
        tables, *_ = after_plies(game, 0, 2)
        for row, place in enumerate(places):
            if place is not None:
                tables.deal_from(row, {"place": place})
        cases += [pytest.param(game, tables.states[row], id=f"{game.name}-{row}") for row in (0, 1)]
    return cases


@pytest.mark.parametrize(
    ("simulations", "considered"), [(23, 1), (23, 2), (23, 3), (23, 16), (3, 16), (2, 16)]
)
@pytest.mark.parametrize(("game", "position"), positions())
def test_the_tree_is_that_of_a_slow_search(
    game: Game, position: np.record, simulations: int, considered: int
) -> None:
    how = GuidedSettings(simulations, considered, 3, 1.25, 0.0)
    slow = SlowSearch(game, how, position)
    action = slow.run()
    tree, scratch = new_tree(game, how.num_simulations), guided.new_scratch(game, how)
    policy, values = np.zeros(game.num_actions, np.float32), np.full(game.num_actions, np.nan)
    result = guided.guided_functions(game, 2).search_one(
        position, streams([7])[0], slow.weights[0], tree, how, scratch, policy, values
    )
    assert result[0] == action
    check_improved(slow, policy, values, result[1])


def check_improved(slow: SlowSearch, policy: Any, values: Any, value: float) -> None:
    """The improved policy and the completed values, as the paper has them."""
    tried = [one for one in slow.root.actions.values() if one.visits]
    visits = sum(one.visits for one in tried)
    completed = slow.root.total
    if tried:
        weighed = sum(one.prior * one.mean for one in tried) / sum(one.prior for one in tried)
        completed = (slow.root.total + visits * weighed) / (1 + visits)
    legal = sorted(slow.root.actions)
    expected = [
        slow.root.actions[a].mean if slow.root.actions[a].visits else completed for a in legal
    ]
    np.testing.assert_allclose(values[legal], expected, atol=1e-6)
    logits = np.array([slow.logit(a) for a in legal]) + slow.scale() * np.array(expected)
    chances = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    np.testing.assert_allclose(policy[legal], chances, atol=1e-5)
    assert value == pytest.approx(chances @ expected, abs=1e-5)


@pytest.mark.parametrize("scale", [0.5, 1.0])
def test_gumbel_noise_of_any_scale_varies_what_is_considered(scale: float) -> None:
    game, how = TRICKS, GuidedSettings(2, 16, 2, 1.25, scale)
    tables, *_ = after_plies(game, 0, 1)
    slow = SlowSearch(game, how._replace(gumbel_scale=0.0), tables.states[0])
    noises = []
    for seed in range(300):
        scratch, tree = guided.new_scratch(game, how), new_tree(game, how.num_simulations)
        guided.guided_functions(game, 2).begin(
            tables.states[0], streams([seed])[0], slow.weights[0], tree, how, scratch
        )
        actions = tree.nodes[scratch.candidates[:3]]["action"]
        noises += [scratch.scores[k] - slow.logit(int(actions[k])) for k in range(3)]
    assert np.mean(noises) == pytest.approx(0.5772 * scale, abs=0.15)
    assert np.std(noises) == pytest.approx(1.2825 * scale, abs=0.15)


@pytest.mark.parametrize("considered", [1, 3])
def test_a_search_in_time_shares_it_among_the_candidates_left(considered: int) -> None:
    how = GuidedSettings(9, considered, 2, 1.25, 0.0)
    tables, *_ = after_plies(TRICKS, 0, 1)
    result = GuidedSearch(TRICKS, record(TRICKS), how).search_in_time(
        tables.states, streams([7]), 0.0
    )
    slow = SlowSearch(TRICKS, how, tables.states[0])
    left = sorted(slow.root.actions, key=slow.logit, reverse=True)[:considered]
    while len(left) > 1:
        for index in range(max(1, guided.SIMULATIONS_BETWEEN_CLOCKS // len(left)) * len(left)):
            slow.simulate(left[index % len(left)])
        scale = slow.scale()
        left.sort(key=lambda a: slow.logit(a) + scale * slow.root.actions[a].mean, reverse=True)
        left = left[: (len(left) + 1) // 2]
    assert result.actions[0] == left[0]
    check_improved(slow, result.policies[0], result.action_values[0], result.values[0])


@pytest.mark.parametrize("limit", ["nodes", "untried"])
def test_a_full_tree_is_searched_without_growing(limit: str) -> None:
    how = GuidedSettings(60, 4, 2, 1.25, 0.0)
    tables, *_ = after_plies(TRICKS, 0, 1)
    tree, scratch = new_tree(TRICKS, 4), guided.new_scratch(TRICKS, how)
    room = Tree.empty(500, 500, 500)
    tree = room._replace(**{limit: getattr(tree, limit)})
    rows = np.zeros(TRICKS.num_actions, np.float32), np.full(TRICKS.num_actions, np.nan)
    inputs = tables.states[0], streams([7])[0], record(TRICKS)[0]
    action, value = guided.guided_functions(TRICKS, 2).search_one(
        *inputs, tree, how, scratch, *rows
    )
    counts = {"nodes": tree.num_nodes[0], "untried": tree.num_untried[0]}
    assert len(getattr(tree, limit)) - TRICKS.num_actions <= counts[limit]
    assert counts[limit] <= len(getattr(tree, limit))
    assert action in TRICKS.legal_action_list(tables.states[0]) and np.isfinite(value)


@pytest.mark.parametrize(("bias", "value"), [(-5.0, -1.0), (5.0, 1.0)])
def test_a_networks_value_is_kept_within_what_a_game_can_bring(bias: float, value: float) -> None:
    how = GuidedSettings(1, 1, 1, 1.25, 0.0)
    network = PolicyValue(DUEL, (16, 16))
    torch.nn.init.constant_(network.value.bias, bias)
    tables, *_ = after_plies(DUEL, 0, 1)
    result = GuidedSearch(DUEL, network.record(DUEL), how).search(tables.states, streams([1]))
    assert result.values[0] == pytest.approx(value, abs=1e-6)
