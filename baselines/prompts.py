"""What a language model reads: the instructions for a seat, and each of its positions in words.

The text comes from the game's page, its settings, its fields and its `describe`, so it cannot drift
from them. Recorded chats and the environments for language models show the same.
"""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..envs.core.game import Game, check_range
from ..envs.core.pages import page_section

MAX_JUDGE_SECONDS = 10.0
_ANSWER = "End your answer with the name of one action in tags, such as {answer}."


@dataclasses.dataclass(frozen=True)
class Style:
    """What models are shown, and what happens when they answer badly."""

    show_legal: bool = True  # name the legal actions in each position
    show_fields: bool = True  # add the observation, field by field, to the words
    max_illegal: int = 3  # illegal answers of a seat in one game; the last one forfeits it
    judge_seconds: float | None = None  # for the regret of each choice; None: no regret

    def __post_init__(self) -> None:
        check_range("max_illegal", self.max_illegal, 1, 1000)
        if self.judge_seconds is not None and not 0 <= self.judge_seconds <= MAX_JUDGE_SECONDS:
            limit = f"None or in 0 .. {MAX_JUDGE_SECONDS:g}"
            raise ValueError(f"judge_seconds must be {limit}; got {self.judge_seconds}")


def instructions(game: Game, seat: int, style: Style) -> str:
    """Return the instructions for a model: rules, settings, actions, fields, how to answer.

    A game without a page has no rules here, and all names of its actions.
    """
    names = ", ".join(map(game.action_name, range(game.num_actions)))
    parts = [
        f"You play {game.name} in seat {seat} of {game.num_seats}, seats 0 to {game.num_seats - 1}."
        " Your aim is the highest return at the end of the game.",
        page_section(game.name, "Rules"),
        "Actions:\n" + (page_section(game.name, "Actions") or names),
        "Settings:\n" + "\n".join(_settings(game)),
    ]
    if style.show_fields:
        parts.append("Each position comes with what you know, field by field. " + _fields(game))
    faults = f"After {style.max_illegal} illegal answers in a game you forfeit it, for a return of"
    parts.append(f"{how_to_answer(game, 0)} {faults} -1.")
    return "\n\n".join(parts)


def position_text(game: Game, state: Any, seat: int, style: Style) -> str:
    """Return the position as the seat to act may see it, and what it may do."""
    lines = [game.describe(state, seat)]
    if style.show_fields:
        lines.append(json.dumps(observed(game, state, seat), separators=(",", ":")))
    if style.show_legal:
        legal = map(game.action_name, game.legal_action_list(state))
        lines.append(f"Legal actions: {', '.join(legal)}")
    return "\n\n".join(lines)


def how_to_answer(game: Game, action: int | None) -> str:
    """Say how a model answers; the example names `action`, or none."""
    name = "NAME" if action is None else game.action_name(action)
    return _ANSWER.format(answer=answer(name))


def answer(name: str) -> str:
    """Return the answer that names an action."""
    return f"<action>{name}</action>"


def observed(game: Game, state: Any, seat: int) -> dict[str, Any]:
    """Return the observation of a seat by the names of its fields."""
    observation = game.new_observations()
    game.observe(state, seat, observation[0])
    return {
        field.name: _plain(observation[0][field.name], field.num_bits)
        for field in game.observation_fields
        if not field.hidden
    }


def _plain(value: np.ndarray, num_bits: int) -> Any:
    """Return a value as numbers and lists; of packed bits, the members of each set."""
    if num_bits == 0:
        return value.tolist()
    if np.ndim(value):
        return [_plain(each, num_bits) for each in value]
    return [bit for bit in range(num_bits) if int(value) >> bit & 1]


def _settings(game: Game) -> list[str]:
    fields: Sequence[Any] = dataclasses.fields(game.config)
    values = {field.name: str(getattr(game.config, field.name)) for field in fields}
    meanings = {field.name: field.metadata.get("meaning", "") for field in fields}
    shown = [name for name in values if "\n" not in values[name]]  # not the text of a whole file
    return [f"{name} = {values[name]}: {meanings[name]}" for name in shown]


def _fields(game: Game) -> str:
    """Return how lists are ordered, which the page says above its table, and each meaning."""
    meanings = [f"{field.name}: {field.meaning}" for field in game.observation_fields]
    order = page_section(game.name, "Observation").partition("\n|")[0].strip()
    return "\n".join([order, *meanings])
