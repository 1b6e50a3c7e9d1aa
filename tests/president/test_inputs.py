"""What networks are shown of President: against plain counting, and by a player of the game."""

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.networks.derived import (
    in_extended_game,
    shown_fields,
    with_inputs,
)
from parlour.baselines.networks.kinds import policy_of
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.envs import load_game
from parlour.envs.core.play.tables import action_masks
from parlour.envs.core.rng import streams
from parlour.training.ppo import Config, Learner
from tests.one_table import dealt

from ..test_compiled_networks import uneven

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("settings", [{}, {"num_players": 5, "num_games": 2}])
def test_derived_fields_count_what_may_beat_what(settings: dict) -> None:
    game = load_game("president", **settings)
    wide = with_inputs(game)
    state, random = wide.new_states()[0], np.random.default_rng(0)
    wide.deal(state, streams([3])[0])
    view = wide.new_observations()[0]
    num_led = num_sure = 0
    while not wide.is_terminal(state):
        for seat in range(game.num_seats):
            wide.observe(state, seat, view)
            hand, unseen = list(map(int, view.hand)), list(map(int, view.unseen))
            answers = [
                sum(of >= number for of in unseen[rank + 1 :]) if number else 0
                for rank, number in enumerate(hand)
            ]
            assert view.answers.tolist() == answers
            assert view.num_sets == sum(number > 0 for number in hand)
            sure = [rank for rank, number in enumerate(hand) if number and not answers[rank]]
            assert view.num_sure == len(sure)
            count, above = int(view.table_count), int(view.table_rank) + 1
            led = above > 0
            assert view.table_answers == led * sum(of >= count for of in unseen[above:])
            assert view.own_answers == led * sum(number >= count for number in hand[above:])
            others = [int(size) for size in view.hand_sizes[1:] if size]
            assert view.fewest_cards == (min(others) if others else 0)
            num_led += not led
            num_sure += len(sure)
        wide.apply_action(state, int(random.choice(wide.legal_action_list(state))))
    assert num_led > 20 and num_sure > 20


def test_networks_are_not_shown_what_the_hand_and_the_unseen_say() -> None:
    shown = shown_fields(with_inputs(load_game("president")))
    assert set(shown) >= {"hand", "unseen", "answers"} and "played" not in shown


def test_a_network_without_the_inputs_is_an_opponent_of_one_that_has_them() -> None:
    game = load_game("president")
    wide = with_inputs(game)
    policy = policy_of("ppo", game, uneven(PolicyValue(game, (19,))))
    script = make_policy("planner", game)
    assert in_extended_game(script) is script
    tables = dealt(wide, range(10))
    for _ in range(6):
        seats, observations, words = tables.show(tables.all_rows)
        masks = action_masks(words, game.num_actions)
        actions = in_extended_game(policy)(observations, masks, tables.rngs)
        views = game.new_observations(10)
        for row, seat in enumerate(seats):
            game.observe(tables.states[row], int(seat), views[row])
        assert (actions == policy(views, masks, tables.rngs)).all()
        tables.apply(tables.all_rows, actions)


@pytest.mark.release
def test_a_learner_with_the_inputs_plays_a_network_without_them() -> None:
    config = Config(
        hidden=(4,),
        num_threads=1,
        num_tables=4,
        batch_decisions=4,
        minibatch_size=16,
        self_play=0.0,
        opponents=("dqn",),
        opponent_weights=(1.0,),
    )
    progress, _ = next(Learner(load_game("president"), config).run())
    assert progress.decisions == 16
