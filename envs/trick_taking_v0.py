"""Trick-taking for PettingZoo: `env`, `raw_env` without the usual wrappers, and `parallel_env`."""

from .registry import pettingzoo_makers

env, raw_env, parallel_env = pettingzoo_makers(__name__, "trick_taking")
