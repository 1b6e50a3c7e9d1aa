"""Draw the pictures that are kept, and note what they are drawn from: `python -m docs.pictures`.

They are a moving picture of a game for the README, a position for the README of Splendor, and the
plots of recorded figures.
"""

import json
from pathlib import Path

import numpy as np
from PIL import Image

from docs.site.records import keep
from docs.site.sources import CHECKOUT
from docs.site.speed import plot
from docs.studies.learning_record import draw, read_record
from parlour.baselines import make_policy
from parlour.envs import Playthrough, load_game
from parlour.envs.core.drawing.render import render_frame

COMMAND = "python -m docs.pictures"
GAME, TABLE = "docs/president.gif", "envs/splendor/table.png"
WIDTH = 760  # of the moving picture
COLORS = 256
MILLISECONDS, LAST_MILLISECONDS = 900, 4000  # that a frame is shown
SEED = 28
PLOTS = {  # a record, and what plots it
    "docs/benchmarks/peers.json": "docs/site/speed.py",
    "docs/studies/learning.json": "docs/studies/learning_record.py",
}


def frames() -> list[np.ndarray]:
    """Return the pictures of a game of President, uint8 [H, W, 3] each, as a spectator sees it."""
    game = load_game("president", num_players=4)
    playthrough = Playthrough(game, make_policy("lowest", game), SEED)
    pictures = [render_frame(game, turn.state) for turn in playthrough]
    return [*pictures, render_frame(game, playthrough.state)]


def write_game(path: Path) -> None:
    """Write the frames as a GIF that repeats itself."""
    pictures = [Image.fromarray(frame) for frame in frames()]
    height = round(WIDTH * pictures[0].height / pictures[0].width)
    small = [picture.resize((WIDTH, height), Image.Resampling.LANCZOS) for picture in pictures]
    palette = small[len(small) // 2].quantize(COLORS, Image.Quantize.FASTOCTREE)
    first, *others = (
        picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in small
    )
    times = [MILLISECONDS] * len(others) + [LAST_MILLISECONDS]
    first.save(path, save_all=True, append_images=others, duration=times, loop=0, optimize=True)


def write_table(path: Path) -> None:
    """Write a position of Splendor."""
    game = load_game("splendor", num_players=3)
    for turn in Playthrough(game, make_policy("greedy", game), SEED):
        if turn.number == 60:
            Image.fromarray(render_frame(game, turn.state)).save(path, optimize=True)
            return


def main() -> None:
    """Draw all."""
    write_game(CHECKOUT / GAME)
    write_table(CHECKOUT / TABLE)
    peers, learning = (CHECKOUT / record for record in PLOTS)
    plot(json.loads(peers.read_text()), peers.with_suffix(".png"))
    draw(read_record(learning), learning.with_suffix(".png"))
    for picture, game in ((GAME, "president"), (TABLE, "splendor")):
        keep([picture], COMMAND, [f"envs/{game}/draw.py", "envs/core/drawing"])
    for record, code in PLOTS.items():
        keep([record.replace(".json", ".png")], COMMAND, [record, code])


if __name__ == "__main__":
    main()
