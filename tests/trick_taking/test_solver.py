"""The exact solution against brute force written from the referee's side, and the exact players."""

import itertools
from math import comb

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.arena import play_duplicate
from parlour.baselines.search.best_response import best_replies
from parlour.baselines.trick_taking import random_reply_table as replies
from parlour.baselines.trick_taking import solver
from parlour.baselines.trick_taking.measures import exact_exploitability, regret
from parlour.baselines.trick_taking.position import CardsLeft
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.one_table import dealt

pytestmark = pytest.mark.plain

Card = tuple[int, int]  # colour, value
Hand = frozenset[Card]


MEMORY: dict[tuple[Hand, Hand], int] = {}  # of `minimax`


def minimax(leader: Hand, follower: Hand) -> int:
    """The tricks that the leader takes, by trying every card; no two cards are taken for equal."""
    value = MEMORY.get((leader, follower))
    if value is None:
        value = max((minimax_lead(leader, follower, card) for card in leader), default=0)
        MEMORY[leader, follower] = value
    return value


def minimax_lead(leader: Hand, follower: Hand, lead: Card) -> int:
    """The tricks that the leader takes with this lead."""
    return min(minimax_trick(leader, follower, lead, reply) for reply in legal(follower, lead))


def minimax_trick(leader: Hand, follower: Hand, lead: Card, reply: Card) -> int:
    """The tricks that the leader takes from this trick on."""
    leader, follower = leader - {lead}, follower - {reply}
    if reply[0] == lead[0] and reply[1] > lead[1]:
        return len(follower) - minimax(follower, leader)
    return 1 + minimax(leader, follower)


def legal(hand: Hand, lead: Card) -> list[Card]:
    """The colour led if held, else anything."""
    return [card for card in hand if card[0] == lead[0]] or list(hand)


def cards(indices: list[int], num_values: int) -> Hand:
    return frozenset(divmod(index, num_values) for index in indices)


def tables_of(hands: list[list[int]], num_values: int) -> Tables:
    """A table for each of these hands of seat 0."""
    game = load_game("trick_taking", num_values=num_values)
    tables = Tables(game, streams(range(len(hands))))
    for row, hand in enumerate(hands):
        other = [card for card in range(2 * num_values) if card not in hand]
        tables.deal_from(row, {"hands": [hand, other]})
    return tables


def assert_every_card_has_its_value(tables: Tables) -> None:
    """Leads, and then the replies to a random lead, against brute force."""
    game, num_values = tables.game, tables.game.config.num_values
    _, observations, _ = tables.show(tables.all_rows)
    values = solver.card_values(game, observations)
    leads = np.random.default_rng(num_values).integers(0, num_values, len(values))
    for row, state in enumerate(tables.states):
        own, other = (cards(hand, num_values) for hand in state["dealt"].tolist())
        expected = {
            colour * num_values + value: minimax_lead(own, other, (colour, value))
            for colour, value in own
        }
        assert dict(enumerate(values[row].tolist())) == {
            card: expected.get(card, -1) for card in range(2 * num_values)
        }
    actions = tables.states["dealt"][tables.all_rows, 0, leads].astype(np.int64)
    before = tables.states["dealt"].tolist()
    tables.apply(tables.all_rows, actions)
    _, observations, _ = tables.show(tables.all_rows)
    values = solver.card_values(game, observations)
    for row, (own, other) in enumerate(before):
        lead = divmod(int(actions[row]), num_values)
        leader, follower = cards(own, num_values), cards(other, num_values)
        for reply in legal(follower, lead):
            taken = num_values - minimax_trick(leader, follower, lead, reply)
            assert values[row, reply[0] * num_values + reply[1]] == taken
        assert (values[row] >= 0).sum() == len(legal(follower, lead))


@pytest.mark.parametrize(
    ("num_values", "num_deals"),
    [
        *((values, comb(2 * values, values)) for values in (1, 2, 3, 4)),  # every deal
        (6, 80),
        *(pytest.param(*deals, marks=pytest.mark.long) for deals in ((5, 252), (6, 400), (7, 60))),
    ],
)
def test_every_card_is_worth_what_brute_force_says(num_values: int, num_deals: int) -> None:
    hands = [list(h) for h in itertools.combinations(range(2 * num_values), num_values)]
    chosen = np.random.default_rng(num_values).choice(len(hands), num_deals, replace=False)
    assert_every_card_has_its_value(tables_of([hands[deal] for deal in chosen], num_values))
    MEMORY.clear()


@pytest.mark.parametrize(
    ("num_values", "num_positions"), [(5, 30), pytest.param(10, 300, marks=pytest.mark.compiled)]
)
def test_the_search_beyond_the_table_finds_the_values_of_the_table(
    num_values: int, num_positions: int
) -> None:
    full = solver.solution_of(num_values)
    short = solver.solution_of(num_values)._replace(
        table_tricks=num_values // 2 - 1,
        keys=np.zeros(1 << 12, np.int64),
        bounds=np.zeros((1 << 12, 2), np.int8),
    )
    rng = np.random.default_rng(0)
    for _ in range(num_positions):
        owners = rng.permutation([1, 0] * num_values)
        word = int("".join(map(str, owners)), 2)
        position = CardsLeft(word, num_values, num_values)
        assert solver.value_of(short, position) == solver.value_of(full, position)


