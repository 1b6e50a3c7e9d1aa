"""A file of agents that imports nothing of ours: its base class is its own, with the interface."""


class Agent:
    def __init__(self, strategy_name, my_initial_card_ids, full_game_deck_ref_df):
        self.strategy_name = strategy_name
        self.my_current_card_ids = my_initial_card_ids.copy()
        self.deck = full_game_deck_ref_df.set_index("id")

    def choose_field(self, my_top_card_df, opponent_hand_size, available_fields):
        raise NotImplementedError

    def update_state(
        self,
        outcome,
        chosen_field,
        my_card_played_df,
        opponent_actual_card_id,
        opponent_revealed_value,
        pot_cards_df,
        cards_i_won_df,
        cards_opponent_won_df,
    ):
        if outcome != "win":
            self.my_current_card_ids -= set(my_card_played_df["id"])
        self.my_current_card_ids |= set(cards_i_won_df["id"])


class Highest(Agent):
    def __init__(self, my_initial_card_ids, full_game_deck_ref_df, start=0):
        super().__init__("highest", my_initial_card_ids, full_game_deck_ref_df)
        self.start = start

    def choose_field(self, my_top_card_df, opponent_hand_size, available_fields):
        assert my_top_card_df["id"].iloc[0] in self.my_current_card_ids
        return my_top_card_df[available_fields[self.start :]].iloc[0].astype(int).idxmax()


class Named(Agent):
    """Its constructor is the base's: it is given its name, too."""

    def choose_field(self, my_top_card_df, opponent_hand_size, available_fields):
        return available_fields[0]


class Deaf:
    def __init__(self, my_initial_card_ids, full_game_deck_ref_df):
        pass

    def choose_field(self, my_top_card_df, opponent_hand_size, available_fields):
        return available_fields[0]


class Homeless(Agent):
    def __init__(self, cards):
        pass
