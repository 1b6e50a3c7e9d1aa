"""Agents as the document of the original simulation describes them, for the tests of our base.

Written from the document alone. `Agent` is where its program has it: `from agents import Agent`.
"""

from typing import Any, List, Optional, Set  # noqa: UP035

import pandas as pd

from parlour.baselines.top_trumps.agents import Agent


class Counter(Agent):
    """Keeps the set of cards that the opponent may hold, and plays the likeliest field to win."""

    def __init__(
        self,
        my_initial_card_ids: Set[str],  # noqa: UP006
        full_game_deck_ref_df: Optional[pd.DataFrame],  # noqa: UP045
        draw_value: float = 0.5,
    ):
        super().__init__("Counter", my_initial_card_ids, full_game_deck_ref_df)
        self.draw_value = draw_value
        self.ref_deck = self._indexed_ref_df
        if self.ref_deck is None:
            self.ref_deck = self.full_game_deck_ref_df
        self.tracked = set(self.ref_deck.index) - self.my_current_card_ids
        assert self.strategy_name == "Counter"

    def choose_field(
        self,
        my_top_card_df: pd.DataFrame,
        opponent_hand_size: int,
        available_fields: List[str],  # noqa: UP006
    ) -> str:
        if not available_fields:
            return "Field0"
        others = self.ref_deck.loc[list(self.tracked)]
        assert set(others["id"]) == self.tracked  # the indexed deck has its ids as a column, too

        def score(field: str) -> float:
            mine = my_top_card_df[field].iloc[0]
            wins, draws = (others[field] < mine).mean(), (others[field] == mine).mean()
            return float(wins + self.draw_value * draws)

        return max(available_fields, key=score)

    def update_state(
        self,
        outcome: str,
        chosen_field: str,
        my_card_played_df: pd.DataFrame,
        opponent_actual_card_id: Optional[str],  # noqa: UP045
        opponent_revealed_value: Any,
        pot_cards_df: pd.DataFrame,
        cards_i_won_df: pd.DataFrame,
        cards_opponent_won_df: pd.DataFrame,
    ):
        super().update_state(
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
            self.tracked.discard(opponent_actual_card_id)
        if outcome == "loss" and not cards_opponent_won_df.empty:
            self.tracked.update(set(cards_opponent_won_df["id"]))
        self.tracked -= self.my_current_card_ids
