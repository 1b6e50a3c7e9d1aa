"""TRL's environment class and TextArena's environment: whole games, and what they are to have."""

from typing import Any

import pytest
from parlour_seat import TextGame
from parlour_trl import ParlourTool
from scripted_model import reply_to

from parlour.baselines.prompts import Style, instructions
from parlour.envs import find_game

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


def test_the_tool_takes_settings_a_style_and_opponents_clockwise() -> None:
    style = Style(show_fields=False, max_illegal=1)
    tool = ParlourTool("president", ["lowest", "hoarder"], {"num_players": 5}, style)
    game, others = find_game("president", num_players=5), ["lowest", *["hoarder"] * 3]
    for seat in range(5):
        text = tool.reset(seed=3, seat=seat)
        players = [*others[4 - seat :], None, *others[: 4 - seat]]
        expected = TextGame(game, players, 3, style).text()
        assert text == f"{instructions(game, seat, style)}\n\n{expected}"
    assert "is not a legal action" in tool.play("fold") and tool.get_reward() == -1
    with pytest.raises(ValueError, match=r"seat must be in 0 \.\. 4; got 5"):
        tool.reset(seat=5)


def test_without_a_seed_each_reset_deals_anew() -> None:
    tool = ParlourTool("president", "lowest")
    assert len({tool.reset() for _ in range(5)}) == 5


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
    heads = set()
    for seed in range(NUM_GAMES):
        arena.reset(num_players=2 + seed % 3, seed=seed)
        is_over = False
        while not is_over:
            _, text = arena.get_observation()
            heads.add(text.partition("\n")[0])
            is_over, _ = arena.step(reply_to([{"role": "user", "content": text}], 0.02))
        returns, metrics = arena.close()
        assert len(returns) == len(metrics) == 2 + seed % 3
        assert sum(returns.values()) == pytest.approx(0, abs=1e-6)
    assert len([line for line in heads if line.startswith("You play trick_taking in seat")]) == 9

    arena = ParlourTextArena("president", {"economy": "swap_two"}, Style(show_fields=False))
    openings = set()
    for _ in range(5):
        arena.reset(num_players=4)
        openings.add(arena.get_observation()[1])
    assert len(openings) == 5 and all("economy = swap_two" in text for text in openings)
    arena.reset(num_players=4, seed=arena.seed)
    assert arena.get_observation()[1] in openings
