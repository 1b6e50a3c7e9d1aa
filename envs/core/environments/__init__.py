"""Any game as a PettingZoo, Gymnasium or vector environment."""
