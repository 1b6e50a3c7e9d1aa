"""A person at the console as a player of any game."""

import numpy as np

from ..envs.core.game import Game
from .policy import Policy


class EndOfInput(Exception):
    """The input at the console has ended, so the game stays unfinished."""


def human(game: Game) -> Policy:
    """You, at the console: list the legal actions by name, and ask until you type one."""

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        rows = zip(observations, action_masks, strict=True)
        return np.array([_ask(game, *row) for row in rows], dtype=np.int64)

    return Policy("human", game, choose)


def _ask(game: Game, observation: np.record, mask: np.ndarray) -> int:
    legal = [int(action) for action in np.flatnonzero(mask)]
    names = ", ".join(game.action_name(action) for action in legal)
    for field in game.observation_fields:
        if not field.hidden and not field.num_bits:
            print(f"{field.name:>16}: {observation[field.name]}")
    print(f"legal: {names}")
    while True:
        try:
            answer = input("your action: ").strip()
        except EOFError:
            raise EndOfInput("the input has ended") from None
        try:
            action = game.parse_action(answer)
        except ValueError as error:
            print(error)
            continue
        if action in legal:
            return action
        print(f"{answer} is not legal now; legal: {names}")
