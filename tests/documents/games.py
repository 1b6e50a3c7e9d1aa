"""What the README of a game says of settings, fields, actions and rules."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from docs.site.sources import CHECKOUT
from parlour.envs import GAMES, find_game
from parlour.envs.core.game import Game

from .tree import Tree, prose, spans


def readmes(tree: Tree) -> Iterator[tuple[str, Game, str]]:
    """The README of each game, with the game and the path."""
    for name in GAMES:
        path = f"envs/{name}/README.md"
        yield path, find_game(name), tree.text(path)


def rows_of(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table whose first column has this heading."""
    match = re.search(rf"^\| {heading} \|.*\n\|-.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    lines = match[1].splitlines() if match else []
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def wrong_settings(tree: Tree) -> Iterator[str]:
    """The settings of a game have their names, defaults and values."""
    for path, game, text in readmes(tree):
        rows = rows_of(text, "setting")
        if [row[0].strip("`") for row in rows] != list(game.config_dict()):
            yield f"{path}: the settings are {', '.join(game.config_dict())}"
            continue
        for name, values, *_ in rows:
            yield from (f"{path}: {name}: {why}" for why in _wrong_values(game, name[1:-1], values))


def _wrong_values(game: Game, name: str, cell: str) -> Iterator[str]:
    default = game.config_dict()[name]
    bold = [_value(value, game) for value in re.findall(r"\*\*(.*?)\*\*", cell)]
    if bold != [default]:
        yield f"the default is {default!r}"
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", cell).replace("**", "").replace("or ", "")
    listed = [part.strip() for part in plain.split(",")]
    allowed, ends = set(), []
    for part in (part for part in listed if part and not part.startswith(("a ", "an "))):
        low, dots, high = part.partition(" .. ")
        if dots:
            ends += [_value(low, game), _value(high, game)]
        allowed |= {_value(low, game), _value(high or low, game)}
    numbers = sorted(value for value in allowed if type(value) is int)
    outside = {numbers[0] - 1, numbers[-1] + 1} if numbers and "a seat" not in cell else set()
    if not ends:
        outside |= set(range(numbers[0], numbers[-1])) - allowed if numbers else set()
    yield from (f"{value!r} is refused" for value in allowed if not _accepts(game, name, value))
    yield from (f"{value!r} is allowed" for value in outside if _accepts(game, name, value))


def _value(text: str, game: Game) -> Any:
    text = text.strip("`* ")
    if text in game.config_dict():
        return game.config_dict()[text]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _accepts(game: Game, name: str, value: Any) -> bool:
    try:
        find_game(game.name, **{name: value})
    except (ValueError, TypeError):
        return False
    return True


def wrong_fields(tree: Tree) -> Iterator[str]:
    """The table of the observation is the one that the layout writes."""
    for path, game, text in readmes(tree):
        if game.layout.readme_table() not in text:
            yield f"{path} should have this table:\n{game.layout.readme_table()}"


def wrong_actions(tree: Tree) -> Iterator[str]:
    """Actions have the numbers that the table and the sentences say; none is left out."""
    for path, game, text in readmes(tree):
        game, start = find_game(game.name, **_LARGEST.get(game.name, {})), 0
        for cell, names, *_ in rows_of(text, "index"):
            span = re.fullmatch(r"(n \+ \d+|\d+)(?: - (n \+ \d+|\d+))?", cell)
            if span is None or not text.index(f"| {cell} |") < text.index("\n## Observation"):
                break
            low, high = (eval(part or span[1], {"n": game.num_seats}) for part in span.groups())
            if low != start:
                yield f"{path}: the actions of {names} begin at {start}"
            start = high + 1
            for name in spans(names):
                if not _is_pattern(game, name) and not low <= _number(game, name) <= high:
                    yield f"{path}: `{name}` is action {_number(game, name)}"
        if start and start != game.num_actions:
            yield f"{path}: there are {game.num_actions} actions"


_LARGEST: dict[str, dict[str, Any]] = {
    "notty": {"discard": "manual", "num_players": 4},
    "president": {"num_games": 2},
}


def _is_pattern(game: Game, name: str) -> bool:
    return _number(game, name) < 0 and bool(re.search("[A-Z]{2}", name))


def _number(game: Game, name: str) -> int:
    try:
        return game.parse_action(name)
    except ValueError:
        return -1


def wrong_rules(tree: Tree) -> Iterator[str]:
    """Rules are numbered without a gap; those that sentences and tests name are there."""
    for path, game, text in readmes(tree):
        rules = text.partition("\n## Rules\n")[2].partition("\n## ")[0]
        numbers = [int(number) for number in re.findall(r"^(\d+)\. ", rules, re.MULTILINE)]
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"{path}: the rules are numbered {numbers}"
        named = re.findall(r"(?<![\w.`)])\((\d+)(?: to \((\d+)\))?\)", prose(rules))
        named += re.findall(r"\((\d+)\) to \((\d+)\)", rules)
        named += re.findall(r"\b[Rr]ules? (\d+)(?:(?: to| and) (\d+))?", prose(text))
        for number in (int(each) for pair in named for each in pair if each):
            if number not in numbers:
                yield f"{path}: there is no rule {number}"
        test = f"tests/{game.name}/test_rules.py"
        code = tree.text(test) if (CHECKOUT / test).is_file() else ""
        tested = {int(number) for number in re.findall(r"def test_(\d+)_", code)}
        if tested and tested != set(numbers):
            yield f"{path}: tests name the rules {sorted(tested ^ set(numbers))} or leave them out"
