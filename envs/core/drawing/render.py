"""A game as pixels, as vector graphics, or in a window.

Pillow draws the pixels and pygame-ce owns the window; both are imported when first needed.
"""

import inspect
import os
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ..game import Game
from ..words import how_to_install, with_names
from .picture import Circle, Line, Part, Picture, Polygon, Rectangle, Shape, Stamp, Text
from .text_picture import text_picture

if TYPE_CHECKING:
    from PIL import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

_UNSEEN_DRIVERS = ("offscreen", "dummy")  # SDL falls back to one of these
_OVERSAMPLING = 2  # pictures are drawn this much larger and reduced for smooth edges
_FONTS = "Helvetica, Arial, sans-serif"
_LONGEST_NAME = 14  # letters for which a plate has room
_HALF_CAPITAL = 0.35  # of the font size: from the middle of a capital down to the baseline


def render_frame(game: Game, state: np.record, seat: int | None = None) -> np.ndarray:
    """Return the position as pixels, uint8 [H, W, 3]: all (seat None) or what `seat` may see."""
    return picture_pixels(drawn(game, state, seat))


def drawn(
    game: Game,
    state: np.record,
    seat: int | None = None,
    is_narrow: bool = False,
    is_live: bool = True,
) -> Picture:
    """Return the picture of a position: all (seat None) or what `seat` may see.

    The narrow one where it is asked for and there is one; that of the text where the game draws
    none. One that is not live offers nothing to click, for people who only look.
    """
    if game.draw is None:
        return text_picture(game, state, seat, is_narrow, is_live)
    asked = {"is_narrow": is_narrow, "is_live": is_live}
    return game.draw(state, seat, **{name: asked[name] for name in _draw_options(game)})


def has_narrow(game: Game) -> bool:
    """Return whether a game can be drawn for a phone."""
    return game.draw is None or "is_narrow" in _draw_options(game)


@lru_cache(maxsize=64)
def _draw_options(game: Game) -> tuple[str, ...]:
    """Return which of the options of `drawn` the game's own `draw` takes."""
    parameters = inspect.signature(game.draw).parameters  # type: ignore[arg-type]
    return tuple(name for name in ("is_narrow", "is_live") if name in parameters)


