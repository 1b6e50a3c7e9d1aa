"""The reference: commands from their `--help`, Python names from their docstrings, keywords."""

import ast
import contextlib
import inspect
import io
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import parlour
from parlour import arena, envs, policies, training
from parlour.arena import DuplicateResult, MatchResult, Standing, Standings
from parlour.baselines.arena.play.adjusted import Adjusted
from parlour.baselines.arena.ratings.standings import Meeting
from parlour.baselines.arena.ratings.until import Verdict
from parlour.baselines.arena.results.export import markdown_table
from parlour.baselines.networks.kinds import KINDS
from parlour.baselines.statistics.estimates import Estimate
from parlour.baselines.statistics.result_data import Result
from parlour.envs import GAMES, authoring
from parlour.envs.core.environments.aec import CheckedEnv
from parlour.envs.core.environments.keywords import KEYWORDS, shown
from parlour.envs.core.environments.solo import SoloEnv
from parlour.envs.core.environments.vector import TablesEnv
from parlour.envs.core.fields import Field, FlatLayout
from parlour.envs.core.game import Game
from parlour.envs.core.played.transcript import Ply, Transcript
from parlour.envs.registry import pettingzoo_names
from parlour.scripts.main import COMMANDS, main

MAX_SHOWN = 200  # characters of a constant
WIDTH = 96  # columns of a help text
MODULES = {  # by the page that documents each, with what it is for
    "parlour": (parlour, "What most programs need."),
    "envs": (envs, "Games, games under way, positions, and PettingZoo's modules of the games."),
    "policies": (policies, "Players: those that ship, and your own."),
    "arena": (arena, "Matches, tournaments and ratings."),
    "training": (training, "Recipes for other frameworks."),
    "authoring": (authoring, "All that the author of a game imports."),
}
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


def id_table() -> str:
    """Return the names of each game in Gymnasium and PettingZoo."""
    headings = ("game", "Gymnasium", "PettingZoo", "module in `parlour.envs`")
    rows = [
        [f"`{name}`", f"`parlour:{GAMES[name]}`", f"`parlour/{name}-v{module[-1]}`", f"`{module}`"]
        for module, name in pettingzoo_names().items()
    ]
    return "\n".join(markdown_table(headings, rows))


def python_page() -> str:
    """Return the page that lists the others of the Python reference."""
    listed = "\n".join([*MODULES, "results"])
    head = "# Python\n\n`help(parlour.NAME)` prints the same texts.\n"
    return f"{head}\n```{{toctree}}\n{listed}\n```\n"


def api_pages() -> dict[str, str]:
    """Return the pages of the public modules, and of what they return, by name.

    Names are objects of Sphinx's Python domain: they are in its index and in `objects.inv`, and a
    name in a docstring links to them.
    """
    homes: dict[str, str] = {}
    pages = {page: _module_page(*each, homes) for page, each in MODULES.items()}
    pages["results"] = _results_page(homes)
    return {page: _linked(text, homes) for page, text in pages.items()}


def _module_page(module: ModuleType, about: str, homes: dict[str, str]) -> str:
    lines = [f"# {module.__name__}", "", about, ""]
    for name in sorted(getattr(module, "__all__", dir(module))):
        if not name.startswith("_"):
            lines += _entry(module, name, homes)
    return "\n".join(lines)


def _results_page(homes: dict[str, str]) -> str:
    """Document the classes of what public functions return and environments are."""
    lines = ["# What they return", ""]
    for each in CLASSES:
        if each.__name__ not in homes:
            lines += _entry(inspect.getmodule(each), each.__name__, homes)
    return "\n".join(lines)


def _entry(module: Any, name: str, homes: dict[str, str]) -> list[str]:
    """Document a name of a module; `homes` says where names have been documented before."""
    heading, inside = [f"## {name}", ""], f":module: {module.__name__}"
    if name in homes:
        about = f"The same as `{name}` of `{homes[name].rpartition('.')[0]}`."
        return [*heading, *_directive("data", name, [inside], [about, ""])]
    homes[name] = path = f"{module.__name__}.{name}"
    try:
        member = getattr(module, name)
    except ImportError:  # a recipe whose framework is not installed
        return [*heading, *_directive("module", path), _docstring_of(module, name), ""]
    lines = [_markdown(member), ""] if _is_documented(member) else []
    if inspect.ismodule(member):
        members = _members(member, [f":module: {path}"])
        return [*heading, *_directive("module", path), *lines, *members]
    if not _is_documented(member):
        value = [f":value: {member!r}"] if len(repr(member)) < MAX_SHOWN else []
        return [*heading, *_directive("data", name, [inside, *value])]
    return heading + _code_entry(name, member, inside, lines)


