"""Running games: compiled loops over many tables, who sits at them, and one game in Python."""
