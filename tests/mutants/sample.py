"""The sample of mutants: which faults are planted where.

Cosmic Ray's operators say what can be changed. A mutant is known by the function it is in and by
what it changes there, not by line numbers, and the sample is drawn by a hash of that. So an edit
elsewhere in a file leaves the sample and its recorded outcomes as they are, and so does an edit of
docstrings and comments.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import io
import itertools
import tokenize
from collections.abc import Iterator
from typing import Any, NamedTuple

from .areas import CHECKOUT, Area

# Decorators only compile here, and these two put random numbers into the code.
LEFT_OUT = ("RemoveDecorator", "VariableReplacer", "VariableInserter")
LARGE = 100  # a constant of this size chosen one larger or smaller would do as well
SETTINGS = "Config"  # the class with a learner's settings
PLAIN = ("name", "newline", "string", "endmarker")  # most nodes; but for exceptions never changed
BRACKETS = "()[]{}:,.="  # no arithmetic, and most of what Python calls operators
MODULE = "<module>"  # code outside functions, named as Python names it


class Mutant(NamedTuple):
    """One changed line."""

    key: str  # a digest of where it is and what it changes
    path: str
    function: str  # its qualified name
    digest: str  # of the function's code as it was
    line: int  # counted from 0 among the function's lines of code
    before: str
    after: str

    def plant(self, source: str) -> str:
        """Return the source of the file with this fault in it. Raises ValueError if it differs."""
        lines = source.splitlines(keepends=True)
        code = code_of(source, self.function)
        if code_digest(code) != self.digest:
            raise ValueError(f"{self.function} has changed since it was sampled")
        index = list(code)[self.line]
        lines[index] = lines[index].replace(self.before, self.after)
        return "".join(lines)


def digest_of(*parts: str) -> str:
    """A short name for some text."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@functools.cache
def code_of(source: str, function: str) -> dict[int, str]:
    """The lines of code of a function, counted from 0, without comments and docstrings.

    Those of a module or a class do not include its functions.
    """
    where = spans(source)
    first, end = where.get(function, (0, 0))
    inner = [span for name, span in where.items() if is_within(name, function)]
    return {
        index: text
        for index, text in lines_of_code(source).items()
        if first <= index < end and not any(start <= index < stop for start, stop in inner)
    }


def is_within(name: str, outer: str) -> bool:
    """Whether a name is that of a function or class inside a module or a class."""
    return name != outer and is_open(outer) and (outer == MODULE or name.startswith(f"{outer}."))


def is_open(name: str) -> bool:
    """Whether a name is that of a module or a class, whose code runs when it is imported."""
    return name == MODULE or name.rpartition(".")[2].lstrip("_")[0].isupper()


def code_digest(code: dict[int, str]) -> str:
    """What a recorded outcome belongs to."""
    return digest_of("\n".join(code.values()))


@functools.cache
def lines_of_code(source: str) -> dict[int, str]:
    """The lines that hold code, counted from 0, without comments and docstrings."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            lines[line - 1] = lines[line - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            text = node.body[0]
            for index in range(text.lineno - 1, text.end_lineno or text.lineno):
                lines[index] = ""
    return {index: text.rstrip() for index, text in enumerate(lines) if text.strip()}


@functools.cache
def spans(source: str) -> dict[str, tuple[int, int]]:
    """Every function's lines [first, end), by its qualified name; the module has all lines."""
    found = {MODULE: (0, len(source.splitlines()))}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                is_class = isinstance(child, ast.ClassDef)
                found[name] = (child.lineno - 1, child.end_lineno or child.lineno)
                visit(child, f"{name}." if is_class else f"{name}.<locals>.")
            else:
                visit(child, prefix)

    visit(ast.parse(source), "")
    return found


def function_at(source_spans: dict[str, tuple[int, int]], line: int) -> str:
    """The innermost function or class around a line, counted from 0."""
    around = [name for name, (first, end) in source_spans.items() if first <= line < end]
    return min(around, key=lambda name: source_spans[name][1] - source_spans[name][0])