def _code_entry(name: str, member: Any, inside: str, lines: list[str]) -> list[str]:
    """Document a class with its members, or a function."""
    if member in RESULTS:
        lines += [*markdown_table(("field", "type", "meaning"), fields(member)), ""]
    is_class = inspect.isclass(member)
    lines += _members(member) if is_class else []
    kind = "class" if is_class else "function"
    return _directive(kind, f"{name}{_parameters(member)}", [inside], lines, fence="::::")


def _docstring_of(module: ModuleType, name: str) -> str:
    """Return the docstring of a module that cannot be imported, somewhere below another one."""
    (file,) = Path(str(module.__file__)).parent.rglob(f"{name}.py")
    return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")), clean=False) or ""


def _directive(
    kind: str,
    title: str,
    options: Sequence[str] = (),
    lines: Sequence[str] = (),
    fence: str = ":::",
) -> list[str]:
    """Return a directive of the Python domain."""
    return [f"{fence}{{py:{kind}}} {title}", *options, "", *lines, fence, ""]


def _members(member: Any, options: Sequence[str] = ()) -> list[str]:
    """Document the public functions of a module, or the methods and properties of a class."""
    lines = []
    for part, each in _own(member):
        if not part.startswith("_") and inspect.getdoc(each):
            kind = "property" if isinstance(each, property) else "method"
            kind = "function" if inspect.ismodule(member) else kind
            lines += _directive(kind, f"{part}{_parameters(each)}", options, [_markdown(each), ""])
    return lines


def _is_documented(member: Any) -> bool:
    is_code = inspect.isroutine(member) or inspect.isclass(member) or inspect.ismodule(member)
    return is_code and bool(inspect.getdoc(member))


def _linked(text: str, homes: dict[str, str]) -> str:
    """Turn public names in sentences into links, but not those of parameters."""

    def link(match: re.Match[str]) -> str:
        name = match[1]
        is_name = name in homes and not re.search(rf"[(,*] ?{name}\b[:=,)]", text)
        return f"{{py:obj}}`{name} <{homes[name]}>`" if is_name else match[0]

    return re.sub(r"(?<!`)`(\w+)`(?!`)", link, text)


def fields(result: type) -> list[list[str]]:
    """Return the fields of a class of results: name, type, and the comment at or above each."""
    rows, above = [], ""
    for line in inspect.getsource(result).partition("    def ")[0].splitlines():
        match = _FIELD.match(line)
        if match:
            rows.append([f"`{match[1]}`", f"`{match[2]}`".replace("|", "\\|"), match[3] or above])
        above = line.removeprefix("    # ") if line.startswith("    # ") else ""
    return rows


def _own(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the functions of a module, or the methods and properties of a class; its own only."""
    if not isinstance(value, type | ModuleType):
        return
    for name, member in vars(value).items():
        inside = getattr(member, "__func__", member)
        is_own = isinstance(value, type) or getattr(member, "__module__", "") == value.__name__
        if is_own and (inspect.isfunction(inside) or isinstance(member, property)):
            yield name, inside


def _parameters(value: Any) -> str:
    """Return a signature; Sphinx splits it at commas, so that it has to be valid Python."""
    if isinstance(value, property):
        return ""
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    text = re.sub(r"<factory>|<[^<>]* at 0x[0-9a-f]+>", "...", text)
    text = re.sub(r"^\((?:self|cls)(?:, )?", "(", text).replace("'", '"')
    text = text.removesuffix(" -> None") if inspect.isclass(value) else text
    text = re.sub(r'"([A-Z]\w+)"', r"\1", text)  # annotations that were quoted
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", text)


def _markdown(value: Any) -> str:
    """Return a docstring as Markdown: code after "::" stays indented, the rest is that already."""
    text = value.__doc__ if inspect.ismodule(value) else inspect.getdoc(value)
    return re.sub(r"::$", ":", (text or "").strip(), flags=re.MULTILINE)
