"""Parlour: five parlour games as reinforcement-learning environments.

Importing it registers the environment ids and nothing else: no torch, no pandas, no compilation.
"""

from pathlib import Path

__version__ = "0.1.0"

_checkout = Path(__file__).resolve().parent.parent
if (_checkout / "envs" / "registry.py").is_file():  # a checkout: parlour.envs is the folder envs/
    __path__.append(str(_checkout))

from .envs.registry import register_environments  # noqa: E402  (needs the path above)

register_environments()
