"""These tests take seconds in plain Python; compiled, they would take minutes and are left out."""

from numba import config

collect_ignore_glob = [] if config.DISABLE_JIT else ["test_*.py"]
