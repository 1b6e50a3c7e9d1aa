"""Any Game as an environment, as text and as pictures."""
