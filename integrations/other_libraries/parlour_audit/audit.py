"""Audit other people's games: what a seat can learn that it must not.

The checks are plain Python over a small protocol. An adapter makes positions of OpenSpiel,
PettingZoo or RLCard follow it. Two positions are compared that only hidden events tell apart: a
re-deal of the library's own, or a twin, the same game with one event changed that a seat did not
cause.
"""

import random
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

NUM_REDEALS = 20  # of a position: what moves half the time stays put once in a million
ENOUGH_REDEALS = 4  # where they have changed what every other seat is shown
NUM_TWINS = 10  # tried at a position
NUM_EXAMINED = 6  # random positions of a game that are compared, besides the last two
MAX_PLIES = 400  # of a game that is audited
INFO = "info "  # begins the names of views that may hold what is no part of the game


class Shown(Protocol):
    """What a position shows: that of a running game, or of one that it is compared with."""

    def actor(self) -> int | None:
        """Return the seat to act; None at the end."""

    def legal(self) -> Sequence[Any]:
        """Return the legal actions of that seat."""

    def views(self, seat: int) -> Mapping[str, Hashable]:
        """Return all that the game shows a seat now, by the name of the view."""

    def history(self) -> str:
        """Return what leads here, for a report."""


class Position(Shown, Protocol):
    """A position of a running game in which a seat decides, or its end.

    A class that inherits from it need not have what its library lacks, a re-deal or returns.
    """

    num_seats: int

    def play(self, action: Any) -> None:
        """Play an action, and whatever chance does after it."""

    def redealt(self, seat: int, rng: random.Random) -> Shown | None:
        """Return what the library deals anew for a seat; None where it has no way."""
        return None

    def twin(self, seat: int, rng: random.Random) -> Shown | None:
        """Return another position that looks the same to a seat, from its first decision on.

        It looks the same by the view that is taken as the reference. None where none was found.
        """

    def wrong_returns(self) -> str | None:
        """Return what is wrong with the returns at the end, or None."""
        return None


class Subject(NamedTuple):
    """What is audited."""

    name: str
    version: str
    start: Callable[[int], Position]  # from a seed; every call is another episode
    notes: tuple[str, ...] = ()  # what is known beforehand not to be checked
    declares_returns: bool = True  # bounds or a sum, with which returns can be compared


class Finding(NamedTuple):
    """A fault: the check that found it, and how to see it again."""

    check: str
    seat: int | None
    waits: bool  # whether it was another seat's turn
    fault: str
    seed: int
    history: str

    def __str__(self) -> str:
        waiting = " while it waits" if self.waits else ""
        who = "" if self.seat is None else f"seat {self.seat}{waiting}, "
        return f"{self.check}: {self.fault} ({who}seed {self.seed}, after {self.history})"


class Audit(NamedTuple):
    """What was found; `counts` says how many pairs of positions each check compared."""

    subject: str
    version: str
    num_games: int
    num_plies: int  # at which positions were compared
    counts: dict[str, int]
    findings: tuple[Finding, ...]
    not_told: tuple[str, ...]  # what the audit cannot tell, and why

    @property
    def cleared(self) -> tuple[str, ...]:
        """What was compared without a fault."""
        failed = {finding.check for finding in self.findings}
        return tuple(
            f"{CHECKS[check]} ({number:,} comparisons)"
            for check, number in self.counts.items()
            if number and check not in failed
        )

    @property
    def is_compared(self) -> bool:
        """Whether two positions that differ in what is hidden were ever compared."""
        return any(self.counts[check] for check in ("redeal_knows", "redeal_hides", "views"))

    def __str__(self) -> str:
        lines = [f"{self.subject}, {self.version}: {self.num_games} games"]
        lines += [f"  ok   {claim}" for claim in self.cleared]
        lines += [f"  fault {finding}" for finding in self.findings]
        lines += [f"  cannot tell: {sentence}" for sentence in self.not_told]
        if not self.is_compared:
            lines.append("  Nothing was compared: this says nothing about what seats can learn.")
        return "\n".join(lines)


