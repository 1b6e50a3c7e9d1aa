"""Imports run one way: scripts -> training -> baselines -> envs -> envs.core, without cycles."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
LAYERS = ("envs.core", "envs", "baselines", "training", "scripts")  # the lowest first
SOURCES = sorted(path for top in LAYERS[1:] for path in (CHECKOUT / top).rglob("*.py"))


def module_of(path: Path) -> str:
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in SOURCES}


def imports_of(path: Path, tree: ast.AST) -> Iterator[str]:
    """The modules of ours that the statements below `tree` import."""
    package = path.relative_to(CHECKOUT).parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = ".".join(package[: len(package) - node.level + 1])
            target = ".".join(filter(None, (base, node.module)))
            for name in node.names:
                inner = f"{target}.{name.name}"
                yield inner if inner in MODULES else target


def layer_of(module: str) -> int:
    return (
        max(index for index, top in enumerate(LAYERS) if f"{module}.".startswith(f"{top}."))
        if not module.startswith("envs.core")
        else 0
    )


class WithoutTypeChecking(ast.NodeTransformer):
    """Leave out what only type checkers read; imports inside functions stay."""

    def visit_If(self, node: ast.If) -> Any:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return [self.visit(each) for each in node.orelse] or None
        return self.generic_visit(node)


@pytest.mark.parametrize("name", MODULES)
def test_no_module_imports_from_a_layer_above(name: str) -> None:
    """Imports inside functions count as well."""
    path = MODULES[name]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    above = [
        other for other in imports_of(path, tree) if other and layer_of(other) > layer_of(name)
    ]
    assert not above


def test_a_game_imports_no_other_game() -> None:
    games = {path.parent.name for path in (CHECKOUT / "envs").glob("*/rules.py")}
    for name, path in MODULES.items():
        own = games & set(name.split("."))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used = {part for other in imports_of(path, tree) for part in other.split(".")} & games
        assert used <= own, name


def cycles_in(imports: Mapping[str, set[str]]) -> set[str]:
    """The modules that are in a cycle of imports or import one that is."""
    edges = dict(imports)
    while leaves := [name for name, others in edges.items() if not others & edges.keys()]:
        for name in leaves:
            del edges[name]
    return set(edges)


def imports_when_run(source: str, path: Path) -> set[str]:
    """The modules of ours that a module ever imports."""
    return set(imports_of(path, WithoutTypeChecking().visit(ast.parse(source))))


def test_there_are_no_cycles() -> None:
    """Imports inside functions count as well: they would only hide a cycle."""
    edges = {
        name: {
            other
            for other in imports_when_run(path.read_text(encoding="utf-8"), path)
            if other != name and other in MODULES and not name.startswith(f"{other}.")
        }
        for name, path in MODULES.items()
    }
    assert not cycles_in(edges)


def test_a_cycle_inside_a_function_is_seen() -> None:
    path = MODULES["envs.core.game"]
    hidden = imports_when_run("def make():\n    from . import defaults\n", path)
    typed = imports_when_run("if TYPE_CHECKING:\n    from . import defaults\n", path)
    assert hidden == {"envs.core.defaults"}
    assert not typed
    assert cycles_in({"a": hidden, "envs.core.defaults": {"a"}, "b": set()}) == {
        "a",
        "envs.core.defaults",
    }


def test_the_contract_imports_no_view() -> None:
    """A reader of `game.py` meets no picture, environment or loop."""
    seen, found = set(), {"envs.core.game"}
    while found:
        name = found.pop()
        seen.add(name)
        path = MODULES[name]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found |= {other for other in imports_of(path, tree) if other in MODULES} - seen
    rooms = ("drawing", "environments", "play", "played", "checks")
    assert not [name for name in seen if name.split(".")[2:3] and name.split(".")[2] in rooms]
