"""Agents that play Top Trumps with pandas frames and string ids, and their adapter.

An agent chooses a field by name when it starts a trick, and is called after every trick.
`create_agent` returns our own players in the same form.
"""

import abc
import inspect
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import pandas as pd

from ...envs.core.bits import allowed_list
from ...envs.core.game import Game
from ...envs.core.play.legal import PlayerError
from ...envs.core.play.tables import Tables
from ...envs.core.rng import fresh_seed, streams
from ...envs.registry import load_game
from ...envs.top_trumps.cards import ID, RANDOM, read_deck
from ...envs.top_trumps.rules import DRAWN
from ...envs.top_trumps.text import id_of_number
from ..players.making import make_policy

GAME: Final = "top_trumps"
WIN, LOSS, DRAW = "win", "loss", "draw"
_INTERFACE = ("choose_field", "update_state")  # what an agent has, wherever its base comes from
_OUTCOMES = {0: WIN, 1: LOSS, DRAWN: DRAW}  # by the `last_winner` of an observation


class Agent(abc.ABC):
    """The base class of agents: it keeps track of its cards and leaves the choice to you.

    `full_game_deck_ref_df` has all cards of the game, `_indexed_ref_df` the same by id, and
    `field_colnames` the names of its fields. Without a deck they are None, None and empty.
    """

    def __init__(
        self,
        strategy_name: str,
        my_initial_card_ids: Iterable[str],
        full_game_deck_ref_df: pd.DataFrame | None = None,
    ) -> None:
        self.strategy_name = strategy_name
        self.my_current_card_ids = set(my_initial_card_ids)
        self.full_game_deck_ref_df: pd.DataFrame | None = None
        self._indexed_ref_df: pd.DataFrame | None = None
        self.field_colnames: list[str] = []
        if full_game_deck_ref_df is not None:
            self.full_game_deck_ref_df = full_game_deck_ref_df.copy()
            self._validate_and_index_ref_deck()

    def _validate_and_index_ref_deck(self) -> None:
        """Look the deck over and index it. Raises ValueError without ids or without fields."""
        deck = self.full_game_deck_ref_df
        assert deck is not None
        if ID not in deck.columns or len(deck.columns) < 2:
            raise ValueError(f"a deck has a column {ID!r} and one for each field")
        self.field_colnames = [name for name in deck.columns if name != ID]
        self._indexed_ref_df = deck.set_index(ID, drop=False)

    @abc.abstractmethod
    def choose_field(
        self, my_top_card_df: pd.DataFrame, opponent_hand_size: int, available_fields: list[str]
    ) -> str:
        """Return one of `available_fields`; called only when the agent starts the trick.

        `my_top_card_df` has one row.
        """

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
        """Update after every trick; an override calls this first, so that its cards stay correct.

        `outcome` is "win", "loss" or "draw"; `my_card_played_df` has one row;
        `opponent_actual_card_id` is None on a loss; `pot_cards_df` has the two cards of a draw;
        `cards_i_won_df` has the opponent's card and then the draw pile, but not the agent's card;
        `cards_opponent_won_df` has the agent's card and then the pile. Frames that do not apply are
        empty.
        """
        if outcome == WIN:  # the card played goes back under the agent's deck
            self.my_current_card_ids |= set(cards_i_won_df[ID])
        else:
            self.my_current_card_ids -= set(my_card_played_df[ID])


# At our table


def take_seat(agent_class: type, **settings: Any) -> "AgentAtTable":
    """Return a player for our tables that plays as an agent of this class with these settings.

    The class need not inherit from ours, but it must have its interface. Raises a TypeError that
    says what is missing.
    """
    name = agent_class.__name__
    missing = [part for part in _INTERFACE if not callable(getattr(agent_class, part, None))]
    if missing:
        raise TypeError(f"{name} is an agent without {', '.join(missing)}")
    signature = inspect.signature(agent_class)
    named = signature.parameters.get("strategy_name")
    if named is not None and named.default is named.empty:
        settings = {"strategy_name": name, **settings}
    try:
        signature.bind(my_initial_card_ids=set(), full_game_deck_ref_df=None, **settings)
    except TypeError as error:
        raise TypeError(
            f"{name} cannot be made from my_initial_card_ids and full_game_deck_ref_df"
            f"{''.join(f', {key}' for key in settings)}: {error}"
        ) from error
    return AgentAtTable(agent_class, settings)


