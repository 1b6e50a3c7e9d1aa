"""The site, built once and opened in a browser: readable at two widths, light and dark."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.site import build
from docs.site.reference import MODULES

from .table import test_browser
from .table.test_browser import CHROMIUM, check_barriers

pytest.importorskip("sphinx", reason="Sphinx is missing: pip install '.[docs]'")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="the browser is missing"),
]
browser = test_browser.browser
SHADOWS = """tables => tables.filter((table) => table.scrollWidth > table.clientWidth)
    .map((table) => getComputedStyle(table).backgroundImage)"""
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


def test_on_a_phone_wide_tables_scroll_with_a_shadow(browser: Any, site: Path) -> None:
    opened = browser.new_page(viewport={"width": 390, "height": 844})
    shadows = []
    for page in (*PAGES, "glossary"):
        opened.goto(f"file://{site / page}.html")
        assert opened.evaluate("document.documentElement.scrollWidth") <= 390, page
        shadows += opened.locator(".table-wrapper").evaluate_all(SHADOWS)
    assert shadows and all("gradient" in shadow for shadow in shadows)
    opened.close()


def test_the_inventory_has_every_public_name(site: Path) -> None:
    """Other sites link to them by `intersphinx`."""
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    listed = {name for kind, names in inventory.data.items() if kind[:3] == "py:" for name in names}
    public = {
        f"{module.__name__}.{name}" for module, _ in MODULES.values() for name in module.__all__
    }
    assert public - listed == {"parlour.__version__"}


def test_the_plain_pages_are_beside_those_in_html(site: Path) -> None:
    assert "(start.md)" in (site / "llms.txt").read_text()
    assert (site / "start.md").is_file() and (site / "start.html").is_file()
    assert "Stale" not in (site / "index.md").read_text()
