"""Arguments that several commands share: a game with its settings, players, a seed.

What the user gave wrong becomes BadArgument here; any other exception is a mistake of ours and
keeps its traceback.
"""

import argparse
import contextlib
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from ..baselines import Policy, make_policy
from ..baselines.players import parse_settings
from ..envs import GAMES, load_game
from ..envs.core.game import Game
from ..envs.core.rng import SEED_LIMIT

WRONG_ARGUMENTS = 2  # exit status


class BadArgument(Exception):
    """An argument that is well-formed but means nothing; the message is for the user."""


class Parser(argparse.ArgumentParser):
    """An argument parser that answers a wrong argument with exactly one line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong on stderr and leave with status 2."""
        self.exit(WRONG_ARGUMENTS, f"{self.prog}: {' '.join(message.split())}\n")


@contextlib.contextmanager
def user_input() -> Iterator[None]:
    """Around calls that judge what the user wrote: their refusals are the user's to mend."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise BadArgument(str(error)) from error


def add_game(parser: argparse.ArgumentParser) -> None:
    """`GAME` and `--set`; see `chosen_game`."""
    parser.add_argument("game", metavar="GAME", help=f"one of: {', '.join(GAMES)}")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE,...",
        default="",
        help="settings of the game, such as num_players=2; `parlour games` lists them",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """`--seed`, 0 where it is not given."""
    parser.add_argument("--seed", type=seed, default=0, help="same seed, same result (default 0)")


def seed(text: str) -> int:
    """A seed in words. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) >= SEED_LIMIT:
        raise argparse.ArgumentTypeError(f"a seed is an integer in 0 .. 2**63 - 1, not {text}")
    return int(text)


def positive(text: str) -> int:
    """A count of at least one. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, not {text}")
    return int(text)


def seconds(text: str) -> float:
    """A time in seconds, 0 or more. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds, not {text}")
    return value


def chosen_game(arguments: argparse.Namespace) -> Game:
    """The game that `GAME` and `--set` name. Raises BadArgument."""
    with user_input():
        return load_game(arguments.game, **parse_settings(arguments.set))


def chosen_players(text: str, game: Game) -> list[Policy]:
    """Players by name, separated by commas. Raises BadArgument."""
    with user_input():
        return [make_policy(name, game) for name in player_names(text)]


def player_names(text: str) -> tuple[str, ...]:
    """The names in `a,b:setting=1,other=2,c`: a part like `other=2` goes on with b's settings."""
    return tuple(name.strip() for name in re.split(r",(?!\s*\w+=)", text))
