"""The checks that `check_game` makes of a game or an environment, ours or not."""
