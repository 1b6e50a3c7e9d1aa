"""The table of a tournament: ratings, the contest's points and who did what against whom."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from .duplicate import hands_of_seat_0
from .entrants import Entrant
from .playing import Played
from .rankings import Scored, count_choices
from .ratings import Fit, rate
from .statistics import Estimate, mean_of_deals, share_of_deals
from .store import Setting

POINTS_FOR_WIN = 3
POINTS_FOR_DRAW = 1
SCORINGS = ("games", "duplicate")

_SUMS = ("games", "wins", "draws", "first places", "seats", "returns")


@dataclasses.dataclass(frozen=True)
class Standing:
    """One player's line. A game counts for each seat that the player has in it."""

    player: str
    elo: Estimate  # above the mean of all players
    games: int  # with duplicate scoring: deals
    wins: int  # ahead of everybody
    draws: int  # first, and not alone
    losses: int
    points: int  # 3 for a win, 1 for a draw
    first_places: Estimate  # share of games, shared places counted in part
    mean_return: Estimate
    faults: int  # games lost by a fault


@dataclasses.dataclass(frozen=True)
class Standings:
    """A tournament's results, the strongest player first; tables are in the order of `rows`."""

    game: str
    version: int
    config: dict[str, Any]
    scoring: str
    num_deals: int
    num_games: int
    rows: tuple[Standing, ...]
    cross: tuple[tuple[Estimate | None, ...], ...]  # score of the row against the column, 0 .. 1
    superiority: tuple[tuple[float, ...], ...]  # how likely the row is the stronger
    fit: Fit


def standings(setting: Setting, contests: Sequence[Played], scoring: str = "games") -> Standings:
    """The table of all that was played, whatever the order of contests and players.

    With "duplicate" scoring, for two seats, a deal is one result: who did more with the hand of
    seat 0. Raises ValueError where there is nothing to score, or not in that way.
    """
    check_scoring(scoring, setting)
    if not contests:
        raise ValueError(f"no results of {setting.game}")
    entrants = sorted({e for c in contests for e in c.contest.entrants}, key=_mark)
    number = {entrant: index for index, entrant in enumerate(entrants)}
    games = [_games(played, number) for played in contests]
    scored = games if scoring == "games" else [_duplicate(game) for game in games]
    seeds = np.unique(np.concatenate([game.seeds for game in games]))
    ratings = rate(count_choices(scored), len(entrants))
    order = sorted(range(len(entrants)), key=lambda k: (-ratings.elo[k].mean, entrants[k].name))
    sums = _sums(games, scored, seeds, len(entrants))
    faults = [entrant.name for played in contests for entrant in _at_fault(played)]
    cross = _cross_table(scored, seeds, len(entrants))
    return Standings(
        setting.game,
        setting.version,
        setting.config,
        scoring,
        len(seeds),
        sum(game.values.shape[0] * game.values.shape[1] for game in games),
        tuple(_standing(entrants[k].name, ratings.elo[k], sums[k], faults) for k in order),
        tuple(tuple(cross.get((i, j)) for j in order) for i in order),
        tuple(tuple(float(ratings.superiority[i, j]) for j in order) for i in order),
        ratings.fit,
    )


def check_scoring(scoring: str, setting: Setting) -> None:
    """Raise ValueError for an unknown scoring, or one that the game does not have."""
    if scoring not in SCORINGS:
        raise ValueError(f"scoring must be one of {', '.join(SCORINGS)}; got {scoring!r}")
    if scoring == "duplicate" and setting.num_seats != 2:
        raise ValueError(
            f"duplicate scoring is for two seats; {setting.game} has {setting.num_seats}"
        )


def _mark(entrant: Entrant) -> str:
    return entrant.identity or entrant.name


def _games(played: Played, number: dict[Entrant, int]) -> Scored:
    """Every game by itself, its players by their numbers."""
    seated = played.contest.seated(played.returns.shape[2], played.seeds)
    numbers = np.array([number[entrant] for entrant in played.contest.entrants])
    return Scored(numbers[seated], played.returns, played.seeds)


