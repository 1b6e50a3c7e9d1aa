"""Arguments that several commands have: a game with its settings, players, a seed.

A mistake of the user becomes BadArgument here. Any other exception is a defect of Parlour and keeps
its traceback. What needs a compiler is imported where it is used, so that a page shows at once.
"""

import argparse
import contextlib
import importlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ..envs import GAMES, find_game
from ..envs.core import catalogue
from .validators import MAX_SEED, seed

if TYPE_CHECKING:
    from ..baselines import Policy
    from ..envs.core.game import Game

Given = TypeVar("Given")

HUMAN = "human"  # a player of every game: you, at the console
WRONG_ARGUMENTS = 2  # exit status


class BadArgument(Exception):
    """A well-formed argument with an impossible value; the message is for the user."""


class _HelpFormatter(argparse.HelpFormatter):
    """Show `--deals N` instead of `--deals DEALS`, and keep the paragraphs of a description."""

    def _get_default_metavar_for_optional(self, action: argparse.Action) -> str:
        return "NAME" if action.type is None else "N"

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        paragraphs = text.strip().split("\n\n")
        is_list = ["\n " in f"\n{paragraph}" for paragraph in paragraphs]  # has its own lines
        return "\n\n".join(
            paragraph if keep else fill(paragraph, width, indent)
            for paragraph, keep in zip(paragraphs, is_list, strict=True)
        )


class Parser(argparse.ArgumentParser):
    """An argument parser that answers a wrong argument with exactly one line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_HelpFormatter, **settings)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong on stderr and leave with status 2."""
        self.exit(WRONG_ARGUMENTS, f"{self.prog}: {' '.join(message.split())}\n")


@contextlib.contextmanager
def user_input() -> Iterator[None]:
    """Turn ValueError and TypeError of calls that check user input into BadArgument."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise BadArgument(str(error)) from error


def add_imports(parser: argparse.ArgumentParser) -> None:
    """`--import`; see `import_packages`."""
    parser.add_argument(
        "--import",
        dest="imports",
        metavar="PACKAGE",
        action="append",
        default=[],
        help="first import a Python package, or a file of this folder, which registers games",
    )


def import_packages(arguments: Sequence[str]) -> list[str]:
    """Import the packages of `--import`, and return the other arguments. Raises BadArgument.

    The current folder is searched too, also by other processes that this one starts.
    """
    parser = Parser(prog="parlour", add_help=False, allow_abbrev=False)
    add_imports(parser)
    known, rest = parser.parse_known_args(arguments)
    if known.imports:
        _search_this_folder()
    for name in known.imports:
        module = _module_named(name)
        try:
            importlib.import_module(module)
        except Exception as error:
            raise BadArgument(f"cannot import {name}: {type(error).__name__}: {error}") from error
    return rest


def _module_named(given: str) -> str:
    """Return the name of a package, or of a module in this folder. Raises BadArgument."""
    if not os.path.isfile(given):
        return given
    folder, file = os.path.split(os.path.relpath(given))
    if folder:
        raise BadArgument(
            f"cannot import {given}: it is not in this folder; change to its own, or name a package"
        )
    return file.removesuffix(".py")


def _search_this_folder() -> None:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if here not in inherited:
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [here, *inherited]))


def add_game(parser: argparse.ArgumentParser) -> None:
    """`GAME` and `--set`; see `chosen_game`."""
    parser.add_argument("game", metavar="GAME", help=f"name of a game: {', '.join(GAMES)}")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE,...",
        default="",
        help="settings of the game, such as num_players=2; `parlour games` lists them",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """`--seed`; see `first_seed`."""
    parser.add_argument(
        "--seed",
        type=seed,
        help="number that decides all deals and choices: the same seed gives the same result "
        "(default 0; under contest time, deals are drawn from a secret instead)",
    )


def first_seed(arguments: argparse.Namespace) -> int:
    """Return `--seed`, or 0 where it is not given."""
    return arguments.seed or 0


def check_known(games: Iterable[str]) -> None:
    """Raise BadArgument for the first game that is not registered."""
    with user_input():
        for name in games:
            catalogue.check_known(name)


def chosen_game(arguments: argparse.Namespace) -> "Game":
    """Make the game of `GAME` and `--set`. Raises BadArgument."""
    from ..baselines.players.settings import parse_settings

    with user_input():
        return find_game(arguments.game, **parse_settings(arguments.set))


def chosen_players(text: str, game: "Game") -> "list[Policy]":
    """Make the players in a list separated by commas. Raises BadArgument."""
    from ..baselines import make_policy

    with user_input():
        return [make_policy(name, game) for name in player_names(text)]


def player_names(text: str) -> tuple[str, ...]:
    """Split `a,b:setting=1,other=2,c` into names; `other=2` is a second setting of b."""
    return tuple(name.strip() for name in re.split(r",(?!\s*\w+=)", text))


def for_each_seat(given: Sequence[Given], num_seats: int, seats: str) -> list[Given]:
    """Return a player for each of a number of seats; one stands for all. Raises BadArgument.

    `seats` says in the message which seats they are.
    """
    if len(given) == 1:
        return list(given) * num_seats
    if len(given) != num_seats:
        raise BadArgument(
            f"name one player for all {seats}, or one for each of them ({num_seats}); "
            f"got {len(given)} players"
        )
    return list(given)


def check_seat(seat: int | None, game: "Game") -> None:
    """Raise BadArgument for a seat that the game does not have; None is no seat."""
    if seat is not None and not 0 <= seat < game.num_seats:
        raise BadArgument(f"seat must be in 0 .. {game.num_seats - 1}, not {seat}")


def check_deals(arguments: argparse.Namespace) -> None:
    """Raise BadArgument where fewer than `--deals` seeds follow `--seed`."""
    num_seeds = MAX_SEED + 1 - first_seed(arguments)
    if arguments.deals > num_seeds:
        raise BadArgument(
            f"at most {num_seeds} deals follow seed {first_seed(arguments)}, not {arguments.deals}"
        )
