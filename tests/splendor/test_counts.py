"""The sheet's exact counts of legal actions on the game itself, its positions given as data."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from parlour.envs.splendor.cards import pack
from tests.splendor.boards import CARDS, Data, board, empty_seat, lay_out

# Gems held, bank -> how many ways to collect different (by size), collect same, reserve.
FULL = [4, 4, 4, 4, 4, 5]
SHEET_COUNTS: list[tuple[list[int], list[int], dict[int, int], int, int]] = [
    ([2, 2, 1, 1, 1, 0], FULL, {3: 10}, 5, 12),
    ([2, 2, 2, 1, 1, 0], FULL, {2: 10, 3: 20}, 5, 12),
    ([2, 2, 2, 2, 1, 0], FULL, {1: 5, 2: 30, 3: 26}, 20, 12),
    ([2, 2, 2, 2, 2, 0], FULL, {1: 20, 2: 60, 3: 20}, 50, 60),
    ([5, 5, 0, 0, 0, 0], FULL, {1: 8, 2: 15, 3: 10}, 11, 24),
    ([5, 5, 0, 0, 0, 0], [2, 2, 7, 7, 7, 5], {1: 8, 2: 15, 3: 10}, 9, 24),  # of four players
    ([0, 0, 0, 0, 0, 0], [4, 4, 0, 0, 0, 5], {2: 1}, 2, 12),
    ([0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], {}, 0, 12),
]


def names_of(game: Game, state: Any) -> list[str]:
    """The legal actions of a position by name."""
    return [game.action_name(action) for action in game.legal_action_list(state)]


def legal_names(deal: Data) -> list[str]:
    """The legal actions of a position given as data."""
    game = load_game("splendor", num_players=deal["position"]["num_players"])
    tables = Tables(game, streams([0]))
    lay_out(tables, 0, deal)
    return names_of(game, tables.states[0])


def counts_of(names: list[str]) -> tuple[dict[int, int], int, int]:
    """How many ways to collect different by size, to collect two of one colour, to reserve."""
    taken = [name.split()[0] for name in names if name.startswith("collect:")]
    different = Counter(colours.count("+") + 1 for colours in taken if "*" not in colours)
    num_reserves = sum(name.startswith("reserve:") for name in names)
    return dict(different), len(taken) - different.total(), num_reserves


def seats_with(*gems: list[int]) -> list[Data]:
    """Seats that have nothing but these gems."""
    return [empty_seat() | {"gems": held} for held in gems]


@pytest.mark.parametrize(("gems", "bank", "different", "same", "reserve"), SHEET_COUNTS)
def test_the_exact_counts_of_the_sheet(
    gems: list[int], bank: list[int], different: dict[int, int], same: int, reserve: int
) -> None:
    """Two players with a full bank have more gems than there are: gems are laid by hand here."""
    game = load_game("splendor", num_players=2)
    tables = Tables(game, streams([0]))
    lay_out(tables, 0, board(seats_with([0] * 6, [0] * 6)))
    tables.states[0]["gems"][0] = pack(gems)
    tables.states[0]["bank"] = pack(bank)
    names = names_of(game, tables.states[0])
    assert counts_of(names) == (different, same, reserve)


def test_a_game_begins_with_ten_and_five_collects_and_twelve_reserves() -> None:
    names = legal_names(board(seats_with([0] * 6, [0] * 6)))
    assert counts_of(names) == ({3: 10}, 5, 12) and len(names) == 27


def test_two_colours_in_the_bank_are_collected_together_or_twice() -> None:
    names = legal_names(board(seats_with([0] * 6, [0, 0, 5, 5, 0, 0], [0, 0, 0, 0, 5, 5])))
    assert counts_of(names) == ({2: 1}, 2, 12)
    assert names[:3] == ["collect:black+red", "collect:black*2", "collect:red*2"]


def without_gems_in_the_bank(**changes: Any) -> Data:
    """Three seats with ten gems each: the first black and red, and a table it cannot buy from."""
    seats = seats_with([5, 5, 0, 0, 0, 0], [0, 0, 5, 5, 0, 0], [0, 0, 0, 0, 5, 5])
    seats[0] |= changes
    held = seats[0]["reserved"]
    tiers = [sorted(tier, key=lambda card: not any(card[2][2:])) for tier in CARDS]
    tiers = [[card for card in tier if card not in held] for tier in tiers]
    table, decks = [tier[:4] for tier in tiers], [tier[4:] for tier in tiers]
    return board(seats, table=table, decks=decks)


def test_without_gems_in_the_bank_a_reserve_brings_and_costs_nothing() -> None:
    names = legal_names(without_gems_in_the_bank())
    assert names == [f"reserve:{tier}.{slot}" for tier in (1, 2, 3) for slot in range(4)]


def test_with_three_reserved_and_no_gems_in_the_bank_only_a_pass_is_left() -> None:
    reserved = [card for card in CARDS[2] if any(card[2][2:])][:3]
    assert legal_names(without_gems_in_the_bank(reserved=reserved)) == ["pass"]


def test_a_pass_is_legal_only_where_nothing_else_is() -> None:
    assert "pass" not in legal_names(without_gems_in_the_bank())


def test_random_play_of_two_has_the_branching_of_the_sheet() -> None:
    """Sheet: 22.7 on average, 15 median, 93 actions a game, over random two-player games."""
    game = load_game("splendor", num_players=2)
    num_games = 400
    tables = Tables(game, streams(range(num_games)))
    tables.deal(tables.all_rows)
    choices = np.random.default_rng(0)
    branching: list[int] = []
    running = tables.all_rows
    while len(running):
        _, _, words = tables.show(running)
        masks = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
        branching += masks.sum(axis=1).tolist()
        actions = (masks * (1 - choices.random(masks.shape, dtype=np.float32))).argmax(axis=1)
        tables.apply(running, actions)
        running = np.array([row for row in running if not game.is_terminal(tables.states[row])])
    assert np.mean(branching) == pytest.approx(22.7, abs=1.5)
    assert np.median(branching) == pytest.approx(15, abs=1)
    assert len(branching) / num_games == pytest.approx(93, abs=4)