def _duplicate(games: Scored) -> Scored:
    """One result a deal: what either did with the hand of seat 0."""
    players = games.players[:, :, 0]
    return Scored(players[:, None, :], hands_of_seat_0(games.values)[:, None, :], games.seeds)


def _sums(
    games: Sequence[Scored], scored: Sequence[Scored], seeds: np.ndarray, num_players: int
) -> np.ndarray:
    """[players, _SUMS, deals] of all games of a deal."""
    out = np.zeros((num_players, len(_SUMS), len(seeds)))
    for game, score in zip(games, scored, strict=True):
        rows = np.searchsorted(seeds, game.seeds)
        is_first = score.values == score.values.max(axis=2, keepdims=True)
        num_first = is_first.sum(axis=2, keepdims=True)
        for player in np.unique(game.players):
            own, seat = score.players == player, game.players == player
            out[player, :, rows] += np.stack(
                [
                    own.sum(axis=(1, 2)),
                    (own & is_first & (num_first == 1)).sum(axis=(1, 2)),
                    (own & is_first & (num_first > 1)).sum(axis=(1, 2)),
                    (own * is_first / num_first).sum(axis=(1, 2)),
                    seat.sum(axis=(1, 2)),
                    (seat * game.values).sum(axis=(1, 2)),
                ],
                axis=1,
            )
    return out


def _at_fault(played: Played) -> list[Entrant]:
    """Who lost a game by a fault, once for each."""
    num_seats = played.returns.shape[2]
    return [
        played.contest.entrants[
            played.contest.seated(num_seats, np.array([fault.seed]))[0, fault.sitting, fault.seat]
        ]
        for fault in played.faults
    ]


def _standing(name: str, elo: Estimate, sums: np.ndarray, faults: Sequence[str]) -> Standing:
    sums = sums[:, sums[0] > 0]  # the deals that it played
    games, wins, draws = (int(total) for total in sums[:3].sum(axis=1))
    return Standing(
        player=name,
        elo=elo,
        games=games,
        wins=wins,
        draws=draws,
        losses=games - wins - draws,
        points=POINTS_FOR_WIN * wins + POINTS_FOR_DRAW * draws,
        first_places=share_of_deals(sums[3], sums[0]),
        mean_return=mean_of_deals(sums[5], sums[4]),
        faults=faults.count(name),
    )


def _cross_table(
    scored: Sequence[Scored], seeds: np.ndarray, num_players: int
) -> dict[tuple[int, int], Estimate]:
    """The score of one player against another, by (player, player): who was ahead of whom."""
    sums: dict[tuple[int, int], np.ndarray] = {}
    for game in scored:
        rows = np.searchsorted(seeds, game.seeds)
        met = np.unique(game.players)
        for pair, won, seats in _comparisons(game, met):
            both = sums.setdefault(pair, np.zeros((2, len(seeds))))
            both[0, rows] += won
            both[1, rows] += seats
    return {pair: share_of_deals(*both[:, both[1] > 0]) for pair, both in sums.items()}


def _comparisons(
    game: Scored, met: np.ndarray
) -> list[tuple[tuple[int, int], np.ndarray, np.ndarray]]:
    """For each two players: the pair, and for each deal the score and the number of comparisons."""
    num_deals = len(game.seeds)
    won = np.zeros((num_deals, len(met), len(met)))
    seats = np.zeros_like(won)
    for sitting in range(game.players.shape[1]):
        players, values = game.players[:, sitting], game.values[:, sitting]
        has = (players[:, :, None] == met).astype(float)  # [deals, places, met]
        ahead = (1 + np.sign(values[:, :, None] - values[:, None, :])) / 2
        won += np.swapaxes(has, 1, 2) @ ahead @ has
        num_seats = has.sum(axis=1)
        seats += num_seats[:, :, None] * num_seats[:, None, :]
    return [
        ((int(met[a]), int(met[b])), won[:, a, b], seats[:, a, b])
        for a in range(len(met))
        for b in range(len(met))
        if a != b and seats[:, a, b].any()
    ]
