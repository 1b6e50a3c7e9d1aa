"""Every game is played in a real browser: by pointer, by keyboard, on a phone's screen too.

All in the long tests, but for one game; see `test_one_game_in_a_browser.py`.

Needs Debian's chromium and Playwright; without them these tests are skipped.
"""

import contextlib
import itertools
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parlour.baselines import make_policy
from parlour.baselines.environments import make_solo
from parlour.envs import GAMES, find_game, load_game
from parlour.envs.core.drawing.render import drawn
from parlour.envs.core.environments.aec import RawEnv
from parlour.envs.core.played.page import asset
from parlour.envs.core.played.page.replay import replay_page
from parlour.envs.core.played.transcript import record, replay, replay_data
from parlour.scripts.main import main

from .replay_pages import data_of, page_in
from .serving import GUEST, player
from .serving import ME as YOU

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="the browser is missing: apt-get install chromium"
)
pytestmark = [needs_browser, pytest.mark.long]

SETTINGS: dict[str, dict[str, Any]] = {  # short games
    "top_trumps": {"trick_limit": 12},
    "notty": {"turn_limit": 4},
    "splendor": {"turn_limit": 3},
    "trick_taking": {"num_values": 5},
    "president": {"num_players": 2},
}
WIDTHS = {"phone": 360, "desktop": 1400}
NOTEBOOK = 900
NARROWEST = 320  # a page zoomed to 400 % on a small screen
MAX_MOVES = 120
IS_WIDE = '(document.querySelector("#board svg").viewBox.baseVal.width > 500)'
IS_UNPACKED = "#count:not(:empty)"  # a replay unpacks its data when it is opened
MARKS = ("played", "better")
SIDES = (("x", "width"), ("y", "height"))
LAST_MOVE = 'Array.from(document.querySelectorAll("#moves li"), (li) => li.textContent).join()'


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@contextlib.contextmanager
def served(*command: str) -> Iterator[str]:
    """The address that `parlour COMMAND` prints, which serves a page until the end of the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    running = subprocess.Popen(
        [sys.executable, "-m", "parlour.scripts.main", *command, "--no-browser", "--port", port],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    try:
        yield running.stdout.readline().split()[-1]
    finally:
        running.terminate()
        running.wait(10)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address that a running `parlour play --no-browser` prints."""
    store = tmp_path_factory.mktemp("tables") / "tables.db"
    with served("play", "--store", str(store)) as address:
        yield address


@contextlib.contextmanager
def opened(browser: Any, address: str, width: int) -> Iterator[Any]:
    """A page of this width, without an error until the end of the block."""
    page = browser.new_page(viewport={"width": width, "height": 800}, reduced_motion="reduce")
    page.set_default_timeout(300_000)  # rules may have to be compiled
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    if address:
        page.goto(address)
    assert problems == []  # in the scripts themselves: waiting for them to work would take long
    try:
        yield page
    except Exception as error:
        said = page.evaluate("document.body.innerText")
        error.add_note(f"problems: {problems}; the page: {said[:1000]}")
        raise
    assert problems == []
    page.close()


def check_barriers(page: Any) -> None:
    """Let axe look at the page on a phone and on a desktop; nothing is wider than the screen."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    for width, theme in zip(WIDTHS.values(), ("light", "dark"), strict=True):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=theme)
        report = axe.Axe().run(page)
        assert report.violations_count == 0, report.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def take_seat(page: Any, request: dict[str, Any], number: int = 0) -> None:
    """Open a table as the owner's page does, and sit down in a seat of it."""
    page.wait_for_selector("#games button")
    page.evaluate(
        """async ([request, number]) => {
            game.pace = 0.1;
            const made = await ask("/api/tables", request);
            location.hash = `seat=${made.tokens.at(number)}`;
        }""",
        [request, number],
    )


@contextlib.contextmanager
def table_page(
    browser: Any,
    address: str,
    name: str,
    width: str,
    seats: list[dict[str, str]] | None = None,
    number: int = 0,
    **more: Any,
) -> Iterator[Any]:
    """A page in a seat of a fresh table of this game, against random players without `seats`."""
    rivals = find_game(name, **SETTINGS[name]).num_seats - 1
    taken = seats or [YOU, *[player("random")] * rivals]
    request = {"game": name, "settings": SETTINGS[name], "seats": taken, "seed": 4, **more}
    with opened(browser, address, WIDTHS[width]) as page:
        take_seat(page, request, number)
        if number == 0:
            page.wait_for_selector("#status.yours")
        yield page


def play_on(page: Any, press: Any) -> int:
    """Make moves with `press`, which chooses one thing to press, until the game is over."""
    for number in range(MAX_MOVES):
        page.wait_for_selector("#status.yours, #result:not([hidden])")
        if page.is_visible("#result"):
            return number
        before = page.evaluate(LAST_MOVE)
        press(page)
        page.wait_for_function(
            f"""(before) => !document.querySelector("#result").hidden
                || {LAST_MOVE} !== before || document.querySelector(".chosen") !== null""",
            arg=before,
        )
    raise AssertionError("the game did not end")


