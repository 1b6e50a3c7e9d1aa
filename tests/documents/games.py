"""What the README of a game says of settings, fields and rules."""

import re
from collections.abc import Iterator

from docs.site.sources import CHECKOUT
from parlour.envs import GAMES, find_game
from parlour.envs.core.game import Game

from .tree import Tree, prose


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
    """The settings of a game have their names."""
    for path, game, text in readmes(tree):
        if [row[0].strip("`") for row in rows_of(text, "setting")] != list(game.config_dict()):
            yield f"{path}: the settings are {', '.join(game.config_dict())}"


def wrong_fields(tree: Tree) -> Iterator[str]:
    """The table of the observation is the one that the layout writes."""
    for path, game, text in readmes(tree):
        if game.layout.readme_table() not in text:
            yield f"{path} should have this table:\n{game.layout.readme_table()}"


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