CHECKS = {
    "redeal_knows": "A re-deal changes nothing that the seat knows.",
    "redeal_hides": "A re-deal changes what the seat cannot know.",
    "views": "All that a seat is shown is the same where it knows the same.",
    "turn": "Whose turn it is is the same where a seat knows the same.",
    "actions": "Legal actions are the same where the seat to act knows the same.",
    "episode": "A second episode of a seed shows the same as the first.",
    "returns": "The returns at the end are those that the game promises.",
}


def audit(subject: Subject, seconds: float, num_games: int = 1000, seed: int = 0) -> Audit:
    """Play random games of a subject for about `seconds` of the processor at most, and compare."""
    auditor = _Auditor(subject, time.process_time() + seconds)
    while auditor.num_games < num_games and not auditor.is_late():
        auditor.play(seed + auditor.num_games)
    return auditor.result()


class _Auditor:
    """Collects the first finding of each check."""

    def __init__(self, subject: Subject, until: float) -> None:
        self.subject, self.until = subject, until
        self.num_games = self.num_plies = 0
        self.counts = dict.fromkeys(CHECKS, 0)
        self.findings: dict[tuple[str, bool], Finding] = {}
        self.unsteady: set[str] = set()  # views that no episode repeats, which are not compared
        self.seed = 0

    def is_late(self) -> bool:
        return time.process_time() >= self.until

    def play(self, seed: int) -> None:
        """Play a random game, then play it again and audit some of its positions."""
        self.seed, rng = seed, random.Random(seed)
        played: list[tuple[int, Mapping[str, Hashable], Any]] = []
        position = self.subject.start(seed)
        while (actor := position.actor()) is not None and len(played) < MAX_PLIES:
            if self.is_late():
                return
            played.append((actor, position.views(actor), rng.choice(position.legal())))
            position.play(played[-1][2])
        if actor is None and self.subject.declares_returns:
            self._compare("returns", None, position, position.wrong_returns())
        count = len(played)
        examined = {*rng.sample(range(count), min(count, NUM_EXAMINED)), count - 2, count - 1}
        position = self.subject.start(seed)
        for ply, (actor, views, action) in enumerate(played):
            if not self._is_repeated(position, actor, views) or self.is_late():
                return
            if ply in examined:
                self._examine(position, rng)
            position.play(action)
        self.num_games += 1

    def _is_repeated(self, position: Position, actor: int, before: Mapping[str, Hashable]) -> bool:
        """Compare a second episode with what the seat to act was shown in the first.

        What differs in the infos alone, such as a time, is left out of all comparisons from now on.
        """
        after = position.views(actor) if position.actor() == actor else {}
        differing = {name for name in before if after.get(name) != before[name]}
        if after and all(name.startswith(INFO) for name in differing):
            self.unsteady |= differing
        fault = _other_turn(actor, position.actor()) or self._different_view(before, after)
        self._compare("episode", actor, position, fault)
        return fault is None

    def _examine(self, position: Position, rng: random.Random) -> None:
        self.num_plies += 1
        for seat in range(position.num_seats):
            if not self.is_late():
                self._redeal(position, seat, rng)
                self._twin(position, seat, rng)

    def _compare(self, check: str, seat: int | None, position: Position, fault: str | None) -> None:
        """Count a comparison; note a fault, the first of each check, for waiting seats too."""
        self.counts[check] += 1
        waits = seat is not None and seat != position.actor()
        if fault is not None and (check, waits) not in self.findings:
            finding = Finding(check, seat, waits, fault, self.seed, position.history())
            self.findings[check, waits] = finding

    def _redeal(self, position: Position, seat: int, rng: random.Random) -> None:
        """Re-deal for a seat, and check that the views of all other seats change if they can."""
        kept = {other for other in range(position.num_seats) if other != seat}
        for number in range(1, NUM_REDEALS + 1):
            redealt = position.redealt(seat, rng)
            if redealt is None:
                return
            self._compare("redeal_knows", seat, position, self._difference(position, redealt, seat))
            kept = {o for o in kept if not self._tells_apart(position, redealt, o)}
            if not kept and number >= ENOUGH_REDEALS:
                break
        alternative = self._alternative(position, seat, kept, rng) if kept else None
        if alternative is not None or not kept:
            self._compare("redeal_hides", seat, position, alternative)

    def _alternative(
        self, position: Position, seat: int, kept: set[int], rng: random.Random
    ) -> str | None:
        """Return a sentence if a twin looks alike to a seat but not to one of `kept`, else None."""
        for _ in range(NUM_TWINS):
            twin = position.twin(seat, rng)
            if twin is None or self._difference(position, twin, seat) is not None:
                continue
            for other in kept:
                if self._tells_apart(position, twin, other):
                    return (
                        f"{NUM_REDEALS} re-deals keep what seat {other} is shown, but the same is "
                        f"known after {twin.history()}"
                    )
        return None

    def _twin(self, position: Position, seat: int, rng: random.Random) -> None:
        """Compare with a position that looks the same to the seat by its reference."""
        twins = (position.twin(seat, rng) for _ in range(NUM_TWINS))
        twin = next((each for each in twins if each is not None), None)
        if twin is None:
            return
        same = f"; it knows the same after {twin.history()}"
        turn = _other_turn(position.actor(), twin.actor())
        self._compare("turn", seat, position, turn and turn + same)
        if turn is not None:
            return
        different = self._tells_apart(position, twin, seat)
        self._compare("views", seat, position, different and different + same)
        if position.actor() == seat:
            legal = _different_actions(position, twin)
            self._compare("actions", seat, position, legal and legal + same)

    def _difference(self, position: Shown, other: Shown, seat: int) -> str | None:
        """Return what tells positions apart for a seat: a view, whose turn it is, its actions."""
        fault = _other_turn(position.actor(), other.actor())
        fault = fault or self._tells_apart(position, other, seat)
        if fault is None and position.actor() == seat:
            return _different_actions(position, other)
        return fault

    def _tells_apart(self, position: Shown, other: Shown, seat: int) -> str | None:
        """Return how what a seat is shown differs."""
        return self._different_view(position.views(seat), other.views(seat))

    def _different_view(
        self, before: Mapping[str, Hashable], after: Mapping[str, Hashable]
    ) -> str | None:
        for name, shown in before.items():
            if name not in self.unsteady and after.get(name) != shown:
                return f"the {name} differs: {_contrast(shown, after.get(name))}"
        return None

    def result(self) -> Audit:
        """Return what was found so far."""
        subject, counts = self.subject, self.counts
        unsteady = [
            f"The {name} is not compared: it differs between two episodes of one seed."
            for name in sorted(self.unsteady)
        ]
        silent = [f"{CHECKS[check]} Nothing to compare." for check, n in counts.items() if n == 0]
        return Audit(
            subject.name,
            subject.version,
            self.num_games,
            self.num_plies,
            counts,
            tuple(self.findings.values()),
            (*subject.notes, *unsteady, *silent),
        )


def _other_turn(actor: int | None, other: int | None) -> str | None:
    """Return a sentence where it is another seat's turn."""
    if actor == other:
        return None
    turns = ("nobody's" if seat is None else f"seat {seat}'s" for seat in (other, actor))
    return f"it is {next(turns)} turn, not {next(turns)}"


def _different_actions(position: Shown, other: Shown) -> str | None:
    if list(position.legal()) == list(other.legal()):
        return None
    return f"the legal actions differ: {_contrast(tuple(position.legal()), tuple(other.legal()))}"


def _contrast(one: Any, other: Any) -> str:
    """Return the part of two values where they first differ."""
    places = []
    while isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        index = next(k for k, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])
        places.append(str(index))
        one, other = one[index], other[index]
    if places:
        return f"at {', '.join(places)}, {one!r} and {other!r}"
    one, other = str(one), str(other)
    pairs = enumerate(zip(one, other, strict=False))
    start = next((k for k, pair in pairs if pair[0] != pair[1]), 0)
    part = slice(max(0, start - 20), start + 20)
    return f"{one[part]!r} and {other[part]!r}"
