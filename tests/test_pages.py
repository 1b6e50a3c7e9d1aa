"""The pages of the documentation: their examples run, and what they lead to is there."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pettingzoo
import pytest

from docs.notebooks import run as notebooks
from docs.site import games, records
from docs.site.llms import about
from docs.site.sources import CHECKOUT, pages
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
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PLAIN = ("contest", "critic", "formats", "play", "positions", "your_game")  # they play little
DEAR = ("arena", "compiled_network", "own_search")
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


def tutorials() -> list[str]:
    listed = TEXTS["index"].partition("* Tutorials")[2].partition("\n* ")[0]
    return ["start", *re.findall(r"\]\((\w+)\.md\)", listed)]


def test_every_tutorial_ends_in_a_figure_that_is_asserted() -> None:
    """The last block of code; the notebooks have tests of their own."""
    for page in tutorials():
        if page not in ("notebooks", "start"):
            assert re.search(r"^assert ", CODE.findall(TEXTS[page])[-1], re.MULTILINE), page
    assert "assert result.first_places.low > 0.6" in CODE.findall(TEXTS["start"])[-1]


FILE = re.compile(r"\]\((\.\./[^)#]+)")


def test_every_name_on_the_pages_of_how_it_works_is_in_a_file_that_they_name() -> None:
    for page in [page for page in PAGES if page.startswith("how_")]:
        files = [PAGES[page].parent / target for target in FILE.findall(TEXTS[page])]
        code = "".join(file.read_text(encoding="utf-8") for file in files if file.suffix == ".py")
        prose = "".join(BLOCK.split(TEXTS[page]))
        names = set(re.findall(r"`([a-z_]+|[A-Z]\w+)(?:\([^`]*)?`", prose))
        assert len(names) > 10
        assert not [name for name in names if not re.search(rf"\b{name}\b", code)], page


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


def test_two_files_never_become_one_page() -> None:
    made = list(pages().values())
    assert len(set(made)) == len(made)
    assert {"index", "games/president", "league/index", "reference/protocol"} <= set(made)


def test_every_page_of_the_menu_has_a_line_for_language_models() -> None:
    assert not [
        page
        for page, text in TEXTS.items()
        if page not in ("studies", "README") and not about(text)
    ]


def test_stale_figures_have_a_note_below_their_heading(monkeypatch: pytest.MonkeyPatch) -> None:
    section, record = "envs/president/README.md#measured", "docs/studies/learning.json"
    monkeypatch.setattr(records, "stale_now", lambda: {section: "abc", record: "def"})
    for page, heading, commit in (
        ("envs/president/README.md", "## Measured", "abc"),
        ("docs/studies/learning.md", "# Strength against CPU minutes", "def"),
    ):
        shown = records.marked((CHECKOUT / page).read_text(encoding="utf-8"), CHECKOUT / page)
        assert f"\n{heading}\n\n*Stale: recorded with commit {commit};" in f"\n{shown}"
        assert shown.count("*Stale") == 1


def test_every_table_of_a_page_is_generated() -> None:
    named = {name for text in TEXTS.values() for name in re.findall(r"<!-- table: (\w+)", text)}
    assert named == set(TABLES)


def test_the_tables_of_a_page_are_there_in_the_checkout() -> None:
    for page, text in TEXTS.items():
        assert with_tables(text) == text, f"{page}: python -m docs.site.tables"
    assert with_tables(TEXTS["studies"], TABLES).count("| stale |") == len(records.stale_now())


def test_the_search_example_plays_games_with_chance() -> None:
    game = find_game("notty", turn_limit=2)
    assert game.play_chance is not None
    loads = re.compile(r"^game = .*$|^result = .*$|^assert .*$", re.MULTILINE)
    names: dict[str, Any] = {"game": game}
    example = next(e for e in CODE.findall(TEXTS["own_search"]) if "needs_positions=True" in e)
    exec(loads.sub("", example), names)
    assert play_match(game, names["searcher"], "random", num_deals=1).num_games == 2


def test_every_command_of_make_is_explained() -> None:
    made = ("demo", "test", "test-long", "test-release", "docs")
    for command in (*(f"make {target}" for target in made), ".ci/run"):
        assert f"| `{command}` | " in TEXTS["start"]


@pytest.mark.parametrize("name", GAMES)
def test_the_tables_of_a_game_have_all_fields_actions_and_players(name: str) -> None:
    game = find_game(name)
    fields, actions = games.fields_table(game), games.actions_table(game)
    assert all(f"| `{field.name}` |" in fields for field in game.observation_fields)
    assert f"0 `{game.action_name(0)}`" in actions and f" {game.num_actions} actions" in actions
    assert all(f"| `{player}` |" in games.players_table(game) for player in list_policies(game))


@pytest.mark.parametrize("name", GAMES)
def test_the_index_of_a_field_is_its_place_in_the_vector(name: str) -> None:
    game = find_game(name)
    rows = re.findall(r"^\| (\d+)(?: - (\d+))? \| `(\w+)`", games.fields_table(game), re.MULTILINE)
    assert max(int(last or first) for first, last, _ in rows) == game.layout.num_inputs - 1
    for first, last, field in rows:
        for index in (first, last or first):
            assert re.match(rf"(member \d+ of )?{field}\b", game.layout.name(int(index)))
    if name == "splendor":
        assert "| 36 - 95 | `table_cost` | 12 x 5 | -1 | 7 |" in games.fields_table(game)
        assert game.layout.name(95).startswith("table_cost[11, 4]")


@compiled
def test_the_page_of_a_game_has_a_replay_a_picture_and_what_has_changed(tmp_path: Path) -> None:
    readme = (folder_of("trick_taking") / "README.md").read_text(encoding="utf-8")
    page = games.game_page("trick_taking", readme, tmp_path)
    assert "../replays/trick_taking.html" in page
    for change in ("added | `ppo` of trick-taking with four", "changed | Trick-taking names its"):
        assert f" | {change}" in page
    assert (tmp_path / "replays" / "trick_taking.html").is_file()
    assert (tmp_path / "games" / "trick_taking.svg").read_text().startswith("<svg")
