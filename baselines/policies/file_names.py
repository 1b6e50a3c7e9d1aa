"""Names of files that can be players: code, checkpoints, models of other libraries."""

import os

CODE, CHECKPOINT = ".py", ".pt"
MODELS = (".zip", ".ts", ".torchscript", ".onnx")  # of other libraries; see `players.foreign`
RUNNING = (CODE, *MODELS)  # files that may run code when a player is made of them
USERS_FILES = (*RUNNING, CHECKPOINT)
STATISTICS = ".pkl"  # model.pkl beside model.zip: what a VecNormalize learned

CHECKPOINT_FILE = "checkpoint.pt"  # of a run, in its folder


def checkpoint_file(name: str) -> str:
    """Return the checkpoint of the run whose folder is named; any other name as it is."""
    file = os.path.join(name, CHECKPOINT_FILE)
    return file if name and os.path.isfile(file) else name
