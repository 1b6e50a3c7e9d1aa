"""The console's screens in random games: lines, widths, and how often one is not enough."""

import random
from collections import Counter
from typing import Any

from parlour.baselines.advice.move_list import NOTE
from parlour.baselines.players import human
from parlour.envs import GAMES, find_game
from parlour.envs.core.catalogue import games_by_seats
from parlour.scripts.table.catalogue import chosen_settings
from parlour.scripts.table.table import HERE, GameTable, Occupant, Setup


def _tables() -> list[tuple[str, dict[str, Any]]]:
    """Every game with each number of seats, as a person gets it, and with exchanges of cards."""
    found: dict[Any, tuple[str, dict[str, Any]]] = {}
    for name in GAMES:
        found[find_game(name, **chosen_settings(name, {})).config] = name, chosen_settings(name, {})
        for game in games_by_seats(name):
            config = game.config_dict()
            settings = {key: config[key] for key in ("num_players",) if key in config}
            found.setdefault(game.config, (name, settings))
    return [*found.values(), ("president", {"num_games": 2, "economy": "swap_two"})]


TABLES = _tables()


def measure_screens(
    name: str, settings: dict[str, Any], num_positions: int, seed: int = 0
) -> dict[str, int]:
    """Play random games and look at the screen of the seat to act at every position.

    `split` counts positions that need more than one screen, `folded` those whose moves are not
    listed one by one. The prompt is one of the `lines`.
    """
    found: Counter[str] = Counter(positions=0, lines=0, width=0, moves=0, folded=0, split=0)
    chooser = random.Random(seed)
    while found["positions"] < num_positions:
        game = find_game(name, **settings)
        seats = (Occupant(HERE, "somebody"),) * game.num_seats
        table = GameTable(Setup(name, settings, seats, chooser.randrange(1 << 32)))
        while not table.is_over and found["positions"] < num_positions:
            first, *others = human.screens(table.game, table.state, table.seat_to_act, table.legal)
            found["positions"] += 1
            found["lines"] = max(found["lines"], 1 + len(first))
            found["width"] = max(found["width"], *map(len, first))
            found["moves"] = max(found["moves"], len(table.legal))
            found["folded"] += NOTE in first
            found["split"] += bool(others)
            table.act(chooser.choice(table.legal))
            table.plies.clear()  # they keep positions
    return dict(found)
