"""What a policy is, its settings, and the list of players that a game's folder gives."""
