"""A first agent of Top Trumps; envs/top_trumps/AGENTS.md explains the arguments.

parlour watch top_trumps --players my_agent.py:MyAgent,goliath
parlour evaluate top_trumps my_agent.py:MyAgent:caution=0.3 --against maxer --deals 3
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from parlour.baselines.top_trumps.agents import Agent


class MyAgent(Agent):
    """Choose the field in which the card beats the most cards that the opponent may hold."""

    def __init__(
        self,
        my_initial_card_ids: Iterable[str],
        full_game_deck_ref_df: pd.DataFrame,
        caution: float = 0.0,  # settings of your own: `my_agent.py:MyAgent:caution=0.3`
    ) -> None:
        super().__init__("my_agent", my_initial_card_ids, full_game_deck_ref_df)
        self.caution = caution
        self.opponent_card_ids = set(full_game_deck_ref_df["id"]) - self.my_current_card_ids

    def choose_field(
        self, my_top_card_df: pd.DataFrame, opponent_hand_size: int, available_fields: list[str]
    ) -> str:
        """Return one of `available_fields`; called when this agent starts the trick."""
        assert self._indexed_ref_df is not None
        theirs = self._indexed_ref_df.loc[sorted(self.opponent_card_ids), available_fields]
        mine = my_top_card_df[available_fields].iloc[0]
        lower, equal = (theirs < mine).mean(), (theirs == mine).mean()
        return str((lower - self.caution * equal).astype(float).idxmax())

    def update_state(
        self,
        outcome: str,
        chosen_field: str,
        my_card_played_df: pd.DataFrame,
        opponent_actual_card_id: str | None,
        opponent_revealed_value: Any,
        pot_cards_df: pd.DataFrame,
        cards_i_won_df: pd.DataFrame,
        cards_opponent_won_df: pd.DataFrame,
    ) -> None:
        """Update after every trick, no matter which seat started it."""
        super().update_state(  # keeps self.my_current_card_ids correct
            outcome,
            chosen_field,
            my_card_played_df,
            opponent_actual_card_id,
            opponent_revealed_value,
            pot_cards_df,
            cards_i_won_df,
            cards_opponent_won_df,
        )
        if opponent_actual_card_id is not None:
            self.opponent_card_ids.discard(opponent_actual_card_id)
        self.opponent_card_ids |= set(cards_opponent_won_df["id"])
