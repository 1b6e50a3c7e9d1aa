"""Networks: their shapes, the checkpoints that hold them, a checkpoint as a policy."""
