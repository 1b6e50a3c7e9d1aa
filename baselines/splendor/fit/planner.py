"""Splendor's planner: `python -m parlour.training.evolution splendor` tunes it."""

from ....envs.registry import load_game
from ...players.tuned import Script
from ..players import plan, planner_record

START = {
    "card_early": 2.0,
    "card_late": 1.0,
    "point_early": 1.0,
    "point_late": 4.0,
    "need_of_noble": 1.0,
    "nearness_of_one": 0.75,
    "weight_of_next": 0.5,
    "owning": 1.5,
    "weight_of_reserved": 0.8,
    "cost_of_reserving": 1.5,
    "yellow_gem": 0.3,
    "coloured_gem": 0.15,
}
GAMES = [load_game("splendor", num_players=2)]
SCRIPT = Script("planner", GAMES, "greedy", plan, planner_record, START)
