"""TRL's environment class and TextArena's environment: whole games, and what they are to have."""

from typing import Any

import pytest
from parlour_trl import ParlourTool
from scripted_model import reply_to

NUM_GAMES = 100


def test_the_tool_plays_a_hundred_games() -> None:
    tool = ParlourTool("president", "lowest")
    texts, rewards = [], []
    for game in range(NUM_GAMES):
        text = tool.reset(seed=game // 4, seat=game % 4, prompt="a column of the data set")
        texts.append(text)
        while not text.endswith("The game is over."):
            text = tool.play(reply_to([{"role": "user", "content": text}], 0.05))
        rewards.append(tool.get_reward())
    assert len(set(texts)) == NUM_GAMES and -1 in rewards and 1 in rewards
    assert tool.reset(seed=0, seat=0) == texts[0]


def test_a_rollout_that_stops_early_is_forfeited() -> None:
    tool = ParlourTool()
    tool.reset()
    assert tool.get_reward() == -1
    with pytest.raises(ValueError, match="the game is over"):
        tool.play("pass")


def test_trl_finds_one_tool_and_its_schema() -> None:
    utils = pytest.importorskip("transformers.utils")
    tools = [name for name in vars(ParlourTool) if not name.startswith("_")]
    assert tools == ["reset", "play", "get_reward"]
    schema = utils.get_json_schema(ParlourTool().play)["function"]
    assert schema["name"] == "play" and schema["parameters"]["required"] == ["action"]


def test_text_arena_plays_a_hundred_games() -> None:
    pytest.importorskip("textarena", reason="TextArena comes with the environment of verifiers")
    from parlour_textarena import ParlourTextArena

    arena: Any = ParlourTextArena("trick_taking")
    told = set()
    for seed in range(NUM_GAMES):
        arena.reset(num_players=2 + seed % 3, seed=seed)
        is_over = False
        while not is_over:
            _, text = arena.get_observation()
            told.add(text.partition("\n")[0])
            is_over, _ = arena.step(reply_to([{"role": "user", "content": text}], 0.02))
        returns, metrics = arena.close()
        assert len(returns) == len(metrics) == 2 + seed % 3
        assert sum(returns.values()) == pytest.approx(0, abs=1e-6)
    assert len([line for line in told if line.startswith("You play trick_taking in seat")]) == 9
