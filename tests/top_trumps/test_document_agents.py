"""Agents written from the document of the original simulation play here, each move legal."""

from pathlib import Path

import pandas as pd
import pytest

from parlour.baselines import make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.top_trumps.agents import Agent
from parlour.envs import load_game
from parlour.envs.core.play.legal import PlayerError

pytestmark = pytest.mark.plain

HERE = Path(__file__).parent
GAME = load_game("top_trumps", num_cards=8, num_fields=3)


@pytest.mark.parametrize(
    ("spec", "floor"),
    [
        ("document_agents.py:Counter", 0.2),
        ("document_agents.py:Counter:draw_value=0.4", 0.2),
        ("own_base.py:Highest", 0.0),
        ("own_base.py:Highest:start=1", -0.8),
        ("own_base.py:Named", -0.8),
    ],
)
def test_the_documents_agents_play(spec: str, floor: float) -> None:
    result = play_match(GAME, f"{HERE}/{spec}", "rander", num_deals=6)
    assert result.mean_return[0] > floor  # 0.7, 0.7, 0.5, 0.2 and 0 over many


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("own_base.py:Deaf", "Deaf is an agent without update_state"),
        ("own_base.py:Homeless", "Homeless cannot be made from my_initial_card_ids and full_game"),
        ("document_agents.py:Counter:speed=3", "unexpected keyword argument 'speed'"),
    ],
)
def test_what_an_agent_lacks_is_said_at_once(spec: str, said: str) -> None:
    with pytest.raises(PlayerError, match=said):
        make_policy(f"{HERE}/{spec}", GAME)


def test_the_base_offers_what_the_documents_base_does() -> None:
    deck = pd.DataFrame({"id": ["a", "b"], "Field0": [1, 2], "Field1": [3, 4]})

    class Minimal(Agent):
        def choose_field(self, my_top_card_df, opponent_hand_size, available_fields):
            return available_fields[0]

    agent = Minimal("minimal", {"a"}, deck)
    assert agent.strategy_name == "minimal" and agent.my_current_card_ids == {"a"}
    assert agent.field_colnames == ["Field0", "Field1"]
    assert agent.full_game_deck_ref_df is not None and agent._indexed_ref_df is not None
    assert agent.full_game_deck_ref_df is not deck and agent.full_game_deck_ref_df.equals(deck)
    assert agent._indexed_ref_df.loc["b"].tolist() == ["b", 2, 4]
    bare = Minimal("minimal", {"a"}, None)
    assert (bare.full_game_deck_ref_df, bare._indexed_ref_df, bare.field_colnames) == (
        None,
        None,
        [],
    )
    with pytest.raises(ValueError, match="a column 'id' and one for each field"):
        Minimal("minimal", {"a"}, deck.drop(columns="id"))
