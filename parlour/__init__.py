"""Parlour: five parlour games as reinforcement-learning environments.

Importing it registers the environment ids and nothing else: no torch, no pandas, no compilation.
In a notebook it also shows wrapped environments, with the game so far.
"""

from .envs.core.environments.notebook import show_wrapped
from .envs.registry import register_environments

__version__ = "0.1.0"

register_environments()
show_wrapped()
