"""Lines on stderr during a long wait, for those who have no progress bar."""

import sys
import time

FIRST_LINE_AFTER = 15.0  # seconds
NEXT_LINE_AFTER = 1.5  # times the wait so far: few lines in a long wait


class Wait:
    """A wait that begins now."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._next_line = FIRST_LINE_AFTER

    def tell(self, what: str) -> None:
        """Print how far it has come, if it is time for a line."""
        waited = time.monotonic() - self._began
        if waited >= self._next_line and sys.stderr is not None:
            self._next_line = NEXT_LINE_AFTER * waited
            print(f"parlour: {what} after {waited:.0f} s", file=sys.stderr, flush=True)
