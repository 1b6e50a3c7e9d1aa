"""Everyone who plays Splendor: `players.py` lists them, weakest first."""
