"""Arguments that several commands have: a game with its settings, players, a seed.

A mistake of the user becomes BadArgument here. Any other exception is a defect of Parlour and keeps
its traceback.
"""

import argparse
import contextlib
import dataclasses
import importlib
import os
import re
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ..baselines import Policy, make_policy
from ..baselines.arena import Plan, Store, Workers
from ..baselines.arena.batches import BATCH_DEALS
from ..baselines.arena.entrants import enter
from ..baselines.arena.sandbox import NONE, choose_sandbox
from ..baselines.arena.store import store_files
from ..baselines.arena.time_control import CONTEST_BATCH, TimeControl, new_secret
from ..baselines.arena.workers import start_cluster
from ..baselines.players import parse_settings
from ..envs import GAMES, find_game
from ..envs.core.game import Game
from ..envs.core.rng import SEED_LIMIT

WRONG_ARGUMENTS = 2  # exit status
_NOT_SETTINGS = ("tracebacks", "hidden")  # fields of a TimeControl that other options set


class BadArgument(Exception):
    """A well-formed argument with an impossible value; the message is for the user."""


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Show `--deals N` instead of `--deals DEALS`, where an option does not name its value."""

    def _get_default_metavar_for_optional(self, action: argparse.Action) -> str:
        return "NAME" if action.type is None else "N"


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
        try:
            importlib.import_module(name)
        except Exception as error:
            raise BadArgument(f"cannot import {name}: {type(error).__name__}: {error}") from error
    return rest


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


def add_plan(parser: argparse.ArgumentParser) -> None:
    """`--workers`, `--threads`, `--cluster`, `--store` and `--contest`; see `chosen_plan`."""
    parser.add_argument(
        "--workers",
        type=positive,
        default=1,
        metavar="N",
        help="number of processes that play games (default 1)",
    )
    parser.add_argument(
        "--threads",
        type=positive,
        default=1,
        metavar="N",
        help="number of threads of each process that play games between compiled players "
        "(default 1)",
    )
    parser.add_argument(
        "--cluster", action="store_true", help="play on a running Ray cluster, with N processes"
    )
    parser.add_argument(
        "--store",
        metavar="FILE",
        help="SQLite file that keeps all results; results that it has are not played again",
    )
    parser.add_argument(
        "--contest",
        metavar="KEY=VALUE,...",
        nargs="?",
        const="",
        help="play under contest time: each player in a process of its own, in a sandbox where the "
        "system has one, with a time limit for each action and three warnings; settings are "
        + ", ".join(f"{f.name}={f.default}" for f in _contest_settings()),
    )


@contextlib.contextmanager
def chosen_plan(arguments: argparse.Namespace) -> Iterator[Plan]:
    """Open the store and yield the plan of play. Raises BadArgument."""
    workers = Workers(arguments.workers, arguments.cluster, arguments.threads)
    with user_input():
        if arguments.cluster:
            start_cluster()
        control = chosen_control(arguments)
        store = None if arguments.store is None else Store(arguments.store)
    if control is not None:
        _announce(control)
    with store or contextlib.nullcontext():
        if store is not None:
            print_doubts(store)
        try:
            batch_deals = BATCH_DEALS if control is None else CONTEST_BATCH
            yield Plan(workers, batch_deals, store, control)
            _publish_secret(control)
        except sqlite3.Error as error:
            raise BadArgument(f"cannot keep results in {arguments.store}: {error}") from error


def print_doubts(store: Store) -> None:
    """Print the doubtful results of a store to stderr, with the reasons."""
    for setting in store.settings():
        for line in store.doubts(setting):
            print(
                f"{store.path}: cannot vouch for results of {setting.game} {line}", file=sys.stderr
            )


def chosen_control(arguments: argparse.Namespace) -> TimeControl | None:
    """Return the time control of `--contest`. Raises ValueError, TypeError (unknown setting)."""
    if arguments.contest is None:
        return None
    given = parse_settings(arguments.contest)
    known = [field.name for field in _contest_settings()]
    for key in given:
        if key not in known:
            raise TypeError(f"a contest has no setting {key!r}; it has {', '.join(known)}")
    control = TimeControl(**given, tracebacks=arguments.traceback)
    sandbox = choose_sandbox(control.sandbox)
    stored = [] if arguments.store is None else store_files(arguments.store)
    control = dataclasses.replace(control, sandbox=sandbox, hidden=tuple(stored))
    if control.secret or arguments.seed is not None:
        return control
    return dataclasses.replace(control, secret=_secret_of(arguments, control) or new_secret())


def _contest_settings() -> list[dataclasses.Field]:
    fields = {field.name: field for field in dataclasses.fields(TimeControl)}
    return [field for name, field in fields.items() if name not in _NOT_SETTINGS]


def _secret_of(arguments: argparse.Namespace, control: TimeControl) -> str | None:
    """Return the secret of the stored contest that this run continues, or None."""
    if arguments.store is None or not Path(arguments.store).is_file():
        return None
    with Store(arguments.store) as store:
        kept = [setting.control for setting in store.settings() if setting.control is not None]
    same = {**control.as_data(), "secret": None}
    secrets = [held.get("secret") for held in kept if {**held, "secret": None} == same]
    return next((secret for secret in reversed(secrets) if secret), None)


def _announce(control: TimeControl) -> None:
    """Warn on stderr where players have no sandbox."""
    if control.sandbox == NONE:
        print(
            "warning: contest time without a sandbox: each player has a process of its own, but "
            "can read and write files, use the network and signal processes",
            file=sys.stderr,
        )


def _publish_secret(control: TimeControl | None) -> None:
    """Print to stderr, after all games, the secret that the deals were drawn from."""
    if control is not None and control.secret:
        print(
            f"the deals were drawn from a secret; --contest secret={control.secret} "
            "plays them again",
            file=sys.stderr,
        )


def check_entrants(arguments: argparse.Namespace, game: Game, names: Sequence[str]) -> None:
    """Make every player once; under contest time, in its own process. Raises BadArgument."""
    with user_input():
        enter(names, game, arguments.contest is None)
        control = chosen_control(arguments)
        if control is not None:
            control.refusals(game, names)


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
    if not text.isdecimal() or int(text) >= SEED_LIMIT:
        raise argparse.ArgumentTypeError(f"a seed is an integer in 0 .. 2**63 - 1, not {text}")
    return int(text)


def positive(text: str) -> int:
    """Parse a number of at least one. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, not {text}")
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


def chosen_game(arguments: argparse.Namespace) -> Game:
    """Make the game of `GAME` and `--set`. Raises BadArgument."""
    with user_input():
        return find_game(arguments.game, **parse_settings(arguments.set))


def chosen_players(text: str, game: Game) -> list[Policy]:
    """Make the players in a list separated by commas. Raises BadArgument."""
    with user_input():
        return [make_policy(name, game) for name in player_names(text)]


def player_names(text: str) -> tuple[str, ...]:
    """Split `a,b:setting=1,other=2,c` into names; `other=2` is a second setting of b."""
    return tuple(name.strip() for name in re.split(r",(?!\s*\w+=)", text))


def check_deals(arguments: argparse.Namespace) -> None:
    """Raise BadArgument where fewer than `--deals` seeds follow `--seed`."""
    seed = first_seed(arguments)
    if seed + arguments.deals > SEED_LIMIT:
        raise BadArgument(f"no {arguments.deals} deals follow seed {seed}")
