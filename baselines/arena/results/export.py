"""Write results to files: JSON with everything, CSV tables, and a summary in Markdown.

An open end of an interval is null in JSON, inf or -inf in CSV and text, and an arrow in a plot.
"""

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ....envs.core.whole_files import write_whole
from ....envs.core.words import count_noun
from ...statistics.result_data import as_data, finite
from ...statistics.result_words import ANYTIME, FIXED, words_of
from ..ratings.standings import DOUBTFUL, Standings
from .plots import plot_ratings
from .store import AS_OF

CROSS_TITLE = (
    "Score of the row against the column in per cent: how often it was ahead, a draw counting half"
)
TINY = 0.0001
Cells = tuple[Sequence[str], Sequence[Sequence[str]]]  # headings and rows
# Superiority from which the order of a pair counts as decided. For equal players that is wrongly
# so in 1 % of cases in theory, up to 2 % in simulations (docs/studies/intervals.md); 2.5 % is the
# limit that we promise.
DECIDED = 0.995


def export(table: Standings, folder: Path) -> list[Path]:
    """Write a tournament's results in all forms; return the files. Raises OSError."""
    import pandas as pd  # takes long, and the rest of this module does without

    folder.mkdir(parents=True, exist_ok=True)
    written = {
        "results.json": json.dumps(finite(as_data(table)), indent=2) + "\n",
        "summary.md": summary(table),
    }
    for name, text in written.items():
        write_whole(folder / name, text)
    tables = {"standings.csv": table.to_frame(), "cross_table.csv": pd.DataFrame(_pairs(table))}
    for name, rows in tables.items():
        write_whole(folder / name, rows.to_csv(index=False))
    plot_ratings(table, folder / "ratings.png")
    return [folder / name for name in (*written, *tables, "ratings.png")]


def _pairs(table: Standings) -> list[dict[str, Any]]:
    """Return a row for each pair that met: the player's score, and its chance to be stronger."""
    names = [row.player for row in table.rows]
    return [
        {"player": player, "against": other}
        | {"score": cell.mean, "low": cell.low, "high": cell.high}
        | {"superiority": table.superiority[i][j]}
        for i, player in enumerate(names)
        for j, other in enumerate(names)
        if (cell := table.cross[i][j]) is not None
    ]


def standing_cells(table: Standings) -> Cells:
    """Return the players' rows as text, with the group where there are several."""
    words, rows = words_of(table.num_seats), table.rows
    columns = {
        "player": [row.player for row in rows],
        "Elo": [f"{row.elo:+.0f}" for row in rows],
        "above next, %": ["" if p is None else f"{100 * p:.1f}" for p in _above_next(table)],
        "points": [f"{row.points:,}" for row in rows],
        words.won: [f"{row.wins:,}" for row in rows],
        words.drawn: [f"{row.draws:,}" for row in rows],
        words.lost: [f"{row.losses:,}" for row in rows],
        f"{words.score}, %": [f"{row.first_places.scaled(100):.1f}" for row in rows],
        "mean return": [f"{row.mean_return:+.3f}" for row in rows],
        "faults": [str(row.faults) for row in rows],
    }
    if _has_groups(table):
        columns["group"] = [str(row.group) for row in rows]
    return tuple(columns), list(zip(*columns.values(), strict=True))


def _above_next(table: Standings) -> list[float | None]:
    """Return how likely each player is the stronger of it and the next; None for the last."""
    superiority = table.superiority
    return [*(superiority[k][k + 1] for k in range(len(table.rows) - 1)), None]


def _has_groups(table: Standings) -> bool:
    return len({row.group for row in table.rows}) > 1


def cross_cells(table: Standings) -> list[list[str]]:
    """Return the cross table as text: a row for each player, scores in per cent."""
    return [
        [row.player, *("" if cell is None else f"{100 * cell.mean:.1f}" for cell in line)]
        for row, line in zip(table.rows, table.cross, strict=True)
    ]


def about(table: Standings) -> str:
    """Say in one line what was played."""
    config = ", ".join(f"{key}={value!r}" for key, value in table.config.items())
    scoring = ", scored in duplicate" if table.scoring == "duplicate" else ""
    return (
        f"{table.game} version {table.version} ({config}): "
        f"{table.num_games:,} games of {table.num_deals:,} deals{scoring}"
    )