def click_anything(page: Any) -> None:
    """Click where a person would: a button that plays, a part of the picture, or a plain move."""
    while not has_clicked(page):
        pass


def has_clicked(page: Any) -> bool:
    """Try to click; return False where the picture is drawn anew meanwhile."""
    for selector in ("#actions button.primary", "[data-part].live", "#actions button[data-action]"):
        places = page.locator(selector)
        if places.count():
            place = places.last if "part" in selector else places.first
            try:
                place.scroll_into_view_if_needed()
            except playwright.Error as error:
                if "not attached" in str(error):
                    return False
                raise
            box = place.bounding_box()
            if box is None:
                return False
            corner = min(12, box["width"] / 3), min(12, box["height"] / 3)  # cards may overlap
            page.mouse.click(box["x"] + corner[0], box["y"] + corner[1])
            return True
    raise AssertionError("nothing can be clicked")


def press_enter_on_anything(page: Any) -> None:
    """Reach something with Tab and press Enter, without a pointer."""
    for _ in range(200):
        page.keyboard.press("Tab")
        kind = page.evaluate(
            """() => { const e = document.activeElement;
                return e.matches("[data-part].live:not(.chosen), #actions button:not(.quiet)"); }"""
        )
        if kind:
            page.keyboard.press("Enter")
            return
    raise AssertionError("no move can be reached with Tab")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_played_to_its_end_with_the_pointer(
    browser: Any, address: str, name: str, width: str
) -> None:
    with table_page(browser, address, name, width) as page:
        assert play_on(page, click_anything) > 0
        assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[width]


@pytest.mark.parametrize(
    ("name", "width"),
    [
        *((name, "phone") for name in GAMES),
        ("trick_taking", "desktop"),
    ],
)
def test_a_game_is_played_to_its_end_with_the_keyboard(
    browser: Any, address: str, name: str, width: str
) -> None:
    with table_page(browser, address, name, width) as page:
        assert play_on(page, press_enter_on_anything) > 0


@pytest.mark.parametrize("name", GAMES)
def test_axe_finds_no_barrier(browser: Any, address: str, name: str) -> None:
    with table_page(browser, address, name, "desktop") as page:
        check_barriers(page)


def test_axe_finds_no_barrier_for_a_spectator_of_hidden_cards(browser: Any, address: str) -> None:
    seats = [YOU, player("maxer")]
    with table_page(browser, address, "top_trumps", "desktop", seats, number=-1) as page:
        page.wait_for_selector("#board [aria-label$='face down']")
        check_barriers(page)


def test_axe_finds_no_barrier_before_a_game(browser: Any, address: str) -> None:
    with opened(browser, f"{address}&game=president", WIDTHS["desktop"]) as page:
        page.wait_for_selector("#start")
        page.click("text=How to play")
        page.wait_for_selector(".rules p")
        check_barriers(page)


def test_newcomers_read_the_rules_beside_the_game(browser: Any, address: str) -> None:
    with table_page(browser, address, "trick_taking", "desktop") as page:
        page.click("text=How to play")
        page.wait_for_selector("text=There are no trumps")
        assert "*" not in page.text_content("#rules")
        click_anything(page)
        page.click("#undo")
        page.wait_for_selector("#redo:enabled")
        assert page.is_visible(".rules p")  # what one reads stays open


def test_a_finished_game_is_replayed_from_the_list_of_tables(browser: Any, address: str) -> None:
    with table_page(browser, address, "trick_taking", "phone") as page:
        play_on(page, click_anything)
        page.click("#home")
        page.locator("#finished-tables button").first.click()
        page.wait_for_selector(IS_UNPACKED)
        assert page.text_content("#count") == "0 of 10"


def test_the_longest_names_stay_within_the_page(browser: Any, address: str) -> None:
    seats = [{"kind": "here", "name": "W" * 40}]
    seats += [{**player("random"), "name": each * 40} for each in "WM"]
    settings = {"num_values": 4, "num_players": 3}
    with table_page(browser, address, "trick_taking", "phone", seats, settings=settings) as page:
        click_anything(page)
        page.wait_for_selector("#moves li:nth-child(3)")
        for width in (NARROWEST, *WIDTHS.values()):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_long_wait_for_the_cards_is_explained(browser: Any, address: str) -> None:
    requests: list[Any] = []
    with opened(browser, f"{address}&game=trick_taking", WIDTHS["phone"]) as page:
        page.wait_for_selector("#start")
        page.route("**/api/tables", lambda route: requests.append(route))
        page.click("#start")
        page.wait_for_selector("#start >> text=rules are compiled")
        requests[0].continue_()
        page.wait_for_selector("#status.yours")


def test_a_problem_of_the_setup_is_brought_into_sight(browser: Any, address: str) -> None:
    with opened(browser, f"{address}&game=president", WIDTHS["phone"]) as page:
        page.wait_for_selector("#start")
        page.select_option("select[data-seat='3']", "other")
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.click("#start")
        page.wait_for_selector("text=Name the player of seat 4.")
        box = page.locator("#problem").bounding_box()
        assert 0 <= box["y"] < 800 - box["height"]


