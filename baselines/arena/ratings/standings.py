"""Make the table of a tournament: ratings, points, and scores of the pairs."""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...statistics.estimates import (
    LEVEL,
    RETURNS,
    Estimate,
    mean_of_deals,
    proportion_of_deals,
)
from ...statistics.result_data import Result, frame_of
from ..play.entrants import Entrant
from ..play.playing import PlayedMatch, scores_of
from ..results.store import Setting
from .cycles import find_cycle
from .rankings import Scored, count_choices
from .ratings import Fit, rate
from .until import Verdict, verdict_of

if TYPE_CHECKING:
    import pandas as pd

POINTS_FOR_WIN = 3
POINTS_FOR_DRAW = 1
SCORINGS = ("games", "duplicate")
DOUBTFUL = 0.05  # significance level: with a smaller p-value one rating a player does not fit

Comparisons = dict[tuple[int, int], np.ndarray]  # of pairs: scores and their number [2, deals]

_SUMS = ("games", "wins", "draws", "first places", "seats", "returns")


@dataclasses.dataclass(frozen=True)
class Standing:
    """One player's row. A game counts once for each seat that the player has in it."""

    player: str  # its name
    elo: Estimate  # Elo points above the mean of its group; open if it won, or lost, every game
    games: int  # with duplicate scoring: deals
    wins: int  # ahead of everybody
    draws: int  # first, and not alone
    losses: int  # somebody else was ahead
    points: int  # 3 for a win, 1 for a draw
    first_places: Estimate  # proportion of games, 0 .. 1, shared places counted in part
    mean_return: Estimate  # -1 .. 1
    faults: int  # games lost by a fault
    group: int = 1  # ratings of groups that no games connect do not compare


@dataclasses.dataclass(frozen=True)
class Meeting:
    """A match of a tournament that ended by `until`."""

    first: str  # its name
    second: str  # its name
    verdict: Verdict  # all verdicts of a tournament together are wrong in 5 % of cases at most


@dataclasses.dataclass(frozen=True)
class Standings(Result):
    """A tournament's results, the strongest player of each group first, the largest group first.

    Tables are in the order of `rows`.
    """

    game: str  # its name
    version: int  # of the game
    config: dict[str, Any]  # the settings of the game
    scoring: str  # "games" or "duplicate"
    num_deals: int  # different deals
    num_games: int  # of all players together
    rows: tuple[Standing, ...]  # one for each player
    cross: tuple[tuple[Estimate | None, ...], ...]  # score of the row against the column, 0 .. 1
    # How likely the row is the stronger; None across groups.
    superiority: tuple[tuple[float | None, ...], ...]
    fit: Fit  # whether one rating for each player explains the results
    cycle: tuple[str, ...] = ()  # players of whom each beats the next, and the last the first
    # The limits of the time control and the secret of its deals; None without time control.
    control: dict[str, Any] | None = dataclasses.field(default=None, compare=False)
    num_seats: int = 2  # of the game
    meetings: tuple[Meeting, ...] = ()  # where the plan had an `until`
    # As in `MatchResult`.
    origin: dict[str, Any] = dataclasses.field(default_factory=dict, compare=False)

    def to_frame(self) -> "pd.DataFrame":
        """Return a table with a row for each player, the fields of `Standing` as columns.

        An estimate takes the columns NAME, NAME_low, NAME_high.
        """
        return frame_of(self.rows)

    def __str__(self) -> str:
        """Return a line for each player: Elo, first places in %, and the number of games."""
        width = max(len(row.player) for row in self.rows)
        lines = [f"{self.game}: {self.num_games:,} games"]
        for row in self.rows:
            elo = f"Elo {row.elo:+.0f}, first in {row.first_places.scaled(100):.1f} %"
            lines.append(f"  {row.player:{width}} {elo} of {row.games:,} games")
        return "\n".join(lines)


