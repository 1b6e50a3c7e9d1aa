"""No function has more than eight parameters: values that travel together are one value."""

import ast
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
FOLDERS = ("envs", "baselines", "training", "scripts")
MOST = 8
# What people call with keywords, a setting each.
FACES = {"mcts", "SoloEnv.__init__", "TablesEnv.__init__"}


def functions_in(tree: ast.AST, path: str = "") -> Iterator[tuple[str, int]]:
    """The qualified name of each function, and the number of its parameters without `self`."""
    for node in ast.iter_child_nodes(tree):
        inside = path
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = f"{path}{node.name}."
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            stars = [star for star in (given.vararg, given.kwarg) if star is not None]
            is_method = bool(named) and named[0].arg in ("self", "cls")
            yield inside[:-1], len(named) + len(stars) - is_method
        yield from functions_in(node, inside)


def test_no_function_has_more_parameters() -> None:
    above = {
        (file.relative_to(CHECKOUT).as_posix(), name)
        for folder in FOLDERS
        for file in (CHECKOUT / folder).rglob("*.py")
        for name, num_parameters in functions_in(ast.parse(file.read_text()))
        if num_parameters > MOST
    }
    others = {(file, name) for file, name in above if name not in FACES}
    assert others == set()
    assert {name for _, name in above} >= FACES, "an exception that is no longer needed"
