"""Golden transcripts: games that are replayed in every test run, short enough to read."""
