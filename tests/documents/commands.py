"""The lines of a shell in the documents."""

import importlib
import re
import shlex
from collections.abc import Iterator
from functools import cache
from typing import Any

from docs.site.sources import CHECKOUT
from parlour.baselines.networks.kinds import KINDS
from parlour.baselines.players.making import players_of
from parlour.envs import GAMES
from parlour.envs.core.catalogue import games_by_seats
from parlour.scripts.main import COMMANDS
from parlour.scripts.options import Parser, RunFile

from .games import rows_of
from .tree import FENCED, Tree, spans


@cache
def parsers_of(command: str) -> tuple[Parser, int, dict[str, Parser]]:
    """The parser of a command, the place of the word that chooses a sub-parser, and these."""
    parser = Parser(RunFile(), prog=command)
    importlib.import_module(f"parlour.scripts.commands.{command}").add_arguments(parser)
    for place, action in enumerate(parser._get_positional_actions()):
        if isinstance(action.choices, dict):
            return parser, place, action.choices
    return parser, 0, {}


@cache
def options_of(command: str, kind: str = "") -> dict[str, Any]:
    """The options of a command by name; without a kind those of all its sub-parsers."""
    parser, _, kinds = parsers_of(command)
    chosen = [sub for name, sub in kinds.items() if name == (kind or name)]
    return {
        name: one for each in (parser, *chosen) for name, one in each._option_string_actions.items()
    }


@cache
def all_options() -> set[str]:
    """The options of all commands, and of the programs in docs and training."""
    options = {option for command in COMMANDS for option in options_of(command)}
    for path in [*CHECKOUT.glob("docs/**/*.py"), *CHECKOUT.glob("training/*.py")]:
        options |= set(re.findall(r'"(--[a-z-]+)"', path.read_text()))
    return options | {"--help", "--version"}


@cache
def players(name: str) -> set[str]:
    """The players of a game, with any number of seats."""
    return {player for game in games_by_seats(name) for player in players_of(game)} | {"human"}


def wrong_words(line: str) -> Iterator[str]:
    """What is wrong with a line of a shell: command, game, players or options."""
    words = [word for word in shlex.split(line, comments=True) if "=" not in word or word[0] == "-"]
    while words and words[0] not in ("parlour", "python", "make"):
        words = words[1:]
    if words[:1] == ["python"] and words[1:2] == ["-m"] and words[2] != "parlour":
        if importlib.util.find_spec(words[2]) is None and words[2].startswith(("docs", "parlour")):
            yield f"no module {words[2]}"
    elif words[:1] == ["parlour"] and len(words) > 1 and words[1].islower():
        yield from _wrong_command(words[1], words[2:])


def _wrong_command(command: str, words: list[str]) -> Iterator[str]:
    if command not in COMMANDS:
        yield f"no command {command}"
        return
    _, place, kinds = parsers_of(command)
    kind = "".join(words[place : place + 1]) if kinds else ""
    if re.fullmatch("(?!my_)[a-z_]+", kind) and kind not in kinds:
        yield f"{command} has no {kind}"
    options = options_of(command, kind if kind in kinds else "")
    values = {a: b for a, b in zip(words, [*words, ""][1:], strict=True) if a.startswith("--")}
    for option, value in values.items():
        if option not in options:
            yield f"{command} has no option {option}"
        elif options[option].choices and value not in map(str, options[option].choices):
            yield f"{command} {option} has no {value}"
    games = [word for word in words if word in GAMES]
    named = [values.get(option, "") for option in ("--players", "--against", "--opponents")]
    named += words[1:2] if command in ("evaluate", "match") else []
    for player in ",".join(named).split(",") if games else ():
        name = player.partition(":")[0]
        if name and re.fullmatch(r"[a-z_]+", name) and name not in players(games[0]):
            yield f"{games[0]} has no player {name}"


def missing_commands(tree: Tree) -> Iterator[str]:
    """Pages show all commands and learners; requests and tools of the protocol are there."""
    shown = "".join(tree.text(page) for page in tree.pages() if page.startswith("docs/pages/"))
    yield from (f"parlour {one} is not shown" for one in COMMANDS if f"parlour {one}" not in shown)
    yield from (f"{one} is not explained" for one in KINDS if f"| [{one}](" not in shown)
    server = tree.text("scripts/table/server.py")
    for path in re.findall(r"/api/\w+", tree.text("docs/protocol.md")):
        if f'"{path}' not in server:
            yield f"docs/protocol.md: the server has no {path}"
    tools = tree.text("scripts/commands/mcp.py")
    for tool, *_ in rows_of(tree.text("docs/protocol.md"), "tool"):
        if f"def {tool[1:-1]}(" not in tools:
            yield f"docs/protocol.md: there is no tool {tool}"


def wrong_commands(tree: Tree) -> Iterator[str]:
    """Every line of a shell, in blocks and in sentences, is one that the programs understand."""
    targets = set(re.findall(r"^([a-z-]+):", tree.text("Makefile"), re.MULTILINE))
    for page in [*tree.own_pages(), ".ci/run"]:
        text = tree.text(page)
        blocks = [body for kind, body in FENCED.findall(text) if kind == "sh"]
        lines = [line for block in blocks for line in block.replace("\\\n", "").splitlines()]
        for line in [*lines, *spans(text)]:
            if re.match(r"(\S*/)?(parlour|python) ", line):
                yield from (f"{page}: `{line}`: {why}" for why in wrong_words(line))
            for option in re.findall(r"^--[a-z-]+", line):
                if option not in all_options():
                    yield f"{page}: no command has {option}"
        for target in re.findall(r'(?:^|`|^step ".*" )make ([a-z][a-z-]*)', text, re.MULTILINE):
            if target not in targets:
                yield f"{page}: make has no target {target}"
