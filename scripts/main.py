"""The entry point: finds the command, runs it, and turns a wrong argument into one clear line.

A command is a file beside this one: its docstring's first line, `add_arguments` and `run`.
"""

import os
import shlex
import sys
from collections.abc import Sequence
from types import ModuleType

from .. import __version__
from ..envs.core.seating import PlayerError
from . import bench, evaluate, games, match, ratings, tournament, train, trials, warm, watch
from .options import BadArgument, Parser

COMMANDS: dict[str, ModuleType] = {
    "games": games,
    "watch": watch,
    "evaluate": evaluate,
    "match": match,
    "tournament": tournament,
    "ratings": ratings,
    "train": train,
    "trials": trials,
    "bench": bench,
    "warm": warm,
}
INTERRUPTED = 130  # what a shell reports for a process stopped with Ctrl-C


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `parlour ARGUMENTS` (those of the process by default); returns the exit status.

    Raises SystemExit(2) for wrong arguments, after one line on stderr.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    _command_list().parse_args(arguments[:1])
    name, command = arguments[0], COMMANDS[arguments[0]]
    parser = Parser(prog=f"parlour {name}", description=command.__doc__)
    parser.set_defaults(command_line=shlex.join(["parlour", *arguments]))
    command.add_arguments(parser)
    try:
        command.run(parser.parse_args(arguments[1:]))
    except (BadArgument, PlayerError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever reads us, `head` for instance, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _command_list() -> Parser:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {_summary(module)}" for name, module in COMMANDS.items()]
    parser = Parser(
        prog="parlour",
        usage="parlour COMMAND ...",
        description="Parlour games for reinforcement learning.\n\n" + "\n".join(lines),
        epilog="`parlour COMMAND --help` explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"parlour {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of the above")
    return parser


def _summary(command: ModuleType) -> str:
    return (command.__doc__ or "").splitlines()[0]


if __name__ == "__main__":
    sys.exit(main())
