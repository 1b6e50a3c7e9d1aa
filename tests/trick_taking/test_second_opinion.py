"""The rules against the naive referee, and what must hold in every position."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.counts import part_and_all
from tests.one_table import dealt
from tests.trick_taking.referee import Referee, in_deck_order
from tests.trick_taking.tables import cards_of, table

# Seats, values, games: side by side, one ply at a time.
CONFIGS = [(2, 1, 20), (2, 6, 60), (2, 32, 20), (3, 5, 60), (4, 4, 50)]


@pytest.mark.plain
@pytest.mark.parametrize(("num_players", "num_values", "num_games"), part_and_all(CONFIGS))
def test_the_rules_agree_with_the_referee(
    num_players: int, num_values: int, num_games: int
) -> None:
    leader = num_players - 1
    game = load_game("trick_taking", num_players=num_players, num_values=num_values, leader=leader)
    tables = dealt(game, range(num_games))
    referees = [
        Referee(
            {"hands": state["dealt"].tolist(), "leader": leader},
            num_players=num_players,
            num_values=num_values,
        )
        for state in tables.states
    ]
    rng = np.random.default_rng(num_values)
    for ply in range(num_players * num_values):
        observer = ply * 7 % num_players
        check_positions(tables, referees, observer)
        names = [rng.choice(sorted(referee.legal_actions())) for referee in referees]
        for referee, name in zip(referees, names, strict=True):
            referee.apply(str(name))
        tables.apply(tables.all_rows, np.array([game.parse_action(str(name)) for name in names]))
    expected = np.array([referee.returns() for referee in referees])
    np.testing.assert_allclose(tables.returns(tables.all_rows), expected)
    assert all(game.is_terminal(state) for state in tables.states)


def check_positions(tables: Tables, referees: list[Referee], observer: int) -> None:
    """Who acts, what is legal, and what one seat sees, at every table."""
    game = tables.game
    seats, _, words = tables.show(tables.all_rows)
    seen = tables.observe(tables.all_rows, np.full(len(referees), observer))
    assert not tables.returns(tables.all_rows).any()
    for row, referee in enumerate(referees):
        assert seats[row] == referee.seat_to_act()
        flags = np.unpackbits(words[row].view(np.uint8), bitorder="little")
        legal = {game.action_name(int(action)) for action in np.flatnonzero(flags)}
        assert legal == set(referee.legal_actions())
        check_observation(seen[row], referee, observer)


def check_observation(seen: np.record, referee: Referee, observer: int) -> None:
    """All that the sheet lets a seat know is in its observation."""
    num_players, num_values = len(seen["hand"]), len(seen["dealt"])
    others = [card for s in referee.seats if s != observer for card in referee.hands[s]]
    held = set(cards_of(seen["hand"], num_values))
    dealt = [f"{card // num_values}.{card % num_values}" for card in seen["dealt"].tolist()]
    assert [card for card in dealt if card in held] == referee.hands[observer]
    assert cards_of(seen["unseen"], num_values) == in_deck_order(others)
    assert cards_of(seen["table"], num_values) == in_deck_order(referee.table)
    played = [card for words in seen["played"] for card in cards_of(words, num_values)]
    assert in_deck_order(played) == in_deck_order(referee.earlier + referee.table)
    assert (seen["leader"] + observer) % num_players == referee.leader
    assert np.roll(seen["tricks_won"], observer).tolist() == referee.tricks_won
    assert (seen["seat_to_act"] + observer) % num_players == referee.seat_to_act()
    led = int(referee.table[0].split(".")[0]) if referee.table else -1
    assert seen["led_colour"] == led


def all_deals(state: np.record, seat: int) -> list[tuple]:
    """Every deal of the unseen cards that agrees with hand sizes and voids, by brute force."""
    num_values = state["dealt"].shape[1]
    others = [other for other in range(len(state["hands"])) if other != seat]
    sizes = [len(cards_of(state["hands"][other], num_values)) for other in others]
    pool = sorted(card for o in others for card in cards_of(state["hands"][o], num_values))
    deals = []
    for owners in itertools.product(range(len(others)), repeat=len(pool)):
        counts = [owners.count(place) for place in range(len(others))]
        fits = counts == sizes and not any(
            state["voids"][others[place]] >> int(card.split(".")[0]) & 1
            for card, place in zip(pool, owners, strict=True)
        )
        if fits:
            deals.append(owners)
    return deals


@pytest.mark.plain
@pytest.mark.parametrize(
    ("num_players", "script"),
    [
        (3, "0.0 1.0"),  # seat 1 is void in colour 0
        (4, "0.0 1.0"),  # seat 1 is void in colour 0, two others are not
        (4, "0.0 1.0 0.1 0.2 3.2 3.0"),
    ],
)
def test_re_deals_are_uniform_over_all_that_agree_with_what_was_seen(
    num_players: int, script: str
) -> None:
    """After this script each deal that seat 0 thinks possible is drawn about equally often."""
    num_draws = 2_000
    hands = {
        3: [[0, 1, 2], [3, 4, 6], [5, 7, 8]],
        4: [[0, 6, 9], [3, 4, 7], [1, 10, 5], [2, 11, 8]],
    }[num_players]
    played = table({"hands": hands}, script, num_players=num_players, num_values=3)
    rows = np.zeros(num_draws, np.int64)
    determinized = played.determinize(rows, rows, streams(range(num_draws)))
    expected = all_deals(played.state, 0)
    found = Counter(state["hands"].tobytes() for state in determinized)
    assert len(expected) > 2
    assert len(found) == len(expected)
    assert stats.chisquare(list(found.values())).pvalue > 1e-4
