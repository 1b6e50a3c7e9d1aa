"""Arguments that several commands have: a game with its settings, players, a seed.

A mistake of the user becomes BadArgument here. Any other exception is a defect of Parlour and keeps
its traceback. What needs a compiler is imported where it is used, so that a page shows at once.
"""

import argparse
import contextlib
import importlib
import logging
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ..envs import GAMES, find_game
from ..envs.core import catalogue
from ..envs.core.words import did_you_mean, visible
from .run_file import ON_THE_LINE, RunFile, read_run_file
from .validators import MAX_SEED, number_of_deals, seed

if TYPE_CHECKING:
    from ..baselines import Policy
    from ..envs.core.game import Game

Given = TypeVar("Given")

PLAYER_HELP = (
    "PLAYER is a name that `parlour games` lists, a checkpoint FILE.pt or the folder of its run, a "
    "model FILE.zip, .ts or .onnx, or a function or class of your own, FILE.py:NAME. Its settings "
    "follow a colon: PLAYER:SETTING=VALUE,... as in mcts:num_simulations=100,epsilon=0.1. Those of "
    "a game, in --set, are written alike: num_players=2. Commas also separate players: "
    "mcts:num_simulations=100,random."
)
HUMAN = "human"  # a player of every game: you, at the console
IMPORT_VARIABLE = "PARLOUR_IMPORT"  # packages that every command imports
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
    """An argument parser that answers a wrong argument with exactly one line.

    The parser of a command has a file of options, which may be empty, and so have its sub-parsers.
    """

    def __init__(self, file: RunFile | None = None, **settings: Any) -> None:
        super().__init__(formatter_class=_HelpFormatter, allow_abbrev=False, **settings)
        self._file = file
        if file is not None:
            _add_common(self)

    def add_subparsers(self, **settings: Any) -> Any:
        """Add sub-parsers of this class, which take options of the same file."""
        parser_class: Any = partial(Parser, self._file)
        return super().add_subparsers(parser_class=parser_class, **settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse what the file and the command line give; a command's parser refuses the rest.

        `command_line` of the result is a command that does the same without the file.
        """
        if self._file is None:
            return super().parse_known_args(args, namespace)
        with user_input():
            words = self._file.take(self._option_string_actions)
        options, rest = super().parse_known_args([*words, *args], namespace)
        if rest:
            hint = did_you_mean(rest[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(rest)}; {hint}see --help")
        if self._subparsers is None:
            self._refuse_the_rest_of(self._file)
            options.command_line = shlex.join([*self.prog.split(), *words, *args])
        return options, rest

    def _refuse_the_rest_of(self, file: RunFile) -> None:
        shown = [action for action in self._actions if action.help != argparse.SUPPRESS]
        flags = [action.option_strings[-1].lstrip("-") for action in shown if action.option_strings]
        names = [flag for flag in flags if flag not in ON_THE_LINE]
        for key in file.options:
            if key in (action.dest for action in shown if not action.option_strings):
                raise BadArgument(f"{file.path}: {key} stands on the command line, not in a file")
            raise BadArgument(
                f"{file.path}: {key} is no option of this command; {did_you_mean(key, names)}"
                f"a file may set {', '.join(names)}"
            )

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += f"; {did_you_mean(value, action.choices or ())}".rstrip("; ")
            raise

    def error(self, message: str) -> NoReturn:
        """Say what is wrong on stderr and leave with status 2."""
        if self._file is not None and self._file.path:
            message += f" (options of {self._file.path} included)"
        self.exit(WRONG_ARGUMENTS, f"{self.prog}: {visible(' '.join(message.split()))}\n")


@contextlib.contextmanager
def user_input() -> Iterator[None]:
    """Turn ValueError and TypeError of calls that check user input into BadArgument."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise BadArgument(str(error)) from error


@contextlib.contextmanager
def writing(target: object) -> Iterator[None]:
    """Turn an error in writing `target`, a file or folder, into BadArgument."""
    try:
        yield
    except OSError as error:
        raise BadArgument(f"cannot write {target}: {error.strerror or error}") from error


def _add_common(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command, without defaults; see `common_options`."""
    group = parser.add_argument_group("options of every command")
    add = partial(group.add_argument, default=argparse.SUPPRESS)
    add(
        "--config",
        metavar="FILE.toml",
        help="read options from a TOML file, such as deals = 200, against = ['lowest', 'random'], "
        "quiet = true; settings are a table: [set], and num_players = 4 below it. Options on the "
        "command line take precedence; GAME and other arguments without dashes stand only there",
    )
    add(
        "--import",
        dest="imports",
        metavar="PACKAGE,...",
        action="append",
        help="import Python packages, or files of this folder, that register games; the "
        f"variable {IMPORT_VARIABLE} names more",
    )
    for flag, level, about in (
        ("--quiet", logging.ERROR, "print results and errors, no progress, notes and warnings"),
        ("--verbose", logging.DEBUG, "also print details, such as which rules are compiled"),
    ):
        add(flag, dest="log_level", action="store_const", const=level, help=about)
    add("--traceback", action="store_true", help="print the whole traceback where a player crashes")


def common_options(
    program: str, arguments: Sequence[str]
) -> tuple[argparse.Namespace, list[str], RunFile]:
    """Return the options of every command, the other arguments, and the file of `--config`.

    They are read first, so that the help lists imported games. Raises BadArgument.
    """
    parser = Parser(prog=program, add_help=False)
    _add_common(parser)
    parser.set_defaults(config=None, imports=[], log_level=logging.INFO, traceback=False)
    options, rest = parser.parse_known_args(arguments)
    if options.config is None:
        return options, rest, RunFile()
    with user_input():
        file = read_run_file(options.config)
        words = file.take(parser._option_string_actions)
    return parser.parse_known_args([*words, *arguments])[0], rest, file


def import_packages(packages: Sequence[str]) -> list[str]:
    """Import the packages of `--import` and of PARLOUR_IMPORT; return their names.

    The current folder is searched too, also by other processes that this one starts. Raises
    BadArgument.
    """
    by_default = os.environ.get(IMPORT_VARIABLE, "")
    names = dict.fromkeys(_listed(by_default), f"{IMPORT_VARIABLE}: ")
    names |= dict.fromkeys(_listed(",".join(packages)), "")
    if names:
        search_this_folder()
    for name, source in names.items():
        module = _module_named(name)
        try:
            importlib.import_module(module)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise BadArgument(
                f"{source}cannot import {name}: {type(error).__name__}: {error}"
            ) from error
    return list(names)


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _module_named(name: str) -> str:
    """Return the name of a package, or of a module in this folder. Raises BadArgument."""
    if not os.path.isfile(name):
        return name
    folder, file = os.path.split(os.path.relpath(name))
    if folder:
        raise BadArgument(
            f"cannot import {name}: it is not in this folder; change to its own, or name a package"
        )
    return file.removesuffix(".py")


def search_this_folder() -> None:
    """Import from the current folder too, also in processes that this one starts."""
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
        metavar="SETTING=VALUE,...",
        default="",
        help="settings of the game, such as num_players=2; `parlour games` lists them",
    )
    parser.epilog = PLAYER_HELP


def add_seed(parser: argparse.ArgumentParser) -> None:
    """`--seed`; see `first_seed`."""
    parser.add_argument(
        "--seed",
        type=seed,
        help="seed of all deals and choices: the same seed gives the same result (default 0; in a "
        "contest, deals come from a secret instead)",
    )


def add_deals(parser: Any, about: str) -> None:
    """`--deals N`; `about` says what they are."""
    parser.add_argument(
        "--deals", type=number_of_deals, default=1000, help=f"{about} (default 1000)"
    )


def first_seed(arguments: argparse.Namespace) -> int:
    """Return `--seed`, or 0 where it is not given."""
    return arguments.seed or 0


def known_games(*listed: str | None) -> list[str]:
    """Return the given games, or all where none is. Raises BadArgument for an unknown one."""
    names = [name for name in listed if name is not None]
    with user_input():
        for name in names:
            catalogue.check_known(name)
    return names or list(GAMES)


def chosen_game(arguments: argparse.Namespace) -> "Game":
    """Make the game of `GAME` and `--set`. Raises BadArgument."""
    from ..baselines.policies.settings import parse_settings

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


def for_each_seat(players: Sequence[Given], num_seats: int, seats: str) -> list[Given]:
    """Return a player for each of a number of seats; one stands for all. Raises BadArgument.

    `seats` says in the message which seats they are.
    """
    if len(players) == 1:
        return list(players) * num_seats
    if len(players) != num_seats:
        raise BadArgument(
            f"name one player for all {seats}, or one for each of them ({num_seats}); "
            f"got {len(players)} players"
        )
    return list(players)


def check_seat(seat: int | None, game: "Game") -> None:
    """Raise BadArgument for a seat that the game does not have; None is no seat."""
    if seat is not None and not 0 <= seat < game.num_seats:
        raise BadArgument(f"seat must be in 0 .. {game.num_seats - 1}, not {seat}")


def check_deals(arguments: argparse.Namespace) -> None:
    """Raise BadArgument where fewer seeds than `--deals` follow `--seed`."""
    num_seeds = MAX_SEED + 1 - first_seed(arguments)
    if arguments.deals > num_seeds:
        raise BadArgument(
            f"at most {num_seeds} deals follow seed {first_seed(arguments)}, not {arguments.deals}"
        )
