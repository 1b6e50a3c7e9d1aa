"""Documents say what the code is; and the checks find what is planted to mislead them."""

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from docs.site.sources import CHECKOUT

from .documents import CHECKS, Tree, faults

PICTURE_PART = slice(5000, 5100)


class Drift(NamedTuple):
    """In the file `path` every `old` becomes `new`; in a picture a part is erased."""

    fault: str
    path: str
    old: str
    new: str


_TEXT = Path(__file__).with_name("drifts.toml").read_text(encoding="utf-8")
DRIFTS = [Drift(*each) for each in tomllib.loads(_TEXT)["drifts"]]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_documents_say_what_the_code_is(check: Callable[[Tree], Iterator[str]]) -> None:
    assert not list(check(Tree()))


def planted(drift: Drift) -> bytes:
    """The file of a drift with the drift in it."""
    content = bytearray((CHECKOUT / drift.path).read_bytes())
    if drift.path.endswith((".png", ".gif")):
        content[PICTURE_PART] = bytes(100)
        return bytes(content)
    assert drift.old.encode() in content, f"{drift.path} no longer says {drift.old}"
    return bytes(content).replace(drift.old.encode(), drift.new.encode())


@pytest.mark.long
@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift.fault.replace(" ", "-"))
def test_a_planted_drift_is_found(drift: Drift) -> None:
    assert next(faults(Tree({drift.path: planted(drift)})), None) is not None
