# ruff: noqa
# mypy: ignore-errors
"""Two agents written by somebody who had read only the document of the original simulation.

Two things were changed afterwards: the base class came `from agents import Agent`, and the
values were scaled by scikit-learn, which is no dependency. The agents check all that they are
given, and raise where it contradicts the document.
"""

import random
from typing import Any, List, Optional, Set

import numpy as np
import pandas as pd
from parlour.baselines.top_trumps.agents import Agent


class WardenAgent(Agent):
    """Keep, for each place in the opponent's deck, the set of cards that may lie there."""

    def __init__(
        self,
        my_initial_card_ids: Set[str],
        full_game_deck_ref_df: Optional[pd.DataFrame],
        draw_worth: float = 0.5,
    ):
        super().__init__("Warden", my_initial_card_ids, full_game_deck_ref_df)
        self.draw_worth = draw_worth
        self.ref_deck = self._indexed_ref_df
        theirs = set(self.ref_deck.index) - self.my_current_card_ids
        self.places: List[Set[str]] = [set(theirs) for _ in theirs]

    def choose_field(
        self, my_top_card_df: pd.DataFrame, opponent_hand_size: int, available_fields: List[str]
    ) -> str:
        if opponent_hand_size != len(self.places):
            raise RuntimeError(f"opponent has {opponent_hand_size} cards, not {len(self.places)}")
        if my_top_card_df["id"].iloc[0] not in self.my_current_card_ids:
            raise RuntimeError("the top card is not one of this agent's cards")
        rivals = self.ref_deck.loc[sorted(self.places[0]), available_fields].to_numpy(dtype=float)
        mine = my_top_card_df[available_fields].to_numpy(dtype=float)
        worth = (mine > rivals).mean(axis=0) + self.draw_worth * (mine == rivals).mean(axis=0)
        return available_fields[int(np.argmax(worth))]

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
        top = self.places.pop(0)
        if outcome == "loss":
            values = self.ref_deck[chosen_field]
            top = {card for card in top if values[card] == opponent_revealed_value}
            self.places.append(top)
            self.places.extend({card} for card in cards_opponent_won_df["id"])
        else:
            if opponent_actual_card_id not in top:
                raise RuntimeError(f"{opponent_actual_card_id} was thought impossible")
            for place in self.places:
                place.discard(opponent_actual_card_id)
        self._settle()

    def _settle(self):
        """A card whose place is known lies nowhere else."""
        known: Set[str] = set()
        while True:
            single = {next(iter(place)) for place in self.places if len(place) == 1} - known
            if not single:
                break
            known |= single
            for place in self.places:
                if len(place) > 1:
                    place -= single
        if not all(self.places):
            raise RuntimeError("a place in the opponent's deck has no possible card")


class AssayerAgent(Agent):
    """Weigh fields by the cards the opponent holds in any order; settle ties by the z-score."""

    def __init__(
        self, my_initial_card_ids: Set[str], full_game_deck_ref_df: Optional[pd.DataFrame]
    ):
        super().__init__(
            strategy_name="Assayer",
            my_initial_card_ids=my_initial_card_ids,
            full_game_deck_ref_df=full_game_deck_ref_df,
        )
        if self.full_game_deck_ref_df is None:
            raise ValueError(f"{self.strategy_name} requires full_game_deck_ref_df")
        deck = self.full_game_deck_ref_df
        self.field_names = [column for column in deck.columns if column != "id"]
        stats = deck[self.field_names].to_numpy(dtype=float)
        self.mean, self.deviation = stats.mean(axis=0), stats.std(axis=0)
        self.values = deck.set_index("id")[self.field_names]
        self.rivals = set(deck["id"]) - set(my_initial_card_ids)
        self.pot: Set[str] = set()

    def choose_field(
        self, my_top_card_df: pd.DataFrame, opponent_hand_size: int, available_fields: List[str]
    ) -> str:
        if not available_fields:
            return "Field0"
        if sorted(available_fields) != sorted(self.field_names):
            raise RuntimeError(f"{available_fields} are not the deck's fields {self.field_names}")
        if opponent_hand_size != len(self.rivals):
            raise RuntimeError(f"opponent has {opponent_hand_size} cards, not {len(self.rivals)}")
        card = my_top_card_df.iloc[0]
        stats = my_top_card_df[self.field_names].to_numpy(dtype=float)[0]
        scores = (stats - self.mean) / self.deviation
        z_scores = dict(zip(self.field_names, scores))
        rivals = self.values.loc[list(self.rivals)]
        best, best_rank = random.choice(available_fields), (-1.0, 0.0)
        for field in available_fields:
            rank = (float((rivals[field] < card[field]).mean()), float(z_scores[field]))
            if rank > best_rank:
                best, best_rank = field, rank
        return best

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
        super().update_state(
            outcome=outcome,
            chosen_field=chosen_field,
            my_card_played_df=my_card_played_df,
            opponent_actual_card_id=opponent_actual_card_id,
            opponent_revealed_value=opponent_revealed_value,
            pot_cards_df=pot_cards_df,
            cards_i_won_df=cards_i_won_df,
            cards_opponent_won_df=cards_opponent_won_df,
        )
        if outcome == "win":
            if not cards_opponent_won_df.empty or not pot_cards_df.empty:
                raise RuntimeError("a win gives the opponent nothing and puts nothing in the pot")
            self.rivals -= set(cards_i_won_df["id"])
            self.pot.clear()
        elif outcome == "loss":
            if opponent_actual_card_id is not None or not cards_i_won_df.empty:
                raise RuntimeError("a loss shows no card and wins none")
            self.rivals |= set(cards_opponent_won_df["id"])
            self.pot.clear()
        elif outcome == "draw":
            shown = self.values.loc[opponent_actual_card_id, chosen_field]
            if shown != opponent_revealed_value:
                raise RuntimeError(f"{shown} is not the announced {opponent_revealed_value}")
            self.rivals.discard(opponent_actual_card_id)
            self.pot |= set(pot_cards_df["id"])
        else:
            raise ValueError(f"outcome must be 'win', 'loss' or 'draw', not {outcome!r}")
        mine = set(self.full_game_deck_ref_df["id"]) - self.rivals - self.pot
        if mine != self.my_current_card_ids:
            raise RuntimeError("the base class and this agent disagree on this agent's cards")
