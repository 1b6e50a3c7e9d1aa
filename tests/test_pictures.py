"""Pictures that can be played: parts, clicks, what they reveal, and whether they can be read."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.path import Path

from parlour.envs import GAMES, find_game
from parlour.envs.core.drawing.picture import (
    Circle,
    Line,
    Part,
    Picture,
    Polygon,
    Rectangle,
    Shape,
    Text,
)
from parlour.envs.core.drawing.render import drawn
from parlour.envs.core.game import CHANCE, Game
from parlour.envs.core.rng import streams
from parlour.envs.core.words import with_names
from parlour.envs.president.text import played_counts

from .example_games import imported
from .test_render import positions, sample

pytestmark = pytest.mark.plain

MAX_PLIES = 500  # of one game
MAX_POSITIONS = 4  # looked at of one game
MIN_CONTRAST = 4.5  # WCAG 2.1, success criterion 1.4.3
NARROW_WIDTH = 360
MIN_NARROW_TEXT = 11.0
NAMES = [f"Set keeper {seat}" for seat in range(8)]

SETTINGS: dict[str, list[dict]] = {
    "president": [
        {},
        {"num_players": 2},
        {"num_players": 5},
        {"num_players": 8, "num_games": 3, "economy": "swap_two"},
    ],
    "notty": [{}, {"num_players": 4, "discard": "manual"}],
    "splendor": [{}, {"num_players": 4}],
    "top_trumps": [{}, {"deck": "planets"}, {"num_fields": 16}],
    "trick_taking": [
        {},
        {"num_players": 3},
        {"num_players": 4},
        {"num_players": 3, "num_values": 32},
    ],
}
CASES = [(name, settings) for name in GAMES for settings in SETTINGS.get(name, [{}])]
LONG = [
    ("president", {}),
    ("splendor", {"num_players": 4}),
    ("notty", {}),
    ("president", {"num_players": 5}),
    ("top_trumps", {"deck": "planets"}),
    ("top_trumps", {"num_fields": 16}),
    ("trick_taking", {"num_players": 3, "num_values": 32}),
]


class Shown(NamedTuple):
    """A position and a picture of it."""

    state: np.record
    seat: int | None
    is_narrow: bool
    picture: Picture


@pytest.fixture(
    params=[
        pytest.param(number, marks=pytest.mark.long if case in LONG else (), id=str(case))
        for number, case in enumerate(CASES)
    ],
    scope="module",
)
def case(request: pytest.FixtureRequest) -> int:
    """The number of a game with its settings; all tests of one run before those of the next."""
    return request.param


@lru_cache(maxsize=1)
def looked_at(case: int) -> tuple[Game, list[np.ndarray]]:
    """Some positions of one random game, the first and the last among them, as states [1]."""
    name, settings = CASES[case]
    game = find_game(name, **settings)
    examples = positions(game, 5, MAX_PLIES)
    return game, sample(examples, min(MAX_POSITIONS, len(examples)))


@lru_cache(maxsize=1)
def shown(case: int) -> list[Shown]:
    """Both pictures of each position, for a spectator and for each seat."""
    game, positions = looked_at(case)
    return [
        Shown(states[0], seat, is_narrow, drawn(game, states[0], seat, is_narrow))
        for states in positions
        for seat in (None, *range(game.num_seats))
        for is_narrow in (False, True)
    ]


def parts_of(picture: Picture) -> list[Part]:
    """The parts of a picture."""
    return [shape for shape in picture.shapes if isinstance(shape, Part)]


def texts_of(picture: Picture) -> list[Text]:
    """All that is written in a picture."""
    return [shape for shape in picture.all_shapes() if isinstance(shape, Text)]


def check_clicks(game: Game, state: np.record, seat: int | None, picture: Picture) -> None:
    """Every legal action of the seat that looks has clicks of its own, and no other action has."""
    actor = CHANCE if game.is_terminal(state) else int(game.seat_to_act(state))
    legal = game.legal_action_list(state) if seat in (None, actor) else []
    assert set(picture.clicks) == {game.action_name(action) for action in legal}
    ids = [part.id for part in parts_of(picture)]
    assert len(ids) == len(set(ids))
    chosen = [tuple(sorted(clicked)) for clicked in picture.clicks.values()]
    for clicked in set(chosen):  # what is done with one thing may be asked, in different words
        labels = {
            game.label_action(state, game.parse_action(name))
            for name, parts in picture.clicks.items()
            if tuple(sorted(parts)) == clicked
        }
        assert clicked and len(labels) == chosen.count(clicked) <= 2
        assert len(clicked) > 1 or chosen.count(clicked) == 1
    assert {part_id for clicked in chosen for part_id in clicked} <= set(ids)
    assert all(part.label.strip() and part.label.encode("latin-1") for part in parts_of(picture))


def test_every_legal_action_can_be_clicked(case: int) -> None:
    game, _ = looked_at(case)
    for state, seat, _, picture in shown(case):
        check_clicks(game, state, seat, picture)


def test_a_seat_is_shown_the_same_in_positions_it_cannot_tell_apart(case: int) -> None:
    game, _ = looked_at(case)
    rngs = streams([1])
    for state, seat, is_narrow, picture in shown(case):
        if seat is not None:
            determinized = np.array([state], game.state_dtype).view(np.recarray)[0]
            game.reshuffle_unseen(determinized, seat, rngs[0])
            assert drawn(game, determinized, seat, is_narrow) == picture


def test_most_parts_keep_their_ids_during_a_move(case: int) -> None:
    game, positions = looked_at(case)
    before, after = (
        {part.id for part in parts_of(drawn(game, states[0]))} for states in positions[:2]
    )
    assert len(before & after) > len(before) / 2


# Whether it can be read


def test_every_text_and_rectangle_lies_within_the_picture(case: int) -> None:
    """Texts with the names of people, which are longer than "player 1"."""
    fonts = pytest.importorskip("PIL.ImageFont")
    measured: dict[Text, float] = {}
    for _, _, _, picture in shown(case):
        for shape in picture.all_shapes():
            if isinstance(shape, Rectangle):
                assert 0 <= shape.x <= picture.width - shape.width, shape
                assert 0 <= shape.y <= picture.height - shape.height, shape
        for text in texts_of(picture):
            if text not in measured:
                named = with_names(text.text, NAMES)
                measured[text] = fonts.load_default(text.size).getlength(named)
            width = measured[text]
            left = text.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor] * width
            assert left >= 0 and left + width <= picture.width, text
            assert text.size / 2 <= text.y <= picture.height - text.size / 2, text


def test_a_narrow_picture_can_be_read_on_a_phone(case: int) -> None:
    narrow = [picture for _, _, is_narrow, picture in shown(case) if is_narrow]
    for picture in narrow:
        assert picture.width <= NARROW_WIDTH
        assert min(text.size for text in texts_of(picture)) >= MIN_NARROW_TEXT


def test_text_stands_out_from_what_lies_under_it(case: int) -> None:
    checked = set()
    for _, _, _, picture in shown(case):
        under: list[Shape] = []
        for shape in picture.all_shapes():
            if not isinstance(shape, Text):
                under.append(shape)
                continue
            ground = color_at(middle_of(shape), under, picture.background)
            if (shape.color, ground) not in checked:
                checked.add((shape.color, ground))
                ratio = contrast(blended(shape.color, ground), ground)
                assert ratio >= MIN_CONTRAST, (ratio, shape, ground)


def test_no_text_lies_under_anything(case: int) -> None:
    """Neither its middle nor its ends; a covered card leaves the label of its corner."""
    for _, seat, is_narrow, picture in shown(case):
        assert not hidden_texts(picture), (seat, is_narrow)


def hidden_texts(picture: Picture) -> list[tuple[Text, Shape]]:
    """Texts with something that lies over their middle or over one of their ends."""
    shapes = list(picture.all_shapes())
    return [
        (text, over)
        for place, text in enumerate(shapes)
        if isinstance(text, Text) and text.text.strip()
        for over in shapes[place + 1 :]
        if not isinstance(over, Text | Line) and len(over.fill) == 7
        if any(is_inside(point, over) for point in points_of(text))
    ]


@pytest.mark.parametrize(("num_players", "size"), [(4, 12), (5, 10), (5, 12), (8, 7), (8, 14)])
def test_a_hand_that_grows_shows_all_its_labels(num_players: int, size: int) -> None:
    """At the side of a wide table, in the exchange or laid out by hand: tens have two digits."""
    game = find_game("president", num_players=num_players)
    state = positions(game, 5, 1)[0][0]
    state["hands"] = (1 << 40) - (1 << 40 - size) >> 8  # high ranks, each four times
    assert not hidden_texts(drawn(game, state))


def test_gems_of_each_colour_have_a_shape_of_their_own() -> None:
    """In the bank, where each is alone, and in the cost of a card."""
    game = find_game("splendor")
    state = positions(game, 5, 1)[0][0]
    picture = drawn(game, state)
    bank = [part for part in parts_of(picture) if part.id.startswith("bank:")]
    shapes = set()
    for part in bank:
        points = [p for s in part.shapes if isinstance(s, Polygon) for p in s.points]
        x = next(s.x for s in part.shapes if isinstance(s, Circle))
        shapes.add(tuple((round(px - x), round(py)) for px, py in points))
    assert len(shapes) == len(bank) == 6
    card = next(part for part in parts_of(picture) if part.id.startswith("card:"))
    assert sum(isinstance(shape, Polygon) for shape in card.shapes) >= 2


@pytest.mark.parametrize("is_narrow", [False, True])
def test_president_shows_the_order_of_its_ranks_until_the_end(is_narrow: bool) -> None:
    game = find_game("president")
    *before, end = [states[0] for states in positions(game, 5, MAX_PLIES)]
    for state in before:
        (part,) = [p for p in parts_of(drawn(game, state, 0, is_narrow)) if p.id == "to come"]
        row: dict[float, list[tuple[float, str]]] = {}
        for text in part.shapes:
            if isinstance(text, Text):
                row.setdefault(text.y, []).append((text.x, text.text))
        ranks, counts = [[word for _, word in sorted(row[y])] for y in sorted(row)[1:]]
        assert ranks == ["2", "4", "5", "6", "7", "10", "11", "12", "3", "1"]
        assert sum(map(int, counts)) == 40 - sum(played_counts(state))
    assert game.is_terminal(end)
    assert not [p for p in parts_of(drawn(game, end, 0, is_narrow)) if p.id == "to come"]


Color = tuple[float, float, float]


def middle_of(text: Text) -> tuple[float, float]:
    """About the middle of a text."""
    half_width = 0.25 * text.size * len(text.text)
    return text.x + {"start": half_width, "middle": 0.0, "end": -half_width}[text.anchor], text.y


def points_of(text: Text) -> list[tuple[float, float]]:
    """The middle of a text and, as most letters are as wide, about its ends."""
    x, y = middle_of(text)
    half_width = 0.22 * text.size * len(text.text)
    return [(x - half_width, y), (x, y), (x + half_width, y)]


def color_at(point: tuple[float, float], shapes: list[Shape], background: str) -> Color:
    """The colour of a picture at a point, where `shapes` lie on the background."""
    color = blended(background, (0.0, 0.0, 0.0))
    for shape in shapes:
        if not isinstance(shape, Text | Line) and is_inside(point, shape):
            color = blended(shape.fill, color)
    return color


def is_inside(point: tuple[float, float], shape: Shape) -> bool:
    """Whether a point lies in a filled shape."""
    x, y = point
    match shape:
        case Rectangle():
            return 0 <= x - shape.x <= shape.width and 0 <= y - shape.y <= shape.height
        case Circle():
            return math.dist(point, (shape.x, shape.y)) <= shape.radius
        case Polygon(points):
            return Path(points).contains_point(point)
    return False


def blended(color: str, ground: Color) -> Color:
    """A colour "#rrggbb" or "#rrggbbaa" on a ground, as three numbers in 0 .. 1."""
    *over, alpha = to_rgba(color)
    red, green, blue = alpha * np.array(over) + (1 - alpha) * np.array(ground)
    return red, green, blue


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio of WCAG 2.1, in 1 .. 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: Color) -> float:
    """The relative luminance of WCAG 2.1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# Games without a picture of their own


@pytest.mark.parametrize("name", ["nim", "kuhn"], ids=["open", "hidden"])
def test_a_game_without_a_picture_gets_its_text_and_a_button_for_each_action(name: str) -> None:
    with imported(name):
        game = find_game(name)
        states = game.new_states()
        game.deal(states[0], streams([0])[0])
        for is_narrow in (False, True):
            for seat in (None, 0, 1):
                picture = drawn(game, states[0], seat, is_narrow)
                check_clicks(game, states[0], seat, picture)
                first = game.describe(states[0], seat).splitlines()[0]
                assert texts_of(picture)[0].text == first
