"""A game at the console: the board, numbered moves, and a few words to undo, ask and leave.

It shows what one seat may know, screen by screen, and plays moves without a choice by itself.
"""

from collections.abc import Callable

from ...baselines.advice.move_values import EXACT, SEARCH, MoveValues, study_of
from ...baselines.players.human import (
    PROMPT,
    Ask,
    answer_help,
    answered,
    chosen,
    legal_moves,
    print_screens,
    screens,
    width,
)
from ...baselines.players.move_list import wrapped
from ...envs.core.words import visible, with_names
from ..table.table import GameTable
from ..words import result_lines, seat_names

HINT_SECONDS = 1.5
WORDS = """\
?        this help
hint     the value of each move
history  the moves so far
undo     take back your last choice
redo     play it again
quit     leave the game"""


class Quit(Exception):
    """The person leaves the game."""


def play_at_console(table: GameTable, seat: int, ask: Ask = input) -> None:
    """Play a table to its end from one seat. Raises EndOfInput where the input ends."""
    shown = asked = 0  # plies that have been printed, and those at the last question
    try:
        while not table.is_over:
            shown = _print_plies(table, seat, shown)
            if table.is_forced:
                table.act(table.legal[0])
            elif table.to_think is not None:
                table.act(table.choose(table.to_think))
            else:
                names = seat_names(table.setup.seats, seat)
                above = shown - asked
                print_screens(
                    screens(table.game, table.state, seat, table.legal, names, above), ask
                )
                _take_turn(table, ask)
                asked = shown = min(shown, len(table.plies))
    except Quit:
        print("You left the game.")
        return
    _print_plies(table, seat, shown)
    _print_result(table, seat)


def _take_turn(table: GameTable, ask: Ask) -> None:
    """Ask until a move is made or taken back."""
    seat = table.seat_to_act
    words: dict[str, Callable[[], None]] = {
        "?": lambda: print(help_text(table)),
        "help": lambda: print(help_text(table)),
        "hint": lambda: print("\n".join(value_lines(table))),
        "history": lambda: print("\n".join(_ply_lines(table, seat, 0)) or "no moves so far"),
    }
    while True:
        answer = answered(ask, PROMPT).strip().lower()
        if answer in ("quit", "exit", "q"):
            raise Quit
        if answer in ("undo", "redo"):
            try:
                (table.undo if answer == "undo" else table.redo)()
                return
            except ValueError as error:
                print(error)
        elif answer in words:
            words[answer]()
        else:
            try:
                table.act(chosen(table.game, table.legal, answer))
                return
            except ValueError as error:
                print(error)


def help_text(table: GameTable) -> str:
    """Explain the answers that the console understands."""
    return f"{answer_help(legal_moves(table.game, table.legal))}\n{WORDS}"


def value_lines(table: GameTable) -> list[str]:
    """The value of every legal move, best first."""
    values = study_of(table.game, table.state).think(HINT_SECONDS)
    scale, called = table.game.value_scale, seat_names(table.setup.seats, table.seat_to_act)
    label = {a: with_names(table.game.label_action(table.state, a), called) for a in table.legal}
    ranked = sorted(values.values, key=lambda action: -values.values[action])
    reaches = {action: f" ±{scale.loss_words(reach)}" for action, reach in values.reaches.items()}
    names = [f"{label[a]}: {scale.words(values.values[a])}{reaches.get(a, '')};" for a in ranked]
    unknown = [f"{label[action]}: unknown;" for action in values.unsearched]
    return [_source(values), *wrapped([*names, *unknown], width())]


def _source(values: MoveValues) -> str:
    by = f"{values.num_simulations:,} searches by " if values.num_simulations else "estimated by "
    ways = {EXACT: "exact", SEARCH: f"searched {values.num_simulations:,} continuations"}
    how = ways.get(values.source, f"{by}{values.source}")
    interval = "; ± half a 95 % interval" if values.reaches else ""
    return f"what each move leads to on average, {how}{interval}:"


# What is printed


def _print_plies(table: GameTable, seat: int, first: int) -> int:
    """Print the plies from this one on; return how many have been printed."""
    for line in _ply_lines(table, seat, first):
        print(visible(line), flush=True)
    return len(table.plies)


def _ply_lines(table: GameTable, seat: int, first: int) -> list[str]:
    lines, names = [], seat_names(table.setup.seats, seat)
    for number, ply in enumerate(table.plies[first:], start=first + 1):
        label = "a hidden move"
        if table.sees(ply, seat):
            label = with_names(table.game.label_action(ply.before, ply.action), names)
        forced = "" if ply.had_choice or ply.seat != seat else "  (the only move)"
        lines.append(f"{number:4}  {names[ply.seat]}: {label}{forced}")
    return lines


def _print_result(table: GameTable, seat: int) -> None:
    """Print how it ended, in three lines."""
    who = seat_names(table.setup.seats, seat)
    scores = [table.game.score(table.state, each) for each in range(table.game.num_seats)]
    ended = table.returns, scores, len(table.plies), table.setup.seed
    print("\n".join(result_lines(who, *ended)))
