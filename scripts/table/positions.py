"""Positions laid out by hand, piece by piece, for the editor of the page."""

from typing import Any

from ...envs import find_game
from ...envs.core.arranging import arranged
from ...envs.core.drawing.render import drawn, picture_svg
from ...envs.core.positions import position_data
from ...envs.core.rng import fresh_seed
from ...envs.core.words import with_names
from .protocol import sent_exactly
from .table import GameTable, new_setup, player_seat


def laid_out(data: dict[str, Any]) -> dict[str, Any]:
    """Return a position of the pieces in `piles`, with its picture and its piles.

    `data` is what a shared game is made of: `game`, `settings` and, where there are some, `deal`,
    `seed` and `actions`. Without `piles` the position after these is laid out; with {} the table is
    empty. `deal` of the answer opens a table; `problem` says why it cannot be played. Raises
    ValueError for pieces that cannot lie so.
    """
    game = find_game(data["game"], **data["settings"])
    seats = [player_seat("random")] * game.num_seats
    seed = data.get("seed", fresh_seed())
    setup = new_setup(game, data["settings"], seats, seed, deal=data.get("deal", {}))
    table = GameTable(setup, [game.parse_action(name) for name in data.get("actions", [])])
    seat = data.get("seat", max(0, table.seat_to_act))
    state, piles, problem = arranged(game, table.state, data.get("piles"), seat)
    names = [f"seat {each + 1}" for each in range(game.num_seats)]
    picture = drawn(game, state, None, bool(data.get("is_narrow")), is_live=False)
    return {
        "seed": sent_exactly(seed),
        "seat": seat,
        "num_seats": game.num_seats,
        "icons": game.icons,
        "svg": picture_svg(picture, names),
        "piles": {
            name: {**pile._asdict(), "label": with_names(pile.label, names)}
            for name, pile in piles.items()
        },
        "problem": with_names(problem, names),
        "deal": sent_exactly(position_data(game, state)),
    }
