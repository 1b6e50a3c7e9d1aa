"""What every game is made with; knows no game by name."""
