"""Networks: records of weights and compiled functions over them, torch modules, checkpoints."""
