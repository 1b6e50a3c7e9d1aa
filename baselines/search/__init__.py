"""Searches that play any game: playouts, tree search, and the exact best response."""
