"""Walk through games by hand: apply, take back, branch."""

import copy
import pickle

import pytest

import parlour
from parlour.envs import GAMES, OneGame, find_game, load_game
from parlour.envs.core.play.playthrough import Playthrough

from .example_games import imported

pytestmark = pytest.mark.plain


def walked(state: OneGame, num_actions: int) -> OneGame:
    """Apply some actions, chosen by their place, as far as the game goes."""
    for number in range(num_actions):
        if state.is_over:
            break
        legal = state.legal_actions
        state.apply(legal[number % len(legal)])
    return state


@pytest.mark.parametrize("name", GAMES)
def test_a_walk_is_the_game_of_its_seed(name: str) -> None:
    game = find_game(name)
    state = parlour.start(game, seed=4)
    for number, turn in zip(range(60), Playthrough(game, seed=4), strict=False):
        assert (state.seat, state.legal_actions) == (turn.seat, turn.legal)
        assert state.position.tobytes() == turn.state.tobytes()
        assert state.observation().tobytes() == turn.observation.tobytes()
        action = turn.legal[number % len(turn.legal)]
        turn.play(action)
        state.apply(game.action_name(action))
        assert state.actions[-1] == action


@pytest.mark.parametrize("name", GAMES)
def test_an_action_that_is_taken_back_leaves_nothing_behind(name: str) -> None:
    state = walked(parlour.start(find_game(name), seed=1), 8)
    if state.is_over:  # a short game: go back to its last choice
        state.undo()
    num_actions = len(state.actions)
    other = pickle.loads(pickle.dumps(state))
    branch = copy.copy(state)
    before = state.position.tobytes()
    first = state.legal_actions[0]
    for action in state.legal_actions[:3]:
        state.apply(action)
        state.undo()
        assert state.position.tobytes() == before and len(state.actions) == num_actions
    walked(branch, 5)
    assert state.position.tobytes() == before != branch.position.tobytes()
    for one in (state, other):
        one.apply(first)
    assert state.position.tobytes() == other.position.tobytes()  # with the same draws
    for _ in range(num_actions + 1):
        state.undo()
    assert state.position.tobytes() == parlour.start(find_game(name), seed=1).position.tobytes()
    with pytest.raises(ValueError, match="no action to take back"):
        state.undo()


@pytest.mark.parametrize("name", GAMES)
def test_each_ply_has_its_seat_and_the_position_before_it(name: str) -> None:
    state, before = parlour.start(find_game(name), seed=3), []
    for _ in range(20):
        if not state.is_over:
            before.append((state.seat, state.position.tobytes(), len(state.legal_actions) > 1))
            walked(state, 1)
    noted = [(ply.seat, ply.before.tobytes(), ply.had_choice) for ply in state.plies]
    assert noted == before
    assert [ply.action for ply in state.plies] == state.actions


def test_a_card_given_back_is_seen_by_two_and_any_other_ply_by_all() -> None:
    game = find_game("president", num_games=2, economy="swap_two")
    state = walked(parlour.start(game, seed=0), 200)
    given = [ply for ply in state.plies if game.action_name(ply.action).startswith("give")]
    assert given
    for ply in [*given, *state.plies[:4]] * 2:  # then from memory
        seen = [seat for seat in range(4) if ply.is_seen_by(game, seat)]
        assert len(seen) == (2 if ply in given else 4) and ply.seat in seen


def test_a_walk_starts_from_a_deal_and_from_a_position() -> None:
    with imported("kuhn") as (kuhn,):
        game = kuhn.game()
    dealt = parlour.start(game, deal={"cards": "KJ"})
    assert "player 0: K" in dealt.describe() and "K" not in dealt.describe(1)
    dealt.apply("bet")
    again = parlour.start(game, position=dealt.position)
    assert again.seat == 1 and again.actions == []
    again.apply("pass")
    assert again.is_over and again.legal_actions == [] and again.returns.tolist() == [0.5, -0.5]


def test_wrong_steps_are_refused() -> None:
    state = parlour.start(load_game("president", num_players=2), seed=7)
    before = state.position.tobytes()
    for action, message in (
        (50, "ply 1 chose 50 .* not legal; legal: 1x2, 2x2, 3x2"),
        ("9x9", "no action is called '9x9'"),
        (1.0, "an action is a number or a name, not 1.0"),
    ):
        for step in (state.apply, state.outcomes):
            with pytest.raises(ValueError, match=message):
                step(action)  # type: ignore[arg-type]
    assert state.position.tobytes() == before and not state.actions
    with pytest.raises(ValueError, match=r"seat must be an integer in 0 .. 1; got 2"):
        state.observation(2)
    with pytest.raises(ValueError, match=r"seat must be an integer in 0 .. 1; got 2"):
        state.describe(2)
    with pytest.raises(ValueError, match="from a deal or from a position, not from both"):
        parlour.start(state.game, deal={}, position=state.position)
    walked(state, 200)
    for ask in (lambda: state.seat, lambda: state.apply(0), state.observation):
        with pytest.raises(ValueError, match=r"the game is over, after [0-9]+ actions"):
            ask()


def test_a_determinized_game_looks_the_same_and_hides_other_cards() -> None:
    state = walked(parlour.start(load_game("president"), seed=2), 6)
    before = state.position.tobytes()
    others = [state.determinized(seed) for seed in range(5)]
    for other in others:
        assert other.observation().tobytes() == state.observation().tobytes()
        assert other.seat == state.seat and other.legal_actions == state.legal_actions
    assert len({other.position.tobytes() for other in others}) == 5
    assert state.position.tobytes() == before


def test_a_playthrough_takes_policies_and_says_so() -> None:
    for wrong in ("lowest", ["lowest", "lowest"], [print, None]):
        with pytest.raises(ValueError, match="a policy is one that make_policy"):
            Playthrough(load_game("president", num_players=2), wrong)  # type: ignore[arg-type]
