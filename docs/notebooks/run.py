"""Runs the notebooks and stores what their cells show: `python -m docs.notebooks.run`.

A notebook is run as one program, without Jupyter. What a cell shows is what it prints and the value
of its last line, as IPython would show it. A cell with the tag `varies` shows something else on
another machine, or each time.
"""

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
VARIES = "varies"


def load(path: Path) -> dict[str, Any]:
    """Return a notebook as plain data."""
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells with code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(notebook: dict[str, Any], name: str) -> list[list[dict[str, Any]]]:
    """Run the cells in one namespace; return the outputs of each, as a notebook stores them."""
    names: dict[str, Any] = {"__name__": name}
    return [
        _outputs("".join(cell["source"]), f"<{name}, cell {number}>", names, number)
        for number, cell in enumerate(code_cells(notebook), 1)
    ]


def _outputs(source: str, file: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, file, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), file, "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        lines = text.splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines})
    if value is not None:
        show = getattr(value, "_repr_mimebundle_", lambda: {"text/plain": repr(value)})
        data = {kind: shown.splitlines(keepends=True) for kind, shown in show().items()}
        result = {"output_type": "execute_result", "execution_count": number}
        outputs.append({**result, "metadata": {}, "data": data})
    return outputs


def main() -> None:
    """Run each notebook and store its outputs."""
    for path in sorted(HERE.glob("*.ipynb")):
        notebook = load(path)
        lists = run(notebook, path.stem)
        for number, (cell, outputs) in enumerate(zip(code_cells(notebook), lists, strict=True), 1):
            cell |= {"execution_count": number, "outputs": outputs}
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
