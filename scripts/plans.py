"""Options of commands that play many games: workers, the store of results, contest time."""

import argparse
import contextlib
import dataclasses
import logging
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..baselines.arena import Plan, Store, Workers
from ..baselines.arena.contest.sandbox import NONE, choose_sandbox
from ..baselines.arena.contest.time_control import CONTEST_BATCH, TimeControl, new_secret
from ..baselines.arena.play.batches import BATCH_DEALS, Fault
from ..baselines.arena.play.budget import POOL
from ..baselines.arena.play.entrants import Entrant, enter
from ..baselines.arena.play.match import deal_seeds
from ..baselines.arena.play.tournament import ONE_EACH
from ..baselines.arena.play.workers import check_workers, start_cluster
from ..baselines.arena.ratings.until import check_until
from ..baselines.arena.results.store import StoreError, cause_of, store_files
from ..baselines.policies.settings import parse_settings
from ..envs.core.game import Game
from ..envs.core.words import check_setting_names
from .options import BadArgument, first_seed, user_input
from .validators import number_of_games, positive

_logger = logging.getLogger("parlour.contest")
_NOT_SETTINGS = ("tracebacks", "hidden")  # fields of a TimeControl that other options set


def add_plan(parser: argparse.ArgumentParser) -> None:
    """`--workers`, `--threads`, `--cluster`, `--store` and `--contest`; see `chosen_plan`."""
    parser.add_argument(
        "--workers",
        type=positive,
        default=1,
        metavar="N",
        help="number of processes that play games, up to four a core (default 1)",
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
        metavar="SETTING=VALUE,...",
        nargs="?",
        const="",
        help="play a contest: each player runs in a process of its own, in a sandbox where the "
        "system has one, with a time limit for each action and three warnings; settings are "
        + ", ".join(f"{f.name}={f.default}" for f in _contest_settings()),
    )


def add_until(parser: argparse.ArgumentParser) -> None:
    """`--until ELO`; see `Plan`."""
    parser.add_argument(
        "--until",
        type=_elo_width,
        metavar="ELO",
        help="end a match once its Elo interval is at most ELO wide on either side, or excludes 0; "
        "the interval is valid at any time",
    )


def add_budget(parser: Any) -> None:
    """`--budget N`; see `play_budget` and `check_budget`."""
    parser.add_argument(
        "--budget",
        type=number_of_games,
        metavar="N",
        help="for a first player that is expensive to run: play N games in all, each another deal "
        "and seat, chosen by predicted luck",
    )


def check_budget(arguments: argparse.Namespace) -> None:
    """Raise BadArgument for a `--budget` beside options that it excludes, or without seeds."""
    if arguments.budget is None:
        return
    for name in ("until", "adjust", "contest", "duplicate", "exact"):
        if getattr(arguments, name, None) not in (None, False):
            raise BadArgument(f"take --budget or --{name}: games are chosen before the first one")
    with user_input():
        deal_seeds(first_seed(arguments), POOL * arguments.budget)


def _elo_width(text: str) -> float:
    try:
        check_until(float(text), (2,))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return float(text)


@contextlib.contextmanager
def chosen_plan(arguments: argparse.Namespace) -> Iterator[Plan]:
    """Open the store and yield the plan of play. Raises BadArgument."""
    workers = Workers(arguments.workers, arguments.cluster, arguments.threads)
    with user_input():
        check_workers(workers)
        if arguments.cluster:
            start_cluster()
        control = chosen_control(arguments)
        store = None if arguments.store is None else Store(arguments.store)
    if control is not None:
        _announce(control)
    with store or contextlib.nullcontext(), _stored_in(arguments.store):
        batch_deals = BATCH_DEALS if control is None else CONTEST_BATCH
        faults: list[tuple[str, Fault]] = []
        yield Plan(
            workers,
            batch_deals,
            store,
            control,
            lambda game, new_faults: faults.extend((game.name, fault) for fault in new_faults),
            getattr(arguments, "until", None),
        )
        if control is not None:
            _tell_faults(faults, Path(control.logs))
        _publish_secret(control)


@contextlib.contextmanager
def stored_results(file: str) -> Iterator[Store]:
    """Open the store in a file to read it. Raises BadArgument where there is none to be read."""
    if not Path(file).is_file():
        raise BadArgument(f"no store {file}")
    try:
        with user_input(), Store(file, to_read=True) as store:
            yield store
    except sqlite3.Error as error:
        raise BadArgument(f"cannot read {file}: {cause_of(error)}") from error


@contextlib.contextmanager
def _stored_in(store: str | None) -> Iterator[None]:
    """Turn errors of a store that is damaged or cannot be written to into BadArgument."""
    try:
        yield
    except StoreError as error:
        raise BadArgument(str(error)) from error
    except sqlite3.Error as error:
        raise BadArgument(f"cannot keep results in {store}: {cause_of(error)}") from error


def chosen_control(arguments: argparse.Namespace) -> TimeControl | None:
    """Return the time control of `--contest`. Raises ValueError, TypeError (unknown setting)."""
    if arguments.contest is None:
        return None
    settings = parse_settings(arguments.contest)
    check_setting_names("a contest", settings, [field.name for field in _contest_settings()])
    control = TimeControl(**settings, tracebacks=arguments.traceback)
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
    with _stored_in(arguments.store), Store(arguments.store) as store:
        kept = [setting.control for setting in store.settings() if setting.control is not None]
    same = {**control.as_data(), "secret": None}
    secrets = [limits.get("secret") for limits in kept if {**limits, "secret": None} == same]
    return next((secret for secret in reversed(secrets) if secret), None)


def _announce(control: TimeControl) -> None:
    """Warn where players have no sandbox."""
    if control.sandbox == NONE:
        _logger.warning(
            "warning: a contest without a sandbox contains faults but no malice: players can "
            "read and write files, use the network and signal processes; see docs/pages/contest.md"
        )


def _tell_faults(faults: list[tuple[str, Fault]], logs: Path) -> None:
    """Say why each player lost games by a fault, and where its logs are."""
    kinds = Counter((game, fault.player, fault.kind) for game, fault in faults)
    reasons = {(game, fault.player, fault.kind): fault.detail for game, fault in reversed(faults)}
    for (game, player, kind), count in kinds.items():
        _logger.warning(
            f"{player} lost {count:,} games by a fault ({kind}): "
            f"{reasons[game, player, kind]}; its logs are in {logs / game}"
        )


def _publish_secret(control: TimeControl | None) -> None:
    """Print to stderr, after all games, the secret that the deals were drawn from."""
    if control is not None and control.secret:
        print(
            f"the deals were drawn from a secret; --contest secret={control.secret} "
            "plays them again",
            file=sys.stderr,
        )


def entered(arguments: argparse.Namespace, game: Game, names: Sequence[str]) -> tuple[Entrant, ...]:
    """Enter players; under contest time, also make each in its own process. Raises BadArgument."""
    with user_input():
        entrants = [enter([name], game, arguments.contest is None)[0] for name in names]
        control = chosen_control(arguments)
        if control is not None:
            control.check_players(game, names)
    if control is not None and game.num_seats > 2 and getattr(arguments, "form", "") != ONE_EACH:
        _logger.warning(
            "warning: several seats have copies of one player here, which may tell each other what "
            "they hold by when and how they act; `parlour tournament --form %s` has a different "
            "player in every seat",
            ONE_EACH,
        )
    return tuple(entrants)
