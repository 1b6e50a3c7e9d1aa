"""Everyone who plays Notty: `players.py` lists them, weakest first."""
