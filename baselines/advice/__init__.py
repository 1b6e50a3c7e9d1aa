"""Advice for people at the table: values of moves, hints, explanations, and words for results."""
