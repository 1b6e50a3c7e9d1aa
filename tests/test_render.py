"""Pictures and texts of positions: all for a spectator, no hidden cards for a seat."""

import copy
import itertools
import pickle
import sys

import numpy as np
import pytest

from docs.pictures import GAME, frames
from docs.site.sources import CHECKOUT
from parlour.baselines import make_policy
from parlour.envs import GAMES, find_game, load_game
from parlour.envs.core.drawing.picture import Picture, Rectangle, Text
from parlour.envs.core.drawing.render import (
    Window,
    drawn,
    picture_pixels,
    picture_svg,
    render_frame,
)
from parlour.envs.core.environments.rendering import Renderer
from parlour.envs.core.game import Game
from parlour.envs.core.play.playthrough import Playthrough
from parlour.envs.core.rng import streams
from tests.one_table import OneTable
from tests.president.playing import one_suit_each
from tests.view_tools import short

pytestmark = pytest.mark.plain


def positions(game: Game, seed: int = 0, most: int | None = None) -> list[np.ndarray]:
    """Every position of one random game, or `most` and the last, each as states [1]."""
    played = Playthrough(game, make_policy("random", game), seed)
    states = [*(turn.state for turn in itertools.islice(played, most)), played.state]
    return [np.array([state], game.state_dtype) for state in states]


def sample(states: list[np.ndarray], number: int) -> list[np.ndarray]:
    """Some positions, the first and the last among them."""
    return [states[k] for k in np.linspace(0, len(states) - 1, number).astype(int)]


def drawn_texts(picture: Picture) -> list[str]:
    """All that is written in a picture."""
    return [shape.text for shape in picture.all_shapes() if isinstance(shape, Text)]


@pytest.mark.parametrize("name", GAMES)
def test_every_game_draws_itself_for_a_spectator_and_for_each_seat(name: str) -> None:
    game = find_game(name, **short(name, {}))
    for states in sample(positions(game), 2):
        for seat in (None, game.num_seats - 1):
            frame = render_frame(game, states[0], seat)
            picture = drawn(game, states[0], seat)
            assert frame.dtype == np.uint8
            assert frame.shape == (picture.height, picture.width, 3)
            assert len(np.unique(frame @ np.array([1, 256, 65536]))) > 20  # colours


def test_a_spectator_sees_every_hand() -> None:
    game = load_game("president", num_players=4, num_games=2, economy="swap_two")
    rngs = streams([1])
    states = positions(game, seed=5)[0]
    determinized = states.copy()
    game.reshuffle_unseen(determinized[0], 0, rngs[0])
    assert drawn(game, determinized[0]) != drawn(game, states[0])
    assert game.describe(determinized[0]) != game.describe(states[0])


def test_the_two_of_oros_is_marked_in_the_hand_that_holds_it() -> None:
    game = load_game("president", num_players=2)
    states = positions(game, seed=2)[0]
    holder = int(states[0].golds_seat)
    for seat, is_marked in ((None, True), (holder, True), (1 - holder, False)):
        assert ("*" in game.describe(states[0], seat)) is is_marked


def test_the_end_of_a_game_shows_every_placing() -> None:
    game = load_game("president")
    last = positions(game)[-1][0]
    text, written = game.describe(last), drawn_texts(drawn(game, last))
    for placing in ("president", "2nd", "3rd", "servant"):
        assert placing in text
        assert placing in written


def test_the_text_of_a_position_says_table_hands_and_last_actions() -> None:
    game = load_game("president", num_players=4)
    table = OneTable(game, {"hands": one_suit_each()}).play("1x2", "pass", "1x5")
    assert game.describe(table.state, 1).splitlines() == [
        "President: player 3 to beat a five of player 2",
        "",
        "               2   4   5   6   7  10  11  12   3   1   cards  last",
        "  player 0     ?   ?   ?   ?   ?   ?   ?   ?   ?   ?       9  a two",
        "  player 1     1   1   1   1   1   1   1   1   1   1      10  (pass)",
        "  player 2     ?   ?   ?   ?   ?   ?   ?   ?   ?   ?       9  a five",
        "> player 3     ?   ?   ?   ?   ?   ?   ?   ?   ?   ?      10",
        "",
        "  played       1   .   1   .   .   .   .   .   .   .",
        "  unseen       2   3   2   3   3   3   3   3   3   3",
    ]


