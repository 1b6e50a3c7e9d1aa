"""The pages of the documentation: their examples run, and what they lead to is there."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pettingzoo
import pytest

from docs.notebooks import run as notebooks
from docs.site import games
from docs.site.sources import CHECKOUT
from docs.site.tables import TABLES, with_tables
from parlour.baselines import list_policies
from parlour.baselines.arena import play_match
from parlour.baselines.arena.contest.limits import PlayerLimits
from parlour.envs import GAMES, find_game
from parlour.envs.core.pages import folder_of
from tests.example_games import imported

pytestmark = pytest.mark.plain

PAGES = {path.stem: path for path in sorted((CHECKOUT / "docs" / "pages").glob("*.md"))}
PAGES["README"] = CHECKOUT / "README.md"
NOTEBOOKS = CHECKOUT / "docs" / "notebooks"
CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PLAIN = ("contest", "formats", "play", "positions", "your_game")  # they play little
DEAR = ("arena", "compiled_network", "critic", "own_search")
long, compiled = pytest.mark.long, pytest.mark.compiled
TOGETHER = "blocks of this page are one program"
SMALLER = {
    "Workers(2)": "Workers(1)",
    "MINIBATCH = 256, 64, 40,": "MINIBATCH = 256, 64, 1,",
    "total_steps=300_000": "total_steps=8_192",
}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}
HAS_MAKE = hasattr(pettingzoo, "make")  # from 1.27 on


def programs_of(page: str) -> list[str]:
    """The blocks of a page, each by itself, as somebody copies it; or all, where they are one."""
    blocks = CODE.findall(TEXTS[page])
    return ["\n".join(blocks)] if TOGETHER in TEXTS[page] else blocks


def quick(program: str) -> str:
    """A shorter run; what it should come to is left to the long tests, where it is shorter."""
    less = program
    for size, smaller in SMALLER.items():
        less = less.replace(size, smaller)
    return less if less == program else re.sub(r"^assert .*$", "", less, flags=re.MULTILINE)


def run(page: str, program: str) -> dict[str, Any]:
    """Run a program as somebody does in docs/examples; return its names."""
    names: dict[str, Any] = {"__name__": f"page_{page}"}
    examples = [
        each for each in ("nim", "kuhn", "cfr") if re.search(rf'import {each}|"{each}:', program)
    ]
    with imported(*examples):
        exec(compile(program, f"<{page}>", "exec"), names)
    return names


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=() if page in PLAIN else long if page in DEAR else compiled)
        for page, text in TEXTS.items()
        if CODE.search(text)
    ],
)
def test_the_examples_of_a_page_run(page: str) -> None:
    for program in programs_of(page):
        if HAS_MAKE or "pettingzoo.make(" not in program:
            run(page, quick(program))


SHORTENED = [
    (page, program)
    for page in TEXTS
    for program in programs_of(page)
    if "\nassert " in program and quick(program) != program
]


@pytest.mark.release
@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize(("page", "program"), SHORTENED, ids=[page for page, _ in SHORTENED])
def test_what_is_shortened_comes_to_its_figure_at_full_length(page: str, program: str) -> None:
    run(page, program)


def test_the_limits_on_the_page_of_contests_are_those_of_the_arena() -> None:
    rows = re.findall(r"^\| `(\w+)`.*\| ([\d,]+) \|$", TEXTS["contest"], re.MULTILINE)
    limits = {name: float(number.replace(",", "")) for name, number in rows}
    assert limits == {field.name: field.default for field in dataclasses.fields(PlayerLimits)}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("look_and_play", marks=compiled),
        *(pytest.param(n, marks=long) for n in ("study_a_position", "train_and_evaluate")),
    ],
)
def test_a_notebook_shows_what_is_stored_in_it(name: str) -> None:
    notebook = notebooks.load(NOTEBOOKS / f"{name}.ipynb")
    for cell, outputs in zip(
        notebooks.code_cells(notebook), notebooks.run(notebook, name), strict=True
    ):
        assert kinds(outputs) == kinds(cell["outputs"])
        if notebooks.VARIES not in cell["metadata"].get("tags", ()):
            assert texts(outputs) == texts(cell["outputs"])


def kinds(outputs: list[dict[str, Any]]) -> list[list[str]]:
    return [sorted(output.get("data", {"stdout": ""})) for output in outputs]


def texts(outputs: list[dict[str, Any]]) -> list[list[str]]:
    return [output.get("text") or output["data"]["text/plain"] for output in outputs]


def test_every_table_of_a_page_is_generated() -> None:
    named = {name for text in TEXTS.values() for name in re.findall(r"<!-- table: (\w+)", text)}
    assert named == set(TABLES)


def test_the_tables_of_a_page_are_there_in_the_checkout() -> None:
    for page, text in TEXTS.items():
        assert with_tables(text) == text, f"{page}: python -m docs.site.tables"


def test_the_search_example_plays_games_with_chance() -> None:
    game = find_game("notty", turn_limit=2)
    assert game.play_chance is not None
    loads = re.compile(r"^game = .*$|^result = .*$|^assert .*$", re.MULTILINE)
    names: dict[str, Any] = {"game": game}
    example = next(e for e in CODE.findall(TEXTS["own_search"]) if "needs_positions=True" in e)
    exec(loads.sub("", example), names)
    assert play_match(game, names["searcher"], "random", num_deals=1).num_games == 2


@pytest.mark.parametrize("name", GAMES)
def test_the_tables_of_a_game_have_all_fields_actions_and_players(name: str) -> None:
    game = find_game(name)
    fields, actions = games.fields_table(game), games.actions_table(game)
    assert all(f"| `{field.name}` |" in fields for field in game.observation_fields)
    assert f"0 `{game.action_name(0)}`" in actions and f" {game.num_actions} actions" in actions
    assert all(f"| `{player}` |" in games.players_table(game) for player in list_policies(game))


@pytest.mark.long
def test_the_page_of_a_game_has_a_replay_a_picture_and_what_has_changed(tmp_path: Path) -> None:
    readme = (folder_of("trick_taking") / "README.md").read_text(encoding="utf-8")
    page = games.game_page("trick_taking", readme, tmp_path)
    assert "../replays/trick_taking.html" in page
    for change in ("added | `ppo` of trick-taking with four", "changed | Trick-taking names its"):
        assert f" | {change}" in page
    assert (tmp_path / "replays" / "trick_taking.html").is_file()
    assert (tmp_path / "games" / "trick_taking.svg").read_text().startswith("<svg")
