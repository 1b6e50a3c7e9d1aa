"""A game at the console: played, and how it ended."""
