"""A player in a process of its own: timed, warned, logged, and suspended while others play."""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ....envs.core.game import Game
from ....envs.core.play.legal import illegal_action_message
from ....envs.core.play.policies import Memory
from .fork_server import ForkServer
from .game_process import Forfeit, GameProcess, Log, printable
from .limits import PlayerLimits
from .player_process import (
    ANSWER,
    BEGIN,
    CHOOSE,
    DONE,
    OBSERVES,
    REMEMBERS,
    SEARCHES,
    SEAT,
    WATCH,
    question,
)
from .sandbox import Sandbox


class IsolatedPlayer:
    """A seated policy that runs in a process of its own, fresh for every game.

    `spec` is text that `make_policy` takes: a name, a checkpoint, `FILE.py:FUNCTION`. Call `begin`
    before each game and `close` at the end, or use it as a context. Raises Forfeit, out of `begin`
    or in play, where the player loses by its own fault. Raises ValueError for a spec that is not
    text. With `tracebacks`, what the player printed before a crash is shown on stderr.
    """

    row_function = None  # never compiled into the arena's own loops
    weights = None
    is_blind = False

    def __init__(
        self,
        spec: Any,
        game: Game,
        limits: PlayerLimits,
        log: Log,
        server: ForkServer,
        new_sandbox: Callable[[], Sandbox],
        tracebacks: bool,
    ) -> None:
        self.name = check_is_text(spec)
        self.warnings: list[str] = []
        self.forfeit: Forfeit | None = None  # the fault of its last game
        self._game = game
        self._limits = limits
        self._log = log
        self._server = server
        self._new_sandbox = new_sandbox
        self._tracebacks = tracebacks
        self._process: GameProcess | None = None
        self._manner = OBSERVES  # what it needs for a choice
        self._question = question(game, False)
        self._allowance = 0.0  # seconds left to the first action; 0 after it

    @property
    def needs_positions(self) -> bool:
        """Return whether it searches; known after `begin`."""
        return self._manner == SEARCHES

    @property
    def remember(self) -> Callable[[], Memory] | None:
        """Return the maker of its memory, which passes everything on; None without a memory."""
        return partial(_RemoteMemory, self) if self._manner == REMEMBERS else None

    def begin(self) -> None:
        """Start a new game: a fresh process, no warnings, the whole allowance. Raises Forfeit."""
        self.close()
        self.warnings = []
        self.forfeit = None
        self._allowance = self._limits.start_seconds
        self._process = GameProcess(
            self._server, self.name, self._limits, self._log, self._new_sandbox()
        )
        manner, spent = self._ask(b"", 1, self._allowance, "start")
        self._allowance = max(0.0, self._allowance - spent)
        self._manner = manner
        self._question = question(self._game, self.needs_positions)

    def tell(self, request: bytes) -> None:
        """Send BEGIN or WATCH to a player with memory, and charge its time. Raises Forfeit."""
        _, spent = self._ask_in_time(request, len(DONE))
        self._allowance = max(0.0, self._allowance - spent)

    def __call__(
        self, observations: Any, action_masks: Any, rngs: Any, positions: Any = None
    ) -> np.ndarray:
        """Ask for actions [B] one by one, and again after an illegal one. Raises Forfeit."""
        actions = np.empty(len(observations), np.int64)
        for index in range(len(observations)):
            asked = np.zeros(1, self._question)
            asked["observation"], asked["mask"] = observations[index], action_masks[index]
            if self.needs_positions:
                asked["position"] = positions[index]
            actions[index] = self._choose(asked, rngs[index : index + 1])
        return actions

    def _choose(self, asked: np.ndarray, rng: np.ndarray) -> int:
        """Ask for an action until it is legal; `rng` [1] advances as the player draws from it."""
        (mask,) = asked["mask"]
        while True:  # ends with the warnings
            asked["rng"] = rng
            reply, _ = self._ask_in_time(CHOOSE + asked.tobytes(), ANSWER.itemsize)
            self._allowance = 0.0
            answer = np.frombuffer(reply, ANSWER)
            rng[:] = answer["rng"]
            action = int(answer["action"][0])
            if 0 <= action < self._game.num_actions and mask[action] == 1:
                return action
            self._warn(illegal_action_message(self._game, self.name, action, mask))

    def _ask_in_time(self, request: bytes, reply_size: int) -> tuple[bytes, float]:
        """Return (reply, seconds); warn where slow. The allowance is for the first action."""
        limits = self._limits
        is_last_chance = len(self.warnings) == limits.warnings - 1
        usual = limits.seconds if is_last_chance else limits.forfeit_seconds
        reply, spent = self._ask(request, reply_size, max(usual, self._allowance), "time")
        if spent > max(limits.seconds, self._allowance):
            self._warn(f"took {spent:.2f} s for an action; {limits.seconds:g} s are allowed")
        return reply, spent

    def _ask(
        self, request: bytes, reply_size: int, seconds: float, kind: str
    ) -> tuple[bytes, float]:
        """Return (reply, seconds charged)."""
        assert self._process is not None, "begin comes first"
        try:
            return self._process.ask(request, reply_size, seconds, kind)
        except Forfeit as forfeit:
            tail = self._process.tail
            self.close()
            self._note_forfeit(forfeit)
            if self._tracebacks and tail:
                lines = "\n".join(map(printable, tail.split("\n")))
                print(f"[{self.name}]\n{lines}", file=sys.stderr)
            raise

    def _warn(self, warning: str) -> None:
        self.warnings.append(warning)
        self._log.note(f"warning: {warning}")
        if len(self.warnings) >= self._limits.warnings:
            reason = f"{len(self.warnings)} warnings: {'; '.join(self.warnings)}"
            forfeit = Forfeit("warnings", reason)
            self._note_forfeit(forfeit)
            raise forfeit

    def _note_forfeit(self, forfeit: Forfeit) -> None:
        self.forfeit = forfeit
        self._log.note(f"forfeits: {forfeit.reason}")

    def close(self) -> None:
        """End the player's process and all that it started."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def __enter__(self) -> "IsolatedPlayer":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()


def check_is_text(spec: Any) -> str:
    """Return the spec. Raises ValueError where it is not text, which could not be sent."""
    if not isinstance(spec, str):
        raise ValueError(
            f"under time control a player is given as text (a name, a checkpoint, "
            f"FILE.py:FUNCTION), so that its process can make it; got {spec!r}"
        )
    return spec


class _RemoteMemory:
    """The memory of a player in another process: pass everything on."""

    def __init__(self, player: IsolatedPlayer) -> None:
        self._player = player

    def begin(self, seat: int, game: Game) -> None:
        self._player.tell(BEGIN + np.array(seat, SEAT).tobytes())

    def watch(self, observation: Any) -> None:
        self._player.tell(WATCH + observation.tobytes())

    def choose(self, observation: Any, action_mask: Any, rng: Any) -> int:
        return int(self._player(observation[None], action_mask[None], rng)[0])
