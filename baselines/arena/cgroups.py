"""A control group for each player, in which the kernel limits memory and processes as totals.

Groups are made beside the arena's own, where this process may do so: in systemd's user sessions,
for example. Elsewhere only the guard enforces the limits. See the kernel's guide to cgroups v2.
"""

import contextlib
import os
import subprocess
import time
from functools import lru_cache
from itertools import count
from pathlib import Path

from .limits import Limits

_MOUNT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
_SPARE = 2  # processes beyond the limit, so that the guard can see that it is exceeded
_KILLING_SECONDS = 5.0
_numbers = count()


class Group:
    """The group of one player, which enters it by writing "0" to `entrance`.

    Raises OSError where no such group can be made in the folder `parent`.
    """

    def __init__(self, parent: Path, limits: Limits) -> None:
        memory = limits.memory_mib + limits.private_mib << 20  # the private folder is in memory
        values = {"memory.max": memory, "memory.swap.max": 0, "memory.oom.group": 1}
        self._folder = parent / f"parlour-{os.getpid()}-{next(_numbers)}"
        self._folder.mkdir()
        try:
            for name, value in {**values, "pids.max": limits.processes + _SPARE}.items():
                (self._folder / name).write_text(str(value))
            self.entrance = os.open(self._folder / "cgroup.procs", os.O_WRONLY | os.O_CREAT)
        except OSError:
            self._folder.rmdir()
            raise

    def was_out_of_memory(self) -> bool:
        """Return whether the kernel has ended the player because of its memory."""
        events = (self._folder / "memory.events").read_text().split()
        return int(events[events.index("oom_kill") + 1]) > 0

    def close(self) -> None:
        """Kill what is left in the group and remove it."""
        os.close(self.entrance)
        deadline = time.monotonic() + _KILLING_SECONDS
        while self._folder.exists() and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                (self._folder / "cgroup.kill").write_text("1")
                self._folder.rmdir()


@lru_cache
def place_of_groups() -> Path | None:
    """Return the folder in which this process can make groups, after one trial, or None."""
    try:
        (own,) = [line[3:] for line in _OWN.read_text().splitlines() if line.startswith("0::/")]
        parent = _MOUNT / Path(own).parent.relative_to("/")
        controllers = (parent / "cgroup.subtree_control").read_text().split()
        if own == "/" or not {"memory", "pids"} <= set(controllers):
            return None
        for left in parent.glob("parlour-*-*"):  # the empty groups of an arena that was killed
            if not Path("/proc", left.name.split("-")[1]).exists():
                left.rmdir()
        with contextlib.closing(Group(parent, Limits())) as group:
            subprocess.run(
                ["echo", "0"], stdout=group.entrance, stderr=subprocess.DEVNULL, check=True
            )
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None
    return parent
