"""Find the files that a module depends on: its own, those it imports, and data beside them.

This decides what stored results depend on. The files are found from import
statements, without importing anything, and summed up in one digest.
"""

import ast
import hashlib
import importlib.util
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

_OURS = __name__.partition(".")[0]
_ROOT = Path(__file__).resolve().parents[1]
_CORE = _ROOT / "envs" / "core"
_FOLDERS = ("parlour", "envs", "baselines", "training", "scripts")
_STARTED = time.time()
_DATA_SUFFIXES = (".csv", ".json", ".npy", ".npz", ".txt")
_INSTALLED = {"site-packages", "dist-packages"}
_STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NEVER_FOLLOWED = sys.stdlib_module_names | {"numba", "numpy"}
_DIGEST_LENGTH = 16


class UntrackedError(Exception):
    """Not all files that a module depends on can be found, or one has changed since the start."""


def digest_of(modules: Iterable[str]) -> str:
    """Return a digest of all files that these modules depend on, and of everything in `envs.core`.

    Imports inside functions do not count, because compiled code has no constants from them.
    Installed packages do not count for Parlour's modules. Raises UntrackedError where a user's
    module imports an installed package other than NumPy and Numba, and for a file edited after this
    process began, of which the old text may run.
    """
    return _digest(frozenset(modules))


def result_digest_of(modules: Iterable[str]) -> str:
    """Return a digest of all files that results of these modules depend on, and of `envs.core`.

    Unlike in `digest_of`, imports inside functions count; installed packages and imports that
    cannot be found do not. Raises UntrackedError for a file edited after this process began.
    """
    return _digest(frozenset(modules), with_inner=True)


@cache
def _digest(modules: frozenset[str], with_inner: bool = False) -> str:
    files = files_of(modules, with_inner) | {*_CORE.glob("*.py"), *_CORE.glob("play/*.py")}
    digest = hashlib.sha256()
    for name, path in sorted((_name(path), path) for path in files):
        digest.update(f"{name} {file_digest(path)}\n".encode())
    return digest.hexdigest()[:_DIGEST_LENGTH]


def files_of(modules: Iterable[str], with_inner: bool = False) -> set[Path]:
    """Return the files that these modules depend on, with their own. Raises UntrackedError.

    With `with_inner`, include imports inside functions; see `result_digest_of`.
    """
    return _files_from([_file_of(module) for module in modules], with_inner)


def files_behind(path: Path) -> set[Path]:
    """Return the files that a file outside any package depends on, with itself.

    They are found as for `result_digest_of`; none where the file is not readable Python.
    """
    _PACKAGES.setdefault(path, "")
    try:
        return _files_from([path], with_inner=True)
    except UntrackedError:
        return set()


def _files_from(waiting: list[Path], with_inner: bool) -> set[Path]:
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            imported, data = _dependencies(path, path.stat().st_mtime_ns, with_inner)
            found |= data
            waiting += imported
    return found


def is_ours(path: Path) -> bool:
    """Return whether this is a file of Parlour's own code and data."""
    return any(path.is_relative_to(_ROOT / folder) for folder in _FOLDERS)


def _name(path: Path) -> str:
    """Return the name of a file; for Parlour's files, the same in every installation."""
    return (path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else path).as_posix()


@cache
def file_digest(path: Path) -> str:
    """Return the digest of a source file, which the code that runs was read from.

    Raises UntrackedError where it was edited after this process began, or cannot be read.
    """
    try:
        content = path.read_bytes()
        edited = path.stat().st_mtime
    except OSError as error:
        raise UntrackedError(str(error)) from error
    if _STARTED < edited <= time.time():
        raise UntrackedError(f"{path} was edited after this process began")
    return hashlib.sha256(content).hexdigest()


def _file_of(module: str) -> Path:
    """Return the source file of a module, which need not be imported yet."""
    loaded = sys.modules.get(module)
    origin = getattr(loaded, "__file__", None)
    if loaded is None:
        try:
            spec = importlib.util.find_spec(module)
        except (ImportError, ValueError) as error:
            raise UntrackedError(str(error)) from error
        origin = spec.origin if spec else None
    if origin is None or not origin.endswith(".py"):
        raise UntrackedError(f"{module} has no source file")
    path = Path(origin).resolve()
    _PACKAGES.setdefault(path, module if path.stem == "__init__" else module.rpartition(".")[0])
    return path


_PACKAGES: dict[Path, str] = {}  # for each source file the package that its imports are relative to


