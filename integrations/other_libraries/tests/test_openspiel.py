"""OpenSpiel both ways: its algorithms find our exact values, and its bots play at our tables."""

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from parlour.baselines.players.making import make_policy
from parlour.envs import load_game
from parlour.envs.core.game import Game
from parlour.envs.core.play.one_game import all_starts
from parlour.envs.core.play.playthrough import Playthrough
from tests.example_games import imported

pyspiel = pytest.importorskip("pyspiel")
pytest.importorskip("parlour_openspiel")  # it registers our games
TRICKS = load_game("trick_taking", num_values=2)
VALUE = 1 / 3  # of its first seat, the mean of what the solver finds over all deals
VALUE_OF_THREE = 4 / 15  # with three values


def solved(game: Game, num_iterations: int, starts: Any = None) -> tuple[float, float]:
    """The value for seat 0 and the exploitability of what CFR finds."""
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability
    from parlour_openspiel import SpielGame

    spiel = SpielGame(game, starts)
    solver = cfr.CFRSolver(spiel)
    for _ in range(num_iterations):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    value = expected_game_score.policy_value(spiel.new_initial_state(), [policy, policy])[0]
    return value, exploitability.nash_conv(spiel, policy, use_cpp_br=False) / 2


def test_cfr_solves_kuhn_poker() -> None:
    with imported("kuhn") as (kuhn,):
        value, exploited = solved(kuhn.game(), 20)
    assert abs(value * kuhn.MAX_CHIPS + 1 / 18) < 0.05 and 0 <= exploited < 0.05


def test_cfr_finds_the_exact_value_of_trick_taking() -> None:
    value, exploited = solved(TRICKS, 2)
    assert abs(value - VALUE) < 1e-9 and abs(exploited) < 1e-9


def test_cfr_approaches_the_exact_value_of_larger_trick_taking() -> None:
    game = load_game("trick_taking", num_values=3)
    # Which order a hand was dealt in changes nothing: of 720 deals, these have sorted hands.
    hands = [state for state, _ in all_starts(game) if (np.diff(state.position.dealt) > 0).all()]
    value, exploited = solved(game, 40, [(state, 1 / len(hands)) for state in hands])
    assert len(hands) == 20
    assert abs(value - VALUE_OF_THREE) < 0.01 and 0 <= exploited < 0.01


NAME = "parlour_trick_taking(num_values=2)"
LOADED = """
import parlour_openspiel, pyspiel

game = pyspiel.load_game("parlour_trick_taking(num_values=2)")
solver = pyspiel.CFRSolver(game)
solver.evaluate_and_update_policy()
print(pyspiel.exploitability(game, solver.average_policy()))
"""


def test_a_registered_game_is_loaded_by_name_and_python_ends_well() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True)
    assert done.returncode == 0 and abs(float(done.stdout)) < 1e-9, done.stderr


def test_openspiels_own_functions_take_our_games() -> None:
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability
    from parlour_openspiel import SpielGame

    with imported("kuhn") as (kuhn,):
        spiel = SpielGame(kuhn.game())
        uniform = exploitability.exploitability(spiel, policy.UniformRandomPolicy(spiel))
        assert uniform * kuhn.MAX_CHIPS == pytest.approx(0.9166666 / 2)  # the known value
        solver = pyspiel.CFRSolver(spiel)
        for _ in range(50):
            solver.evaluate_and_update_policy()
        assert pyspiel.exploitability(spiel, solver.average_policy()) < uniform / 10
    pyspiel.random_sim_test(pyspiel.load_game(NAME), num_sims=3, serialize=True, verbose=False)


