"""A game at the console: played by a person, or watched ply by ply."""
