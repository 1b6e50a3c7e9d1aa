"""Exact players, where a game can be solved."""
