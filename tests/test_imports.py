"""Imports run one way: scripts -> training -> baselines -> envs -> envs.core, without cycles."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest

from tests.processes import run_python

CHECKOUT = Path(__file__).resolve().parents[1]
LAYERS = ("envs.core", "envs", "baselines", "training", "scripts")  # the lowest first


class WithoutTypeChecking(ast.NodeTransformer):
    """Leave out what only type checkers read; imports inside functions stay."""

    def visit_If(self, node: ast.If) -> Any:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return [self.visit(each) for each in node.orelse] or None
        return self.generic_visit(node)


def module_of(path: Path) -> str:
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_of(path): path for top in LAYERS[1:] for path in (CHECKOUT / top).rglob("*.py")}


def imports_of(path: Path, tree: ast.AST) -> Iterator[str]:
    """The modules of ours that the statements below `tree` import."""
    package = path.relative_to(CHECKOUT).parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = ".".join(package[: len(package) - node.level + 1])
            target = ".".join(filter(None, (base, node.module)))
            for name in node.names:
                inner = f"{target}.{name.name}"
                yield inner if inner in SOURCES else target


def imports_when_run(source: str, path: Path) -> set[str]:
    """The modules of ours that a module ever imports."""
    return set(imports_of(path, WithoutTypeChecking().visit(ast.parse(source))))


TEXTS = {name: path.read_text(encoding="utf-8") for name, path in SOURCES.items()}
IMPORTS = {name: set(imports_of(SOURCES[name], ast.parse(TEXTS[name]))) for name in SOURCES}


def layer_of(module: str) -> int:
    return next(index for index, top in enumerate(LAYERS) if f"{module}.".startswith(f"{top}."))


def test_no_module_imports_from_a_layer_above() -> None:
    """Imports inside functions, and those for type checkers, count as well."""
    assert not [
        f"{name} imports {other}"
        for name, others in IMPORTS.items()
        for other in others
        if other and layer_of(other) > layer_of(name)
    ]


ORDER = {"policies": 0, "statistics": 0, "networks": 1, "search": 2, "players": 3, "advice": 4,
         "arena": 5}  # of the folders of `baselines` that know no game  # fmt: skip


def test_no_folder_of_baselines_imports_from_a_later_one() -> None:
    places = {
        name: ORDER.get(f"{name}..".split(".")[1], -1)
        for name in SOURCES
        if name.startswith("baselines.")
    }
    assert not [
        f"{name} imports {other}"
        for name, place in places.items()
        for other in IMPORTS[name]
        if place >= 0 and places.get(other, -1) > place
    ]


def test_a_game_imports_no_other_game() -> None:
    games = {path.parent.name for path in (CHECKOUT / "envs").glob("*/rules.py")}
    for name, others in IMPORTS.items():
        used = {part for other in others for part in other.split(".")} & games
        assert used <= games & set(name.split(".")), name


def cycles_in(imports: Mapping[str, set[str]]) -> set[str]:
    """The modules that are in a cycle of imports or import one that is."""
    edges = dict(imports)
    while leaves := [name for name, others in edges.items() if not others & edges.keys()]:
        for name in leaves:
            del edges[name]
    return set(edges)


def test_there_are_no_cycles() -> None:
    """Imports inside functions count as well: they would only hide a cycle."""
    edges = {
        name: {
            other
            for other in imports_when_run(TEXTS[name], path)
            if other != name and other in SOURCES and not name.startswith(f"{other}.")
        }
        for name, path in SOURCES.items()
    }
    assert not cycles_in(edges)


def test_the_contract_imports_no_view() -> None:
    """A reader of `game.py` meets no picture, environment or loop."""
    visited, waiting = set(), {"envs.core.game"}
    while waiting:
        name = waiting.pop()
        visited.add(name)
        waiting |= {other for other in IMPORTS[name] if other in SOURCES} - visited
    rooms = {"drawing", "environments", "play", "played", "checks"}
    assert not [name for name in visited if rooms & set(name.split(".")[2:3])]


# A leaf is removed with one `rm -r` and its doors: the only places outside it that may import it.

TABLE_DOORS = (
    "scripts.agents",
    "scripts.bench",
    "scripts.console",
    "scripts.commands",
    "scripts.words",
)
LEAVES: dict[str, tuple[str, ...]] = {
    "envs.core.checks": ("envs", "scripts.commands.check"),
    "envs.core.played": (
        "envs",
        "envs.core.checks",
        "envs.core.environments",
        "scripts.commands",
        "scripts.table",
    ),
    "envs.core.drawing": (
        "baselines.environments",
        "envs.*.draw",
        "envs.authoring",
        "envs.core.environments",
        "envs.core.played",
        "scripts.table",
    ),
    "baselines.arena": (
        "baselines.*.trials",
        "scripts.bench",
        "scripts.commands",
        "scripts.output",
        "scripts.plans",
        "scripts.table",
        "training.actors",
        "training.evolution",
        "training.session",
    ),
    "baselines.arena.contest": (
        "scripts.plans",
        "scripts.table.stored_games",
    ),
    "baselines.advice": (
        "baselines.*.chances",
        "baselines.*.hints",
        "baselines.recordings",
        "scripts.commands.watch",
        "scripts.console",
        "scripts.table",
    ),
    "training.recipes": ("training",),
    "scripts.table": TABLE_DOORS,
    "scripts.agents": ("scripts.commands.mcp",),
    "scripts.bench": ("scripts.commands.bench",),
    "scripts.console": ("scripts.commands.play", "scripts.commands.watch"),
}
GAMES = sorted(path.parent.name for path in (CHECKOUT / "envs").glob("*/rules.py"))
LEAVES |= {f"envs.{game}": (f"baselines.{game}",) for game in GAMES}
LEAVES |= {f"baselines.{game}": () for game in GAMES}
LEARNERS = sorted(
    path.stem
    for path in (CHECKOUT / "training").glob("*.py")
    if "\nclass Config" in path.read_text()
)


LEAVES |= {f"training.{learner}": () for learner in LEARNERS}


def is_in(module: str, place: str) -> bool:
    """Whether a module is a place or in it; a star stands for the name of any game."""
    games = GAMES if "*" in place else ("",)
    return any(f"{module}.".startswith(f"{place.replace('*', game)}.") for game in games)


def intruders(leaf: str, doors: tuple[str, ...], imports: Mapping[str, set[str]]) -> list[str]:
    """The modules that import a leaf and are neither in it nor at one of its doors."""
    return sorted(
        f"{name} imports {leaf}"
        for name, others in imports.items()
        if any(is_in(other, leaf) for other in others)
        and not any(
            name == door or (door not in ("envs", "training") and is_in(name, door))
            for door in (leaf, *doors)
        )
    )


@pytest.mark.parametrize("leaf", LEAVES)
def test_a_leaf_is_imported_at_its_doors_alone(leaf: str) -> None:
    assert intruders(leaf, LEAVES[leaf], IMPORTS) == []


PLAYED = """
import gymnasium, parlour
from parlour.envs import registry

