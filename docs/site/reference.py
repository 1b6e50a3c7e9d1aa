"""The reference: commands from their `--help`, Python names from their docstrings, keywords."""

import contextlib
import inspect
import io
import os
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest import mock

import parlour
from parlour import baselines, envs
from parlour.baselines import arena
from parlour.baselines.arena import DuplicateResult, MatchResult, Standing, Standings
from parlour.baselines.arena.play.adjusted import Adjusted
from parlour.baselines.arena.ratings.standings import Meeting
from parlour.baselines.arena.ratings.until import Verdict
from parlour.baselines.arena.results.export import markdown_table
from parlour.baselines.networks.kinds import KINDS
from parlour.baselines.statistics.estimates import Estimate
from parlour.baselines.statistics.result_data import Result
from parlour.envs import authoring
from parlour.envs.core.environments.aec import CheckedEnv
from parlour.envs.core.environments.keywords import KEYWORDS, shown
from parlour.envs.core.environments.solo import SoloEnv
from parlour.envs.core.environments.vector import TablesEnv
from parlour.envs.core.fields import Field, FlatLayout
from parlour.envs.core.game import Game
from parlour.envs.core.played.transcript import Ply, Transcript
from parlour.scripts.main import COMMANDS, main

WIDTH = 96  # columns of a help text
MODULES = (
    (parlour, "What most programs need."),
    (envs, "Games and positions."),
    (baselines, "Players."),
    (arena, "Matches and tournaments."),
    (authoring, "All that the author of a game imports."),
)
RESULTS: tuple[type, ...] = (  # their fields are listed with units
    *(MatchResult, DuplicateResult, Standings, Standing, Meeting, Verdict),
    *(Estimate, Adjusted, Transcript, Ply),
)
CLASSES = (Game, Field, FlatLayout, CheckedEnv, SoloEnv, TablesEnv, Result, *RESULTS)
_FIELD = re.compile(r"^    (\w+): (.+?)(?: = .*?)?(?:  # (.*))?$")


def commands_page() -> str:
    """Return the help texts of all commands, and of all learners."""
    lines = ["# Commands", "", "`parlour COMMAND --help` prints these texts.", ""]
    lines += _help("parlour")
    for command in COMMANDS:
        lines += [f"## parlour {command}", "", *_help(f"parlour {command}")]
        for learner in KINDS if command == "train" else ():
            lines += [f"### parlour train {learner}", "", *_help(f"parlour train {learner}")]
    return "\n".join(lines)


def _help(command: str) -> list[str]:
    printed = io.StringIO()
    with (
        mock.patch.dict(os.environ, COLUMNS=str(WIDTH)),
        contextlib.redirect_stdout(printed),
        contextlib.suppress(SystemExit),
    ):
        main([*command.split()[1:], "--help"])
    return ["```text", printed.getvalue().rstrip(), "```", ""]


def keyword_table() -> str:
    """Return the table of the environments' keywords."""
    rows = []
    for one in KEYWORDS:
        default, *others = {f"`{shown(default)}`" for default in one.defaults.values()}
        if others:
            default = ", ".join(f"`{shown(v)}` in {view}" for view, v in one.defaults.items())
        rows.append([f"`{one.name}`", default, one.values, one.meaning, ", ".join(one.defaults)])
    return "\n".join(markdown_table(("keyword", "default", "values", "what it does", "in"), rows))


def api_page() -> str:
    """Return the public names with their signatures and docstrings, each once."""
    lines = ["# Python", "", "The names that `dir(parlour)` lists come first.", ""]
    documented: list[Any] = []
    for module, summary in MODULES:
        lines += [f"## {module.__name__}", "", summary, ""]
        for name in sorted(getattr(module, "__all__", dir(module))):
            member = getattr(module, name)
            if not name.startswith("_") and _is_documented(member) and member not in documented:
                documented.append(member)
                lines += _entry(name, member)
    lines += ["## What they return", ""]
    for each in CLASSES:
        if each not in documented:
            lines += _entry(each.__name__, each)
    return "\n".join(lines)


def _is_documented(member: Any) -> bool:
    is_code = inspect.isroutine(member) or inspect.isclass(member) or inspect.ismodule(member)
    return is_code and bool(inspect.getdoc(member))


def _entry(name: str, value: Any) -> list[str]:
    is_module = isinstance(value, ModuleType)
    lines = [f"### {name}", ""]
    lines += [] if is_module else [f"```python\n{name}{_parameters(value)}\n```", ""]
    lines += [_markdown(value), ""]
    lines += [*markdown_table(("field", "type", "meaning"), fields(value)), ""] * (value in RESULTS)
    for part, each in _members(value):
        if not part.startswith("_") and inspect.getdoc(each):
            lines += [f"**`{name}.{part}{_parameters(each)}`**", "", _markdown(each), ""]
    return lines


def fields(result: type) -> list[list[str]]:
    """Return the fields of a class of results: name, type, and the comment at or above each."""
    rows, above = [], ""
    for line in inspect.getsource(result).partition("    def ")[0].splitlines():
        match = _FIELD.match(line)
        if match:
            rows.append([f"`{match[1]}`", f"`{match[2]}`".replace("|", "\\|"), match[3] or above])
        above = line.removeprefix("    # ") if line.startswith("    # ") else ""
    return rows


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the functions of a module, or the methods and properties of a class; its own only."""
    if not isinstance(value, type | ModuleType):
        return
    for name, member in vars(value).items():
        inside = getattr(member, "__func__", member)
        is_own = isinstance(value, type) or getattr(member, "__module__", "") == value.__name__
        if is_own and (inspect.isfunction(inside) or isinstance(member, property)):
            yield name, inside


def _parameters(value: Any) -> str:
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    text = re.sub(r" at 0x[0-9a-f]+>", ">", text)
    return re.sub(r"\b(?:parlour|numpy|collections|pathlib)\.[\w.]*?(?=\w+\b(?!\.))", "", text)


def _markdown(value: Any) -> str:
    """Return a docstring as Markdown: code after "::" stays indented, the rest is that already."""
    text = inspect.getdoc(value) or ""
    return re.sub(r"::$", ":", text, flags=re.MULTILINE)
