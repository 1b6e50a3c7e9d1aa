"""Whether the settings of a game that are house rules change anything."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from ..game import Game
from .seeds import more_seeds
from .situation import Sample, Situation, play_on

_MOST = 4  # other values of a setting that are tried


def idle_settings(sample: Sample) -> tuple[str, ...]:
    """Return a sentence for each house rule with which every game goes as without it."""
    game = sample.game
    idle = []
    for setting in dataclasses.fields(game.config):
        others = [(value, other) for value, other in _others(game, setting)][:_MOST]
        if others and not any(_matters(sample, other) for _, other in others):
            values = ", ".join(f"{value!r}" for value, _ in others)
            idle.append(
                f"With these settings the house rule {setting.name} changes nothing: games with "
                f"{values} go as those with {getattr(game.config, setting.name)!r}."
            )
    return tuple(idle)


def _others(game: Game, setting: dataclasses.Field) -> Iterator[tuple[Any, Game]]:
    """Yield other values of a setting, with their games, where they change house rules alone."""
    now = getattr(game.config, setting.name)
    values = [*(setting.metadata.get("choices") or ()), *(setting.metadata.get("limits") or ())]
    values += [not now] if isinstance(now, bool) else []
    for value in values:
        try:
            other = game.make(**game.config_dict() | {setting.name: value})
        except (ValueError, TypeError):
            continue  # one that the other settings exclude
        is_alike = (other.state_dtype, other.num_actions) == (game.state_dtype, game.num_actions)
        if is_alike and _changed(game, other):
            yield value, other


def _changed(game: Game, other: Game) -> set[str]:
    names = set(game.house_rules) & set(other.house_rules)
    return {name for name in names if repr(game.house_rules[name]) != repr(other.house_rules[name])}


def _matters(sample: Sample, other: Game) -> bool:
    """Return whether a game of some seed goes otherwise with other house rules."""
    game, apart = sample.game, _changed(sample.game, other)
    for seed in more_seeds(sample):
        try:
            if _course(game, seed, apart, sample) != _course(other, seed, apart, sample):
                return True
        except Exception:  # whatever the other rules do, they do something
            return True
    return False


def _course(game: Game, seed: int, apart: set[str], sample: Sample) -> list[Any]:
    """Return the positions of a random game without some fields, what is legal, and the returns."""
    course: list[Any] = []
    for position in play_on(Situation.new(game, seed, sample.trial.max_plies).deal()).positions:
        states = position.states.copy()
        for name in apart:
            states[name] = 0
        legal = [] if position.is_over else position.legal()
        course.append((states.tobytes(), legal, position.returns().tolist()))
    return course
