"""What games say of strength: who is chosen as the first, who then as the best of the rest.

The choices of all games, counted deal by deal, are all that ratings are made from.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

Items = tuple[int, ...]  # players by number, ascending; a player with several seats several times


class Scored(NamedTuple):
    """A contest as it is scored: games, or whole deals where they are played in duplicate."""

    players: np.ndarray  # int [deals, games, places]: who
    values: np.ndarray  # [deals, games, places]: who did better; alike is shared
    seeds: np.ndarray  # [deals]


class Choice(NamedTuple):
    """Somebody is preferred to the rest of those who are left: several, where they are equal."""

    among: Items
    is_first: bool  # nobody has been chosen before
    chosen: Items


class Choices(NamedTuple):
    """How often each choice was made: counts [deals, choices], over seeds [deals]."""

    choices: list[Choice]
    counts: sparse.csr_matrix
    seeds: np.ndarray


def count_choices(contests: Sequence[Scored]) -> Choices:
    """All choices of these contests; deals of one seed are one row, whoever played them."""
    seeds = np.unique(np.concatenate([contest.seeds for contest in contests]))
    column: dict[Choice, int] = {}
    entries = [_entries(contest, seeds, column) for contest in contests]
    rows, columns, counts = (np.concatenate(part) for part in zip(*entries, strict=True))
    shape = (len(seeds), len(column))
    return Choices(list(column), sparse.csr_matrix((counts, (rows, columns)), shape), seeds)


def _entries(
    contest: Scored, seeds: np.ndarray, column: dict[Choice, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts at (row, column) of each choice; new choices get new columns."""
    patterns, which = np.unique(_patterns(contest), axis=0, return_inverse=True)
    num_games = contest.players.shape[1]
    row_of_game = np.repeat(np.searchsorted(seeds, contest.seeds), num_games)
    rows, columns, counts = [], [], []
    games_of = sparse.csr_matrix((np.ones(len(which)), (which.ravel(), row_of_game)))
    for index, pattern in enumerate(patterns):
        games = games_of[index]
        for choice in _choices(*np.split(pattern, 2)):
            rows.append(games.indices)
            columns.append(np.full(games.nnz, column.setdefault(choice, len(column))))
            counts.append(games.data)
    none = np.zeros(0)  # for a contest without any choice
    joined = [np.concatenate([*part, none]) for part in (rows, columns, counts)]
    return joined[0], joined[1], joined[2]


def _patterns(contest: Scored) -> np.ndarray:
    """Each game as one row: the players best first, then for each whether it equals the next."""
    places = contest.players.shape[2]
    players = contest.players.reshape(-1, places)
    values = contest.values.reshape(-1, places)
    order = np.lexsort((players, -values), axis=1)
    players = np.take_along_axis(players, order, axis=1)
    values = np.take_along_axis(values, order, axis=1)
    is_shared = np.zeros_like(players)
    is_shared[:, :-1] = values[:, :-1] == values[:, 1:]
    return np.concatenate([players, is_shared], axis=1)


def _choices(players: np.ndarray, is_shared: np.ndarray) -> Iterable[Choice]:
    """The choices of one ranking; those who share the last place are not told apart by it."""
    start, places = 0, len(players)
    while start < places - 1:
        stop = start + 1
        while is_shared[stop - 1]:
            stop += 1
        if start == 0 or stop < places:
            among = tuple(sorted(int(p) for p in players[start:]))
            yield Choice(among, start == 0, tuple(int(p) for p in players[start:stop]))
        start = stop


def alternatives(among: Items, is_first: bool, most_equal: int) -> Counter[Items]:
    """All that could be chosen, and by how many sets of seats; up to `most_equal` players at once.

    That all who are left are equal can be chosen first only: later it is no choice.
    """
    most = min(most_equal, len(among) if is_first else len(among) - 1)
    return Counter(
        chosen for size in range(1, most + 1) for chosen in itertools.combinations(among, size)
    )
