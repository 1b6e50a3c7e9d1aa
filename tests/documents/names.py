"""The names in the sentences of the documents: each is one of the code."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from docs.site.reference import api_pages
from docs.site.sources import CHECKOUT
from parlour.baselines.arena.contest.time_control import TimeControl
from parlour.baselines.networks.kinds import KINDS
from parlour.baselines.players.making import players_of
from parlour.envs import GAMES, authoring
from parlour.envs.core.catalogue import games_by_seats
from parlour.envs.core.environments.keywords import KEYWORDS
from parlour.envs.registry import pettingzoo_names
from parlour.scripts.main import COMMANDS
from parlour.scripts.options import IMPORT_VARIABLE

from .tree import FENCED, Tree, game_of, spans
from .versions import setup

# Names of other libraries, of users' files and in examples.
ELSEWHERE = """
    ActionMasker apt argument authoring baselines bubblewrap cache Caches command compile
    DataCollector default_rng diameter_km DummyVecEnv Env five gym help install keyword Library
    make_vec mcpServers MinariDataset mine missing MultiAgentPolicyManager my_games name_of none
    NUMBA_CACHE_DIR only parallel partial peft pickle player_0 pt py recover_environment required
    reshape RL_LOGGING_LEVEL runs SubprocVecEnv take_along_axis terminated tmp ts unwrapped user
    venv XDG_CACHE_HOME zip