def test_a_hint_marks_the_best_move_in_the_picture(browser: Any, address: str) -> None:
    with table_page(browser, address, "trick_taking", "desktop") as page:
        page.click("#hint")
        page.wait_for_selector("#values .best")
        best = page.get_attribute(".advised", "aria-label")
        assert page.text_content("#values .best .name").replace("\u2660", "") == best
        marks = sorted(page.locator("#board .rank").all_text_contents())
        boxes = [mark.bounding_box() for mark in page.locator("#board .rank").all()]
        for one, other in itertools.combinations(boxes, 2):
            apart = [abs(one[x] - other[x]) >= 0.9 * one[size] for x, size in SIDES]
            assert any(apart), (one, other)
        assert [mark.partition(": ")[0] for mark in marks] == ["1", "2", "3"]
        value = page.text_content("#values .best .value").split(" \u00b1")[0]
        assert marks[0].partition(": ")[2].split()[0] == value.split()[0]
        page.click("#hint")
        assert page.locator(".advised, .rank").count() == 0


COVERED = """() => [...document.querySelectorAll("#board .rank")].flatMap((badge) =>
    [...document.querySelectorAll("#board text")].filter((text) => {
        const [over, under] = [badge, text].map((each) => each.getBoundingClientRect());
        return over.left < under.right && under.left < over.right
            && over.top < under.bottom && under.top < over.bottom;
    }).map((text) => [badge.textContent, text.textContent]))"""


@pytest.mark.parametrize("name", GAMES)
def test_values_on_a_phone_cover_no_words(browser: Any, address: str, name: str) -> None:
    """At the first turn, and at the second, where it says what each seat did last."""
    with table_page(browser, address, name, "phone") as page:
        page.click("#hint")
        page.wait_for_selector("#board .rank")
        assert page.evaluate(COVERED) == []
        page.evaluate("play(game.position.legal[0])")
        page.wait_for_selector("#board .rank", state="detached")
        page.wait_for_selector("#board .rank")
        assert page.evaluate(COVERED) == []


def test_a_refused_request_says_why_and_the_game_goes_on(browser: Any, address: str) -> None:
    with table_page(browser, address, "trick_taking", "desktop") as page:
        page.evaluate('play("card:9.9")')
        page.wait_for_selector("text=this move is not legal now")
        page.wait_for_selector("#status.yours")
        click_anything(page)
        page.wait_for_selector("#message:empty", state="attached")


def test_a_double_click_plays_once(browser: Any, address: str) -> None:
    with table_page(browser, address, "trick_taking", "desktop") as page:
        box = page.locator("[data-part].live").last.bounding_box()
        page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_selector("#judged >> text=Your last move")  # comes after any refusal
        page.wait_for_selector("#status.yours")
        assert page.text_content("#message") == ""
        page.click("#undo")
        page.wait_for_selector("#redo:enabled")
        click_anything(page)
        page.wait_for_selector("#undo:enabled")


def test_links_stay_with_new_deals_and_reopened_tables(browser: Any, address: str) -> None:
    with opened(browser, f"{address}&game=trick_taking", WIDTHS["desktop"]) as page:
        page.wait_for_selector("#start")
        page.select_option("select[data-seat='1']", "remote")
        page.click("#start")
        page.wait_for_selector("#links >> text=Guest: copy link")
        first = page.evaluate("game.token")
        page.click("#again")
        page.wait_for_function("(first) => game.token !== first && game.table", arg=first)
        page.wait_for_selector("#links >> text=Guest: copy link")
    with opened(browser, address, WIDTHS["desktop"]) as page:
        page.click("#running-tables a >> nth=0")
        page.wait_for_selector("#links >> text=To watch: copy link")


def test_a_table_without_help_offers_none(browser: Any, address: str) -> None:
    with opened(browser, f"{address}&game=trick_taking", WIDTHS["desktop"]) as page:
        page.wait_for_selector("#start")
        page.check("#no-help")
        page.click("#start")
        page.wait_for_selector("#status.yours")
        click_anything(page)
        page.wait_for_selector("#undo:enabled")
        page.wait_for_selector("#status.yours")
        assert page.is_hidden("#hint") and page.is_hidden("#judge")
        assert page.text_content("#judged") == page.text_content("#message") == ""


def rectangle(x: int, width: int, more: str = "") -> str:
    return f'<rect x="{x}" y="{x}" width="{width}" height="{width}" {more}/>'


def picture(x: int) -> str:
    """A card at this place in a frame, with a hand that is drawn over it."""
    card = f'<g data-part="card">{rectangle(x, 10)}</g>'
    hand = f'<g data-part="hand">{rectangle(4, 50)}</g>'
    frame = rectangle(x - 2, 14, 'id="frame"')
    return f'<svg viewBox="0 0 100 100">{frame}{card}{hand}</svg>'


