"""Networks as records of weights: compiled functions over them, and the torch modules they equal."""
