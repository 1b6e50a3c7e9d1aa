"""Options of a command in a TOML file: `--config run.toml`.

The file becomes words of the command line, which go before those given there: one parser reads and
checks both, and what is given on the command line wins.
"""

import argparse
import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ON_THE_LINE = ("config", "help", "traceback")  # options that a file cannot have


@dataclasses.dataclass
class RunFile:
    """The options of a file that no parser has taken yet."""

    path: str = ""  # empty where there is no file
    options: dict[str, Any] = dataclasses.field(default_factory=dict)

    def take(self, actions: Mapping[str, argparse.Action]) -> list[str]:
        """Return the words of the options that a parser knows, by its flags. Raises ValueError."""
        taken = [key for key in self.options if key not in ON_THE_LINE and f"--{key}" in actions]
        return [
            word
            for key in taken
            for word in self._words(key, self.options.pop(key), actions[f"--{key}"])
        ]

    def _words(self, key: str, value: Any, action: argparse.Action) -> list[str]:
        is_flag, may_be_bare = action.nargs == 0, action.nargs == "?"
        if is_flag != isinstance(value, bool) and not (may_be_bare and isinstance(value, bool)):
            allowed = "is true or false" if is_flag else "takes a value"
            raise ValueError(f"{self.path}: {key} {allowed}, not {_in_toml(value)}")
        if isinstance(value, bool):
            negative = [f"--no-{key}"] if f"--no-{key}" in action.option_strings else []
            return [f"--{key}"] if value else negative
        if isinstance(value, dict):
            if "=" not in str(action.metavar):
                raise ValueError(f"{self.path}: {key} takes a value, not a table")
            for name, each in value.items():
                if isinstance(each, str) and "," in each:
                    raise ValueError(f"{self.path}: {key}.{name} has a comma, which ends a value")
            value = [f"{name}={each}" for name, each in value.items()]
        if isinstance(value, list) and isinstance(action.default, list):  # may be given repeatedly
            return [f"--{key}={each}" for each in value]
        text = ",".join(map(str, value)) if isinstance(value, list) else value
        return [f"--{key}={text}"]


def _in_toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def read_run_file(path: str) -> RunFile:
    """Read the options of a TOML file. Raises ValueError."""
    try:
        options = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:  # of TOML or of UTF-8
        raise ValueError(f"{path} is no TOML file: {error}") from error
    return RunFile(path, {key.replace("_", "-"): value for key, value in options.items()})
