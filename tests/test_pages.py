"""The pages of the documentation: their examples run, and what they lead to is there."""

import configparser
import re
from pathlib import Path
from typing import Any

import pettingzoo
import pytest

from docs.site import games
from docs.site.build import GENERATED, TABLES
from docs.site.sources import CHECKOUT, all_sources, links_of, page_of
from parlour.baselines import list_policies
from parlour.baselines.arena import play_match
from parlour.envs import GAMES, find_game
from parlour.envs.core.catalogue import games_by_seats
from parlour.scripts.main import COMMANDS

PAGES = {path.stem: path for path in sorted((CHECKOUT / "docs" / "pages").glob("*.md"))}
PAGES["README"] = CHECKOUT / "README.md"
CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SMALLER = {"num_envs=4096": "num_envs=64", "num_deals=500": "num_deals=20"}
SMALLER |= {"num_deals=100)": "num_deals=10)", "Workers(2)": "Workers(1)"}
SMALLER |= {"results.db": ":memory:", "total_timesteps=300_000": "total_timesteps=512"}
SMALLER |= {"sb3_vec_env(game, 256,": "sb3_vec_env(game, 8,", "batch_size=4096": "batch_size=256"}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}
HAS_MAKE = hasattr(pettingzoo, "make")  # from 1.27 on


def quick(example: str) -> str:
    for size, less in SMALLER.items():
        example = example.replace(size, less)
    return example


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if CODE.search(text)])
def test_the_examples_of_a_page_run(page: str) -> None:
    """Each by itself, as somebody copies it."""
    for number, example in enumerate(CODE.findall(TEXTS[page]), 1):
        if HAS_MAKE or "pettingzoo.make(" not in example:
            exec(compile(quick(example), f"<{page}, example {number}>", "exec"), {})


def test_the_sizes_that_are_made_smaller_are_those_of_the_pages() -> None:
    assert not [size for size in SMALLER if not any(size in text for text in TEXTS.values())]


@pytest.mark.parametrize("page", PAGES)
def test_every_link_and_picture_of_a_page_is_there(page: str) -> None:
    folder = PAGES[page].parent
    targets = links_of(TEXTS[page])
    dead = [target for target in targets if not (folder / target).exists()]
    assert not [target for target in dead if target.removesuffix(".md") not in GENERATED]


def test_links_in_code_are_no_links() -> None:
    assert links_of("[a](b.md) `[c](d.md)` ![e](f.png)\n```\n[g](h)\n```\n[i](j.md#k)") == [
        "b.md",
        "f.png",
        "j.md",
    ]


def test_two_files_never_become_one_page() -> None:
    pages = [page_of(file) for file in all_sources()]
    assert None not in pages and len(set(pages)) == len(pages)
    assert {"index", "games/president", "league/index", "reference/protocol"} <= set(pages)


def test_every_page_is_in_the_menu() -> None:
    menu = re.findall(r"^([\w/]+)$", TEXTS["index"], re.MULTILINE)
    assert set(PAGES) - {"index", "README"} <= set(menu)
    assert set(GENERATED) <= set(menu)


def test_every_table_of_a_page_is_generated() -> None:
    named = {name for text in TEXTS.values() for name in re.findall(r"<!-- table: (\w+)", text)}
    assert named == set(TABLES)


def search_example() -> str:
    """The block with a search, which is complete in itself."""
    (found,) = [e for e in CODE.findall(TEXTS["your_player"]) if "needs_positions=True" in e]
    return found


def test_the_search_example_beats_random() -> None:
    names: dict[str, Any] = {}
    exec(search_example(), names)
    result = names["result"]
    assert result.second == "random" and result.first_places.low > result.fair_share


def test_the_search_example_plays_games_with_chance() -> None:
    game = find_game("notty", turn_limit=2)
    assert game.play_chance is not None
    loads = re.compile(r"^game = .*$|^result = .*$|^print.*$", re.MULTILINE)
    names: dict[str, Any] = {"game": game}
    exec(loads.sub("", search_example()), names)
    assert play_match(game, names["searcher"], "random", num_deals=1).num_games == 2


def test_every_extra_and_every_command_of_make_is_explained() -> None:
    settings = configparser.ConfigParser()
    settings.read(CHECKOUT / "setup.cfg")
    former = {"play", "plots"}
    extras = set(settings["options.extras_require"]) - former
    assert not [extra for extra in extras if f"`{extra}`" not in TEXTS["start"]]
    for command in ("make demo", "make test", "make test-long", "make docs", ".ci/run"):
        assert f"| `{command}` | " in TEXTS["start"]


def test_every_command_is_shown() -> None:
    shown = "".join(text for name, text in TEXTS.items() if name != "README")
    assert not [command for command in COMMANDS if f"parlour {command}" not in shown]


def test_every_word_of_a_result_is_in_the_glossary() -> None:
    words = ("deal", "ply", "seat", "sitting", "duplicate", "house rule", "determinize")
    assert not [word for word in words if f"| {word} |" not in TEXTS["glossary"]]


@pytest.mark.parametrize("name", GAMES)
def test_the_settings_in_the_readme_of_a_game_are_those_of_its_config(name: str) -> None:
    readme = games.readme_of(name).read_text(encoding="utf-8")
    rows = re.search(r"^\| setting \|.*\n\|-.*\n((?:\|.*\n)+)", readme, re.MULTILINE)
    if rows is not None:
        settings = re.findall(r"^\| `(\w+)` \|", rows[1], re.MULTILINE)
        assert settings == list(find_game(name).config_dict())


@pytest.mark.parametrize("name", GAMES)
def test_the_tables_of_a_game_have_all_fields_actions_and_players(name: str) -> None:
    game = find_game(name)
    fields, actions = games.fields_table(game), games.actions_table(game)
    assert all(f"| `{field.name}` |" in fields for field in game.observation_fields)
    assert f"0 `{game.action_name(0)}`" in actions and f" {game.num_actions} actions" in actions
    assert all(f"| `{player}` |" in games.players_table(game) for player in list_policies(game))


def test_the_index_of_a_field_is_its_place_in_the_vector() -> None:
    game = find_game("splendor")
    assert "| 36 - 95 | `table_cost` | 12 x 5 | -1 | 7 |" in games.fields_table(game)
    assert game.layout.name(36).startswith("table_cost[0, 0]")
    assert game.layout.name(95).startswith("table_cost[11, 4]")


def test_the_table_of_players_has_all_players_of_all_games() -> None:
    shown = games.all_players_table()
    players = {p for name in GAMES for game in games_by_seats(name) for p in list_policies(game)}
    assert not [player for player in players if f"| `{player}` |" not in shown]


def test_the_replay_leads_to_every_position(tmp_path: Path) -> None:
    page = games.game_page("trick_taking", tmp_path)
    assert "../replays/trick_taking.html" in page
    assert (tmp_path / "replays" / "trick_taking.html").is_file()
    assert (tmp_path / "games" / "trick_taking.svg").read_text().startswith("<svg")
