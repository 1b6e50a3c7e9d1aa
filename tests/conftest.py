"""Two test processes share two cores: threads of torch would only wait for each other, spinning."""

import math
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is first imported
os.environ.pop("COLUMNS", None)  # the width of the window in which the tests were started

from parlour.envs.core import progress

# Whether a compilation takes more than a second depends on the machine; tests that read stderr
# would see the line about it now and then.
progress._Clock.next_line = math.inf
