"""Studies of Notty: commands whose results are in the README of the game."""
