"""What `check_game` looks for in a game or an environment, ours or anybody's."""
