# ruff: noqa
# mypy: ignore-errors
"""The base class as the document of the original simulation describes it, for `blind_agents`."""

from abc import ABC, abstractmethod
from typing import Any, Optional, Set

import pandas as pd


class Agent(ABC):
    """The base class as the document describes it, written here instead of imported."""

    def __init__(
        self,
        strategy_name: str,
        my_initial_card_ids: Set[str],
        full_game_deck_ref_df: Optional[pd.DataFrame],
    ):
        self.strategy_name = strategy_name
        self.my_current_card_ids = set(my_initial_card_ids)
        self.full_game_deck_ref_df = None
        self._indexed_ref_df = None
        if full_game_deck_ref_df is not None:
            self.full_game_deck_ref_df = full_game_deck_ref_df.copy()
            self._indexed_ref_df = self.full_game_deck_ref_df.set_index("id")

    @abstractmethod
    def choose_field(self, my_top_card_df, opponent_hand_size, available_fields) -> str: ...

    def update_state(
        self,
        outcome: str,
        chosen_field: str,
        my_card_played_df: pd.DataFrame,
        opponent_actual_card_id: Optional[str],
        opponent_revealed_value: Any,
        pot_cards_df: pd.DataFrame,
        cards_i_won_df: pd.DataFrame,
        cards_opponent_won_df: pd.DataFrame,
    ):
        if outcome == "win":
            self.my_current_card_ids |= set(cards_i_won_df["id"])
        else:
            self.my_current_card_ids -= set(my_card_played_df["id"])