def test_games_and_states_are_copied_and_pickled() -> None:
    game = pyspiel.load_game(NAME)
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(state.legal_actions()[-1])
    text = pyspiel.serialize_game_and_state(game, state)
    twins = [copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
    twins.append(pyspiel.deserialize_game_and_state(text)[1])
    for twin in twins:
        assert twin.history() == state.history() and str(twin) == str(state)
        twin.apply_action(twin.legal_actions()[0])
        assert twin.history() != state.history()
    assert pickle.loads(pickle.dumps(game)).game.config == game.game.config
    assert str(copy.deepcopy(game)) == str(game)


def test_a_learner_of_openspiel_learns_in_its_environment() -> None:
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import tabular_qlearner

    env = rl_environment.Environment(pyspiel.load_game(NAME))
    assert env.observation_spec()["info_state"] == (env.game.game.layout.num_inputs,)
    learners = [
        tabular_qlearner.QLearner(seat, env.action_spec()["num_actions"]) for seat in (0, 1)
    ]
    for _ in range(20):
        step = env.reset()
        while not step.last():
            seat = step.observations["current_player"]
            observation = env.get_state.known(seat)
            assert np.array_equal(
                step.observations["info_state"][seat], env.game.game.layout.scaled(observation)[0]
            )
            step = env.step([learners[seat].step(step).action])
        for learner in learners:
            learner.step(step)
    assert sum(map(len, learners[0]._q_values.values())) > 10


def test_ismcts_plays_notty_whose_draws_are_sampled() -> None:
    from parlour_openspiel import NUM_SAMPLES, SpielGame

    spiel = SpielGame(load_game("notty", turn_limit=20))
    bot, state = searcher("ismcts")(spiel), spiel.new_initial_state()
    assert len(state.chance_outcomes()) == NUM_SAMPLES
    draws = 0
    for _ in range(12):  # the whole game takes a minute in plain Python
        if state.is_chance_node():
            draws += 1
            state.apply_action(draws)
        else:
            state.apply_action(state.legal_actions()[-1])
    while state.is_chance_node():
        state.apply_action(0)
    assert draws > 1 and bot.step(state) in state.legal_actions()


def searcher(kind: str) -> Any:
    """A function that makes a bot of OpenSpiel which searches."""
    from open_spiel.python.algorithms import ismcts, mcts

    random = np.random.RandomState(0)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    if kind == "mcts":
        return lambda spiel: mcts.MCTSBot(spiel, 1.0, 5, evaluator, random_state=random)
    return lambda spiel: ismcts.ISMCTSBot(spiel, evaluator, 2.0, 5, random_state=random)


@pytest.mark.parametrize("kind", ["mcts", "ismcts"])
@pytest.mark.parametrize("num_values", [2, 5])  # of 5 the deals cannot be listed
def test_a_bot_plays_at_our_tables_without_the_true_hands(kind: str, num_values: int) -> None:
    from parlour_openspiel import spiel_policy

    game = load_game("trick_taking", num_values=num_values)
    bot = spiel_policy(kind, game, searcher(kind))
    played = Playthrough(game, [bot, make_policy("random", game)], seed=3)
    for turn in played:
        turn.choose()
    assert len(played.actions) == 2 * num_values and played.returns.sum() == 0


def test_a_redealt_state_looks_the_same_to_its_seat_and_hides_the_rest() -> None:
    from parlour_openspiel import SpielGame

    state = SpielGame(TRICKS).new_initial_state()
    state.apply_action(0)
    random = np.random.default_rng(0)
    redealt = [state.resample_from_infostate(0, random.random) for _ in range(20)]
    own, other = ({each.information_state_string(k) for each in redealt} for k in (0, 1))
    assert own == {state.information_state_string(0)} and len(other) > 1
    with pytest.raises(ValueError, match="seat 1 is not to act: 0 is"):
        state.resample_from_infostate(1, random.random)


def test_positions_under_way_are_states() -> None:
    from parlour_openspiel import SpielGame

    spiel = SpielGame(TRICKS)
    state = spiel.new_initial_state()
    assert state.is_chance_node() and len(state.chance_outcomes()) == 24
    state.apply_action(0)
    action = state.legal_actions()[0]
    twin = state.clone()
    twin.apply_action(action)
    assert state.history() == [0] and twin.history() == [0, action]
    assert state.information_state_string() != twin.information_state_string()
    assert str(state) and TRICKS.action_name(action) in state.action_to_string(action)


def nash_conv_of_uniform(spiel: Any) -> float:
    """What OpenSpiel finds for the policy that draws all legal actions alike."""
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    return float(
        exploitability.nash_conv(spiel, policy.UniformRandomPolicy(spiel), use_cpp_br=False)
    )


def test_exploitability_is_that_of_openspiel() -> None:
    """At our own games through its best response, and at Leduc hold'em in both libraries."""
    from parlour_openspiel import SpielGame

    import parlour

    game = load_game("trick_taking", num_values=2, num_players=3)
    ours = parlour.exploitability(game, "random").nash_conv
    assert ours == pytest.approx(nash_conv_of_uniform(SpielGame(game)))
    with imported("leduc") as (leduc,):
        ours = parlour.exploitability(leduc.game(), "random").nash_conv * leduc.MAX_CHIPS
        assert ours == pytest.approx(nash_conv_of_uniform(pyspiel.load_game("leduc_poker")))