def is_own_form(players_class: type) -> bool:
    """Whether this is a class of agents, which `take_seat` is for."""
    return hasattr(players_class, _INTERFACE[0])


class AgentAtTable:
    """Translate observations into frames and a field into an action, for one agent in one game."""

    def __init__(self, agent_class: type[Any], settings: dict[str, Any]) -> None:
        self._class = agent_class
        self._settings = settings
        self._agent: Any = None
        self._num_tricks = 0
        self._pile: list[int] = []  # the draw pile before the next trick

    def begin(self, seat: int, game: Game) -> None:
        """Prepare for a game. Raises PlayerError for a game other than Top Trumps."""
        if game.name != GAME:
            raise PlayerError(f"{self._class.__name__} plays {GAME}, not {game.name}")
        self._game = game
        self._fields = [game.action_name(action) for action in range(game.num_actions)]

    def watch(self, observation: Any) -> None:
        """Make the agent at the start, and update it after each trick."""
        num_tricks = int(observation["num_tricks"])
        if self._agent is None:
            if num_tricks:
                raise PlayerError(f"{self._class.__name__} must play from the first trick on")
            self._deck = deck_frame(self._game, observation)
            own = [self._deck[ID].iloc[card] for card in allowed_list(observation["own_cards"])]
            self._agent = self._class(
                my_initial_card_ids=set(own),
                full_game_deck_ref_df=self._deck.copy(),
                **self._settings,
            )
        elif num_tricks > self._num_tricks:
            self._agent.update_state(**self._news(observation))
        self._num_tricks = num_tricks
        self._pile = observation["pile"][: observation["pile_size"]].tolist()

    def choose(self, observation: Any, action_mask: np.ndarray, rng: np.ndarray) -> int:
        """The field that the agent chooses. Raises PlayerError if there is no such field."""
        assert self._agent is not None
        field = self._agent.choose_field(
            my_top_card_df=self._rows([int(observation["top"])]),
            opponent_hand_size=int(observation["deck_sizes"][1]),
            available_fields=list(self._fields),
        )
        if field not in self._fields:
            raise PlayerError(
                f"{self._class.__name__} chose {field!r}; the fields are {', '.join(self._fields)}"
            )
        return self._fields.index(field)

    def _news(self, observation: Any) -> dict[str, Any]:
        """Return the arguments of `update_state` after a trick."""
        outcome = _OUTCOMES[int(observation["last_winner"])]
        mine, other = observation["last_cards"].tolist()
        is_starter = observation["last_starter"] == 0
        drawn = [other, mine] if is_starter else [mine, other]
        return {
            "outcome": outcome,
            "chosen_field": self._fields[observation["last_field"]],
            "my_card_played_df": self._rows([mine]),
            "opponent_actual_card_id": None if outcome == LOSS else self._deck[ID].iloc[other],
            "opponent_revealed_value": int(observation["last_values"][1]),
            "pot_cards_df": self._rows(drawn if outcome == DRAW else []),
            "cards_i_won_df": self._rows([other, *self._pile] if outcome == WIN else []),
            "cards_opponent_won_df": self._rows([mine, *self._pile] if outcome == LOSS else []),
        }

    def _rows(self, cards: list[int]) -> pd.DataFrame:
        return self._deck.iloc[cards].reset_index(drop=True)


def deck_frame(game: Game, observation: Any) -> pd.DataFrame:
    """The deck in a position or observation as a frame: `id` and an Int64 column per field."""
    numbers = observation["ids"].tolist()
    if game.config.deck == RANDOM:
        ids = [id_of_number(number) for number in numbers]
    else:
        ids = [read_deck(game.config.deck).ids[number] for number in numbers]
    fields = [game.action_name(action) for action in range(game.num_actions)]
    values = pd.DataFrame(observation["values"], columns=fields).astype("Int64")
    values.insert(0, ID, ids)
    return values


