"""Everyone who plays President: `players.py` lists them, weakest first."""