def sample(area: Area, size: int) -> list[Mutant]:
    """The mutants of an area: a fixed sample of the places, one fault at each.

    A place counts once however many faults fit there; else those with many, such as `+`, which
    can become any of eleven other operators, would be most of the sample.
    """
    best: dict[str, tuple[str, Any]] = {}
    for path in area.files():
        for site, variant, plant in possible(path):
            rank = digest_of(site, variant)
            if site not in best or rank < best[site][0]:
                best[site] = (rank, plant)
    chosen = sorted(best, key=digest_of)
    return [best[site][1]() for site in chosen[:size]]


def possible(path: str) -> Iterator[tuple[str, str, Any]]:
    """All faults that fit into a file: the place, the fault, and a call that gives the mutant."""
    source = (CHECKOUT / path).read_text()
    lines = lines_of_code(source)
    where = spans(source)
    skipped = list(no_faults(source))
    for offset, piece in pieces(source):
        for operator, variant, occurrence, (in_piece, column) in faults(piece):
            line = offset + in_piece
            if any(start <= (line, column) < end for start, end in skipped):
                continue
            function = function_at(where, line - 1)
            text = lines[line - 1]
            code = code_of(source, function)
            same_before = sum(code[index] == text for index in code if index < line - 1)
            site = "|".join((path, function, text.strip(), str(same_before), str(column)))
            yield (
                site,
                variant,
                functools.partial(planted, path, offset, operator, occurrence, site),
            )


def pieces(source: str) -> Iterator[tuple[int, str]]:
    """The statements of a module, and the lines before each: small texts are parsed quickly."""
    lines = source.splitlines(keepends=True)
    starts = [
        min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", []))]) - 1
        for node in ast.parse(source).body
    ]
    for first, end in itertools.pairwise([*starts, len(lines)]):
        yield first, "".join(lines[first:end])


def faults(piece: str) -> Iterator[tuple[Any, str, int, tuple[int, int]]]:
    """An operator, its name, which of its places in the text, and the line and column there."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.operators.provider import OperatorProvider

    every = list(ast_nodes(get_ast(piece)))
    few = [node for node in every if node.type not in PLAIN]
    arithmetic = [node for node in few if node.type == "operator" and node.value not in BRACKETS]
    provider = OperatorProvider()
    for name in sorted(provider):
        if name in LEFT_OUT:
            continue
        operator = provider[name]()
        nodes = arithmetic if "BinaryOperator" in name else few
        if name == "ExceptionReplacer":
            nodes = every
        positions = [at for node in nodes for at in operator.mutation_positions(node)]
        for occurrence, (start, _) in enumerate(positions):
            variant = f"{name}|{positions[:occurrence].count(positions[occurrence])}"
            yield operator, variant, occurrence, start


def no_faults(source: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where a change is no fault: annotations, default settings, one more of a large number."""
    for node in ast.walk(ast.parse(source)):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            parts.append(node)
        if isinstance(node, ast.ClassDef) and node.name == SETTINGS:
            parts += [item for item in node.body if isinstance(item, ast.AnnAssign)]
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            parts += [node] if node.value >= LARGE else []
        for part in parts:
            if isinstance(part, ast.expr | ast.stmt):
                end = (part.end_lineno or part.lineno, part.end_col_offset or 0)
                yield (part.lineno, part.col_offset), end


def planted(path: str, offset: int, operator: Any, occurrence: int, site: str) -> Mutant:
    """The mutant that an operator makes at one of the places it fits, after `offset` lines."""
    from cosmic_ray.ast import Visitor, get_ast

    class Planter(Visitor):
        count = 0

        def visit(self, node: Any) -> Any:
            for index, _ in enumerate(operator.mutation_positions(node)):
                if self.count == occurrence:
                    node = operator.mutate(node, index)
                self.count += 1
            return node

    source = (CHECKOUT / path).read_text()
    piece = dict(pieces(source))[offset]
    old, new = piece.splitlines(), Planter().walk(get_ast(piece)).get_code().splitlines()
    changed = next(i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    line = offset + changed
    function = function_at(spans(source), line)
    code = code_of(source, function)
    comment = old[changed].removeprefix(code[line])
    before, after = code[line].strip(), new[changed].removesuffix(comment).strip()
    key = digest_of(site, after)
    return Mutant(key, path, function, code_digest(code), list(code).index(line), before, after)