game = next(name for name in ("trick_taking", "president") if name in {games!r})
env = gymnasium.make("parlour:" + parlour.envs.GAMES[game])
_, info = env.reset(seed=0)
is_over = False
while not is_over:
    _, _, is_over, _, info = env.step(info["action_mask"].argmax())
table = registry.make_aec(game)
table.reset(seed=0)
for agent in table.agent_iter():
    observation, _, is_over, _, _ = table.last()
    table.step(None if is_over else observation["action_mask"].argmax())
envs = gymnasium.make_vec("parlour:" + parlour.envs.GAMES[game], num_envs=3)
_, info = envs.reset(seed=0)
for _ in range(20):
    *_, info = envs.step(info["action_mask"].argmax(axis=1))
if {has_arena}:
    loaded = parlour.load_game(game)
    assert parlour.play_match(loaded, "random", "first_legal", num_deals=5).num_games
"""


@cache
def imported_at_head(name: str) -> set[str]:
    """The modules of ours that a module imports as it is loaded itself."""
    tree = WithoutTypeChecking().visit(ast.parse(TEXTS[name]))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [ast.Pass()]
    return set(imports_of(SOURCES[name], tree))


@cache
def removed_with(leaf: str) -> set[str]:
    """A leaf and its doors: all modules that cannot be loaded without it."""
    removed = {name for name in SOURCES if is_in(name, leaf)}
    while more := {
        name for name in SOURCES if name not in removed and imported_at_head(name) & removed
    }:
        removed |= more
    return removed


@pytest.mark.long
@pytest.mark.parametrize("leaf", LEAVES)
def test_without_a_leaf_and_its_doors_the_rest_plays(leaf: str, tmp_path: Path) -> None:
    for folder in ("parlour", "envs", "baselines", "training", "scripts"):
        copytree(
            CHECKOUT / folder, tmp_path / folder, symlinks=True, ignore=ignore_patterns("*.pyc")
        )
    for name in removed_with(leaf):
        (tmp_path / SOURCES[name].relative_to(CHECKOUT)).unlink()
    games = [game for game in GAMES if f"envs.{game}" != leaf]
    source = PLAYED.format(games=games, has_arena=leaf != "baselines.arena")
    run_python(source, cwd=tmp_path, PYTHONPATH=str(tmp_path), NUMBA_DISABLE_JIT="1")
