"""A game at the console: the board, numbered moves, and a few words to undo, ask and leave.

It shows what one seat may know, screen by screen, and plays moves without a choice by itself.
"""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable

from ..baselines.human import EndOfInput
from ..baselines.move_values import EXACT, SEARCH, MoveValues
from .ending import result_lines
from .move_list import Move, filled, in_order, move_lines
from .table.table import GameTable

HINT_SECONDS = 1.5
HELP = (
    "Answer with the number of a move or with the beginning of its name, in any letter case:\n"
    "`reserve: 16) 1.0` is the move reserve:1.0. If it could be several, they are listed.\n"
    "?        this help                  undo     take back your last choice\n"
    "hint     the value of each move     redo     play it again\n"
    "history  the moves so far           quit     leave the game"
)
_GOLD, _PLAIN = "\033[33;1m", "\033[0m"
_MIN_WIDTH, _MAX_WIDTH = 40, 100
_BELOW = 2  # lines around a list of moves: what was asked, and the prompt

Ask = Callable[[str], str]


class Quit(Exception):
    """The person leaves the game."""


def play(table: GameTable, seat: int, ask: Ask = input) -> None:
    """Play a table to its end from one seat. Raises EndOfInput where the input ends."""
    shown = 0  # plies that have been printed
    try:
        while not table.is_over:
            shown = _print_plies(table, seat, shown)
            if table.is_forced:
                table.act(table.legal[0])
            elif table.to_think is not None:
                table.act(table.choose(table.to_think))
            else:
                _print_position(table, seat, ask)
                _take_turn(table, ask)
                shown = min(shown, len(table.plies))
    except Quit:
        print("You left the game.")
        return
    _print_plies(table, seat, shown)
    _print_result(table, seat)


def _take_turn(table: GameTable, ask: Ask) -> None:
    """Ask until a move is made or taken back."""
    seat = table.seat_to_act
    words: dict[str, Callable[[], None]] = {
        "?": lambda: print(HELP),
        "help": lambda: print(HELP),
        "hint": lambda: print("\n".join(hint_lines(table))),
        "history": lambda: print("\n".join(_ply_lines(table, seat, 0)) or "no moves so far"),
    }
    while True:
        answer = _answer(ask, _bold("your move: ")).strip().lower()
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
                table.act(chosen(table, answer))
                return
            except ValueError as error:
                print(error)


def chosen(table: GameTable, answer: str) -> int:
    """Return the legal action that an answer means. Raises ValueError that lists candidates."""
    moves = legal_moves(table)
    if answer.isdecimal() and 1 <= int(answer) <= len(moves):
        return moves[int(answer) - 1].action
    found: list[Move] = []
    for is_meant in (_is_same, _begins, _begins_in_any_order):
        found = [move for move in moves if answer and is_meant(move.name.lower(), answer.lower())]
        if len(found) == 1:
            return found[0].action
    if found:
        listed = move_lines(found, _width(), _height() - _BELOW)
        raise ValueError("\n".join([f"{answer} could be", *listed]))
    raise ValueError(f"no legal move is called {answer!r}: give its number, or ? for help")


def legal_moves(table: GameTable) -> list[Move]:
    """Return the legal moves as they are numbered."""
    return in_order((table.game.action_name(action), action) for action in table.legal)


def _is_same(name: str, answer: str) -> bool:
    """Whether the answer is the name, with what is joined by + in any order."""
    return [sorted(word) for word in _words(name)] == [sorted(word) for word in _words(answer)]


def _begins(name: str, answer: str) -> bool:
    return name.startswith(answer)


def _begins_in_any_order(name: str, answer: str) -> bool:
    """Whether the answer begins the name if what is joined by + is put in another order."""
    words, given = _words(name), _words(answer)
    if not 0 < len(given) <= len(words):
        return False
    *whole, last = given
    if any(sorted(a) != sorted(b) for a, b in zip(whole, words, strict=False)):
        return False
    rest = list(words[len(whole)])
    for part in last[:-1]:
        if part not in rest:
            return False
        rest.remove(part)
    return any(part.startswith(last[-1]) for part in rest)