def test_a_card_flies_above_hands_and_its_frame_waits_for_it(browser: Any) -> None:
    page = browser.new_page(viewport={"width": 600, "height": 600})
    page.set_content("<div id='root'></div>")
    page.add_script_tag(content=asset("board.js"))
    page.evaluate(
        """(pictures) => {
            const board = new Board(document.getElementById("root"));
            for (const picture of pictures) board.show(picture);
            for (const motion of document.getAnimations()) motion.pause();
        }""",
        [picture(4), picture(80)],
    )
    opacity = "(each) => getComputedStyle(document.querySelector(each)).opacity"
    assert page.evaluate("document.querySelector('svg').lastElementChild.ariaHidden") == "true"
    assert page.evaluate(opacity, "#frame") == page.evaluate(opacity, "[data-part=card]") == "0"
    page.evaluate("document.getAnimations().forEach((motion) => motion.finish())")
    page.wait_for_function("document.querySelector('svg').lastElementChild.dataset.part === 'hand'")
    assert page.evaluate(opacity, "#frame") == page.evaluate(opacity, "[data-part=card]") == "1"
    page.close()


def test_moves_of_others_can_be_followed_without_motion(browser: Any, address: str) -> None:
    with opened(browser, address, WIDTHS["desktop"]) as page:
        page.wait_for_selector("#games button")
        still = page.evaluate("prefersStill()"), page.evaluate("PACE_MS")
        page.emulate_media(reduced_motion="no-preference")
        page.reload()
        page.wait_for_selector("#games button")
        moving = page.evaluate("prefersStill()"), page.evaluate("PACE_MS")
        assert (still[0], moving[0]) == (True, False) and still[1] == moving[1]


def test_whose_turn_it_is_shows_in_forced_colours(browser: Any, address: str) -> None:
    border = "(each) => getComputedStyle(document.querySelector(each)).borderTopColor"
    with table_page(browser, address, "trick_taking", "desktop") as page:
        page.emulate_media(forced_colors="active")
        page.wait_for_selector("#status.yours")
        others = page.evaluate(border, "#players li:not(.acts)")
        assert page.evaluate(border, "#players li.acts") != others


def test_a_link_to_nowhere_shows_nothing_that_can_be_pressed(browser: Any, address: str) -> None:
    with opened(browser, f"{address}&seat=nonsense", WIDTHS["desktop"]) as page:
        page.wait_for_selector("text=No seat has this link")
        page.click("#lost-home")
        page.wait_for_selector("#games button")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_game_between_players_is_watched(browser: Any, tmp_path: Path, width: str) -> None:
    """`parlour watch GAME --browser`: pause, one move, go on, look back, and the end."""
    command = ["watch", "trick_taking", "--browser", "--players", "high_low,random", "--seed", "3"]
    store = ["--store", str(tmp_path / "tables.db")]  # a short game could be over too soon
    with served(*command, *store) as address, opened(browser, address, WIDTHS[width]) as page:
        page.wait_for_selector("#moves li")
        page.click("#pause")
        before = page.locator("#moves li").count()
        page.click("#step")
        page.wait_for_function(
            "(before) => document.querySelectorAll('#moves li').length > before", arg=before
        )
        page.select_option("#pace", "0.3")
        check_barriers(page)
        for each in (*WIDTHS, width):  # the paused picture is drawn anew for the width
            page.set_viewport_size({"width": WIDTHS[each], "height": 800})
            page.wait_for_function(f"(is_wide) => {IS_WIDE} === is_wide", arg=each == "desktop")
        page.click("#pause")
        page.wait_for_selector("#result:not([hidden])")
        assert page.locator("#moves li").count() == 20
        assert page.locator("#undo").is_hidden() and page.locator("#hint").is_hidden()


def test_the_results_of_a_tournament_are_shown_and_replayed(browser: Any, tmp_path: Path) -> None:
    store = tmp_path / "results.db"
    players = ["--players", "random,first_legal,high_low", "--set", "num_values=5"]
    kept = ["--deals", "6", "--store", str(store)]
    assert main(["tournament", "trick_taking", *players, *kept]) == 0
    tables = ["--store", str(tmp_path / "tables.db")]
    with (
        served("watch", str(store), "--browser", *tables) as address,
        opened(browser, address, WIDTHS["desktop"]) as page,
    ):
        page.wait_for_selector(".game table")
        names = page.locator("td.name").all_text_contents()
        assert sorted(names) == ["First legal", "High low", "Random"]
        assert "36 games" in page.text_content("#state")
        check_barriers(page)
        page.set_viewport_size({"width": WIDTHS["phone"], "height": 800})
        cut = "[...document.querySelectorAll('.scroll')].some((e) => e.scrollWidth > e.clientWidth)"
        assert not page.evaluate(cut)  # on a phone, too, the tables are whole
        page.fill(".which input >> nth=0", "4")
        page.fill(".which input >> nth=1", "2")
        page.locator(".meetings button").first.click()
        page.wait_for_selector(IS_UNPACKED)
        assert page.text_content("#count") == "0 of 10"
        check_barriers(page)
        page.go_back()
        page.wait_for_selector(".meetings button")
        with page.expect_request("**/api/replays") as asked:  # without a deal
            page.locator(".meetings button").first.click()
        assert asked.value.post_data_json["deal"] == 5, "the newest of 0 to 5"
        page.wait_for_selector(IS_UNPACKED)


