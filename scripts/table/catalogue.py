"""What the page offers to choose from: games, their settings, and who can take a seat."""

import dataclasses
import inspect
import re
from typing import Any

from ...baselines.players.best import NAME as BEST
from ...baselines.players.making import players_of
from ...baselines.players.roster import Player, own_players
from ...envs import find_game
from ...envs.core.game import Game
from .protocol import title

_WORD = re.compile(r'"(\w+)"')


def game_choices(name: str, settings: dict[str, Any] | None) -> dict[str, Any]:
    """Return the settings, seats and players of a game with these settings.

    None stands for the settings that suit people: `FOR_PEOPLE` of the game's Config. Raises
    ValueError and TypeError where they are impossible.
    """
    if settings is None:
        settings = people_settings(name)
    game = find_game(name, **settings)
    players = _players(game)
    return {
        "name": name,
        "changed": settings,
        "rival": middling_player(game),
        "title": title(name),
        "summary": (inspect.getdoc(inspect.getmodule(game.make)) or title(name)).split("\n")[0],
        "settings": _settings(game),
        "num_seats": game.num_seats,
        "has_hidden": game.has_hidden,
        "players": players,
    }


def people_settings(name: str) -> dict[str, Any]:
    """Return the settings that people play a game with, where they differ from the defaults."""
    return dict(getattr(type(find_game(name).config), "FOR_PEOPLE", {}))


def chosen_settings(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return what suits people, except what was given; all defaults where the two do not fit."""
    both = {**people_settings(name), **given}
    try:
        find_game(name, **both)
    except ValueError:
        return given
    return both


def middling_player(game: Game) -> str:
    """Return an opponent for newcomers: the middle one of the game's own scripts."""
    scripts = [name for name, player in own_players(game).items() if player.row_function]
    return scripts[len(scripts) // 2] if scripts else next(iter(players_of(game)))


def _settings(game: Game) -> list[dict[str, Any]]:
    return [
        {
            "name": field.name,
            "default": None if field.default is dataclasses.MISSING else field.default,
            "value": getattr(game.config, field.name),
            "type": type(getattr(game.config, field.name)).__name__,
            "help": field.metadata.get("meaning", ""),
            "words": _WORD.findall(field.metadata.get("meaning", "")),
        }
        for field in dataclasses.fields(game.config)
    ]


def _players(game: Game) -> list[dict[str, Any]]:
    return [
        {"name": name, "summary": player.summary, "time": _time_setting(name, player)}
        for name, player in players_of(game).items()
    ]


def _time_setting(name: str, player: Player) -> str | None:
    """Return the name of the setting that limits a player's thinking time, or None."""
    if not player.is_timed:
        return None
    return "seconds" if name == BEST else "milliseconds"
