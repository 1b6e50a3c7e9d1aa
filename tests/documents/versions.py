"""Versions, extras, and the menu."""

import configparser
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import parlour
from docs.site.build import GENERATED
from docs.site.sources import CHECKOUT
from parlour.envs import GAMES
from parlour.envs.registry import pettingzoo_names

from .tree import Tree, spans


@cache
def setup(text: str | None = None) -> configparser.ConfigParser:
    settings = configparser.ConfigParser()
    settings.read_string((CHECKOUT / "setup.cfg").read_text() if text is None else text)
    return settings


EXAMPLES = ("MyGame-v0", "Kuhn-v0", "Nim-v0")


def wrong_versions(tree: Tree) -> Iterator[str]:
    """The versions of Parlour, Python, the environments and formats are those of the code."""
    settings = setup(tree.text("setup.cfg"))
    lowest = settings["options"]["python_requires"].removeprefix(">=")
    highest = max(re.findall(r"3\.(\d+)", tree.text(".ci/run")), key=int)
    licence = settings["metadata"]["license"]
    summary = settings["metadata"]["description"].partition(",")[0]
    title = f"Parlour: {summary[0].lower()}{summary[1:]}"
    exact = {
        "docs/pages/cite.md": [
            f"version = {{{parlour.__version__}}}",
            f"title = {{{title}}}",
            f"license = {{{licence}}}",
        ],
        "CITATION.cff": [
            "cff-version: 1.2.0\n",
            "\nmessage: ",
            "\nauthors:\n  - name: ",
            f'\ntitle: "{title}"\n',
            f"\nversion: {parlour.__version__}\n",
            f"\nlicense: {licence}\n",
        ],
        "README.md": [f"Python {lowest} or later"],
        "docs/pages/start.md": [f"Python {lowest} or later"],
        "docs/pages/fit.md": [f"Python {lowest} to 3.{highest}"],
        "Makefile": [f"({lowest.replace('.', ', ')})", f"Python {lowest} or later"],
        "ruff.toml": [f'target-version = "py{lowest.replace(".", "")}"'],
    }
    for path, texts in exact.items():
        yield from (f"{path} should say {text!r}" for text in texts if text not in tree.text(path))
    pins = tree.text("integrations/language_models/pyproject.toml")
    page = "docs/pages/language_models.md"
    for name, version in re.findall(r"^\| `parlour_\w+` \| (\w+) ([\d.]+) ", tree.text(page), re.M):
        if f"{name.lower()}>=" in pins and f"{name.lower()}>={version}" not in pins:
            yield f"{page}: another version of {name} is installed"
    for page in [*tree.own_pages(), "CHANGELOG.md"]:
        text = tree.text(page)
        ids = re.findall(r"\b[A-Z]\w+-v\d+", text)
        existing = (*GAMES.values(), *EXAMPLES)
        yield from (f"{page}: no id {one}" for one in ids if one not in existing)
        names = re.findall(r"(?<!my_game)\b([a-z_]+_v\d+)\b", text)
        modules = {*pettingzoo_names(), "my_game_v0"}
        yield from (f"{page}: no environment {one}" for one in names if one not in modules)
        for python in re.findall(r"Python (3\.\d+)", text):
            if not lowest <= python <= f"3.{highest}":
                yield f"{page}: Python {python}"


def wrong_extras(tree: Tree) -> Iterator[str]:
    """Extras that pages install are there."""
    extras = set(setup(tree.text("setup.cfg"))["options.extras_require"])
    start = spans(tree.text("docs/pages/start.md"))
    former = {"play", "plots"}
    yield from (f"docs/pages/start.md: {one} is missing" for one in extras - {*start, *former})
    for page in tree.pages():
        for listed in re.findall(r"(?:parlour|\.)\[([a-z0-9,]+)\]", tree.text(page)):
            yield from (f"{page}: no extra {one}" for one in listed.split(",") if one not in extras)


def outside_the_menu(tree: Tree) -> Iterator[str]:
    """Every page is in the menu."""
    menu = re.findall(r"^([\w/]+)$", tree.text("docs/pages/index.md"), re.MULTILINE)
    pages = {Path(page).stem for page in tree.pages() if page.startswith("docs/pages/")}
    pages -= {"index"}
    yield from (f"{page} is not in the menu" for page in pages | set(GENERATED) if page not in menu)
