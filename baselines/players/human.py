"""A person at the console as a player of any game: the position, numbered moves, and an answer."""

import shutil
import textwrap
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ...envs.core.game import Game
from ...envs.core.words import visible, with_names
from ..policies.policy import Policy
from .move_list import Move, in_order, move_lines

PROMPT = "your move: "
_MIN_WIDTH, _MAX_WIDTH = 40, 100
_LEAST_ROOM = 9  # lines of a screen
_BELOW = 2  # lines around a list of moves: what was asked, and the prompt

Ask = Callable[[str], str]


class EndOfInput(Exception):
    """The input at the console has ended, so the game stays unfinished."""


def human(game: Game) -> Policy:
    """You, at the console: see what your seat may see, and choose one of the numbered moves."""

    def choose(
        observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        rows = zip(positions, action_masks, strict=True)
        return np.array([_choose(game, *row) for row in rows], dtype=np.int64)

    return Policy("human", game, choose, needs_positions=True)  # of which it shows its seat's view


def _choose(game: Game, position: np.record, mask: np.ndarray) -> int:
    legal = np.flatnonzero(mask).tolist()
    print_screens(screens(game, position, int(game.seat_to_act(position)), legal), input)
    while True:
        answer = answered(input, PROMPT).strip()
        if answer in ("?", "help"):
            print(answer_help(legal_moves(game, legal)))
            continue
        try:
            return chosen(game, legal, answer)
        except ValueError as error:
            print(error)


def print_screens(shown: Sequence[Sequence[str]], ask: Ask) -> None:
    """Print screens, and wait for Enter between them."""
    first, *others = shown
    print(visible("\n".join(first)))
    for screen in others:
        answered(ask, "-- Enter: go on -- ")
        print(visible("\n".join(screen)))


# What an answer means


def chosen(game: Game, legal: Iterable[int], answer: str) -> int:
    """Return the legal action that an answer means. Raises ValueError that lists candidates."""
    moves = legal_moves(game, legal)
    if answer.isdecimal() and 1 <= int(answer) <= len(moves):
        return moves[int(answer) - 1].action
    start = answer.lower()
    matches = [move for move in moves if start and move.name.lower().startswith(start)]
    is_whole = [move.action for move in matches if move.name.lower() == start]
    if is_whole or len(matches) == 1:
        return is_whole[0] if is_whole else matches[0].action
    if matches:
        listed = move_lines(matches, width(), height() - _BELOW)
        raise ValueError("\n".join([f"{answer} could be", *listed]))
    raise ValueError(f"no legal move is called {answer!r}: give its number, or ? for help")


def legal_moves(game: Game, legal: Iterable[int]) -> list[Move]:
    """Return the legal moves as they are numbered."""
    return in_order((game.action_name(action), action) for action in legal)


def answer_help(moves: Sequence[Move]) -> str:
    """Explain how to name a move, with one of these as the example."""
    *_, example = moves
    beginnings = (example.name[:length] for length in range(1, len(example.name) + 1))
    short = next(b for b in beginnings if b == example.name or _means_one(b, moves))
    text = (
        "Answer with the number of a move or with the beginning of its name, in any letter case: "
        f"{example.number} and {short} both mean {example.name}. If it could be several, they are "
        "listed."
    )
    return textwrap.fill(text, width(), break_on_hyphens=False)


def _means_one(beginning: str, moves: Sequence[Move]) -> bool:
    """Return whether an answer is the beginning of one name, and not the number of a move."""
    return not beginning.isdecimal() and sum(m.name.startswith(beginning) for m in moves) == 1


# What is shown


def screens(
    game: Game,
    state: np.record,
    seat: int,
    legal: Iterable[int],
    names: Sequence[str] = (),
    above: int = 0,
) -> list[list[str]]:
    """Return what a seat sees and its moves as screens, nearly always one, without the prompt.

    `names` stand for the seats; `above` is the number of lines that were printed since the last
    prompt.
    """
    room = height() - 1 - above
    if room < _LEAST_ROOM:  # time to read what was printed
        return [[], *screens(game, state, seat, legal, names)]
    board = [
        part
        for line in with_names(game.describe(state, seat), names).splitlines()
        for part in (_wrapped(line, width()) if line.strip() else [""])
    ]
    dense = [line for line in board if line]
    all_moves = legal_moves(game, legal)
    moves = move_lines(all_moves, width(), room - len(dense))
    for lines in (["", *board, "", *moves], ["", *dense, *moves], [*dense, *moves]):
        if len(lines) <= room:
            return [lines]
    return [*_cut(dense, room), *_cut(move_lines(all_moves, width(), room), room)]


def _cut(lines: list[str], length: int) -> list[list[str]]:
    return [lines[start : start + length] for start in range(0, len(lines), length)]


def _wrapped(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    further = indent + 4 * " "
    return textwrap.wrap(line.strip(), width, initial_indent=indent, subsequent_indent=further)


def answered(ask: Ask, prompt: str) -> str:
    """Ask and return the answer. Raises EndOfInput where the input ends."""
    try:
        return ask(prompt)
    except EOFError:
        raise EndOfInput("the input has ended") from None


def width() -> int:
    """Return the width of the lines, in columns."""
    return max(_MIN_WIDTH, min(_MAX_WIDTH, shutil.get_terminal_size((80, 24)).columns))


def height() -> int:
    """Return how many lines a screen has."""
    return max(10, shutil.get_terminal_size((80, 24)).lines)
