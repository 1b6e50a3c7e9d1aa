"""Imports run one way: scripts -> training -> baselines -> envs -> envs.core, without cycles."""

import ast
from collections.abc import Iterator
from pathlib import Path

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


def statements_at_import(tree: ast.Module) -> ast.Module:
    """What runs when the module is imported: nothing inside functions or `if TYPE_CHECKING`."""
    kinds = (ast.Import, ast.ImportFrom, ast.Try)
    return ast.Module([node for node in tree.body if isinstance(node, kinds)], [])


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


def test_there_are_no_cycles() -> None:
    edges = {
        name: {
            other
            for other in imports_of(path, statements_at_import(ast.parse(path.read_text())))
            if other != name and other in MODULES and not name.startswith(f"{other}.")
        }
        for name, path in MODULES.items()
    }
    while leaves := [name for name, others in edges.items() if not others & edges.keys()]:
        for name in leaves:
            del edges[name]
    assert not edges
