"""One deal of Notty at a table of the game, and before the naive referee."""

from __future__ import annotations

import random
from typing import Any, NamedTuple, Self

import numpy as np

from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.notty.brute_force import DECK, KINDS
from tests.notty.referee import MAX_DRAWN, Referee, by_kind

PHASES = ["start", "drawn", "taken", "both"]
NO_KIND = -1


class Watcher(Referee):
    """A referee that is told what chance gave at a table, and says what a seat should see."""

    def __init__(self, deal: dict[str, Any], state: np.record, **config: Any) -> None:
        super().__init__(deal, **config)
        self.state = state

    def apply(self, name: str) -> None:
        """Do what the table has done already."""
        seat = self.turn
        super().apply(name)
        if self.awaits_chance():
            came = names_of(self.state["last_cards"][seat])
            self.receive(came)
            self.moved[seat] = came

    def expected_observation(self, seat: int) -> dict[str, Any]:
        """What lies open, from this seat's side."""
        around = self.seats[seat:] + self.seats[:seat]
        came = [[KINDS.index(card) for card in self.moved[one]] for one in around]
        expected = {
            "hands": [by_kind(self.hands[one]) for one in around],
            "deck": by_kind(self.deck()),
            "passes": [self.passes[one] for one in around],
            "takes": [self.takes[one] for one in around],
            "turns_played": self.turns_played,
            "turn_limit": self.turn_limit * len(self.seats),
            "last_actions": [self.last_actions[one] for one in around],
            "last_cards": [kinds + [NO_KIND] * (MAX_DRAWN - len(kinds)) for kinds in came],
        }
        if not self.is_terminal():
            expected["seat_to_act"] = around.index(self.turn)
            expected["phase"] = PHASES.index(self.phase())
        return expected


class Beside(NamedTuple):
    """A table, and its referee."""

    tables: Tables
    referee: Watcher

    @classmethod
    def dealt(cls, seed: int, deal: dict[str, Any], config: dict[str, Any]) -> Self:
        """Both with this deal."""
        tables = Tables(load_game("notty", **config), streams([seed]))
        tables.deal_from(0, deal)
        return cls(tables, Watcher(deal, tables.states[0], **config))

    def play(self, name: str) -> None:
        """One ply of both."""
        game = self.tables.game
        self.tables.apply(self.tables.all_rows, np.array([game.parse_action(name)]))
        self.referee.apply(name)


def random_deal(rng: random.Random, num_players: int, hand_limit: int) -> dict[str, Any]:
    """Hands of any legal size, every second one small."""
    sizes = [rng.randint(1, rng.choice([3, hand_limit])) for _ in range(num_players)]
    cards = rng.sample(DECK, sum(sizes))
    hands = [[cards.pop() for _ in range(size)] for size in sizes]
    return {"hands": hands, "seat_to_act": rng.randrange(num_players)}


def names_of(kinds: np.ndarray) -> list[str]:
    """Kinds, with -1 for none, as card names."""
    return [KINDS[int(kind)] for kind in kinds if kind >= 0]


def random_action(referee: Referee, legal: list[str], rng: random.Random) -> str:
    """A kind of action at random, then one of this kind: groups are many, draws few."""
    kind = rng.choice(sorted({name.split(":")[0] for name in legal}))
    return rng.choice([name for name in legal if name.split(":")[0] == kind])
