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
from typing import TYPE_CHECKING, Any, NoReturn

from ..envs import GAMES, find_game

if TYPE_CHECKING:
    from ..baselines import Policy
    from ..envs.core.game import Game

WRONG_ARGUMENTS = 2  # exit status
MAX_PORT = 2**16 - 1
MAX_DEALS = 10**8  # their results take 3.2 GB with two seats, and 12.8 GB with four


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


def seed(text: str) -> int:
    """Parse a seed. Raises ArgumentTypeError."""
    from ..envs.core.rng import SEED_LIMIT

    if not text.isdecimal() or int(text) >= SEED_LIMIT:
        raise argparse.ArgumentTypeError(f"a seed is an integer in 0 .. 2**63 - 1, not {text}")
    return int(text)


def whole(text: str) -> int:
    """Parse a number of at least 0. Raises ArgumentTypeError."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number, not {text}")
    return int(text)


def port(text: str) -> int:
    """Parse the number of a port. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) > MAX_PORT:
        raise argparse.ArgumentTypeError(f"a port is a number in 0 .. {MAX_PORT}, not {text}")
    return int(text)


def positive(text: str) -> int:
    """Parse a number of at least one. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, not {text}")
    return int(text)


def number_of_deals(text: str) -> int:
    """Parse a number of deals. Raises ArgumentTypeError."""
    if not text.isdecimal() or not 1 <= int(text) <= MAX_DEALS:
        raise argparse.ArgumentTypeError(f"expected deals in 1 .. {MAX_DEALS}, not {text}")
    return int(text)


def seconds(text: str) -> float:
    """Parse a time of at least 0 seconds. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds, not {text}")
    return value


def days(text: str) -> int:
    """Parse a number of days such as 60d, at least one. Raises ArgumentTypeError."""
    if re.fullmatch("[1-9][0-9]{0,4}d", text) is None:
        raise argparse.ArgumentTypeError(f"expected days in 1d .. 99999d, such as 60d, not {text}")
    return int(text[:-1])


def check_known(games: Iterable[str]) -> None:
    """Raise BadArgument for the first game that is not registered."""
    unknown = next((name for name in games if name not in GAMES), None)
    if unknown is not None:
        raise BadArgument(
            f"unknown game {unknown!r}; the games are {', '.join(GAMES)}, "
            "and those of the packages in --import"
        )


def chosen_game(arguments: argparse.Namespace) -> "Game":
    """Make the game of `GAME` and `--set`. Raises BadArgument."""
    from ..baselines.players.settings import parse_settings

    check_known([arguments.game])
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


def check_deals(arguments: argparse.Namespace) -> None:
    """Raise BadArgument where fewer than `--deals` seeds follow `--seed`."""
    from ..envs.core.rng import SEED_LIMIT

    seed = first_seed(arguments)
    if seed + arguments.deals > SEED_LIMIT:
        raise BadArgument(
            f"at most {SEED_LIMIT - seed} deals follow seed {seed}, not {arguments.deals}"
        )