def test_a_reload_brings_the_game_back(browser: Any, address: str) -> None:
    with table_page(browser, address, "trick_taking", "desktop") as page:
        click_anything(page)
        page.wait_for_selector("#moves li:nth-child(2)")
        before = page.text_content("#moves")
        page.reload()
        page.wait_for_selector("#moves li:nth-child(2)")
        assert page.text_content("#moves").startswith(before)
        page.wait_for_selector("#status.yours")
        now = page.inner_html("#board")
        page.click("#moves button >> nth=0")  # a move from before the reload
        page.wait_for_function(
            "(now) => document.querySelector('#board').innerHTML !== now", arg=now
        )
        page.click("text=Back to the game")


def test_no_token_stays_in_the_address(browser: Any, address: str) -> None:
    """Of a table that is opened here, of a guest's link, after a reload and on the way back."""
    request = {"game": "trick_taking", "settings": {}, "seats": [GUEST, GUEST], "seed": 4}
    with opened(browser, f"{address}&game=trick_taking", WIDTHS["desktop"]) as page:
        key = address.partition("owner=")[2]
        page.click("#start")
        page.wait_for_selector("#status.yours")
        tokens = page.evaluate("(request) => ask('/api/tables', request)", request)["tokens"]
        page.evaluate("(token) => { location.hash = `seat=${token}`; }", tokens[1])
        page.wait_for_selector("#players >> text=Guest")
        page.reload()
        page.wait_for_selector("#players >> text=Guest")
        assert page.url.endswith("/#table")
        page.click("#home")
        page.wait_for_selector("#games button")
        for name in ("Guest", "Duellist"):
            page.go_back()
            page.wait_for_selector(f"#players >> text={name}")
            assert "seat=" not in page.url and key not in page.url
        page.click("#home")
        page.locator("#running-tables a").first.click()
        page.wait_for_selector("#players >> text=Guest")
        assert page.url.endswith("/#table")


def test_a_player_takes_the_seat_of_somebody_who_has_left(browser: Any, address: str) -> None:
    with table_page(browser, address, "trick_taking", "phone", [YOU, GUEST]) as page:
        page.select_option("#players select", "high_low")
        page.wait_for_selector("#players select", state="detached")
        assert play_on(page, click_anything) > 0


def test_a_replay_file_works_without_a_server(browser: Any, tmp_path: Path) -> None:
    game = load_game("trick_taking", num_values=5)
    played = record(game, 3, policies=make_policy("first_legal", game))
    better = {f"card:9.{number}": 0.5 for number in range(12)}
    said = {"regret": 0.25, "text": "lost about 0.25", "reaches": {"card:9.0": 0.1}}
    judged: list[Any] = [
        {**said, "action": ply.action, "values": {ply.action: 0.25, **better}, "unsearched": []}
        for ply in played.plies
    ]
    for row, state in zip(judged, replay(played), strict=False):
        clicks = drawn(game, state).clicks
        row |= {"best": [*clicks][-1], "parts": {name: list(ids) for name, ids in clicks.items()}}
        row["values"][row["best"]] = 0.5  # as others have: the one that is marked is listed first
        row["reaches"] = {row["best"]: 0.1}
    judged[1] |= {"regret": 0, "text": "has no value", "values": better}
    judged[1]["unsearched"] = [played.plies[1].action]
    path = tmp_path / "game.html"
    path.write_text(replay_page(replay_data(played, names=["<b>A</b>", "B"], judged=judged)))
    with opened(browser, path.as_uri(), WIDTHS["desktop"]) as page:
        page.wait_for_selector(IS_UNPACKED)
        look_through(page, played)


def look_through(page: Any, played: Any) -> None:
    assert page.text_content("#caption") == "The deal"
    assert "played" in page.text_content("#values li:last-child")
    assert "better" in page.text_content("#values li:first-child")
    assert page.text_content("#values li:first-child .value") == "3.8 ± 0.3"
    better = page.text_content("#marked .better")
    assert f"better 3.8: {page.text_content('#values li:first-child .name')}" in better
    assert "lost about 0.25" in page.text_content("#chooser")
    assert [page.locator(f"#board [data-part].{kind}").count() for kind in MARKS] == [1, 1]
    assert page.text_content("#board .rank.played") == "\u25cf 3.1"
    assert "played 3.1: " in page.text_content("#marked .played")
    bottom = "document.querySelector('#run').getBoundingClientRect().bottom"
    page.set_viewport_size({"width": 1400, "height": 900})
    assert page.evaluate(bottom) <= 900  # the controls are in sight
    mark = "#moves li:first-child .lost"
    assert "\u25c6 \u2212" in page.text_content(mark)  # a sign beside the colour
    graph, board = (page.locator(each).bounding_box() for each in (".graph", "#board"))
    assert graph["width"] == board["width"] and graph["y"] > board["y"]
    page.keyboard.press("ArrowRight")
    assert page.text_content("#values li:last-child").startswith("unknown, not searched: ")
    assert page.locator("#board [data-part].better").count() == 0  # nothing was lost
    assert page.text_content("#caption") == f"<b>A</b>: {label_of(played, 0)}"
    page.keyboard.press("End")
    assert page.text_content("#count") == "10 of 10"
    page.click("#mistakes button >> nth=0")
    assert page.text_content("#count") != "10 of 10"
    above = page.inner_html("#board")
    page.select_option("#view", label="B")
    assert page.inner_html("#board") != above


