"""Two test processes share two cores: threads of torch would only wait for each other, spinning."""

import logging
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is first imported
os.environ.pop("COLUMNS", None)  # the width of the window in which the tests were started

# Whether something is compiled depends on what ran before; tests that read stderr would see a line
# about it now and then.
logging.getLogger("parlour.compile").setLevel(logging.ERROR)
