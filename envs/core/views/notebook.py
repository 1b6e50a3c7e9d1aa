"""Show what `gym.make` returns as a picture in notebooks: its wrappers hide the method for it."""

import sys
from typing import Any


def show_wrapped() -> None:
    """Tell IPython, where it is running, to show a wrapped environment as the one inside."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None:
        formatter = shell.display_formatter.mimebundle_formatter
        formatter.for_type_by_name("gymnasium.core", "Wrapper", _inside)


def _inside(env: Any) -> dict[str, str] | None:
    """Return what the environment itself shows; None leaves other environments as they were."""
    show = getattr(env.unwrapped, "_repr_mimebundle_", None)
    return None if show is None else show()
