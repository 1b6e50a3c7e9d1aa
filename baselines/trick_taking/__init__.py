"""Everyone who plays trick-taking: `players.py` lists them, weakest first."""
