"""Parlour: five parlour games as reinforcement-learning environments.

Environments: `gymnasium.make("parlour:President-v0")`, where you play one seat;
`gymnasium.make_vec`, with many tables, and all seats with `self_play=True`; and PettingZoo's
`parlour.envs.president_v0.env()`. `help(type(env.unwrapped))` explains each.

`dir(parlour)` lists what most programs need, and `help` explains each name with an example. More
is in `parlour.envs`, `parlour.policies`, `parlour.arena` and `parlour.training`. A name is
imported when it is first used: importing Parlour registers the environment ids and nothing else, no
torch, no pandas, no compilation. In a notebook it also shows wrapped environments, with the game so
far.
"""

from typing import TYPE_CHECKING, Any

from .envs.core.environments.notebook import show_wrapped
from .envs.core.words import did_you_mean
from .envs.registry import register_environments

__version__ = "0.1.0"

__all__ = [
    "Store",
    "__version__",
    "all_starts",
    "best_response",
    "check_game",
    "exploitability",
    "list_games",
    "list_policies",
    "load_game",
]
__all__ += ["make_policy", "play", "play_match", "play_tournament", "position_of"]
__all__ += ["register_game", "rng", "start", "transcript"]

if TYPE_CHECKING:
    from .baselines import list_policies, make_policy, play
    from .baselines.arena import Store, play_match, play_tournament
    from .baselines.players.exploitability import best_response, exploitability
    from .envs import (
        all_starts,
        check_game,
        list_games,
        load_game,
        position_of,
        register_game,
        start,
    )
    from .envs.core.played import transcript
    from .envs.core.rng import rng
else:
    _HOMES = {
        "baselines": ("list_policies", "make_policy", "play"),
        "baselines.arena": ("Store", "play_match", "play_tournament"),
        "baselines.players.exploitability": ("best_response", "exploitability"),
        "envs": (
            "all_starts",
            "check_game",
            "list_games",
            "load_game",
            "position_of",
            "register_game",
            "start",
        ),
        "envs.core.played": ("transcript",),
        "envs.core.rng": ("rng",),
    }

    def __getattr__(name: str) -> Any:
        """Import a name of the public face from its home, or a public module."""
        if name in ("arena", "policies", "training"):
            return __import__(f"{__name__}.{name}", fromlist=[name])
        for home, names in _HOMES.items():
            if name in names:
                return getattr(__import__(f"{__name__}.{home}", fromlist=[name]), name)
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}; "
            f"{did_you_mean(name, __all__)}it has {', '.join(__all__)}"
        )


def __dir__() -> list[str]:
    return sorted(__all__)


register_environments()
show_wrapped()
