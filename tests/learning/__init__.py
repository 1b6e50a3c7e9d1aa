"""How strong learners become, and in how much processor time."""
