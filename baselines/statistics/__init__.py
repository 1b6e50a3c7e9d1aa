"""Estimates with intervals, and the words for results."""
