"""Tables of a game beside naive referees, ply by ply: one comparison for every game.

A referee is written from the rule sheet alone and shares no code with the rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from parlour.envs.core.game import NO_SEAT
from parlour.envs.core.play.tables import Tables


class Watcher(Protocol):
    """A referee that also says what a seat should see, under the names of the observation."""

    def is_terminal(self) -> bool: ...
    def seat_to_act(self) -> int: ...
    def legal_actions(self) -> Iterable[str]: ...
    def returns(self) -> Sequence[float]: ...
    def expected_observation(self, seat: int) -> dict[str, Any]:
        """Some of the fields, as lists and numbers; `last_actions` as names, or None."""
        ...

    def apply(self, name: str) -> None:
        """Do a legal action; the table has done it already."""
        ...


Choose = Callable[[Any, list[str], random.Random], str]


def any_action(watcher: Watcher, legal: list[str], rng: random.Random) -> str:
    """Any legal action, all alike."""
    return rng.choice(legal)


def compare(
    tables: Tables,
    watchers: Sequence[Watcher],
    rng: random.Random,
    choose: Choose = any_action,
) -> int:
    """Play dealt tables to the end beside their referees; return the number of plies.

    In every position all must agree on who acts, the legal actions, what one seat sees, and the
    returns.
    """
    game, num_plies = tables.game, 0
    names = [game.action_name(action) for action in range(game.num_actions)]
    index_of = {name: index for index, name in enumerate(names)}
    while True:
        compare_observations(tables, watchers, rng.randrange(game.num_seats), names)
        returns = tables.returns(tables.all_rows)
        np.testing.assert_allclose(returns, [each.returns() for each in watchers], atol=1e-6)
        seats, _, words = tables.show(tables.all_rows)
        running = np.flatnonzero(seats != NO_SEAT)
        assert running.tolist() == [k for k, w in enumerate(watchers) if not w.is_terminal()]
        if not len(running):
            return num_plies
        chosen = []
        for row in running.tolist():
            assert seats[row] == watchers[row].seat_to_act()
            legal = list(watchers[row].legal_actions())
            compare_mask(words[row], legal, index_of)
            chosen.append(choose(watchers[row], legal, rng))
        tables.apply(running, np.array([index_of[name] for name in chosen]))
        for row, name in zip(running.tolist(), chosen, strict=True):
            watchers[row].apply(name)
        num_plies += len(running)


def compare_mask(words: np.ndarray, legal: list[str], index_of: dict[str, int]) -> None:
    """The bits of a mask are the legal actions, all of them and no others."""
    bits = int.from_bytes(words.tobytes(), "little")
    if bits != sum(1 << index_of[name] for name in legal):
        masked = {name for name, index in index_of.items() if bits >> index & 1}
        assert masked == set(legal)


def compare_observations(
    tables: Tables, watchers: Sequence[Watcher], observer: int, names: list[str]
) -> None:
    """What one seat sees at every table."""
    views = tables.observe(tables.all_rows, np.full(len(watchers), observer))
    columns = {field: views[field].tolist() for field in views.dtype.names or ()}
    if "last_actions" in columns:
        columns["last_actions"] = [
            [None if action < 0 else names[action] for action in last]
            for last in columns["last_actions"]
        ]
    for row, watcher in enumerate(watchers):
        for field, expected in watcher.expected_observation(observer).items():
            assert columns[field][row] == expected, f"{field} of seat {observer}"
