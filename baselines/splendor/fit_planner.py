"""Tune the weights of Splendor's planner: `python -m parlour.baselines.splendor.fit_planner`."""

from ...envs.registry import load_game
from ..evolution import Script, main
from .players import plan, planner_record

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

if __name__ == "__main__":
    games = [load_game("splendor", num_players=2)]
    main(Script("planner", games, "greedy", plan, planner_record, START), __doc__)
