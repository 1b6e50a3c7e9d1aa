"""The public face: `load_game`, `GAMES`, and one name an environment, such as `president_v0`."""

from types import SimpleNamespace

from .registry import GAMES, load_game, pettingzoo_face, pettingzoo_names

__all__ = ["GAMES", "load_game", *pettingzoo_names()]


def __getattr__(name: str) -> SimpleNamespace:
    """`president_v0` and its like, with `env` and `raw_env`, as PettingZoo's own modules have."""
    if name in pettingzoo_names():
        return pettingzoo_face(name)
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}; "
        f"the environments are {', '.join(pettingzoo_names())}"
    )


def __dir__() -> list[str]:
    return sorted(__all__)