@cache
def _dependencies(
    path: Path, edited: int, with_inner: bool
) -> tuple[tuple[Path, ...], frozenset[Path]]:
    """Return the source files that this one imports, and the data it may load."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = _parsed_imports(text)
    except (OSError, SyntaxError, ValueError) as error:
        raise UntrackedError(f"cannot read {path}: {error}") from error
    if (
        with_inner and _PACKAGES[path] == _OURS
    ):  # the top package only registers environments by their ids
        return (), frozenset()
    if with_inner:
        imported = tuple(file for node in ast.walk(tree) for file in _findable_files(node, path))
    else:
        imported = tuple(file for node in _imports(tree) for file in _imported_files(node, path))
    return imported, frozenset(_data_files(path, text))


def _parsed_imports(text: str) -> ast.Module:
    """Parse as much of a source as has imports, which most have at the top: that is far faster.

    Raises SyntaxError where the source is not Python.
    """
    last = text.rfind("import")
    end = text.find(")", last) if text.startswith("import (", last) else last
    rest = text[end:].partition("\n")[2]
    try:
        return ast.parse(text.removesuffix(rest) if last >= 0 else "")
    except SyntaxError:  # this is not the end of a statement
        return ast.parse(text)


def _findable_files(node: ast.AST, path: Path) -> list[Path]:
    """Return the files of an import statement; none of other packages, none that are missing."""
    try:
        if isinstance(node, ast.Import | ast.ImportFrom):
            return list(_imported_files(node, path))
    except UntrackedError:
        pass
    return []


def _imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the import statements that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for other in node.orelse:
                yield from _imports(ast.Module([other], []))
        elif isinstance(node, _STATEMENTS) and not isinstance(node, _FUNCTIONS):
            yield from _imports(node)


def _imported_files(node: ast.Import | ast.ImportFrom, path: Path) -> Iterator[Path]:
    package = _PACKAGES[path]
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from _module_files(alias.name, package)
        return
    try:
        dots = "." * node.level
        base = importlib.util.resolve_name(dots + (node.module or ""), package)
    except ImportError as error:
        raise UntrackedError(str(error)) from error
    if not _is_followed(base, package):
        return
    folder = _package_folders(base)
    names = [alias.name for alias in node.names]
    modules = [name for name in names if any(_is_module(one / name) for one in folder)]
    for name in modules:
        yield from _module_files(f"{base}.{name}", package)
    if len(modules) < len(names):
        yield _file_of(base)


def _module_files(module: str, package: str) -> Iterator[Path]:
    """Yield the file of a module; for a package, also all files in it, which may be used."""
    if _is_followed(module, package):
        for folder in _package_folders(module):
            yield from _sources_beneath(folder, module)
        yield _file_of(module)


def _sources_beneath(folder: Path, package: str) -> Iterator[Path]:
    for path in folder.resolve().rglob("*.py"):
        parts = path.relative_to(folder.resolve()).parts[:-1]
        _PACKAGES.setdefault(path, ".".join((package, *parts)))
        yield path


def _is_followed(module: str, package: str) -> bool:
    """Return whether edits of the module count. Raises UntrackedError where none are noticed."""
    top = module.partition(".")[0]
    own = package.partition(".")[0]
    if top in (_OURS, own):
        return True
    if own == _OURS or top in _NEVER_FOLLOWED:
        return False
    if _INSTALLED & set(_file_of(module).parts):
        raise UntrackedError(f"{package or 'a module'} imports {module}")
    return True


def _package_folders(module: str) -> list[Path]:
    """Return the folders of a package; none for a plain module."""
    if module in sys.modules:
        return [Path(one) for one in getattr(sys.modules[module], "__path__", ())]
    path = _file_of(module)
    return [path.parent] if path.stem == "__init__" else []


def _is_module(path: Path) -> bool:
    return path.with_name(f"{path.name}.py").is_file() or (path / "__init__.py").is_file()


def _data_files(path: Path, text: str) -> set[Path]:
    """Return the data files that the module may load.

    They are beside it, or in a folder there that it names, and have a suffix that its text
    contains.
    """
    suffixes = [suffix for suffix in _DATA_SUFFIXES if suffix in text]
    if not suffixes:
        return set()
    found = set()
    for one in path.parent.iterdir():
        if one.suffix in suffixes:
            found.add(one)
        elif f'"{one.name}"' in text and one.is_dir():
            found |= {file for file in one.iterdir() if file.suffix in suffixes}
    return found
