"""The recipes for other frameworks: short, of one shape, and as strong as recorded."""

import json
from typing import Any

import pytest

import parlour
from docs.studies import frameworks
from docs.studies.recorded import STUDIES
from parlour.baselines.arena import play_match
from parlour.training import recipes

RECORD: dict[str, Any] = json.loads(frameworks.RECORD.read_text())


@pytest.mark.parametrize("key", RECORD)
def test_the_record_is_of_the_code_and_reaches_the_floors(key: str) -> None:
    game, name = key.split("/")
    row, again = RECORD[key], f"run again: make frameworks NAME={name} GAME={game}"
    assert row["code"] == frameworks.digest_of(name), again
    assert [seed["seed"] for seed in row["seeds"]] == list(frameworks.SEEDS)
    assert not frameworks.missed(key, row["seeds"])


def test_every_recorded_strength_is_on_the_page() -> None:
    page = (STUDIES.parent / "pages" / "frameworks.md").read_text()
    assert {f"president/{name}" for name in frameworks.RECIPES} <= set(RECORD)
    for key, row in RECORD.items():
        assert frameworks.page_row(key, row) in page


def test_every_framework_has_its_locked_packages() -> None:
    for name, recipe in frameworks.RECIPES.items():
        if recipe.package != "torch":
            locked = STUDIES / "locked" / f"{name.partition('_')[0]}.txt"
            assert f"\n{recipe.package}==" in "\n" + locked.read_text()


def test_ppo_in_one_file_learns() -> None:
    from parlour.training.recipes import cleanrl_ppo

    game = parlour.load_game("president")
    module = cleanrl_ppo.learn(game, recipes.Config(25_000, opponents="lowest"))
    match = play_match(game, parlour.make_policy(module, game), "random", num_deals=100, seed=5)
    assert match.first_places.low > 0.4  # an untrained network has 0.05; 0.6 after these decisions


@pytest.mark.release
def test_self_play_learns_from_its_own_copies() -> None:
    from parlour.training.recipes import sb3_self_play

    game = parlour.load_game("trick_taking", num_values=4)
    model = sb3_self_play.learn(game, recipes.Config(65_536, opponents="random", num_envs=64))
    match = play_match(game, parlour.make_policy(model, game), "random", num_deals=500, seed=5)
    assert match.first_places.low > 0.53  # 48 % before it learns, 59 % after
