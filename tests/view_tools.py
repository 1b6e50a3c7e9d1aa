"""What the tests of the views share: configurations of each game, and how to play them."""

from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES, registry

LONG: dict[str, list[dict[str, Any]]] = {  # the others, in `make test-long`
    "president": [
        {"num_players": 2, "passing": "out"},
        {"num_players": 8, "passing": "free"},
        {"num_games": 2, "economy": "swap_two", "passing": "out"},
        {"num_players": 5, "num_games": 2, "economy": "swap_two", "passing": "out"},
    ]
}

# Games short enough to be played to the end many times in tests of the views.
SHORT: dict[str, dict[str, Any]] = {
    "top_trumps": {"num_cards": 8, "num_fields": 3},
    "notty": {"initial_hand": 2, "turn_limit": 20},
    "splendor": {"target": 3},
}


def short(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """These settings of a game, and otherwise those of its short games."""
    return {**SHORT.get(name, {}), **settings}


def configs() -> list[Any]:
    """Every game with its configurations; a new game at least as it comes."""
    return [
        *(pytest.param(name, SHORT.get(name, {})) for name in GAMES),
        *(
            pytest.param(name, config, marks=pytest.mark.long)
            for name, others in LONG.items()
            for config in others
        ),
    ]


def case_name(value: Any) -> str:
    """A short name of a test's parameter."""
    if isinstance(value, dict):
        return "-".join(f"{key}={item}" for key, item in value.items()) or "default"
    return getattr(value, "__name__", str(value))


def raw_env(name: str, **settings: Any) -> Any:
    """The plain AEC environment of a game."""
    return registry.make_raw_aec(name, **short(name, settings))


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    """A legal action."""
    return int(rng.choice(np.flatnonzero(mask)))


def first_legal(info: dict[str, Any]) -> Any:
    """The first legal action, or that of each table."""
    return info["action_mask"].argmax(axis=-1)


def last_legal(observations: Any, masks: np.ndarray, rngs: Any) -> np.ndarray:
    """A player of the last legal actions, which is not compiled."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def an_illegal_action(mask: np.ndarray) -> int:
    """The first illegal action; skips the test of a game that begins without any."""
    if mask.all():
        pytest.skip("every action is legal at the start of this game")
    return int(np.flatnonzero(mask == 0)[0])


def is_all_legal(env: Any) -> bool:
    """Whether every action was legal throughout a random game of an AEC environment."""
    return all(mask.all() for _, _, mask, _ in play_raw(env, 0, np.random.default_rng(0)))


def state_bytes(env: Any) -> bytes:
    """The position of a raw AEC environment."""
    return env._tables.states[0].tobytes()


def play_raw(env: Any, seed: int | None, rng: np.random.Generator) -> list[tuple[Any, ...]]:
    """Play a game: (agent, observation, mask, action) of each ply."""
    env.reset(seed=seed)
    plies = []
    while not env.terminations[env.agent_selection]:
        view = env.last()[0]
        action = choose(view["action_mask"], rng)
        plies.append((env.agent_selection, view["observation"], view["action_mask"], action))
        env.step(action)
    return plies