"""


def _defined(folder: Path) -> Iterator[str]:
    """Modules, functions, classes, constants and short texts of the code in a folder."""
    for path in folder.rglob("*.py"):
        yield path.stem
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node.name
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.Assign):
                yield from (each.id for each in node.targets if isinstance(each, ast.Name))


@cache
def defined(folder: str) -> set[str]:
    """The names that the code in a folder defines or writes."""
    return set(_defined(CHECKOUT / folder))


@cache
def words_in(folder: str) -> set[str]:
    """All words of a program or of those in a folder, in Python, SQL and JavaScript."""
    files = (CHECKOUT / folder, *(CHECKOUT / folder).rglob("*"))
    paths = [path for path in files if path.suffix in (".py", ".js")]
    return {word for path in paths for word in re.findall(r"\w+", path.read_text())}


@cache
def keywords() -> set[str]:
    """All that stands before an equals sign: keywords, settings of games and players."""
    names = {keyword.name for keyword in KEYWORDS}
    names |= set(re.findall(r"[(,*] ?\*?\*?(\w+)\s*[:=,)]", "\n".join(api_pages().values())))
    names |= set(TimeControl.__dataclass_fields__)
    for name in GAMES:
        for game in games_by_seats(name):
            names |= set(game.config_dict())
            for player in players_of(game).values():
                names |= set(inspect.signature(player.make, follow_wrapped=False).parameters)
    others = "milliseconds playout_policy field network solver caution gamma weights_only"
    return names | set(others.split())


@cache
def _game(name: str) -> set[str]:
    """Settings, fields, actions and players of a game."""
    names: set[str] = {name, GAMES[name]}
    for game in games_by_seats(name):
        names |= {field.name for field in (*game.observation_fields, *game.state_fields)}
        names |= set(game.config_dict()) | set(players_of(game))
        actions = " ".join(game.action_name(action) for action in range(game.num_actions))
        names |= set(re.findall(r"[A-Za-z_]\w+", actions))
    return names


@cache
def api_names() -> set[str]:
    """The public names of Python, their members and parameters."""
    pages = "\n".join(api_pages().values())
    return set(re.findall(r"\w+", "\n".join(re.findall(r"^(?:##|:::).*$", pages, re.MULTILINE))))


# Commands and the requests of the protocol have checks of their own; <game> is any.
OTHER_KIND = re.compile(r"(\S*/)?(parlour|python|make|pip) |--|[A-Z]+ /|.*<")
WORD = re.compile(r"\w+")
PATH = re.compile(r"[\w.]+(/[\w.=-]*)+")
MADE = re.compile(r"my_|^runs/|^build/|^\.venv/")  # in paths that a reader makes


def linked_words(page: str, text: str) -> set[str]:
    """All words of the Python files that a page links to."""
    paths = [(CHECKOUT / page).parent / link for link in re.findall(r"\]\(([^)#]+\.py)\)", text)]
    return {word for path in paths if path.exists() for word in WORD.findall(path.read_text())}


def unknown_names(tree: Tree) -> Iterator[str]:
    """Every name in a sentence is one of the code, and so is every keyword with its value."""
    for page in tree.own_pages():
        text = tree.text(page)
        names = known_on(page) | linked_words(page, text)
        for kind, body in FENCED.findall(text):
            for key in re.findall(r'"(\w+)":', body) if kind not in ("python", "sh") else ():
                if key not in names:
                    yield f"{page}: a block has {key}, which nothing is called"
        names |= {word for _, body in FENCED.findall(text) for word in re.findall(r"\w+", body)}
        for span in (span for span in spans(text) if not OTHER_KIND.match(span)):
            if PATH.fullmatch(span):
                if not MADE.search(span) and not is_path(span):
                    yield f"{page}: there is no {span}"
                continue
            words = re.findall(r"[A-Za-z_]\w+", span)
            keys = re.findall(r"(?<![\w.])([a-z_]\w*)=(?!=)", span)
            unknown = {word for word in words if word not in names and not word.isupper()}
            unknown |= {key for key in keys if key not in keywords() | linked_words(page, text)}
            unknown |= {word for word in words if "_" in word and word not in names}
            unknown |= {f"{key}={value}" for key, value in re.findall(r'(\w+)="(\w+)"', span)
                        if value not in CHOICES.get(key, value)}  # fmt: skip
            yield from (f"{page}: `{span}`: nothing is called {word}" for word in unknown)


@cache
def all_paths() -> tuple[str, ...]:
    """All files and folders."""
    folders = ("baselines", "docs", "envs", "parlour", "scripts", "tests", "training")
    tops = [CHECKOUT / folder for folder in folders]
    paths = [path for top in tops for path in (top, *top.rglob("*"))]
    return tuple(f"/{path.relative_to(CHECKOUT)}" for path in paths)


def is_path(name: str) -> bool:
    """Whether a file or folder has this name, or ends so, or PettingZoo knows it."""
    if name.removeprefix("parlour/").replace("-v", "_v") in pettingzoo_names():
        return True
    end = f"/{name.strip('/')}"
    return (CHECKOUT / name).exists() or any(path.endswith(end) for path in all_paths())


def known_on(page: str) -> set[str]:
    """The names that a page may use."""
    own = game_of(page)
    names = _general() | {word for name in GAMES if own in (name, None) for word in _game(name)}
    if own:
        names |= defined(f"envs/{own}") | defined(f"baselines/{own}") | defined("docs/studies")
    for folder in WORDS_OF.get(Path(page).name, ()):
        names |= words_in(folder)
    return names


CHOICES = {one.name: one.values for one in KEYWORDS if one.name != "opponents"}
WORDS_OF = {  # pages that explain more than others, and the code of which
    "protocol.md": ("scripts/table", "scripts/agents", "baselines/advice", "envs/core"),
    "formats.md": ("baselines/arena", "baselines/plies.py", "baselines/recordings.py", "envs/core"),
    "agents.md": ("scripts/agents",),
    "notebooks.md": ("docs/notebooks",),
    "play.md": ("baselines/advice",),
    "frameworks.md": ("integrations/other_libraries",),
    "arena.md": ("baselines/arena",),
    "AGENTS.md": ("baselines/top_trumps",),
    "CONTRIBUTING.md": ("envs", "baselines", "training", "tests"),
}


@cache
def _general() -> set[str]:
    names = set(ELSEWHERE.split()) | api_names() | keywords() | set(dir(authoring))
    names |= {*COMMANDS, *KINDS, *pettingzoo_names(), *setup()["options.extras_require"]}
    names |= {word for one in KEYWORDS for word in re.findall(r"\w+", one.values)}
    names |= {word for one in GAMES.values() for word in re.findall(r"\w+", one)}
    return names | defined("envs/core/environments") | {IMPORT_VARIABLE}
