"""Results as plain data for JSON, and as tables of pandas."""

import dataclasses
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .estimates import Estimate

if TYPE_CHECKING:
    import pandas as pd


def as_data(result: Any) -> Any:
    """Convert a result to plain data; an estimate becomes [mean, low, high]."""
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return {f.name: as_data(getattr(result, f.name)) for f in dataclasses.fields(result)}
    if isinstance(result, dict):
        return {key: as_data(value) for key, value in result.items()}
    return [as_data(value) for value in result] if isinstance(result, list | tuple) else result


def finite(data: Any) -> Any:
    """Replace infinite numbers, which JSON does not have, by None."""
    if isinstance(data, dict):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def frame_of(results: Iterable[Any]) -> "pd.DataFrame":
    """Return a table with a row for each result: its numbers, texts and estimates.

    An estimate takes three columns, such as `elo`, `elo_low` and `elo_high`.
    """
    import pandas as pd  # takes long, and the rest of this module does without

    rows = []
    for result in results:
        cells: dict[str, Any] = {}
        for name, value in vars(result).items():
            if isinstance(value, Estimate):
                cells |= {name: value.mean, f"{name}_low": value.low, f"{name}_high": value.high}
            elif isinstance(value, str | int | float):
                cells[name] = value
        rows.append(cells)
    return pd.DataFrame(rows)


class Result:
    """A result that converts itself."""

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data, as `--json` writes them.

        An estimate becomes [mean, low, high], in the unit of its field; an open end is None.
        """
        return finite(as_data(self))

    def to_frame(self) -> "pd.DataFrame":
        """Return a table of one row; an estimate takes the columns NAME, NAME_low, NAME_high.

        Units are those of the fields. `pandas.concat` joins the tables of several results.
        """
        return frame_of([self])
