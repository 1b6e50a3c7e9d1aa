"""One game played in a browser in every run of the suite, on a phone's screen."""

from typing import Any

import pytest

from . import test_browser
from .test_browser import WIDTHS, check_barriers, click_anything, needs_browser, play_on, table_page

pytestmark = [needs_browser, pytest.mark.plain]
browser, address = test_browser.browser, test_browser.address


def test_a_game_is_played_to_its_end_and_axe_finds_no_barrier(browser: Any, address: str) -> None:
    with table_page(browser, address, "trick_taking", "phone") as page:
        assert play_on(page, click_anything) > 0
        assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS["phone"]
        check_barriers(page)
