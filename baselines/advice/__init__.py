"""What people are told about a position: values of moves, hints, explanations, words."""
