"""Pages that show games in a browser: the board, and a replay in one file, built from data alone.

The live page of `parlour play`, the replay file and the notebook view share `board.js` and
`page.css`.
"""

from pathlib import Path

FOLDER = Path(__file__).parent


def asset(name: str) -> str:
    """Return the text of a file of this folder, such as "board.js"."""
    return (FOLDER / name).read_text(encoding="utf-8")
