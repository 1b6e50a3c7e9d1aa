"""Parlour: five parlour games as reinforcement-learning environments.

Importing it registers the environment ids and nothing else: no torch, no pandas, no compilation.
"""

from .envs.registry import register_environments

__version__ = "0.1.0"

register_environments()
