"""The entry point: finds the command, runs it, and turns a wrong argument into one clear line.

Each command is a file beside this one with `SUMMARY`, `add_arguments` and `run`.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from .. import __version__
from . import bench, evaluate, games, train, watch
from .options import BadArgument, Parser

COMMANDS: dict[str, ModuleType] = {
    "games": games,
    "watch": watch,
    "evaluate": evaluate,
    "train": train,
    "bench": bench,
}
INTERRUPTED = 130  # what a shell reports for a process that was stopped with Ctrl-C


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `parlour ARGUMENTS` (those of the process by default); returns the exit status.

    Raises SystemExit(2) for wrong arguments, after one line on stderr.
    """
    parser = _parser()
    chosen, rest = parser.parse_known_args(arguments)
    command = _command_parser(parser, chosen.command)
    try:
        if rest:
            raise BadArgument(f"unknown argument {rest[0]}")
        COMMANDS[chosen.command].run(chosen)
    except BadArgument as error:
        command.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader, `head` for instance, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
