"""What is inside a replay: its data, out of the page or out of what a notebook shows."""

import base64
import html
import json
import re
import zlib
from typing import Any


def data_of(page: str) -> dict[str, Any]:
    """The data of a replay."""
    found = re.search(r'<script type="text/plain" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(zlib.decompress(base64.b64decode(found[1])))


def page_in(bundle: dict[str, str]) -> str:
    """The page in the frame that a notebook shows."""
    found = re.search(r'srcdoc="([^"]*)"', bundle["text/html"])
    assert found is not None
    return html.unescape(found[1])


def pictures(data: dict[str, Any]) -> list[str]:
    """The pictures of a replay."""
    return ["\n".join(data["lines"][line] for line in frame) + "\n" for frame in data["frames"]]
