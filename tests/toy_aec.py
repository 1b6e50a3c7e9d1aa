"""The toy game as a PettingZoo environment of its own, sharing nothing with Parlour's views.

For trying the checks of environments on somebody else's environment; mutants override one method.
"""

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import seeding
from pettingzoo import AECEnv

NUM_CARDS = 10
NUM_SEATS = 2
AGENTS = ("player_0", "player_1")


class ToyEnv(AECEnv):
    """Two cards each; each seat plays one, one is drawn, each plays the other; see the toy game."""

    metadata = {"name": "toy", "render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.render_mode = "ansi"
        self.possible_agents = list(AGENTS)
        self._rng: np.random.Generator | None = None
        box = Box(-1, NUM_CARDS, (NUM_CARDS + 1 + 2 * NUM_SEATS,), np.int8)
        mask = Box(0, 1, (NUM_CARDS,), np.int8)
        self._spaces = {agent: Dict({"observation": box, "action_mask": mask}) for agent in AGENTS}
        self._actions = {agent: Discrete(NUM_CARDS) for agent in AGENTS}

    def observation_space(self, agent: str) -> Dict:
        """The same for both."""
        return self._spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """A card."""
        return self._actions[agent]

    def seed_generator(self, seed: int | None) -> None:
        """A seed starts the stream anew; without one it goes on."""
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)

    def deal(self) -> list[list[int]]:
        """Two cards each."""
        assert self._rng is not None
        cards = self._rng.permutation(NUM_CARDS)[: 2 * NUM_SEATS].tolist()
        return [cards[:2], cards[2:]]

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Deal, or lay out `options["deal"]`."""
        self.seed_generator(seed)
        dealt = self.deal()
        self.hands = (options or {}).get("deal", {"hands": dealt})["hands"]
        self.hands = [list(hand) for hand in self.hands]
        self.plays: list[list[int]] = [[], []]
        self.drawn = -1
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[0]

    def mask(self, seat: int) -> np.ndarray:
        """The seat's own cards, for the seat to act."""
        mask = np.zeros(NUM_CARDS, np.int8)
        if AGENTS[seat] == self.agent_selection and not self.terminations.get(AGENTS[seat], True):
            mask[self.hands[seat]] = 1
        return mask

    def vector(self, seat: int) -> np.ndarray:
        """Own cards, the drawn card, all plays."""
        own = [int(card in self.hands[seat]) for card in range(NUM_CARDS)]
        plays = [card for one in self.plays for card in [*one, -1, -1][:2]]
        return np.array([*own, self.drawn, *plays], np.int8)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Vector and mask."""
        seat = AGENTS.index(agent)
        return {"observation": self.vector(seat), "action_mask": self.mask(seat)}

    def is_legal(self, seat: int, card: int) -> bool:
        """A card of the seat's own hand."""
        return card in self.hands[seat]

    def step(self, action: int | None) -> None:
        """Play a card."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        seat = AGENTS.index(self.agent_selection)
        if not self.is_legal(seat, int(action or 0)):
            raise ValueError(f"card {action} is not in the hand")
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        self.play(seat, int(action or 0))
        self.agent_selection = AGENTS[1 - seat]
        self._accumulate_rewards()

    def play(self, seat: int, card: int) -> None:
        """The card leaves the hand; a card is drawn after the first ones."""
        assert self._rng is not None
        self.plays[seat].append(card)
        if card in self.hands[seat]:
            self.hands[seat].remove(card)
        if [len(one) for one in self.plays] == [1, 1]:
            used = {*self.hands[0], *self.hands[1], self.plays[0][0], self.plays[1][0]}
            self.drawn = int(self._rng.choice([c for c in range(NUM_CARDS) if c not in used]))
        if self.is_over():
            self.terminations = dict.fromkeys(AGENTS, True)
            self.pay(self.winner())

    def is_over(self) -> bool:
        """All cards are played."""
        return sum(map(len, self.plays)) == 4

    def winner(self) -> int:
        """The highest second card wins, the lowest if the drawn card is odd."""
        first_is_higher = self.plays[0][-1] > self.plays[1][-1]
        return int(first_is_higher == (self.drawn % 2 == 1))

    def pay(self, winner: int) -> None:
        """+1 and -1."""
        self.rewards[AGENTS[winner]] = 1.0
        self.rewards[AGENTS[1 - winner]] = -1.0

    def render(self) -> str:
        """The plays so far."""
        return str(self.plays)