def standings(
    setting: Setting,
    matches: Sequence[PlayedMatch],
    scoring: str = "games",
    until: float | None = None,
) -> Standings:
    """Make the table of all matches; the order of matches and players does not matter.

    With "duplicate" scoring, for two seats, a deal is one result: the player with the higher return
    from seat 0 wins it. The matches ended by `until`. Raises ValueError where nothing can be
    scored, or not in that way.
    """
    check_scoring(scoring, setting)
    if not matches:
        raise ValueError(f"no results of {setting.game}")
    entrants = sorted({e for c in matches for e in c.match.entrants}, key=lambda e: e.name)
    number = {entrant: index for index, entrant in enumerate(entrants)}
    games = [_games(played, number) for played in matches]
    scored = games if scoring == "games" else [_duplicate(game) for game in games]
    seeds = np.unique(np.concatenate([game.seeds for game in games]))
    ratings = rate(count_choices(scored), len(entrants))
    names = [entrant.name for entrant in entrants]
    order = sorted(
        range(len(entrants)), key=lambda k: (ratings.group[k], -ratings.elo[k].mean, names[k])
    )
    sums = _sums(games, scored, seeds, len(entrants))
    faults = [name for played in matches for name in _at_fault(played)]
    comparisons = _comparisons(scored, seeds)
    cross = {
        pair: proportion_of_deals(*both[:, both[1] > 0])  # of the deals in which they met
        for pair, both in comparisons.items()
    }
    lows = np.zeros((len(entrants), len(entrants)))
    for pair, score in cross.items():
        lows[pair] = score.low
    cycle = find_cycle(lows)
    return Standings(
        setting.game,
        setting.version,
        setting.config,
        scoring,
        len(seeds),
        sum(game.values.shape[0] * game.values.shape[1] for game in games),
        tuple(
            _standing(names[k], ratings.elo[k], ratings.group[k] + 1, sums[k], faults)
            for k in order
        ),
        tuple(tuple(cross.get((i, j)) for j in order) for i in order),
        tuple(tuple(_number(float(ratings.superiority[i, j])) for j in order) for i in order),
        ratings.fit,
        tuple(names[k] for k in cycle),
        setting.control,
        games[0].values.shape[2],
        () if until is None else tuple(_meeting(one, until, len(matches)) for one in matches),
    )


def _meeting(played: PlayedMatch, until: float, num_meetings: int) -> Meeting:
    first, second = (entrant.name for entrant in played.match.entrants)
    verdict = verdict_of(scores_of(played), until, (1 - LEVEL) / num_meetings)
    return Meeting(first, second, verdict)


def check_scoring(scoring: str, setting: Setting) -> None:
    """Raise ValueError for a scoring that is unknown or that the game does not have."""
    if scoring not in SCORINGS:
        raise ValueError(f"scoring must be one of {', '.join(SCORINGS)}; got {scoring!r}")
    if scoring == "duplicate" and setting.num_seats != 2:
        raise ValueError(
            f"duplicate scoring is for two seats; {setting.game} has {setting.num_seats}"
        )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def _games(played: PlayedMatch, number: dict[Entrant, int]) -> Scored:
    """Score each game of a match; number its players."""
    seated = played.match.seated(played.returns.shape[2], played.seeds)
    numbers = np.array([number[entrant] for entrant in played.match.entrants])
    return Scored(numbers[seated], played.returns, played.seeds)


def _duplicate(games: Scored) -> Scored:
    """Score each deal of a match by the returns from seat 0."""
    return Scored(games.players[:, None, :, 0], games.values[:, None, :, 0], games.seeds)


def _sums(
    games: Sequence[Scored], scored: Sequence[Scored], seeds: np.ndarray, num_players: int
) -> np.ndarray:
    """Return the sums over the games of each deal: [players, _SUMS, deals]."""
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


def _at_fault(played: PlayedMatch) -> list[str]:
    """Return the player at fault in each game that was lost by a fault."""
    match, num_seats = played.match, played.returns.shape[2]
    seatings = (match.seated(num_seats, np.array([fault.seed]))[0] for fault in played.faults)
    places = zip(seatings, played.faults, strict=True)
    return [match.entrants[seats[fault.sitting, fault.seat]].name for seats, fault in places]


def _standing(
    name: str, elo: Estimate, group: int, sums: np.ndarray, faults: Sequence[str]
) -> Standing:
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
        first_places=proportion_of_deals(sums[3], sums[0]),
        mean_return=mean_of_deals(sums[5], sums[4], RETURNS),
        faults=faults.count(name),
        group=group,
    )


def _comparisons(scored: Sequence[Scored], seeds: np.ndarray) -> Comparisons:
    """Return for each pair that met its scores and numbers of comparisons by deal: [2, deals]."""
    out: Comparisons = {}
    for game in scored:
        rows, met = np.searchsorted(seeds, game.seeds), np.unique(game.players)
        sums = np.zeros((2, len(game.seeds), len(met), len(met)))
        for sitting in range(game.players.shape[1]):
            players, values = game.players[:, sitting], game.values[:, sitting]
            has = (players[:, :, None] == met).astype(float)  # [deals, places, met]
            ahead = (1 + np.sign(values[:, :, None] - values[:, None, :])) / 2
            num_seats = has.sum(axis=1)
            sums[0] += np.swapaxes(has, 1, 2) @ ahead @ has
            sums[1] += num_seats[:, :, None] * num_seats[:, None, :]
        for a, b in itertools.permutations(range(len(met)), 2):
            if sums[1, :, a, b].any():
                both = out.setdefault((int(met[a]), int(met[b])), np.zeros((2, len(seeds))))
                both[:, rows] += sums[:, :, a, b]
    return out
