"""What the page offers to choose from: games, their settings, and who can take a seat."""

import dataclasses
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from ...baselines.arena.results.league_pages import shipped_ladder
from ...baselines.players.best import NAME as BEST
from ...baselines.players.making import players_of, resolved
from ...baselines.policies.roster import own_players
from ...envs import find_game
from ...envs.core.drawing.render import drawn, picture_svg
from ...envs.core.game import Game
from ...envs.core.pages import rules_of
from ...envs.core.play.one_game import start
from ...envs.core.words import YOU, count_noun, in_words
from ..words import seat_label, seat_names, summary_label
from .table import HERE, Occupant, player_seat

PICTURED_DEAL = 7


def game_choices(name: str, settings: dict[str, Any] | None) -> dict[str, Any]:
    """Return the settings, seats and players of a game with these settings.

    None stands for the settings that suit people: `FOR_PEOPLE` of the game's Config. Raises
    ValueError and TypeError where they are impossible.
    """
    if settings is None:
        settings = people_settings(name)
    game = find_game(name, **settings)
    return {
        "name": name,
        "changed": settings,
        "rival": middling_player(game),
        "settings": _settings(game),
        "num_seats": game.num_seats,
        "can_arrange": game.arrange is not None,
        "players": _players(game),
    }


def people_settings(name: str) -> dict[str, Any]:
    """Return the settings that people play a game with, where they differ from the defaults."""
    return dict(getattr(type(find_game(name).config), "FOR_PEOPLE", {}))


def chosen_settings(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return what suits people, except what was given; all defaults where the two do not fit."""
    both = {**people_settings(name), **settings}
    try:
        find_game(name, **both)
    except ValueError:
        return settings
    return both


def middling_player(game: Game) -> str:
    """Return an opponent for newcomers: of the game's own scripts the middle one as rated."""
    scripts = [name for name, player in own_players(game).items() if player.row_function]
    rated = shipped_ladder(game)
    scripts.sort(key=lambda name: rated.index(name) if name in rated else len(rated))
    return scripts[len(scripts) // 2] if scripts else next(iter(players_of(game)))


def _settings(game: Game) -> list[dict[str, Any]]:
    return [
        {
            "name": field.name,
            "value": getattr(game.config, field.name),
            "type": type(getattr(game.config, field.name)).__name__,
            "label": field.metadata.get("label") or in_words(field.name),
            "unit": field.metadata.get("unit", ""),
            "limits": field.metadata.get("limits"),
            "choices": _choices(field.metadata.get("choices") or (), game.num_seats),
        }
        for field in dataclasses.fields(game.config)
    ]


def _choices(values: Mapping[Any, str] | Collection[Any], num_seats: int) -> list[tuple[Any, str]]:
    """Return values and their labels, without seats that the game does not have."""
    labels = values if isinstance(values, Mapping) else {each: str(each) for each in values}
    seats = {value for value, label in labels.items() if label.startswith("seat ")}
    return [(value, labels[value]) for value in labels if value not in seats or value < num_seats]


def tile(name: str) -> dict[str, Any]:
    """Return what the first page shows of a game: a picture, facts, and an opponent for newcomers.

    The picture is of a deal that is always the same, seen from the first seat.
    """
    game = find_game(name, **people_settings(name))
    rival = next(each for each in _players(game) if each["name"] == middling_player(game))
    try:
        facts = rules_of(name)["facts"]
    except ValueError:
        facts = count_noun(game.num_seats, "player")
    return {
        "name": name,
        "facts": facts,
        "svg": start_picture(name),
        "rival": rival["label"],
        "code": rival["name"],
        "level": rival["level"],
    }


@cache
def start_picture(name: str) -> str:
    """Return a deal that is always the same as the first seat sees it."""
    game = find_game(name, **people_settings(name))
    picture = drawn(game, start(game, PICTURED_DEAL).state, 0, is_live=False)
    rivals = [player_seat(middling_player(game))] * (game.num_seats - 1)
    return picture_svg(picture, seat_names([Occupant(HERE, YOU), *rivals], 0))


def rules_shown(name: str) -> dict[str, Any]:
    """Return how to play a game, with a picture of its start. Raises ValueError; see `rules_of`."""
    return {**rules_of(name), "svg": start_picture(name)}


def _players(game: Game) -> list[dict[str, Any]]:
    players = players_of(game)
    ranks = levels(game)
    return [
        {
            "name": name,
            "label": seat_label(name),
            "level": ranks.get(name, ""),
            "summary": summary_label(player.summary, players),
            "is_timed": player.is_timed,  # by its setting `milliseconds`
        }
        for name in [*ranks, *(name for name in players if name not in ranks)]
        for player in [players[name]]
    ]


def levels(game: Game) -> dict[str, str]:
    """Return the level of each rated player of a game, weakest first: {"lowest": "Level 4 of 9"}.

    `best` has that of the player it stands for; who is not in the shipped league has none.
    """
    players = players_of(game)
    rated = [name for name in shipped_ladder(game) if name in players]
    ranks = {name: f"Level {rank} of {len(rated)}" for rank, name in enumerate(rated, start=1)}
    champion = str(resolved(BEST, game)).partition(":")[0]
    return {**ranks, BEST: ranks[champion]} if champion in ranks else ranks
