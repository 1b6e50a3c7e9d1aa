"""Two test processes share two cores: threads of torch would only wait for each other, spinning."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is first imported
