"""Learners: one algorithm a file, readable from top to bottom."""