# Our players as agents


def create_agent(
    strategy_name: str,
    my_initial_card_ids: Iterable[str],
    full_game_deck_ref_df: pd.DataFrame,
    **settings: Any,
) -> Agent:
    """Return one of our players as an agent, by name (`"goliath"`, `"EXPert"`) and settings.

    Raises ValueError for an unknown name or an invalid deck, and TypeError for a setting that the
    player does not have.
    """
    return OurAgent(strategy_name, my_initial_card_ids, full_game_deck_ref_df, **settings)


class OurAgent(Agent):
    """One of our players as an agent: it replays each trick on a table of its own.

    Cards that it cannot know lie there in an arbitrary order, on which its deductions do not
    depend.
    """

    def __init__(
        self,
        strategy_name: str,
        my_initial_card_ids: Iterable[str],
        full_game_deck_ref_df: pd.DataFrame,
        **settings: Any,
    ) -> None:
        super().__init__(strategy_name, my_initial_card_ids, full_game_deck_ref_df)
        game = load_game(GAME, deck=full_game_deck_ref_df)
        self._policy = make_policy(strategy_name, game, **settings)
        if self._policy.needs_positions or self._policy.remember:
            raise ValueError(
                f"{strategy_name} searches or remembers: it can only play at our own tables"
            )
        self._cards = {name: card for card, name in enumerate(full_game_deck_ref_df[ID])}
        mine = [self._cards[name] for name in sorted(self.my_current_card_ids)]
        others = [card for card in self._cards.values() if card not in mine]
        self._seat = 0 if len(mine) >= len(others) else 1
        hands = [mine, others] if self._seat == 0 else [others, mine]
        self._rng = streams([fresh_seed()])
        self._tables = Tables(game, self._rng.copy())
        self._tables.deal_from(0, {"hands": hands, "starter": 1 - self._seat})

    def choose_field(
        self, my_top_card_df: pd.DataFrame, opponent_hand_size: int, available_fields: list[str]
    ) -> str:
        """The choice of the player at its own table."""
        self._tables.states["starter"] = self._seat
        self._put(self._seat, 0, self._cards[my_top_card_df[ID].iloc[0]])
        mask = np.ones(len(self.field_colnames), np.int8)
        return self.field_colnames[self._policy.act(self._observe(), mask, rng=self._rng)]

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
        """Play the same trick on its own table."""
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
        field = self.field_colnames.index(chosen_field)
        if opponent_actual_card_id is None:
            other = self._possible_top(field, int(opponent_revealed_value))
        else:
            other = self._cards[opponent_actual_card_id]
        self._put(self._seat, 0, self._cards[my_card_played_df[ID].iloc[0]])
        self._put(1 - self._seat, 0, other)
        self._tables.apply(self._tables.all_rows, np.array([field]))
        self._put_known_cards()

    def _observe(self) -> np.record:
        return self._tables.observe(self._tables.all_rows, np.array([self._seat]))[0]

    def _put(self, seat: int, depth: int, card: int) -> None:
        """Swap a card into the place where it is now known to lie."""
        state = self._tables.states[0]
        deck, size = state["decks"][seat], int(state["deck_sizes"][seat])
        places = [(int(state["heads"][seat]) + down) % len(deck) for down in range(size)]
        place = next(place for place in places if deck[place] == card)
        deck[place], deck[places[depth]] = deck[places[depth]], deck[place]

    def _put_known_cards(self) -> None:
        observation = self._observe()
        for depth in range(observation["deck_sizes"][1]):
            possible = allowed_list(observation["opponent_slots"][depth])
            if len(possible) == 1:
                self._put(1 - self._seat, depth, possible[0])

    def _possible_top(self, field: int, value: int) -> int:
        """A possible top card of the opponent with this value in the field."""
        observation = self._observe()
        possible = allowed_list(observation["opponent_top"])
        return next(card for card in possible if observation["values"][card, field] == value)
