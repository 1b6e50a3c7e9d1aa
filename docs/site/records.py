"""Which command, commit and machine recorded figures come from, and whether their code has changed.

docs/records.json says it of each file of results, of each picture that is kept, and of sections of
pages that were measured, such as "envs/president/README.md#measured". After measuring anew:

    python -m docs.site.records FILE[#SECTION] ...

notes the figures with the present code; a page alone stands for its sections that are there.
`--command` and `--code` say how they are measured, and which files they depend on; both are kept
otherwise. A section that depends on no file is a record of the past: it says its commit, and cannot
be stale.
"""

import argparse
import hashlib
import json
import re
import subprocess
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TypedDict

from docs.studies.recorded import lines_of_code
from parlour.baselines.arena.results.export import markdown_table
from parlour.baselines.arena.results.league_pages import BEGIN, END
from parlour.scripts.bench.measure import machine

from .sources import CHECKOUT

INDEX = "docs/records.json"
RULES = "Rules"  # the section of a game's README that is kept word for word
_NUMBER = re.compile(
    r"(?:[-+]?\d[\d.,]*|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|half|third|tenth)\b)"
    r"(?:\s(?:%|(?:(?:micro|milli)?second|minute|hour)s?\b|m?s\b|[KMG]i?B\b|bytes\b))?"
)
_BLOCK = re.compile(r"^ *```python.*?^ *```", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"\S+")
_LADDER = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
_COMMAND = re.compile(r"`((?:parlour|python|make) [^`]*)`")
_COMMIT = re.compile(r"\bcommit ([0-9a-f]{7,})\b")
_DATA = (".pt", ".npy", ".csv", ".json")  # count beside code
_LENGTH = 16


class Record(TypedDict):
    """Where figures come from; `code` is a digest of the files that they depend on."""

    command: str
    commit: str
    machine: str
    paths: list[str]
    code: str
    figures: str


def read_index(text: str | None = None) -> dict[str, Record]:
    """Return all records, by the file or section whose figures they are."""
    return json.loads((CHECKOUT / INDEX).read_text() if text is None else text)


def code_digest(paths: Iterable[str], root: Path = CHECKOUT) -> str:
    """Return the digest of code and data in files and folders, without comments and docstrings."""
    parts = []
    for path in paths:
        files = sorted((root / path).rglob("*")) if (root / path).is_dir() else [root / path]
        for file in files:
            if file.suffix == ".py":
                parts.append("\n".join(lines_of_code(file.read_text()).values()).encode())
            elif file.suffix in _DATA:
                parts.append(file.read_bytes())
    return _short(b"\n".join(parts))


def sections(text: str) -> dict[str, str]:
    """Return the sections of a page that have numbers, without examples in Python and ladders."""
    parts = {}
    for part in re.split(r"^(?=## )", _BLOCK.sub("", _LADDER.sub("", text)), flags=re.MULTILINE):
        heading = part.partition("\n")[0].lstrip("# ")
        if _NUMBER.search(part):
            parts[re.sub(r"\W+", "-", heading.lower()).strip("-")] = part
    return parts


def read_file(path: str) -> bytes:
    """Return what a file of the checkout holds."""
    return (CHECKOUT / path).read_bytes()


def figures_digest(key: str, read: Callable[[str], bytes] = read_file) -> str:
    """Return the digest of a file and of the page beside it, or of all numbers in a section.

    A `results.json` stands for its folder. Numbers count with their units, and of the rules of a
    game every word.
    """
    path, _, name = key.partition("#")
    if not name:
        beside = [(CHECKOUT / path).with_suffix(".md")] if path.endswith(".json") else []
        if path.endswith("/results.json"):
            beside = sorted({*(CHECKOUT / path).parent.iterdir()} - {CHECKOUT / path})
        names = [file.relative_to(CHECKOUT).as_posix() for file in beside if file.is_file()]
        return _short(b"".join(map(read, [path, *names])))
    part = sections(read(path).decode()).get(name, "")
    pattern = _WORD if part.startswith(f"## {RULES}\n") else _NUMBER
    return _short(" ".join(" ".join(pattern.findall(part)).split()).encode())


def stale(index: dict[str, Record]) -> list[str]:
    """Return what was recorded with other code than the present."""
    return [key for key, one in index.items() if one["code"] != code_digest(one["paths"])]


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_LENGTH]


@cache
def stale_now() -> dict[str, str]:
    """Return the commits that stale figures were recorded with, by figures."""
    index = read_index()
    return {key: index[key]["commit"] for key in stale(index)}


def note(key: str) -> str:
    """Return a sentence for the page if figures are stale, else nothing."""
    commit = stale_now().get(key)
    return f"*Stale: recorded with commit {commit}; the code has changed since.*" if commit else ""


def table() -> str:
    """Return what depends on code as a table."""
    rows = [
        [
            key,
            f"`{one['command'] or 'see there'}`",
            one["commit"],
            one["machine"],
            "stale" if key in stale_now() else "",
        ]
        for key, one in read_index().items()
    ]
    return "\n".join(markdown_table(("figures", "command", "commit", "machine", "age"), rows))


def marked(text: str, file: Path) -> str:
    """Return the text of a page with a note below the heading of each stale section.

    A page that is written from a stale record beside it has the note below its title.
    """
    path = file.relative_to(CHECKOUT)
    record = path.with_name("results.json" if path.stem == "summary" else f"{path.stem}.json")
    for key in stale_now():
        name = key.removeprefix(f"{path}#")
        part = text if key == record.as_posix() else sections(text).get(name, "")
        if heading := part.partition("\n")[0]:
            text = text.replace(f"{heading}\n", f"{heading}\n\n{note(key)}\n", 1)
    return text


def keep(keys: Iterable[str], command: str = "", paths: Sequence[str] = ()) -> None:
    """Note figures with the present code; what is not given stays as it was."""
    index = read_index()
    index |= {key: _noted(key, index.get(key), command, list(paths)) for key in keys}
    text = json.dumps(dict(sorted(index.items())), indent=1)
    (CHECKOUT / INDEX).write_text(text + "\n", encoding="utf-8")


def _noted(key: str, former: Record | None, command: str, paths: list[str]) -> Record:
    path, _, name = key.partition("#")
    part = sections(read_file(path).decode())[name] if name else ""
    shown = _COMMAND.findall(part)
    paths = paths or (former["paths"] if former else [])
    past = None if paths else _COMMIT.search(part)
    head = ["git", "rev-parse", "--short", "HEAD"]
    return {
        "command": command or "; ".join(shown) or (former["command"] if former else ""),
        "commit": past[1] if past else subprocess.check_output(head, text=True).strip(),
        "machine": "" if past else "{processor}, {cores} cores".format_map(machine()),
        "paths": paths,
        "code": code_digest(paths),
        "figures": figures_digest(key),
    }


def _keys(name: str) -> list[str]:
    if not name.endswith(".md"):  # no page, or a section of one
        return [name]
    return [key for key in read_index() if key.startswith(f"{name}#")]


def main() -> None:
    """Note the figures of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("figures", nargs="+", metavar="FILE[#SECTION]")
    parser.add_argument("--command", default="", help="the command that measures them")
    parser.add_argument("--code", nargs="+", help="files and folders that they depend on")
    arguments = parser.parse_args()
    keys = [key for name in arguments.figures for key in _keys(name)]
    keep(keys, arguments.command, arguments.code or ())


if __name__ == "__main__":
    main()