def label_of(played: Any, number: int) -> str:
    action = played.game.parse_action(played.plies[number].action)
    return played.game.label_action(list(replay(played))[number], action)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "aec") for name in GAMES),
        *((name, "solo") for name in GAMES),
    ],
)
def test_a_notebook_shows_a_running_game_with_its_controls(
    browser: Any, name: str, kind: str
) -> None:
    env, num_plies = started(name, kind)
    with opened(browser, "", NOTEBOOK) as page:
        page.set_content(f"<body>{env._repr_mimebundle_()['text/html']}</body>")
        frame = page.frames[1]
        frame.wait_for_selector(IS_UNPACKED)
        assert frame.text_content("#count") == f"{num_plies} of {num_plies}"  # the position now
        assert frame.locator("#moves li").count() == num_plies
        below = "document.querySelector('#run').getBoundingClientRect().bottom > innerHeight"
        for width in (WIDTHS["desktop"], NOTEBOOK, 500):
            page.set_viewport_size({"width": width, "height": 800})
            assert not frame.evaluate(below)
        now = frame.inner_html("#board")
        frame.click("#back")
        assert frame.text_content("#count") == f"{num_plies - 1} of {num_plies}"
        frame.fill("#slider", "0")
        assert frame.text_content("#caption") == "The deal"
        assert frame.inner_html("#board") != now
        frame.click("#moves button >> nth=-1")
        assert frame.text_content("#count") == f"{num_plies} of {num_plies}"
        assert ("seen by you" in frame.text_content("#heading")) is (kind == "solo")


def started(name: str, kind: str) -> tuple[Any, int]:
    """An environment in the middle of a game, and how many plies have been played."""
    env: Any
    if kind == "aec":
        env = RawEnv(find_game(name))
        env.reset(seed=2)
        for _ in range(5):
            env.step(env.infos[env.agent_selection]["action_mask"].argmax())
        return env, 5
    env = make_solo(name)
    env.reset(seed=2)
    for _ in range(2):
        env.step(env.action_masks().argmax())
    data = data_of(page_in(env._repr_mimebundle_()))
    assert sum(data["names"][ply["seat"]] == "you" for ply in data["plies"]) == 2
    return env, len(data["plies"])


def test_a_game_is_dealt_in_one_click_from_the_first_page(browser: Any, address: str) -> None:
    with opened(browser, address, WIDTHS["phone"]) as page:
        page.wait_for_selector("[data-tile=trick_taking] img")
        assert "3 minutes" in page.text_content("[data-tile=trick_taking] .facts")
        rival = page.text_content("[data-tile=trick_taking] .rival")
        assert re.search(r"against Duellist, Level \d of \d", rival), rival
        targets = "[...document.querySelectorAll('button, a.button, select')]"
        heights = page.evaluate(f"{targets}.map((each) => each.offsetHeight).filter(Boolean)")
        assert heights and min(heights) >= 44
        page.click("[data-quick=trick_taking]")
        page.wait_for_selector("#status.yours")
        assert page.is_visible("#no-moves")


def test_a_limited_time_for_a_move_runs_down_where_it_is_seen(browser: Any, address: str) -> None:
    with opened(browser, f"{address}&game=trick_taking", WIDTHS["phone"]) as page:
        page.wait_for_selector("#start")
        page.fill("#limit", "3600")
        page.click("#start")
        page.wait_for_selector("#time >> text=/^You: 59:[0-9][0-9] left$/")


def test_a_setting_outside_its_limits_is_refused_beside_it(browser: Any, address: str) -> None:
    with opened(browser, f"{address}&game=notty", WIDTHS["desktop"]) as page:
        page.wait_for_selector("#start")
        for value, said in (("99", "5 to 20"), ("4", "5 to 20")):
            page.fill("#set-hand_limit", value)
            page.press("#set-hand_limit", "Tab")
            page.wait_for_selector(f"#about-set-hand_limit .wrong >> text={said}")
    page = browser.new_page()  # where the refusal is an error of the console
    page.goto(f"{address}&game=notty")
    page.wait_for_selector("#start")
    page.fill("#set-initial_hand", "30")  # which only the server knows to be too many
    page.press("#set-initial_hand", "Tab")
    page.wait_for_selector("#about-set-initial_hand .wrong >> text=Cards dealt must be")
    page.close()


