"""Studies: commands that take long, with their recorded results beside them."""
