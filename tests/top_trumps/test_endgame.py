"""The search for wins against goliath: it plays goliath's moves, and what it finds does win."""

import itertools

import numpy as np
import pytest

from docs.studies import top_trumps_winnable as winnable
from parlour.baselines import make_policy
from parlour.baselines.top_trumps import endgame
from parlour.baselines.top_trumps.david import goliath_field, is_certain
from parlour.envs.core.game import Game
from parlour.envs.core.play.playthrough import Playthrough
from parlour.envs.core.play.tables import action_masks
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from parlour.envs.top_trumps.rules import top_card
from tests.one_table import played
from tests.top_trumps.tables import deck_of

pytestmark = pytest.mark.plain

GAME = load_game("top_trumps")
SALT = np.uint64(17)


def late_position(game: Game, seed: int, num_unplayed: int = 1) -> np.record | None:
    """A position of two goliath where each seat has `num_unplayed` cards never played, or None."""
    state, rngs = game.new_states()[0], streams([seed])
    game.deal(state, rngs[0])
    while not game.is_terminal(state) and state["num_unplayed"].max() > num_unplayed:
        game.apply_action(state, goliath_field(state, int(state["starter"]), rngs[0]))
    return None if game.is_terminal(state) else state


def read(game: Game, state: np.record, seat: int) -> endgame.Endgame:
    search = endgame.new_endgame(game)
    endgame.note_outcomes(state["values"], search.outcomes)
    endgame.read_position(state, seat, search)
    return search


def decks(state: np.record, seat: int) -> list[list[int]]:
    """Both decks, the seat's first, and the pile."""
    pile = state["pile"][: state["pile_size"]].tolist()
    return [deck_of(state, seat), deck_of(state, 1 - seat), pile]


def field_of(state: np.record, seat: int, outcome: int) -> int:
    """The field that leads to this outcome; of several that win the one that tells least."""
    own, other = top_card(state, seat), top_card(state, 1 - seat)
    values = state["values"]
    possible = state["candidates"][seat, state["heads"][seat], 0]
    if state["num_unplayed"][seat] > 0:
        possible = state["unplaced"][seat, 0]
    cards = [card for card in range(50) if int(possible) >> card & 1]

    def num_left(field: int) -> int:
        return sum(values[card, field] == values[own, field] for card in cards)

    fields = [
        f for f in range(values.shape[1]) if endgame.outcome_of(values, own, other, f) == outcome
    ]
    return max(fields, key=num_left)  # the first of equals


def play_beside(
    game: Game, search: endgame.Endgame, state: np.record, seat: int, rng: np.random.Generator
) -> bool:
    """Play one trick in the search and by the rules; return whether goliath had a doubt."""
    row = search.rows[0]
    own, other = top_card(state, seat), top_card(state, 1 - seat)
    if state["starter"] == seat:
        outcomes = int(search.outcomes[own, other])
        outcome = int(rng.choice([bit for bit in (1, 2, 4) if outcomes & bit]))
        field = field_of(state, seat, outcome)
        endgame.lead_trick(search, state["values"], row, own, other, outcome)
    else:
        ties = streams([0])
        ties["gamma"] = search.ties["gamma"]
        ties["state"] = SALT + np.uint64(row[endgame.NUM_TRICKS])
        field = goliath_field(state, 1 - seat, ties[0])
        endgame.follow_goliath(search, state["values"], row, own, other, SALT)
    game.apply_action(state, field)
    return bool(row[endgame.DOUBTS])


