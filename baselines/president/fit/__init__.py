"""How President's planner is tuned."""
