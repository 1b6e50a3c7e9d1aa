"""The names in the sentences of the documents: each is one of the code."""

import ast
import keyword
import re
from collections.abc import Iterator
from functools import cache

from docs.site.sources import CHECKOUT
from parlour.envs import GAMES
from parlour.envs.core.catalogue import games_by_seats
from parlour.envs.registry import pettingzoo_names

from .tree import FENCED, Tree, setup, spans

# Names of other libraries, of users' files and in examples.
ELSEWHERE = """
    ActionMasker apt bad_input Caches careful DataCollector diameter_km DummyVecEnv exploration
    invariants Library MinariDataset MultiAgentPolicyManager my_game my_games my_package MyGame Nim
    NUMBA_DISABLE_JIT only Origin peft player_0 recover_environment RL_LOGGING_LEVEL SubprocVecEnv
    true
"""
CODE = ("baselines", "docs", "envs", "integrations", "parlour", "scripts", "training")
# Commands and the requests of the protocol have checks of their own; <game> is any.
OTHER_KIND = re.compile(r"(\S*/)?(parlour|python|make|pip) |--|[A-Z]+ /|.*<")
WORD = re.compile(r"[A-Za-z_]\w+")
PATH = re.compile(r"[\w.]+(/[\w.=-]*)+")
MADE = re.compile(r"my_|^runs/|^build/|^\.venv/")  # in paths that a reader makes


def _defined(code: ast.AST) -> Iterator[str]:
    """Functions, classes, variables, parameters and texts without a space."""
    for node in ast.walk(code):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Name(id=name):
                yield name
            case ast.arg(arg=name) | ast.keyword(arg=str(name)) | ast.Attribute(attr=name):
                yield name
            case ast.Constant(value=str(text)) if not re.search(r"\s", text):
                yield from WORD.findall(text)


@cache
def names() -> set[str]:
    """All names of the code, its modules, extras, environments and actions."""
    found = {*ELSEWHERE.split(), *keyword.kwlist, *setup()["options.extras_require"]}
    found |= {*pettingzoo_names(), *WORD.findall(" ".join(GAMES.values()))}
    for folder in CODE:
        for path in (CHECKOUT / folder).rglob("*.py"):
            found |= {path.stem, *_defined(ast.parse(path.read_text()))}
    for name in GAMES:
        for game in games_by_seats(name):
            found |= set(WORD.findall(" ".join(map(game.action_name, range(game.num_actions)))))
    return found


def unknown_names(tree: Tree) -> Iterator[str]:
    """Every name in a sentence is one of the code or of a block of the page; paths are there."""
    for page in tree.own_pages():
        text = tree.text(page)
        known = names() | {word for _, body in FENCED.findall(text) for word in WORD.findall(body)}
        for span in (span for span in spans(text) if not OTHER_KIND.match(span)):
            if PATH.fullmatch(span):
                if not MADE.search(span) and not is_path(span):
                    yield f"{page}: there is no {span}"
                continue
            unknown = {word for word in WORD.findall(span) if word not in known}
            yield from (
                f"{page}: `{span}`: nothing is called {word}"
                for word in unknown
                if "_" in word or not word.isupper()
            )


@cache
def all_paths() -> tuple[str, ...]:
    """All files and folders."""
    tops = [CHECKOUT / folder for folder in (*CODE, "tests")]
    paths = [path for top in tops for path in (top, *top.rglob("*"))]
    return tuple(f"/{path.relative_to(CHECKOUT)}" for path in paths)


def is_path(name: str) -> bool:
    """Whether a file or folder has this name, or ends so, or PettingZoo knows it."""
    if name.removeprefix("parlour/").replace("-v", "_v") in pettingzoo_names():
        return True
    end = f"/{name.strip('/')}"
    return (CHECKOUT / name).exists() or any(path.endswith(end) for path in all_paths())
