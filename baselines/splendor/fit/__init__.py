"""How Splendor's planner is tuned."""
