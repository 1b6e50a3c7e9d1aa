"""Studies of Notty: commands whose results stand in the README of the game."""
