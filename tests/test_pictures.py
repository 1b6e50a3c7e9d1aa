"""Pictures that can be played: parts, clicks, what they reveal, and whether they can be read."""

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.envs import GAMES, find_game
from parlour.envs.core.game import CHANCE, Game
from parlour.envs.core.rng import streams
from parlour.envs.core.seating import player_streams
from parlour.envs.core.tables import Tables, action_masks
from parlour.envs.core.views.picture import (
    Circle,
    Line,
    Part,
    Picture,
    Polygon,
    Rectangle,
    Shape,
    Text,
)

from .example_games import example_game

MOST_POSITIONS = 40  # looked at of one game
MIN_CONTRAST = 4.5  # WCAG 2.1, success criterion 1.4.3
NARROW_WIDTH = 360
MIN_NARROW_TEXT = 11.0
MIN_TARGET = 24.0  # pixels; WCAG 2.2, success criterion 2.5.8

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
    "trick_taking": [{}, {"num_seats": 4}, {"num_seats": 3, "num_values": 32}],
}
CASES = [(name, settings) for name in GAMES for settings in SETTINGS.get(name, [{}])]


def looked_at(name: str, settings: dict) -> tuple[Game, list[np.ndarray]]:
    """Some positions of one random game, the first and the last among them, as states [1]."""
    game = find_game(name, **settings)
    tables = Tables(game, streams([5]))
    rngs = player_streams([5], game.num_seats)
    policy = make_policy("random", game)
    tables.deal(tables.all_rows)
    seen = [tables.states.copy()]
    while not game.is_terminal(tables.states[0]) and len(seen) < 500:
        seats, observations, words = tables.show(tables.all_rows)
        mask = action_masks(words, game.num_actions)[0]
        action = policy.act(observations[0], mask, rng=rngs[:, seats[0]])
        tables.apply(tables.all_rows, np.array([action]))
        seen.append(tables.states.copy())
    chosen = np.linspace(0, len(seen) - 1, min(MOST_POSITIONS, len(seen))).astype(int)
    return game, [seen[k] for k in chosen]


def pictures(name: str, settings: dict) -> Iterator[tuple[Game, np.ndarray, int | None, Picture]]:
    """Both pictures of each position, for a spectator and for each seat."""
    game, positions = looked_at(name, settings)
    for states in positions:
        for seat in (None, *range(game.num_seats)):
            for is_narrow in (False, True):
                yield game, states, seat, game.draw(states[0], seat, is_narrow)


def parts_of(picture: Picture) -> list[Part]:
    """The parts of a picture."""
    return [shape for shape in picture.shapes if isinstance(shape, Part)]


def check_clicks(game: Game, state: np.record, seat: int | None, picture: Picture) -> None:
    """Every legal action of the seat that looks has clicks of its own, and no other action has."""
    actor = CHANCE if game.is_terminal(state) else int(game.seat_to_act(state))
    legal = game.legal_action_list(state) if seat in (None, actor) else []
    assert set(picture.clicks) == {game.action_name(action) for action in legal}
    ids = [part.id for part in parts_of(picture)]
    assert len(ids) == len(set(ids))
    chosen = [tuple(sorted(Counter(clicked).items())) for clicked in picture.clicks.values()]
    assert len(chosen) == len(set(chosen)) and all(chosen)
    assert {part_id for clicked in picture.clicks.values() for part_id in clicked} <= set(ids)


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_every_legal_action_can_be_clicked(name: str, settings: dict) -> None:
    for game, states, seat, picture in pictures(name, settings):
        check_clicks(game, states[0], seat, picture)


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_every_part_says_what_it_is(name: str, settings: dict) -> None:
    for _, _, _, picture in pictures(name, settings):
        for part in parts_of(picture):
            assert part.label.strip() and part.label.isascii() and part.shapes


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_a_seat_is_shown_the_same_in_positions_it_cannot_tell_apart(
    name: str, settings: dict
) -> None:
    game, positions = looked_at(name, settings)
    rngs = streams([1])
    for states in positions:
        for seat in range(game.num_seats):
            determinized = states.copy()
            game.reshuffle_unseen(determinized[0], seat, rngs[0])
            for is_narrow in (False, True):
                shown = game.draw(states[0], seat, is_narrow)
                assert game.draw(determinized[0], seat, is_narrow) == shown


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_a_card_keeps_its_id_when_it_is_played(name: str, settings: dict) -> None:
    game, positions = looked_at(name, settings)
    first = {part.id for part in parts_of(game.draw(positions[0][0]))}
    last = {part.id for part in parts_of(game.draw(positions[1][0]))}
    assert len(first & last) > len(first) / 2


# Whether it can be read


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_every_text_lies_within_the_picture(name: str, settings: dict) -> None:
    pytest.importorskip("PIL")
    from parlour.envs.core.views.render import text_width

    for _, _, seat, picture in pictures(name, settings):
        for text in (shape for shape in picture.all_shapes() if isinstance(shape, Text)):
            width = text_width(text)
            left = text.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor] * width
            assert left >= 0 and left + width <= picture.width, (seat, text)
            assert text.size * 0.4 <= text.y <= picture.height - text.size * 0.4, (seat, text)


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_a_narrow_picture_can_be_read_on_a_phone(name: str, settings: dict) -> None:
    for _, _, _, picture in pictures(name, settings):
        if picture.width != NARROW_WIDTH:
            continue
        for shape in picture.all_shapes():
            if isinstance(shape, Text):
                assert shape.size >= MIN_NARROW_TEXT, shape
    assert any(picture.width == NARROW_WIDTH for *_, picture in pictures(name, settings))


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_text_stands_out_from_what_lies_under_it(name: str, settings: dict) -> None:
    checked = set()
    for _, _, _, picture in pictures(name, settings):
        under: list[Shape] = []
        for shape in picture.all_shapes():
            if isinstance(shape, Text):
                ground = color_at((shape.x, shape.y), under, picture.background)
                if (shape.color, ground) not in checked:
                    ink = blended(shape.color, ground)
                    assert contrast(ink, ground) >= MIN_CONTRAST, (shape, ground)
                    checked.add((shape.color, ground))
            else:
                under.append(shape)
    assert checked


Color = tuple[float, float, float]


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
            crossings = 0
            for (ax, ay), (bx, by) in zip(points, (*points[1:], points[0]), strict=True):
                if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
                    crossings += 1
            return crossings % 2 == 1
    return False


def blended(color: str, ground: Color) -> Color:
    """A colour "#rrggbb" or "#rrggbbaa" on a ground, as three numbers in 0 .. 1."""
    red, green, blue = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    alpha = int(color[7:9], 16) / 255 if len(color) == len("#rrggbbaa") else 1.0
    mixed = [
        alpha * over + (1 - alpha) * under
        for over, under in zip((red, green, blue), ground, strict=True)
    ]
    return (mixed[0], mixed[1], mixed[2])


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


def test_contrast_is_that_of_the_guidelines() -> None:
    white, black = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
    assert contrast(white, black) == pytest.approx(21)
    grey = blended("#777777", black)
    assert contrast(grey, white) == pytest.approx(4.48, abs=0.01)  # just too low
    assert blended("#ffffff80", black)[0] == pytest.approx(128 / 255)
