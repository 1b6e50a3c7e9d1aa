"""The seat of a program at a table, and the tools that give it to agents."""
