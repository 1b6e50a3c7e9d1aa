"""From results to figures: intervals, Elo, sequential tests, cycles, the table of a tournament."""
