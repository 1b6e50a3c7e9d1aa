"""Write a user's file whole or not at all: an older one stays until the new one is complete."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def written_whole(path: Path | str) -> Iterator[Path]:
    """Yield a path beside `path` for a new file or folder, which takes its name at the end.

    After an error it is deleted. After a stop by Ctrl-C or a kill it stays, for what it is worth.
    Devices and pipes are written to directly. Raises OSError.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_dir():
        path.open("ab").close()  # fails where it may not be written to
        if not path.is_file():
            yield path
            return
    partial = path.with_name(f"{path.stem}.partial-{os.getpid()}{path.suffix}")
    try:
        yield partial
        if path.is_file():
            shutil.copymode(path, partial)
        partial.replace(path)
    except Exception:
        shutil.rmtree(partial) if partial.is_dir() else partial.unlink(missing_ok=True)
        raise


def write_whole(path: Path | str, content: str | bytes) -> None:
    """Write a file, a text in UTF-8. Raises OSError."""
    data = content.encode() if isinstance(content, str) else content
    with written_whole(path) as partial:
        partial.write_bytes(data)
