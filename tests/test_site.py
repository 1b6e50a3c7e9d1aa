"""The site, built once and opened in a browser: readable at two widths, light and dark."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.site import build

from .table import test_browser
from .table.test_browser import CHROMIUM, check_barriers

pytest.importorskip("sphinx", reason="Sphinx is missing: pip install '.[docs]'")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="the browser is missing"),
]
browser = test_browser.browser
PAGES = ("index", "start", "measured", "studies", "games/president", "reference/commands")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the HTML."""
    before, build.OUT = build.OUT, tmp_path_factory.mktemp("site")
    assert build.main() == 0
    yield build.OUT / "html"
    build.OUT = before


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_no_barrier_on_a_page(browser: Any, site: Path, page: str, scheme: str) -> None:
    opened = browser.new_page(color_scheme=scheme, reduced_motion="reduce")
    opened.goto(f"file://{site / page}.html")
    check_barriers(opened)
    opened.close()


def test_the_plain_pages_are_beside_those_in_html(site: Path) -> None:
    assert "(start.md)" in (site / "llms.txt").read_text()
    assert (site / "start.md").is_file() and (site / "start.html").is_file()
    assert "Stale" not in (site / "index.md").read_text()