@pytest.mark.parametrize("num_fields", [5, 2])
def test_the_search_plays_as_the_rules_and_goliath_do(num_fields: int) -> None:
    """Trick by trick: decks, pile, leader, and the cards that goliath cannot place."""
    game = load_game("top_trumps", num_fields=num_fields)
    rng = np.random.default_rng(3)
    num_tricks = num_doubted = 0
    for seed in range(20):
        state, seat = late_position(game, seed), seed % 2
        if state is None:
            continue
        search = read(game, state, seat)
        while not game.is_terminal(state):
            num_doubted += play_beside(game, search, state, seat, rng)
            num_tricks += 1
            row = search.rows[0]
            places = [slice(*row[2 * deck : 2 * deck + 2]) for deck in range(3)]
            results = [search.cards[deck, place].tolist() for deck, place in enumerate(places)]
            assert results == decks(state, seat)
            assert row[endgame.LEADS] == (state["starter"] == seat)
            unplaced = int(state["unplaced"][seat, 0])
            assert row[endgame.DOUBTS] == (unplaced if unplaced.bit_count() > 1 else 0)
        assert endgame.is_over(search.rows[0]) == game.is_terminal(state)
    assert num_tricks > 400 and num_doubted > 20


@pytest.mark.compiled
def test_a_win_that_is_found_is_won() -> None:
    """Where both seats know all, david wins from goliath whatever it finds a win for."""
    david, goliath = make_policy("david", GAME), make_policy("goliath", GAME)
    num_won = num_found = 0
    for seed in range(150):
        state, seat = late_position(GAME, seed, num_unplayed=0), seed % 2
        if state is None or not is_certain(state):
            continue
        num_found += bool(endgame.can_win(read(GAME, state, seat), state["values"], SALT))
        players = [david, goliath] if seat == 0 else [goliath, david]
        num_won += played(GAME, players, seed, deal=state).returns[seat] > 0
    assert num_found > 5
    assert num_won >= num_found


@pytest.mark.compiled
def test_a_trick_limit_ends_the_search_too() -> None:
    """With one trick to go the seat with more cards wins, and no line can change that."""
    game = load_game("top_trumps", trick_limit=40)
    num_decided = 0
    for seed in range(20):
        state = late_position(game, seed)
        if state is None:
            continue
        state["num_tricks"] = 39
        sizes = state["deck_sizes"]
        for seat in range(2):
            if sizes[seat] > sizes[1 - seat] + 2:
                num_decided += 1
                assert endgame.can_win(read(game, state, seat), state["values"], SALT)
                lost = read(game, state, 1 - seat)
                assert not endgame.can_win(lost, state["values"], SALT)
    assert num_decided > 3


@pytest.mark.compiled
def test_david_decides_by_its_observation_where_nothing_is_hidden() -> None:
    """Other orders of cards that it cannot place, drawn anew, change nothing that is certain."""
    david = make_policy("david", GAME)
    num_compared = 0
    for seed in range(60):
        state = late_position(GAME, seed, num_unplayed=1)
        if state is None or not is_certain(state):
            continue
        num_compared += 1
        seat = int(state["starter"])
        view = GAME.new_observations()
        GAME.observe(state, seat, view[0])
        chosen = set()
        for other in range(3):
            position = state.reshape(1).copy()
            GAME.reshuffle_unseen(position[0], seat, streams([other])[0])
            mask = action_masks(np.array([[31]]), 5)[0]
            chosen.add(david.act(view, mask, rng=streams([other]), position=position))
        assert len(chosen) == 1
    assert num_compared > 1


@pytest.mark.long
@pytest.mark.parametrize(
    "settings",
    [{"num_cards": 128, "num_fields": 2}, {"num_cards": 3}],
)
def test_david_plays_small_and_large_decks(settings: dict[str, int]) -> None:
    game = load_game("top_trumps", **settings)
    david = make_policy("david:num_playouts=5", game)
    for _ in itertools.islice(Playthrough(game, david, 4), 100):
        pass


@pytest.mark.long
def test_more_positions_can_be_won_than_goliath_wins() -> None:
    by_goliath, by_search, leads = winnable.winnable(500)
    assert 0.4 < by_goliath.mean() < 0.6 and 0.4 < leads.mean() < 0.6
    assert by_goliath[leads].mean() > by_goliath[~leads].mean() + 0.3
    assert (by_search >= by_goliath).all()
    assert by_search.mean() > by_goliath.mean() + 0.07
