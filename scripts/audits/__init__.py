"""Audits of other libraries' games: what a seat can learn that it must not."""
