"""Time other libraries at the same task, for `parlour bench --peers`.

Each is installed into an environment of its own when it is first measured, since they ask for
versions that exclude each other. `peer_plies` is what runs there.
"""

import json
import os
import subprocess
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

import parlour

MANY_AT_ONCE, ONE_BY_ONE = "many games at once", "one game at a time"
_INSTALL_SECONDS = 1200.0
_MEASURE_SECONDS = 600.0


class Peer(NamedTuple):
    """Another library, as pip installs it, and games of it."""

    name: str
    module: str  # as `peer_plies` calls it
    requirement: str
    how: str
    games: tuple[str, ...]


PEERS = (
    Peer(
        "PettingZoo",
        "pettingzoo",
        "pettingzoo[classic]",
        ONE_BY_ONE,
        ("connect_four_v3", "leduc_holdem_v4", "texas_holdem_v4"),
    ),
    Peer("RLCard", "rlcard", "rlcard", ONE_BY_ONE, ("leduc-holdem", "gin-rummy", "doudizhu")),
    Peer(
        "OpenSpiel",
        "open_spiel",
        "open_spiel",
        ONE_BY_ONE,
        ("leduc_poker", "gin_rummy", "crazy_eights"),
    ),
    Peer("pgx", "pgx", "pgx", MANY_AT_ONCE, ("leduc_holdem", "sparrow_mahjong")),
    Peer("PufferLib", "pufferlib", "pufferlib", MANY_AT_ONCE, ("puffer_tripletriad",)),
)


class NotMeasured(Exception):
    """A library that does not install or run here; the message says why."""


def measure(seconds: float, repeats: int, tell: Callable[[str], None]) -> list[dict[str, Any]]:
    """Return one entry for each game: its rate and version, or the reason under `missing`."""
    return [entry for peer in PEERS for entry in _measure_peer(peer, seconds, repeats, tell)]


def _measure_peer(
    peer: Peer, seconds: float, repeats: int, tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    about = {"library": peer.name, "how": peer.how}
    try:
        tell(f"{peer.name}: installing")
        python = environment(peer)
    except NotMeasured as error:
        return [{**about, "what": game, "missing": str(error)} for game in peer.games]
    entries = []
    for game in peer.games:
        tell(f"{peer.name}: {game}")
        try:
            figures = _run(python, peer.module, game, str(seconds), str(repeats))
        except NotMeasured as error:
            figures = {"missing": str(error)}
        entries.append({**about, "what": game, **figures})
    return entries


def environment(peer: Peer) -> Path:
    """Return the Python of the library's environment, made where it is missing.

    Raises NotMeasured where the library does not install.
    """
    folder = platformdirs.user_cache_path("parlour") / "peers" / peer.module
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installed = folder / "installed"
    if not installed.is_file() or installed.read_text() != peer.requirement:
        venv.create(folder, clear=True, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _output([*pip, peer.requirement], _INSTALL_SECONDS)
        installed.write_text(peer.requirement)
    return python


def _run(python: Path, *arguments: str) -> dict[str, Any]:
    """Run `peer_plies` there. Parlour's other packages are not needed, and not imported."""
    packages = str(Path(parlour.__file__).resolve().parent)
    variables = {**os.environ, "PYTHONPATH": packages, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    command = [str(python), "-m", "scripts.bench.peer_plies", *arguments]
    figures: dict[str, Any] = json.loads(
        _output(command, _MEASURE_SECONDS, variables).splitlines()[-1]
    )
    return figures


def _output(command: list[str], seconds: float, variables: dict[str, str] | None = None) -> str:
    """Return what a command prints. Raises NotMeasured with its last words."""
    try:
        shown = subprocess.run(
            command, env=variables, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NotMeasured(f"not done after {seconds:.0f} seconds") from error
    if shown.returncode != 0:
        words = [line.strip() for line in shown.stderr.splitlines() if line.strip()]
        reason = next((line for line in words if line.lower().startswith("error:")), None)
        raise NotMeasured(reason or (words[-1] if words else f"status {shown.returncode}"))
    return shown.stdout
