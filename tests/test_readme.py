"""The README: its examples run, and what it lists is what is there."""

import configparser
import json
import re
from pathlib import Path
from typing import Any

import pytest

from parlour.baselines import list_policies
from parlour.baselines.arena import play_match
from parlour.envs import GAMES, find_game
from parlour.scripts.bench.page import page, sizes_page, speed_table
from parlour.scripts.main import COMMANDS

CHECKOUT = Path(__file__).resolve().parents[1]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
SMALLER = {"num_envs=4096": "num_envs=64", "num_deals=500": "num_deals=20"}
SMALLER |= {"Workers(2)": "Workers(1)", "results.db": ":memory:"}


def examples() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def quick(example: str) -> str:
    for size, less in SMALLER.items():
        example = example.replace(size, less)
    return example


def test_the_examples_run_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    """In one namespace, as a reader types them: the match goes on with the policies."""
    names: dict[str, object] = {}
    for number, example in enumerate(examples(), 1):
        exec(compile(quick(example), f"<README example {number}>", "exec"), names)
    assert "first places" in capsys.readouterr().out
    assert all(size in README for size in SMALLER)


def search_example() -> str:
    """The block with a search, which is complete in itself."""
    (found,) = [example for example in examples() if "needs_positions=True" in example]
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


def test_every_link_and_picture_is_there() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    assert not [target for target in targets if not (CHECKOUT / target).exists()]


@pytest.mark.parametrize("name", GAMES)
def test_games_and_their_players_are_listed(name: str) -> None:
    assert f"`{GAMES[name]}`" in README
    assert not [
        player for player in list_policies(find_game(name)) if f"| `{player}` |" not in README
    ]


def test_every_extra_and_every_command_of_make_is_explained() -> None:
    settings = configparser.ConfigParser()
    settings.read(CHECKOUT / "setup.cfg")
    former = {"play", "plots"}
    extras = set(settings["options.extras_require"]) - former
    assert not [extra for extra in extras if f"`{extra}`" not in README]
    for command in ("make demo", "make test", "make test-long", ".ci/run"):
        assert f"| `{command}` | " in README


def test_every_extra_is_for_code_that_imports_it() -> None:
    imported = {
        "agents": "mcp",
        "cluster": "ray",
        "sb3": "sb3_contrib",
        "track": "torch.utils.tensorboard",
        "window": "pygame",
    }
    settings = configparser.ConfigParser()
    settings.read(CHECKOUT / "setup.cfg")
    others = {"test", "mutants", "play", "plots"}
    assert set(settings["options.extras_require"]) - others == set(imported)
    folders = ("baselines", "envs", "scripts", "training")
    code = "".join(path.read_text() for name in folders for path in (CHECKOUT / name).rglob("*.py"))
    for module in imported.values():
        assert re.search(rf"^ *(import|from) {re.escape(module)}\b", code, re.MULTILINE), module


def test_the_speed_is_that_of_the_record() -> None:
    record = json.loads((CHECKOUT / "docs/benchmarks/peers.json").read_text())
    assert speed_table(record) in README
    assert record["machine"]["processor"] in README
    recorded = (CHECKOUT / "docs/benchmarks/peers.md").read_text()
    assert page(record) == recorded
    assert (CHECKOUT / "docs/benchmarks/peers.png").is_file()


def test_the_speed_by_sizes_is_that_of_the_record() -> None:
    record = json.loads((CHECKOUT / "docs/benchmarks/sizes.json").read_text())
    assert sizes_page(record) == (CHECKOUT / "docs/benchmarks/sizes.md").read_text()
    assert (CHECKOUT / "docs/benchmarks/sizes.png").is_file()
    assert list(record["sizes"]) == list(GAMES)


def test_every_command_is_shown() -> None:
    assert not [command for command in COMMANDS if f"parlour {command}" not in README]
