"""Everyone who plays Top Trumps: `players.py` lists them, weakest first."""