def _words(name: str) -> list[list[str]]:
    """Split "collect:red+blue return:green" into words, and each word into its parts."""
    return [re.findall(r"[^:+]*:|[^:+]+", word) or [""] for word in name.split()]


def hint_lines(table: GameTable) -> list[str]:
    """The value of every legal move, best first."""
    found = table.study().think(HINT_SECONDS)
    ranked = sorted(found.values, key=lambda action: -found.values[action])
    names = [f"{table.game.action_name(a)} {found.values[a]:+.2f}" for a in ranked]
    return [_source(found), *filled(names, _width())]


def _source(found: MoveValues) -> str:
    ways = {EXACT: "exact", SEARCH: f"searched {found.num_simulations:,} continuations"}
    how = ways.get(found.source, f"estimated by {found.source}")
    return f"expected result of each move, -1 to +1, {how}:"


# What is printed


def _print_position(table: GameTable, seat: int, ask: Ask) -> None:
    """Print the position and the moves; what does not fit the screen, one after the other."""
    first, *others = screens(table, seat)
    print("\n".join(first))
    for screen in others:
        _answer(ask, "-- Enter: go on -- ")
        print("\n".join(screen))


def screens(table: GameTable, seat: int) -> list[list[str]]:
    """Return the position and the moves as screens, nearly always one, without the prompt."""
    width, room = _width(), _height() - 1
    board = [
        part
        for line in table.game.describe(table.state, seat).splitlines()
        for part in (_wrapped(line, width) if line.strip() else [""])
    ]
    dense = [line for line in board if line]
    moves = move_lines(legal_moves(table), width, room - len(dense))
    for lines in (["", *board, "", *moves], ["", *dense, *moves], [*dense, *moves]):
        if len(lines) <= room:
            return [lines]
    return [*_cut(dense, room), *_cut(moves, room)]


def _cut(lines: list[str], length: int) -> list[list[str]]:
    return [lines[start : start + length] for start in range(0, len(lines), length)]


def _wrapped(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    further = indent + 4 * " "
    return textwrap.wrap(line.strip(), width, initial_indent=indent, subsequent_indent=further)


def _print_plies(table: GameTable, seat: int, first: int) -> int:
    """Print the plies from this one on; return how many have been printed."""
    for line in _ply_lines(table, seat, first):
        print(line, flush=True)
    return len(table.plies)


def _ply_lines(table: GameTable, seat: int, first: int) -> list[str]:
    lines = []
    for number, ply in enumerate(table.plies[first:], start=first + 1):
        name = table.game.action_name(ply.action) if table.sees(ply, seat) else "a hidden move"
        forced = "" if ply.had_choice or ply.seat != seat else "  (the only move)"
        lines.append(f"{number:4}  {_who(table, ply.seat, seat)}: {name}{forced}")
    return lines


def _who(table: GameTable, seat: int, own: int) -> str:
    return "you" if seat == own else f"player {seat} ({table.setup.seats[seat].name})"


def _print_result(table: GameTable, seat: int) -> None:
    """Print how it ended, in three lines."""
    who = [_who(table, each, seat) for each in range(table.game.num_seats)]
    first, *rest = result_lines(who, table.returns, len(table.plies), table.setup.seed)
    print("\n".join([_bold(first), *rest]))


def _answer(ask: Ask, prompt: str) -> str:
    try:
        return ask(prompt)
    except EOFError:
        raise EndOfInput("the input has ended") from None


def _width() -> int:
    return max(_MIN_WIDTH, min(_MAX_WIDTH, shutil.get_terminal_size((80, 24)).columns))


def _height() -> int:
    return max(10, shutil.get_terminal_size((80, 24)).lines)


def _bold(text: str) -> str:
    """Emphasise a text on a terminal, unless NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return text
    return f"{_GOLD}{text}{_PLAIN}"