def test_the_arrow_keys_go_through_the_moves_and_one_plays_on(browser: Any, address: str) -> None:
    with table_page(browser, address, "trick_taking", "desktop") as page:
        click_anything(page)
        page.wait_for_selector("#moves li:nth-child(2)")
        page.wait_for_selector("#status.yours")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector("#moves li.now")
        token = page.evaluate("game.token")
        page.click("text=Play on from here")
        page.wait_for_function("(token) => game.token !== token && game.position", arg=token)
        assert page.locator("#moves li").count() >= 1
        page.wait_for_selector("#status.yours")
        page.click("#share-game")
        page.click("text=Change the position")
        page.wait_for_selector("#edit-board svg")
        page.click("text=Play from here")
        page.wait_for_selector("#no-moves:not([hidden])")  # what was played is part of the position


LYING = """() => Object.fromEntries(Object.entries(editor.made.piles)
    .map(([name, pieces]) => [name, [...pieces].sort()]))"""
DRAGGED = {  # from a pile that is to be seen to another, and back
    "": ("hand 0", "hand 1"),
    "splendor": ("bank", "gems 0"),
    "top_trumps": ("deck 0", "deck 1"),
}
EDITED = {**SETTINGS, "top_trumps": {"num_cards": 8, "num_fields": 3}}


@pytest.mark.parametrize("name", GAMES)
def test_a_position_is_made_on_the_board_from_an_empty_table(
    browser: Any, address: str, name: str
) -> None:
    """Pieces are dragged, then moved by clicks and by steps, until they lie as in a deal."""
    with opened(browser, f"{address}&game={name}", WIDTHS["desktop"]) as page:
        page.wait_for_selector("#arrange")
        page.evaluate("(s) => { setup.changed = s; return loadGame(); }", EDITED[name])
        page.click("#arrange")
        page.wait_for_selector("#edit-board svg")
        assert page.is_disabled("#edit-play")
        goal = page.evaluate("ask('/api/positions', { ...editor.made, piles: undefined })")
        moves = list(moves_to(page, {n: pile["pieces"] for n, pile in goal["piles"].items()}))
        for number, (piece, source, target) in enumerate(moves):
            before = len(page.evaluate(LYING)[target])
            place_by(page, piece, source, target, goal["piles"], is_dragged=number == 0)
            page.wait_for_function(
                "([target, size]) => editor.made.piles[target].length === size && !editor.piece",
                arg=[target, before + 1],
            )
        check_barriers(page)
        assert not re.search(r"\d{7}", page.inner_text("body"))  # a packed integer
        for source, target in (
            DRAGGED.get(name, DRAGGED[""]),
            DRAGGED.get(name, DRAGGED[""])[::-1],
        ):
            drag_on_board(page, source, target)
        page.click("[data-part='seat:1']")
        page.wait_for_function("() => editor.made.seat === 1")
        page.click("[data-part='seat:0']")
        page.wait_for_function("() => editor.made.seat === 0")
        page.click("#edit-play")
        page.wait_for_selector("#status.yours")


def drag_on_board(page: Any, source: str, target: str) -> None:
    """Drag the first piece of a pile that is to be seen to another pile, with the mouse."""
    page.evaluate("scrollTo(0, 0)")
    size = len(page.evaluate(LYING)[target])
    ends = page.evaluate(
        """([source, target]) => [editor.shown.piles[source].faces[0],
            placesOf(editor.shown.piles[target])[0]]""",
        [source, target],
    )
    boxes = [page.locator(f"#edit-board [data-part='{part}']").bounding_box() for part in ends]
    start, end = ((box["x"] + 12, box["y"] + 9) for box in boxes)  # cards lie on each other
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "([target, size]) => editor.made.piles[target].length === size && !editor.piece",
        arg=[target, size + 1],
    )


def moves_to(page: Any, goal: dict[str, list[str]]) -> Iterator[tuple[str, str, str]]:
    """Each piece that lies elsewhere, where it lies, and where it is to lie."""
    here = page.evaluate(LYING)
    for target, pieces in goal.items():
        for piece in {*pieces}:
            for _ in range(pieces.count(piece) - here[target].count(piece)):
                yield (
                    piece,
                    next(n for n in here if here[n].count(piece) > goal[n].count(piece)),
                    target,
                )


def place_by(page: Any, piece: str, source: str, target: str, piles: Any, is_dragged: bool) -> None:
    """Move a piece as a person would; drag it, where the pile is to be seen in the picture."""
    is_counted = piles[target]["stock"] == source
    pile = f"#piles [data-pile='{target if is_counted else source}']"
    if not page.get_attribute(pile, "open") is not None:
        page.click(f"{pile} summary")
    if is_counted:
        page.click(f"{pile} [data-key='{target}|{piece}|+']")
        return
    chip = f"{pile} [data-key='{source}|{piece}']"
    parts = [f"#edit-board [data-part='{part}']" for part in piles[target]["parts"]]
    if is_dragged and parts:
        page.drag_and_drop(chip, parts[0])
        return
    page.click(chip)
    page.click(f"#piles .pile:has([data-pile='{target}']) > button")


