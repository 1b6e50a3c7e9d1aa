"""One deal played twice, ply by ply: at a table of the game, and before the naive referee."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from parlour.envs.core.game import NO_ACTION, NO_SEAT, Game
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.notty.brute_force import DECK, KINDS
from tests.notty.referee import Referee, by_kind

PHASES = ["start", "drawn", "taken", "both"]


def random_deal(rng: random.Random, num_players: int, hand_limit: int) -> dict[str, Any]:
    """Hands of any legal size, every second one small."""
    sizes = [rng.randint(1, rng.choice([3, hand_limit])) for _ in range(num_players)]
    cards = rng.sample(DECK, sum(sizes))
    hands = [[cards.pop() for _ in range(size)] for size in sizes]
    return {"hands": hands, "seat_to_act": rng.randrange(num_players)}


def names_of(kinds: np.ndarray) -> list[str]:
    """Kinds, with -1 for none, as card names."""
    return [KINDS[int(kind)] for kind in kinds if kind >= 0]


class Lockstep:
    """One deal at a table of the game and before the referee."""

    def __init__(self, seed: int, deal: dict[str, Any], config: dict[str, Any]) -> None:
        self.game = load_game("notty", **config)
        self.tables = Tables(self.game, streams([seed]))
        self.tables.deal_from(0, deal)
        self.referee = Referee(deal, **config)

    def play(self, name: str) -> None:
        """One ply of both; what chance gives at the table is told to the referee."""
        seat = self.referee.seat_to_act()
        self.tables.apply(self.tables.all_rows, np.array([self.game.parse_action(name)]))
        self.referee.apply(name)
        if self.referee.awaits_chance():
            moved = names_of(self.tables.states[0]["last_cards"][seat])
            self.referee.receive(moved)

    def compare(self) -> None:
        """All that can be seen of a position."""
        rows = self.tables.all_rows
        seats, _, words = self.tables.show(rows)
        mask = action_masks(words, self.game.num_actions)[0]
        legal = [self.game.action_name(int(action)) for action in np.flatnonzero(mask)]
        referee = self.referee
        if referee.is_terminal():
            assert seats[0] == NO_SEAT
        else:
            assert seats[0] == referee.seat_to_act()
            assert legal == referee.legal_actions()
        assert self.tables.returns(rows)[0].tolist() == referee.returns()
        for seat in referee.seats:
            compare_observation(
                self.game, self.tables.observe(rows, np.array([seat])), referee, seat
            )

    def run(self, rng: random.Random) -> int:
        """To the end of the game. Returns the number of positions that were compared."""
        num_positions = 1
        self.compare()
        while not self.referee.is_terminal():
            self.play(random_action(rng, self.referee.legal_actions()))
            self.compare()
            num_positions += 1
        return num_positions


def random_action(rng: random.Random, legal: list[str]) -> str:
    """A kind of action at random, then one of this kind: groups are many, draws few."""
    kind = rng.choice(sorted({name.split(":")[0] for name in legal}))
    return rng.choice([name for name in legal if name.split(":")[0] == kind])


def compare_observation(game: Game, seen: np.ndarray, referee: Referee, observer: int) -> None:
    """What one seat sees is what lies open before the referee, from this seat's side."""
    record = seen[0]
    order = [(observer + place) % len(referee.seats) for place in referee.seats]
    assert record["hands"].tolist() == [by_kind(referee.hands[seat]) for seat in order]
    assert record["deck"].tolist() == by_kind(referee.deck())
    assert record["passes"].tolist() == [referee.passes[seat] for seat in order]
    assert record["takes"].tolist() == [referee.takes[seat] for seat in order]
    assert record["turns_played"] == referee.turns_played
    assert record["turn_limit"] == referee.turn_limit * len(referee.seats)
    for place, seat in enumerate(order):
        action = int(record["last_actions"][place])
        name = None if action == NO_ACTION else game.action_name(action)
        assert name == referee.last_actions[seat]
        assert Counter(names_of(record["last_cards"][place])) == Counter(referee.moved[seat])
    if not referee.is_terminal():
        assert order[int(record["seat_to_act"])] == referee.seat_to_act()
        assert PHASES[int(record["phase"])] == referee.phase()
