"""Matches and tournaments: who sits where, deals in batches, processes, the league."""
