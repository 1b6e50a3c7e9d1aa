"""Arguments that several commands share: a game with its settings, players, a seed.

What the user gave wrong becomes BadArgument here; any other exception is a mistake of ours and
keeps its traceback.
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
_NOT_SETTINGS = ("tracebacks", "hidden")  # of a contest: they follow from other options


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


def add_imports(parser: argparse.ArgumentParser) -> None:
    """`--import`; see `import_packages`."""
    parser.add_argument(
        "--import",
        dest="imports",
        metavar="PACKAGE",
        action="append",
        default=[],
        help="import a Python package or file of this folder first, which registers its games",
    )


def import_packages(arguments: Sequence[str]) -> list[str]:
    """Import what `--import` names, and return the other arguments. Raises BadArgument.

    The folder that the command was started in is searched too, in other processes as well.
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
    parser.add_argument("game", metavar="GAME", help=f"one of: {', '.join(GAMES)}")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE,...",
        default="",
        help="settings of the game, such as num_players=2; `parlour games` lists them",
    )


def add_plan(parser: argparse.ArgumentParser) -> None:
    """`--workers`, `--cluster`, `--store` and `--contest`; see `chosen_plan`."""
    parser.add_argument(
        "--workers", type=positive, default=1, metavar="N", help="processes to play in (default 1)"
    )
    parser.add_argument(
        "--cluster", action="store_true", help="play on the Ray cluster that there is, N at a time"
    )
    parser.add_argument(
        "--store",
        metavar="FILE",
        help="keep results there as they come, and do not play again what it has",
    )
    parser.add_argument(
        "--contest",
        metavar="KEY=VALUE,...",
        nargs="?",
        const="",
        help="contest time: each player in its own process, in a sandbox where the system offers "
        "one, with one second an action and three warnings; the settings are "
        + ", ".join(f"{f.name}={f.default}" for f in _contest_settings()),
    )


@contextlib.contextmanager
def chosen_plan(arguments: argparse.Namespace) -> Iterator[Plan]:
    """How to play, with the store open. Raises BadArgument."""
    workers = Workers(arguments.workers, arguments.cluster)
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
    """Print to stderr which results of a store cannot be vouched for, and why."""
    for setting in store.settings():
        for line in store.doubts(setting):
            print(
                f"{store.path}: cannot vouch for results of {setting.game} {line}", file=sys.stderr
            )


def chosen_control(arguments: argparse.Namespace) -> TimeControl | None:
    """The time control of `--contest`. Raises ValueError, or TypeError for what is no limit."""
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
    """The secret of a contest in the store that this one goes on with."""
    if arguments.store is None or not Path(arguments.store).is_file():
        return None
    with Store(arguments.store) as store:
        kept = [setting.control for setting in store.settings() if setting.control is not None]
    same = {**control.as_data(), "secret": None}
    secrets = [held.get("secret") for held in kept if {**held, "secret": None} == same]
    return next((secret for secret in reversed(secrets) if secret), None)


def _announce(control: TimeControl) -> None:
    """Say on stderr what players are kept in, and where the deals come from."""
    if control.sandbox == NONE:
        print(
            "warning: contest time without a sandbox: each player has a process of its own, but "
            "can read and write files, use the network and signal processes",
            file=sys.stderr,
        )


def _publish_secret(control: TimeControl | None) -> None:
    """Publish on stderr, once all is played, the secret that the deals were drawn from."""
    if control is not None and control.secret:
        print(
            f"the deals were drawn from a secret; --contest secret={control.secret} "
            "plays them again",
            file=sys.stderr,
        )


def check_entrants(arguments: argparse.Namespace, game: Game, names: Sequence[str]) -> None:
    """Make every player once: under contest time in its own process. Raises BadArgument."""
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
        help="same seed, same result (default 0; under contest time a secret)",
    )


def first_seed(arguments: argparse.Namespace) -> int:
    """`--seed`, 0 where it is not given."""
    return arguments.seed or 0


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
        return find_game(arguments.game, **parse_settings(arguments.set))


def chosen_players(text: str, game: Game) -> list[Policy]:
    """Players by name, separated by commas. Raises BadArgument."""
    with user_input():
        return [make_policy(name, game) for name in player_names(text)]


def player_names(text: str) -> tuple[str, ...]:
    """The names in `a,b:setting=1,other=2,c`: a part like `other=2` goes on with b's settings."""
    return tuple(name.strip() for name in re.split(r",(?!\s*\w+=)", text))


def check_deals(arguments: argparse.Namespace) -> None:
    """Raise BadArgument where `--deals` from `--seed` on are more than there are seeds."""
    seed = first_seed(arguments)
    if seed + arguments.deals > SEED_LIMIT:
        raise BadArgument(f"no {arguments.deals} deals follow seed {seed}")
