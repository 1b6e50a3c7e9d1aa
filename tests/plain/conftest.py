"""These tests are short in plain Python; compiled, they would take minutes."""

from numba import config

collect_ignore_glob = [] if config.DISABLE_JIT else ["test_*.py"]