class Window:
    """A window that shows frames, `fps` of them a second; it opens with the first.

    Once closed, by `close()` or by the person in front of it, it stays closed and shows nothing.
    """

    def __init__(self, title: str, fps: float) -> None:
        """Open nothing yet."""
        self.title = title
        self.fps = fps
        self.is_closed = False
        self._screen: Any = None
        self._clock: Any = None

    def show(self, frame: np.ndarray) -> None:
        """Show uint8 [H, W, 3] and wait until the next frame is due.

        Raises ImportError without pygame, RuntimeError without a display.
        """
        if self.is_closed:
            return
        pygame = _import_pygame()
        size = (frame.shape[1], frame.shape[0])
        if self._screen is None:
            _open_display(pygame)
            pygame.display.set_caption(self.title)
            self._screen = pygame.display.set_mode(size)
            self._clock = pygame.time.Clock()
        pixels = np.ascontiguousarray(frame).tobytes()
        self._screen.blit(pygame.image.frombytes(pixels, size, "RGB"), (0, 0))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
        else:
            self._clock.tick(self.fps)

    def close(self) -> None:
        """Close it for good; a second call does nothing."""
        if self._screen is not None:
            _import_pygame().display.quit()
        self._screen = self._clock = None
        self.is_closed = True

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies open a window of their own."""
        return Window, (self.title, self.fps)


def _import_pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise ImportError(
            f'render_mode="human" needs pygame-ce: {how_to_install("window")}'
        ) from error
    return pygame


def _open_display(pygame: Any) -> None:
    """Raise RuntimeError where no window would be seen, unless the user chose such a driver."""
    reason = ""
    try:
        pygame.display.init()
    except pygame.error as error:
        reason = f" ({error})"
    chosen = os.environ.get("SDL_VIDEODRIVER")
    if reason or (not chosen and pygame.display.get_driver() in _UNSEEN_DRIVERS):
        pygame.display.quit()
        raise RuntimeError(
            f'render_mode="human" opens a window, and there is no display here{reason}; '
            'render_mode="rgb_array" and "ansi" need none'
        )


# Pixels


def picture_pixels(picture: Picture) -> np.ndarray:
    """A picture as uint8 [H, W, 3]."""
    from PIL import Image, ImageDraw

    size = (picture.width * _OVERSAMPLING, picture.height * _OVERSAMPLING)
    image = Image.new("RGB", size, picture.background)
    solid = ImageDraw.Draw(image)
    blended = ImageDraw.Draw(image, "RGBA")  # slower; needed for colours with alpha
    for shape in picture.all_shapes():
        _paint(solid if _is_opaque(shape) else blended, shape)
    return np.array(image.reduce(_OVERSAMPLING))


def _is_opaque(shape: Shape) -> bool:
    colors = [getattr(shape, name, None) for name in ("fill", "outline", "color")]
    return all(len(color) == len("#rrggbb") for color in colors if color)


def _paint(canvas: "ImageDraw.ImageDraw", shape: Shape) -> None:
    scale = _OVERSAMPLING
    match shape:
        case Rectangle(x, y, width, height, fill, radius, outline, outline_width):
            right, bottom = round((x + width) * scale) - 1, round((y + height) * scale) - 1
            corners = (round(x * scale), round(y * scale), right, bottom)
            edge = round(outline_width * scale)
            canvas.rounded_rectangle(corners, radius * scale, fill, outline, edge)
        case Circle(x, y, radius, fill, outline, outline_width):
            ends = [place * scale for place in (x - radius, y - radius, x + radius, y + radius)]
            canvas.ellipse(ends, fill, outline, round(outline_width * scale))
        case Line(points, color, width):
            places = [(x * scale, y * scale) for x, y in points]
            canvas.line(places, color, max(1, round(width * scale)), joint="curve")
        case Polygon(points, fill):
            canvas.polygon([(x * scale, y * scale) for x, y in points], fill)
        case Text(x, y, text, size, color, anchor, is_bold):
            place = (x * scale, (y + _HALF_CAPITAL * size) * scale)
            stroke = size * scale * 0.025 if is_bold else 0  # Pillow's font has no bold
            foot = {"start": "ls", "middle": "ms", "end": "rs"}[anchor]
            canvas.text(place, text, color, _font(size * scale), foot, stroke_width=stroke)


@lru_cache(maxsize=256)
def _font(size: float) -> "FreeTypeFont | ImageFont":
    from PIL import ImageFont

    return ImageFont.load_default(size)


# Vector graphics


def picture_svg(picture: Picture, names: Sequence[str] = ()) -> str:
    """A picture as an SVG document; `names` stand in it for the seats, shortened where long."""
    size = f'width="{picture.width}" height="{picture.height}"'
    view = f'viewBox="0 0 {picture.width} {picture.height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} font-family="{_FONTS}">',
        f'<rect {size} fill="{picture.background}"/>',
        *map(_svg_part, picture.shapes),
        "</svg>",
    ]
    return with_names("\n".join(lines) + "\n", [escape(_short(name)) for name in names])


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}\u2026"


def _svg_part(part: Shape | Part) -> str:
    if not isinstance(part, Part):
        return _svg(part)
    if part.svg is None:
        names = f'role="img" data-part="{escape(part.id)}" aria-label="{escape(part.label)}"'
        object.__setattr__(part, "svg", f"<g {names}>{_svg_shapes(part.shapes)}</g>")
    return part.svg or ""


def _svg_shapes(shapes: tuple[Shape, ...]) -> str:
    """Return the elements of some shapes; those of a stamp are kept with it."""
    if isinstance(shapes, Stamp) and shapes.svg is not None:
        return shapes.svg
    svg = "".join(map(_svg, shapes))
    if isinstance(shapes, Stamp):
        shapes.svg = svg
    return svg


@lru_cache(maxsize=1 << 12)
def _svg(shape: Shape) -> str:
    match shape:
        case Rectangle(x, y, width, height, fill, radius):
            place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"'
            return f'<rect {place} fill="{fill}"{_svg_outline(shape)}/>'
        case Circle(x, y, radius, fill):
            place = f'cx="{x:g}" cy="{y:g}" r="{radius:g}"'
            return f'<circle {place} fill="{fill}"{_svg_outline(shape)}/>'
        case Line(points, color, width):
            stroke = f'stroke="{color}" stroke-width="{width:g}" fill="none"'
            return f'<polyline points="{_svg_points(points)}" {stroke}/>'
        case Polygon(points, fill):
            return f'<polygon points="{_svg_points(points)}" fill="{fill}"/>'
        case Text(x, y, text, size, color, anchor, is_bold):
            place = f'x="{x:g}" y="{y + _HALF_CAPITAL * size:g}"'
            font = f'text-anchor="{anchor}" font-size="{size:g}"'
            weight = ' font-weight="bold"' if is_bold else ""
            return f'<text {place} {font}{weight} fill="{color}">{escape(text)}</text>'


def _svg_outline(shape: Rectangle | Circle) -> str:
    if shape.outline is None:
        return ""
    return f' stroke="{shape.outline}" stroke-width="{shape.outline_width:g}"'


def _svg_points(points: tuple[tuple[float, float], ...]) -> str:
    return " ".join([f"{x:g},{y:g}" for x, y in points])
