"""What a type checker must refuse: the lines that end in `# refused`, and no others."""

# ruff: noqa
from parlour.baselines.arena import play_match
from parlour.envs import load_game, president_v0
from parlour.envs import nonsense_v0  # refused
from parlour import lod_game  # refused

game = load_game("president")
load_game("presidnt")  # refused
play_match(game, 3, "lowest")  # refused
play_match(["president"], "planner", "lowest")  # refused
play_match(game, "planner", "lowest").strength  # refused
president_v0.enw()  # refused