def test_the_review_marks_moves_on_the_board_beside_their_values(
    browser: Any, address: str
) -> None:
    """At 1400 by 900 all of it is in sight, and so is the move that decided the game."""
    with table_page(browser, address, "trick_taking", "desktop") as page:
        page.set_viewport_size({"width": 1400, "height": 900})
        play_on(page, click_anything)
        page.wait_for_function(
            "() => game.review.length && game.review.at(-1).count === game.review.at(-1).of"
        )
        page.wait_for_selector("#decisive button")
        page.locator("#mistakes button").filter(has_text=", You:").first.click(timeout=9000)
        for kind in MARKS:
            assert page.locator(f"#board [data-part].{kind}").count() >= 1
            assert page.locator(f"#board .rank.{kind}").count() == 1
            assert page.is_visible(f"#actions .{kind}")
        best = re.sub("[\u2660-\u2666]", "", page.text_content("#values li:first-child .name"))
        better = page.text_content("#actions .better")
        assert re.fullmatch(rf"\u25c6 better [0-9.]+: {best}", better)
        for each in ("#board", "#graph", "#values li:first-child", "#status"):
            box = page.locator(each).bounding_box()
            assert box["y"] >= 0 and box["y"] + box["height"] <= 900, each
        check_barriers(page)
        before = page.evaluate("game.review.length")
        for width in (390, 1400, 390):  # each time drawn with its marks
            page.set_viewport_size({"width": width, "height": 844})
            page.wait_for_function(f"(is_wide) => {IS_WIDE} === is_wide", arg=width == 1400)
            page.wait_for_selector("#board .rank.played")
            badge, board = (
                page.locator(x).bounding_box() for x in (".board .better.rank", "#board")
            )
            assert badge["y"] >= 0 and badge["y"] + badge["height"] <= 844
            assert board["x"] <= badge["x"] <= board["x"] + board["width"]
        assert page.evaluate("game.review.length") == before
        page.evaluate(
            """() => { const row = game.review.find((each) => each.regret > 0);
                lookBack({ ...row, labels: { [row.best]: "a long name ".repeat(9) } }); }"""
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        others = page.evaluate("game.review.find((row) => row.seat !== game.table.seat).ply")
        page.evaluate("(ply) => lookBack(game.review.find((row) => row.ply === ply))", others)
        assert page.locator("#board .rank.played").count() == 1  # its hand is seen


def test_a_shared_link_is_shown_and_asks_before_it_opens(browser: Any, address: str) -> None:
    made = {"game": "trick_taking", "settings": {"num_values": 5}, "deal": {}, "seed": 4}
    share = "(made) => openShared(JSON.stringify(made))"
    with opened(browser, address, WIDTHS["desktop"]) as page:
        page.evaluate(share, {**made, "actions": ["card:0.1"]})
        page.wait_for_selector("#shared-about >> text=trick_taking, 1 move played, settings")
        page.keyboard.press("Enter")
        page.click("#shared-refuse")
        assert not page.is_visible("#shared")
        page.evaluate(share, made)
        page.wait_for_selector("#shared-about >> text=trick_taking, nothing played yet")
        assert page.evaluate("game.token") is None  # nothing has been opened
        page.click("#shared-open")
        page.wait_for_selector("#status.yours")
        assert not page.is_visible("#shared")


def test_four_guests_share_a_table_by_one_link_and_one_screen_shows_it(
    browser: Any, address: str
) -> None:
    """Each types a name and takes a chair; the owner, who watches, starts."""
    free = {"kind": "free", "name": "Free chair"}
    seats, four = [free] * 4, {"num_players": 4}
    with table_page(browser, address, "president", "desktop", seats, -1, settings=four) as screen:
        screen.wait_for_selector("#code img")
        screen.wait_for_selector("#status >> text=Type your name and take a chair, or watch")
        check_barriers(screen)
        link = screen.text_content("#code p")
        guests = [browser.new_page(viewport={"width": 390, "height": 800}) for _ in range(4)]
        for number, guest in enumerate(guests):
            guest.goto(link)
            guest.fill("#guest-name", f"Pupil {number}")
            guest.locator("#chairs button").first.click()
            screen.wait_for_selector(f"#chairs >> text=Pupil {number}")
        assert screen.text_content("#begin") == "Start"
        screen.click("#begin")
        (icon,) = {
            guest.get_attribute("link[rel=icon]", "href")[:10]
            for guest in guests
            if guest.wait_for_selector("#board svg") and "Your turn" in guest.title()
        }
        assert icon == "data:image"
        assert screen.locator("#board [aria-label$='face down']").count() == 40
        check_barriers(screen)
        for guest in guests:
            guest.close()