def test_games_of_more_seats_or_too_many_values_are_not_solved() -> None:
    for player in ("perfect", "best_response"):
        with pytest.raises(ValueError, match="two seats"):
            make_policy(player, load_game("trick_taking", num_players=3))
        with pytest.raises(ValueError, match="up to 24 values, not for 25"):
            make_policy(player, load_game("trick_taking", num_values=25))


@pytest.mark.compiled
@pytest.mark.parametrize("opponent", ["random", "first_play", "high_low", "smart", "perfect"])
def test_perfect_never_loses_a_duplicate_deal(opponent: str) -> None:
    result = play_duplicate(load_game("trick_taking"), "perfect", opponent, 2000)
    assert result.losses.mean == 0.0


@pytest.mark.compiled
def test_perfect_gives_nothing_away_and_every_script_does() -> None:
    game = load_game("trick_taking", num_values=5)
    assert regret(game, "perfect", num_deals=500).mean == 0.0
    names = ("random", "first_play", "high_low", "smart")
    random, first_play, high_low, smart = (regret(game, name).mean for name in names)
    assert min(random, first_play) > high_low > smart > 0.1  # the first two are as weak


@pytest.mark.compiled
def test_regret_against_perfect_play_is_what_the_deal_was_worth_less_what_it_brought() -> None:
    game = load_game("trick_taking", num_values=5)
    perfect, script = make_policy("perfect", game), make_policy("high_low", game)
    tables = dealt(game, range(200))
    _, observations, _ = tables.show(tables.all_rows)
    worth = solver.card_values(game, observations).max(axis=1).mean()
    tricks = best_replies(game, perfect_of_lowest_tie(game), tables.states, np.zeros(200, int))[0]
    assert (tricks.mean() + 1) * 5 / 2 == pytest.approx(worth)  # nothing beats perfect play
    assert regret(game, script, against=perfect, num_deals=200).mean > 0


def perfect_of_lowest_tie(game):
    """Perfect play that does not draw: the first of equal cards."""

    def choose(observations, masks, rngs):
        return solver.card_values(game, observations).argmax(axis=1)

    return make_policy(choose, game)


@pytest.mark.compiled
def test_exploitability_is_no_less_than_regret_against_perfect_play_and_zero_for_perfect() -> None:
    game = load_game("trick_taking", num_values=5)
    assert exact_exploitability(game, perfect_of_lowest_tie(game), num_deals=100).mean == 0.0
    gain = exact_exploitability(game, "smart", num_deals=252).mean
    assert gain >= regret(game, "smart", against="perfect", num_deals=252).mean > 0


@pytest.mark.compiled
def test_an_exact_reply_needs_a_player_that_does_not_draw_or_is_random() -> None:
    game = load_game("trick_taking", num_values=5)
    assert exact_exploitability(game, "random", num_deals=20).mean > 0
    with pytest.raises(ValueError, match="perfect chooses at random"):
        exact_exploitability(game, "perfect", num_deals=20)


@pytest.mark.compiled
@pytest.mark.parametrize("is_perfect", [False, True])
def test_the_table_against_a_random_player_says_what_walking_every_position_says(
    is_perfect: bool,
) -> None:
    game = load_game("trick_taking", num_values=4)
    tables = dealt(game, range(60))
    for ply in range(5):  # some further on than others, leading and following
        rows = tables.all_rows[tables.all_rows % 7 > ply]
        _, _, words = tables.show(rows)
        tables.apply(rows, action_masks(words, 8).argmax(axis=1))
    seats, observations, _ = tables.show(tables.all_rows)
    narrow = perfect_cards if is_perfect else None
    _, returns = best_replies(game, make_policy("random", game), tables.states, seats, narrow)
    table = replies.table_against_random(4, is_perfect)
    tricks = replies.expected_tricks(game, table, observations)
    won = observations["tricks_won"][:, :1]
    np.testing.assert_allclose(tricks + won, (returns + 1) * 4 / 2)


def perfect_cards(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    values = solver.card_values(load_game("trick_taking", num_values=4), observations)
    return (values == values.max(axis=1, keepdims=True)).astype(np.int8)


@pytest.mark.compiled
def test_ties_broken_against_a_player_bring_more_and_stay_perfect() -> None:
    game = load_game("trick_taking", num_values=5)
    exploiting = make_policy("perfect:against=high_low", game)
    assert regret(game, exploiting, against="high_low", num_deals=150).mean == 0.0
    wins = [
        play_duplicate(game, player, "high_low", 300).wins.mean
        for player in ("perfect", exploiting)
    ]
    assert wins[1] > wins[0] + 0.02