def counting(table: Standings) -> str:
    """Say what decides the order, what a row counts, and what a draw counts in it."""
    words = words_of(table.num_seats)
    mean = "their group" if _has_groups(table) else "these players"
    first = "win" if table.num_seats == 2 else "sole first place"
    shared = "draw" if table.num_seats == 2 else "shared first place"
    counted = "A game counts once for each seat that a player has in it"
    if table.scoring == "duplicate":
        counted = "The games of a deal between two players count once"
    return (
        f"Elo decides who is stronger. It is given above the mean of {mean}, with 95 % intervals "
        "over deals; the next column says how likely a player is stronger than the next. "
        f"{counted}: 3 points for a {first}, 1 for a {shared}. {words.note}"
    )


def notes(table: Standings) -> list[str]:
    """Return sentences on how far the ratings can be trusted."""
    texts = [_groups_text(table), _order_text(table), _fit_text(table), _cycle_text(table)]
    return [*(text for text in (*texts, _versions_text(table)) if text), _intervals_text(table)]


def _intervals_text(table: Standings) -> str:
    if not table.meetings:
        return f"Intervals contain the true value in 95 % of cases, {FIXED}."
    return (
        f"Intervals of the meetings are {ANYTIME}, all together in 95 % of tournaments. Those of "
        f"the other tables are {FIXED}, and too narrow here, where results decided it."
    )


def meeting_cells(table: Standings) -> Cells:
    """Return the meetings of a tournament with an `until` as text."""
    rows = []
    for meeting in table.meetings:
        verdict = meeting.verdict
        numbers = f"{verdict.num_deals:,}", f"{verdict.elo:+.0f}"
        rows.append((meeting.first, meeting.second, *numbers, verdict.decision))
    return ("player", "against", "deals", "Elo", "the player is"), rows


def _groups_text(table: Standings) -> str:
    if not _has_groups(table):
        return ""
    groups: dict[int, list[str]] = {}
    for row in table.rows:
        groups.setdefault(row.group, []).append(row.player)
    listed = "; ".join(f"group {group}: {', '.join(names)}" for group, names in groups.items())
    return (
        "No games connect the players of different groups. Each group has an Elo scale of its own, "
        f"and ratings of different groups cannot be compared ({listed})."
    )


def _versions_text(table: Standings) -> str:
    if not any(AS_OF in row.player for row in table.rows):
        return ""
    return (
        f'Rows with "{AS_OF.strip()} ...)" are versions of one player: its files or Parlour have '
        "changed between them (parlour ratings STORE --files)."
    )


def _order_text(table: Standings) -> str:
    """Name the neighbours in the table whose order is not decided."""
    open_pairs = [
        f"{row.player} and {below.player}"
        for (row, below), above in zip(
            itertools.pairwise(table.rows), _above_next(table), strict=False
        )
        if above is not None and above < DECIDED
    ]
    if not open_pairs:
        return ""
    return f"The order of these neighbours is not decided: {'; '.join(open_pairs)}."


def _fit_text(table: Standings) -> str:
    fit = table.fit
    if fit.degrees_of_freedom == 0:
        return "Too few meetings to tell how well one rating for each player explains the results."
    verdict = (
        "One rating for each player does not explain the results: "
        "some players do better against some opponents than their ratings say"
        if fit.p_value < DOUBTFUL
        else "One rating for each player explains the results"
    )
    degrees = count_noun(fit.degrees_of_freedom, "degree")
    measure = f"{fit.statistic:.1f} at {degrees} of freedom"
    chance = f"p = {fit.p_value:.2g}" if fit.p_value >= TINY else f"p < {TINY}"
    return f"{verdict} (Pearson's test for first places: {measure}, {chance})."


def _cycle_text(table: Standings) -> str:
    if not table.cycle:
        return ""
    links = [
        f"{player} beats {other}"
        for player, other in itertools.pairwise([*table.cycle, table.cycle[0]])
    ]
    return f"The results contain a cycle: {', '.join(links)}."


def sections(table: Standings) -> Iterator[str | Cells]:
    """Yield what a page says: tables, the sentences above them, and notes."""
    yield standing_cells(table)
    yield f"{CROSS_TITLE}:"
    yield ["", *(row.player for row in table.rows)], cross_cells(table)
    if table.meetings:
        yield "Meetings, each ended as soon as its Elo interval was narrow or excluded 0:"
        yield meeting_cells(table)
    yield from notes(table)


def summary(table: Standings) -> str:
    """Write a page to read, as Markdown."""
    lines = [
        f"# {table.game}",
        "",
        f"{about(table)}. {counting(table)}",
        "",
    ]
    for part in sections(table):
        lines += [part, ""] if isinstance(part, str) else [*markdown_table(*part), ""]
    return "\n".join(lines)


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]