@pytest.mark.long
def test_the_moving_picture_in_the_readme_is_what_the_code_draws() -> None:
    """Its colours are fewer; another release of the font renderer may shade edges differently."""
    image = pytest.importorskip("PIL.Image")
    shown, frame = image.open(CHECKOUT / GAME), image.fromarray(frames()[32])
    shown.seek(32)
    small = np.asarray(frame.resize(shown.size, image.Resampling.LANCZOS)).astype(int)
    assert np.abs(small - np.asarray(shown.convert("RGB"))).mean() < 2
    assert (CHECKOUT / GAME).stat().st_size < 1_000_000


# The generic parts


def test_pixels_are_where_the_picture_says() -> None:
    shapes = (Rectangle(10, 20, 30, 10, "#ff0000"), Rectangle(10, 20, 10, 10, "#0000ff80"))
    pixels = picture_pixels(Picture(60, 40, "#00ff00", shapes))
    assert pixels.shape == (40, 60, 3)
    assert pixels[5, 5].tolist() == [0, 255, 0]
    assert pixels[25, 35].tolist() == [255, 0, 0]
    assert pixels[25, 15] == pytest.approx([127, 0, 128], abs=2)
    assert pixels[29, 39].tolist() == [255, 0, 0] and pixels[30, 40].tolist() == [0, 255, 0]


def test_a_picture_as_svg_is_well_formed_and_holds_its_texts() -> None:
    from xml.etree import ElementTree

    game = load_game("president")
    picture = drawn(game, positions(game)[0][0])
    root = ElementTree.fromstring(picture_svg(picture))
    assert len(root) == 1 + len(picture.shapes)
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert texts == drawn_texts(picture)


def test_a_renderer_gives_text_pixels_or_nothing_by_its_mode() -> None:
    game = load_game("president")
    state = positions(game)[0][0]
    assert Renderer(game, None).render(state) is None
    assert Renderer(game, "ansi").render(state, 1) == game.describe(state, 1)
    pixels = Renderer(game, "rgb_array").render(state, 1)
    np.testing.assert_array_equal(pixels, render_frame(game, state, 1))
    with pytest.raises(ValueError, match="'rgb_array', 'svg', 'human'; got 'video'"):
        Renderer(game, "video")


# The window


@pytest.fixture
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows without a screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def test_a_window_without_a_display_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    for driver in ("offscreen", None):
        if driver is None:  # as where SDL finds no driver at all
            monkeypatch.setattr(pygame.display, "init", no_driver)
        with pytest.raises(RuntimeError, match=r'no display here.*"rgb_array" and "ansi"'):
            Window("", 1000).show(np.zeros((8, 8, 3), np.uint8))
        assert not pygame.display.get_init()


def no_driver() -> None:
    raise pytest.importorskip("pygame").error("No available video device")


@pytest.mark.usefixtures("no_screen")
def test_the_window_shows_frames_until_it_is_closed() -> None:
    pygame = pytest.importorskip("pygame")
    game = load_game("president")
    renderer = Renderer(game, "human", fps=1000)
    state = positions(game)[0][0]
    assert renderer.render(state) is None
    screen = pygame.display.get_surface()
    shown = pygame.surfarray.array3d(screen).swapaxes(0, 1)
    np.testing.assert_array_equal(shown, render_frame(game, state))
    renderer.close()
    assert pygame.display.get_surface() is None
    renderer.close()
    assert renderer.render(state) is None
    assert pygame.display.get_surface() is None


@pytest.mark.usefixtures("no_screen")
def test_the_person_in_front_of_the_window_can_close_it() -> None:
    pygame = pytest.importorskip("pygame")
    window = Window("a game", fps=1000)
    frame = np.zeros((30, 40, 3), np.uint8)
    window.show(frame)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(frame)
    assert window.is_closed
    window.show(frame)
    assert pygame.display.get_surface() is None


@pytest.mark.usefixtures("no_screen")
def test_a_copy_of_a_renderer_has_a_window_of_its_own() -> None:
    pytest.importorskip("pygame")
    game = load_game("president")
    renderer = Renderer(game, "human", fps=1000)
    renderer.render(positions(game)[0][0])
    for clone in (copy.deepcopy(renderer), pickle.loads(pickle.dumps(renderer))):
        assert clone.mode == "human"
        clone.close()
    renderer.close()


def test_without_pygame_the_window_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"pip install .*\[window\]"):
        Window("a game", fps=1).show(np.zeros((30, 40, 3), np.uint8))
