"""Turn rankings into choices: the first player is chosen among all, the second among the rest.

Ratings are computed from the choices of all games, counted deal by deal.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

Items = tuple[int, ...]  # players by number, ascending; a player with several seats several times


class Scored(NamedTuple):
    """The scores of a match: of its games, or of whole deals where it is a duplicate match."""

    players: np.ndarray  # int [deals, games, places]: the player's number
    values: np.ndarray  # [deals, games, places]: more is better; equal values share a place
    seeds: np.ndarray  # [deals]


class Choice(NamedTuple):
    """The choice of the best among the players that are left; several where they are equal."""

    among: Items  # the players that are left
    is_first: bool  # nobody was chosen before
    chosen: Items


class Choices(NamedTuple):
    """The number of times each choice was made in each deal."""

    choices: list[Choice]
    counts: sparse.csr_matrix  # [deals, choices]
    seeds: np.ndarray  # [deals]


def count_choices(contests: Sequence[Scored]) -> Choices:
    """Count all choices of these matches; a deal of one seed is one row in all matches."""
    seeds = np.unique(np.concatenate([contest.seeds for contest in contests]))
    column: dict[Choice, int] = {}
    entries = [_entries(contest, seeds, column) for contest in contests]
    rows, columns, counts = (np.concatenate(part) for part in zip(*entries, strict=True))
    shape = (len(seeds), len(column))
    return Choices(list(column), sparse.csr_matrix((counts, (rows, columns)), shape), seeds)


def _entries(
    contest: Scored, seeds: np.ndarray, column: dict[Choice, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, columns and counts of a match's choices; new choices get new columns."""
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
    none = np.zeros(0)  # for a match without any choice
    joined = [np.concatenate([*part, none]) for part in (rows, columns, counts)]
    return joined[0], joined[1], joined[2]


def _patterns(contest: Scored) -> np.ndarray:
    """Return each game as a row: the players, best first, then whether each equals the next."""
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
    """Yield the choices of one ranking; players that share the last place make no choice."""
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
    """Count the sets of seats for every possible choice of up to `most_equal` players.

    All players that are left can be chosen together only at first; later that is no choice.
    """
    most = min(most_equal, len(among) if is_first else len(among) - 1)
    return Counter(
        chosen for size in range(1, most + 1) for chosen in itertools.combinations(among, size)
    )


def groups_of(made: Choices, num_players: int) -> list[int]:
    """Number the groups of players that choices connect, the largest first; one for each player."""
    pairs = {(choice.among[0], other) for choice in made.choices for other in choice.among}
    first, second = np.array(sorted(pairs)).T
    links = sparse.csr_matrix((np.ones(len(first)), (first, second)), (num_players, num_players))
    _, labels = csgraph.connected_components(links, directed=False)
    sizes = np.bincount(labels)
    order = sorted(range(len(sizes)), key=lambda label: (-sizes[label], label))
    return [order.index(label) for label in labels]


def select_group(made: Choices, members: Sequence[int]) -> Choices:
    """Select the choices among these players, numbered anew by their place in `members`."""
    number = {player: index for index, player in enumerate(members)}
    columns = [k for k, choice in enumerate(made.choices) if choice.among[0] in number]
    choices = [
        Choice(
            tuple(number[player] for player in choice.among),
            choice.is_first,
            tuple(number[player] for player in choice.chosen),
        )
        for choice in (made.choices[k] for k in columns)
    ]
    return Choices(choices, sparse.csr_matrix(made.counts[:, columns]), made.seeds)
