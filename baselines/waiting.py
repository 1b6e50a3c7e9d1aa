"""Lines about a long wait, for those who have no progress bar: logged, so that they can be off."""

import logging
import time

FIRST_LINE_AFTER = 15.0  # seconds
NEXT_LINE_AFTER = 1.5  # times the wait so far: few lines in a long wait
progress_logger = logging.getLogger("parlour.progress")


class Wait:
    """A wait that begins now."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._next_line = FIRST_LINE_AFTER

    def tell(self, progress: str) -> None:
        """Log how far it has come, if it is time for a line."""
        waited = time.monotonic() - self._began
        if waited >= self._next_line:
            self._next_line = NEXT_LINE_AFTER * waited
            # A warning, because logging prints that on stderr where nobody has set it up.
            progress_logger.warning("parlour: %s after %.0f s", progress, waited)
