"""Hints for people who play Splendor: a search guided by the trained network values the moves."""

ADVISER = "guided"
