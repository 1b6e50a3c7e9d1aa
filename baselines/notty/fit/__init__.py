"""Programs that fill the tables of Notty's `finisher`."""
