"""President's planner: `python -m parlour.training.evolution president` tunes it."""

import numpy as np

from ....envs.registry import load_game
from ...players.tuned import Script, record_of
from ..players import plan

COST_BY_WEAKNESS = np.linspace(0.0, 2.0, 6)
START = {
    "cost_of_group": np.tile(COST_BY_WEAKNESS, (3, 1)),
    "answer": np.full(6, 0.5),
    "lead": np.zeros(6),
    "passing": np.full(3, -1.0),
    "card_led_in_danger": 0.5,
    "breaking_a_set": 1.0,
    "weak_groups": np.array([1.0, 1.0, 0.5]),
}
GAMES = [load_game("president", num_players=number) for number in (2, 4, 8)]
SCRIPT = Script("planner", GAMES, "set_keeper", plan, record_of, START)
