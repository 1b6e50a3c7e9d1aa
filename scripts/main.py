"""The entry point: run a command, and turn a wrong argument into one clear line.

A command is a file in `commands/`, with a docstring, `add_arguments` and `run`. The first line of
its docstring is its summary. Only the command that runs is imported, so that it starts quickly.
"""

import ast
import contextlib
import errno
import importlib
import logging
import os
import shutil
import sys
import textwrap
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from .. import __version__
from ..envs.core.words import visible
from .options import BadArgument, Parser, common_options, import_packages

COMMANDS = (
    *("games", "play", "watch", "replay", "mcp"),
    *("evaluate", "match", "tournament", "ratings", "verify", "league"),
    *("record", "train", "trials"),
    *("check", "bench", "warm"),
)
ENDED_EARLY = 1
_logger = logging.getLogger("parlour.command")
_COMMANDS_FOLDER = Path(__file__).with_name("commands")
INTERRUPTED = 130  # what a shell reports for a process stopped with Ctrl-C


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `parlour ARGUMENTS` (those of the process by default); returns the exit status.

    Without any it lists the commands.

    Raises SystemExit(2) for wrong arguments, after one line on stderr.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    program = " ".join(["parlour", *arguments[:1]])
    if sys.stdout is None:
        return _ended(program, "cannot write: stdout is closed")
    if sys.stdin is None:  # a question then finds the end of the input
        sys.stdin = open(os.devnull)  # noqa: SIM115
    try:
        try:
            _run(arguments)
        finally:
            sys.stdout.flush()  # not at exit, where no error can be answered any more
    except KeyboardInterrupt as stop:
        return _ended(program, str(stop) or "stopped", INTERRUPTED)
    except BrokenPipeError:  # the reader of stdout, such as `head`, has stopped
        _drop_output()
    except Exception as error:
        return _answered(program, error, "--traceback" in arguments)
    return 0


def _answered(program: str, error: Exception, has_traceback: bool) -> int:
    """Answer an error that is no defect of Parlour with one line; raise any other."""
    from ..baselines.players.human import EndOfInput
    from ..envs.core.compile import reason_of
    from ..envs.core.play.legal import PlayerError

    if isinstance(error, EndOfInput):
        return _ended(program, "the input ended before the game did")
    if isinstance(error, MemoryError):
        return _ended(program, f"out of memory: {error}")
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        _drop_output()
        return _ended(program, f"cannot write: {error.strerror}")
    if _is_of_compiler(error) and not has_traceback:
        return _ended(
            program,
            f"a rule cannot be compiled: {type(error).__name__}: {reason_of(error)}; "
            "parlour.envs.check_game(game) says in which line; --traceback prints all",
        )
    if not isinstance(error, (BadArgument, PlayerError)):
        raise error
    if has_traceback:
        print(visible(traceback.format_exc()), file=sys.stderr)
    Parser(prog=program).error(str(error))


def _is_of_compiler(error: Exception) -> bool:
    """Whether Numba raised it while compiling; such errors have many types."""
    frames = traceback.extract_tb(error.__traceback__)
    return any(Path(frame.filename).match("numba/core/dispatcher.py") for frame in frames)


def _run(arguments: Sequence[str]) -> None:
    """Import the command, so that Ctrl-C can stop that too, and run it."""
    if not arguments:
        _command_list().print_help()
        return
    name = arguments[0]
    if name not in COMMANDS:  # --help, --version or a mistake
        name = _command_list().parse_args(arguments).command
    program = f"parlour {name}"
    common, rest, file = common_options(program, arguments[1:])
    with _diagnostics(common.log_level):
        command = importlib.import_module(f".commands.{name}", __package__)
        parser = Parser(file, prog=program, description=command.__doc__)
        packages = import_packages(common.imports)
        command.add_arguments(parser)
        parsed = parser.parse_args(rest, common)
        if packages:
            parsed.command_line += f" --import {','.join(packages)}"
        _logger.debug("runs as: %s", parsed.command_line)
        command.run(parsed)


@contextlib.contextmanager
def _diagnostics(level: int) -> Iterator[None]:
    """Print what the loggers `parlour...` say from this level on; then leave logging as it was."""
    logger, handler = logging.getLogger("parlour"), _OnStderr()
    before = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(level)
    logger.propagate = False  # not once more, by a handler of an imported package
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before[0])
        logger.propagate = before[1]


class _OnStderr(logging.Handler):
    """Prints on stderr as it is now: a progress bar stands in for it meanwhile."""

    def emit(self, record: logging.LogRecord) -> None:
        if sys.stderr is not None:
            print(visible(self.format(record)), file=sys.stderr, flush=True)


def _ended(program: str, why: str, status: int = ENDED_EARLY) -> int:
    """Say on stderr why the command ended before its end; return the exit status."""
    print(visible(f"{program}: {why}"), file=sys.stderr)
    return status


def _drop_output() -> None:
    """Forget what cannot be written, which Python would try to write once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _command_list() -> Parser:
    width = max(map(len, COMMANDS))
    columns = shutil.get_terminal_size().columns
    indent = " " * (width + 4)
    lines = [
        textwrap.fill(f"  {name:<{width}}  {_summary(name)}", columns, subsequent_indent=indent)
        for name in COMMANDS
    ]
    parser = Parser(
        prog="parlour",
        usage="parlour COMMAND ...",
        description="Parlour games for reinforcement learning.\n\n" + "\n".join(lines),
        epilog="`parlour COMMAND --help` explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"parlour {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of the above")
    return parser


def _summary(command: str) -> str:
    """Return the first line of the docstring of a command, which is read and not imported."""
    source = (_COMMANDS_FOLDER / f"{command}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main())
