"""The public face: `load_game`, `GAMES`, and one name an environment, such as `president_v0`."""

from typing import TYPE_CHECKING, Any

from .registry import GAMES, load_game, pettingzoo_face, pettingzoo_names, register_game

if TYPE_CHECKING:
    from .core.checks.check_game import check_game

__all__ = ["GAMES", "check_game", "load_game", "register_game", *pettingzoo_names()]


def __getattr__(name: str) -> Any:
    """What is imported only when it is asked for, so that `import parlour` stays light.

    `president_v0` and its like have `env` and `raw_env`, as PettingZoo's own modules have.
    """
    if name == "check_game":
        from .core.checks.check_game import check_game

        return check_game
    if name in pettingzoo_names():
        return pettingzoo_face(name)
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}; "
        f"the environments are {', '.join(pettingzoo_names())}"
    )


def __dir__() -> list[str]:
    return sorted(__all__)
