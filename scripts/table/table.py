"""One table: a running game, who sits where, and all operations that need no server.

A table is its setup and its actions: from these it is made again after a restart. It contains
everything, so nothing here is sent to anybody; `views` makes what a seat is sent.
"""

import dataclasses
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, get_origin
from weakref import WeakKeyDictionary

import numpy as np

from ...baselines.advice.explanations import Explanation, explain
from ...baselines.advice.judgements import Judgement, judge_move
from ...baselines.players.making import make_policy, resolved
from ...baselines.players.named_files import digests_of
from ...baselines.policies.policy import Policy
from ...baselines.policies.settings import parse_settings
from ...envs.core.catalogue import game_within, kept_settings
from ...envs.core.game import NO_SEAT, Game
from ...envs.core.play.driver import seat_policies
from ...envs.core.play.one_game import OneGame, PlayedPly, started_table
from ...envs.core.positions import position_from
from ...envs.core.rng import check_seed, fresh_seed, player_streams
from ..words import HOST
from .protocol import sent_exactly

HERE, REMOTE, PLAYER = "here", "remote", "player"  # kinds of occupants
FREE = "free"  # a chair for whoever opens the link of the table
KINDS = (HERE, REMOTE, PLAYER, FREE)
MAX_NAME = 40
MAX_SEATS = 16
JUDGE_SECONDS = 0.3  # for each choice, where a game is not solved
MAX_SIMULATIONS = 100_000  # a move
COUNTS = ("num_simulations", "num_playouts")  # settings that count them
RECENT = 200  # actions that a newcomer is sent
_TOKEN_BYTES = 24
_BLANK = dict.fromkeys(map(ord, "\u115f\u1160\u2800\u3164\uffa0"))  # letters that show nothing
_MAX_PLIES = 1 << 32


@dataclasses.dataclass(frozen=True)
class Occupant:
    """Who takes a seat: a person here, one with a link, a player by name, or nobody yet."""

    kind: str
    name: str  # shown to all
    player: str = ""  # what `make_policy` makes the player of

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"a seat is taken by {', '.join(KINDS)}; got {self.kind!r}")
        if not isinstance(self.name, str) or not 0 < len(self.name) <= MAX_NAME:
            raise ValueError(f"a name has 1 to {MAX_NAME} letters; got {self.name!r}")
        if not self.name.isprintable():
            raise ValueError(f"a name has printable letters only; got {self.name!r}")
        if not isinstance(self.player, str) or (self.kind == PLAYER) != bool(self.player):
            raise ValueError(f"a seat of kind {self.kind!r} has player {self.player!r}")


@dataclasses.dataclass(frozen=True)
class Setup:
    """All that decides a game besides its actions, as plain data."""

    game: str
    settings: dict[str, Any]  # none names a file: see `kept_settings`
    seats: tuple[Occupant, ...]
    seed: int
    skip_forced: bool = True  # play moves of people who have no choice
    pace: float = 0.0  # seconds between moves of players, for people who watch
    is_open: bool = False  # spectators see all hands; only where no person has a seat
    has_help: bool = True  # hints, judgements and explanations before the end
    sitting: int = 0  # of a deal that is played more than once: players draw other numbers
    deal: dict[str, Any] = dataclasses.field(default_factory=dict)  # by hand; empty: of the seed
    move_seconds: float = 0.0  # that a person has for a move; 0: no limit
    is_waiting: bool = False  # guests take free chairs, and nobody moves yet
    resigned: int = NO_SEAT  # the seat that has given the game up
    is_late: bool = False  # it did so because its time for a move was up

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            kind: Any = get_origin(field.type) or field.type
            value = getattr(self, field.name)
            if not isinstance(value, int | float if kind is float else kind):
                raise ValueError(f"{field.name} of a table is of another type: {value!r:.60}")
        if self.is_open and any(seat.kind != PLAYER for seat in self.seats):
            raise ValueError("hands are open to spectators only where players have all seats")
        if any(seat.kind == FREE for seat in self.seats) and not self.is_waiting:
            raise ValueError("chairs are free only until the game starts")
        if self.move_seconds and not self.may_resign:
            raise ValueError("a time limit goes with two seats, or with one person among players")

    @property
    def may_resign(self) -> bool:
        """Whether a person may give up: with two seats, or as the only person at the table."""
        return len(self.seats) <= 2 or sum(seat.kind != PLAYER for seat in self.seats) <= 1

    def turned(self) -> "Setup":
        """The same deal with everybody one seat further."""
        seats = (self.seats[-1], *self.seats[:-1])
        return dataclasses.replace(self, seats=seats, resigned=NO_SEAT)

    def starting_from(self, deal: dict[str, Any], seed: int) -> "Setup":
        """The same people and settings with a deal or position given as plain data."""
        return dataclasses.replace(self, deal=deal, seed=seed, resigned=NO_SEAT)

    def start(self, game: Game) -> Any:
        """Return the start as `Tables.deal_from` takes it; None: the seed deals. Raises ValueError.

        A deal by hand has the game's own form; a position has all fields of the game's state.
        """
        is_position = {*self.deal} == {field.name for field in game.state_fields}
        return position_from(game, self.deal) if is_position else self.deal or None

    def file_digests(self) -> dict[str, str]:
        """Return the digest of each file that the players are made of. Raises ValueError."""
        players = [seat.player for seat in self.seats if seat.kind == PLAYER]
        return digests_of(players, game_within(self.game, self.settings))


def new_setup(
    game: Game,
    settings: Mapping[str, Any],
    seats: Sequence[Occupant],
    seed: int | None = None,
    **more: Any,
) -> Setup:
    """Return the setup of a game made with these settings; without a seed its deal is new."""
    dealt = fresh_seed() if seed is None else check_seed(seed)
    return Setup(game.name, kept_settings(game, settings), tuple(seats), dealt, **more)


def player_seat(player: str) -> Occupant:
    """Return the occupant that is a player, by its own name."""
    return Occupant(PLAYER, player[:MAX_NAME], player)


def check_name(name: str) -> None:
    """Raise ValueError for a person's name that shows nothing, or that is taken for the host's."""
    letters = name.translate(_BLANK).strip()
    if not letters or letters.casefold() == HOST.casefold():
        raise ValueError(f"a name can be read and is not {HOST}; got {name!r}")


def setup_from(data: dict[str, Any]) -> Setup:
    """Make a setup of what `dataclasses.asdict` made of one. Raises ValueError and TypeError."""
    if not isinstance(data, dict) or not isinstance(data.get("seats"), list):
        raise ValueError(f"a setup is an object with seats, not {data!r:.60}")
    return Setup(**{**data, "seats": tuple(Occupant(**seat) for seat in data["seats"])})


Moment = tuple[Setup, OneGame, list[int]]  # see `GameTable.restore`


class GameTable:
    """A running game, and the people and players at its seats.

    Raises ValueError and TypeError where the setup is impossible.
    """

    def __init__(self, setup: Setup, actions: Sequence[int] = ()) -> None:
        """Deal, and play `actions` again."""
        self.game: Game = game_within(setup.game, setup.settings)
        seats = tuple(_resolved(seat, self.game) for seat in setup.seats)
        self.setup = dataclasses.replace(setup, seats=seats)
        if len(setup.seats) != self.game.num_seats:
            raise ValueError(
                f"{setup.game} has {self.game.num_seats} seats here, not {len(setup.seats)}"
            )
        self.policies: list[Policy | None] = [_policy(seat, self.game) for seat in setup.seats]
        self.undone: list[int] = []  # actions, the next to be played again last
        self._judged: WeakKeyDictionary[PlayedPly, Judgement] = WeakKeyDictionary()
        deal = self.setup.start(self.game)
        self._go_on(OneGame(started_table(self.game, setup.seed, deal)))
        if deal is not None and not self.running.is_over and not self.legal:
            raise ValueError("in this position the seat to act has no move")
        for action in actions:
            if action not in self.legal:
                raise ValueError(f"move {len(self.plies) + 1} is not legal: it is no {action}")
            self._apply(action)

    # Questions

    @property
    def state(self) -> np.record:
        """The position, all of it."""
        return self.running.state

    @property
    def plies(self) -> list[PlayedPly]:
        """The plies so far."""
        return self.running.plies

    @property
    def seat_to_act(self) -> int:
        """The seat to act, or NO_SEAT at the end."""
        return NO_SEAT if self.is_over else self.running.seat

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.setup.resigned != NO_SEAT or self.running.is_over

    @property
    def legal(self) -> list[int]:
        """The legal actions of the seat to act."""
        return self.running.legal_actions

    @property
    def returns(self) -> list[float]:
        """The returns of all seats; zeros before the end. Who resigns loses to all others."""
        if self.setup.resigned == NO_SEAT:
            return self.running.returns.tolist()
        others = self.game.num_seats - 1
        seats = range(self.game.num_seats)
        return [-1.0 if seat == self.setup.resigned else 1 / others for seat in seats]

    @property
    def actions(self) -> list[int]:
        """The actions so far."""
        return self.running.actions

    @property
    def people(self) -> list[int]:
        """The seats of people and programs with links."""
        return [seat for seat, policy in enumerate(self.policies) if policy is None]

    @property
    def is_forced(self) -> bool:
        """Whether a person has one legal action, which is to be played automatically.

        Not among several people with hidden cards: they would learn that there was no choice.
        """
        is_public = len(self.people) == 1 or not self.game.has_hidden
        is_skipped = self.setup.skip_forced and is_public
        return is_skipped and self.seat_to_act in self.people and len(self.legal) == 1

    @property
    def to_think(self) -> Policy | None:
        """The player to act, or None where a person acts or nobody."""
        return None if self.is_over else self.policies[self.seat_to_act]

    def sees(self, ply: PlayedPly, seat: int | None) -> bool:
        """Return whether a seat, or every seat where that is None, saw what was played."""
        if seat is None and self.setup.is_open:
            return True
        seats = range(self.game.num_seats) if seat is None else (seat,)
        return all(ply.is_seen_by(self.game, each) for each in seats)

    def recall(self, seat: int | None) -> None:
        """Find out which of the last `RECENT` actions a seat saw: slow the first time."""
        for ply in self.plies[-RECENT:]:
            self.sees(ply, seat)

    # Moves

    def act(self, action: int) -> None:
        """Play an action of the seat to act. Raises ValueError where it is not legal."""
        if action not in self.legal:
            raise ValueError("this move is not legal now")
        self.undone.clear()
        self._apply(action)

    def choose(self, policy: Policy) -> int:
        """Let a player choose for the seat to act; it may take long, and changes nothing else.

        The player's stream depends on the deal and the number of the ply only, so that a game that
        continues after a restart stays the same game.
        """
        seating, turn = self.seating, self.running.turn  # `undo` replaces them meanwhile
        seating.rngs[:] = self._streams(len(self.plies))
        return int(seating.choose(policy, turn)[0])

    @property
    def can_undo(self) -> bool:
        """Whether one person plays against players, and has made a choice."""
        is_alone = len(self.people) == 1 and self.setup.resigned == NO_SEAT
        return is_alone and self._last_choice() is not None

    def undo(self) -> None:
        """Take back the person's last choice and all that followed. Raises ValueError."""
        last = self._last_choice()
        if last is None or not self.can_undo:
            raise ValueError("there is nothing to take back")
        before = self.running.copy()  # a player may be thinking about this one
        undone = self.actions[last:][::-1]
        for _ in undone:
            before.undo()
        self.restore((self.setup, before, self.undone + undone))

    def redo(self) -> None:
        """Play again what was taken back, up to the person's next choice. Raises ValueError."""
        if not self.undone:
            raise ValueError("there is nothing to play again")
        self._apply(self.undone.pop())
        while self.undone and not self._is_choice():
            self._apply(self.undone.pop())

    def resign(self, seat: int, is_late: bool = False) -> None:
        """End the game as a loss of a seat. Raises ValueError where others would play on."""
        if self.is_over:
            raise ValueError("this game is over")
        if not self.setup.may_resign:
            raise ValueError("others are playing: leave, and a player can take your seat")
        self.setup = dataclasses.replace(self.setup, resigned=seat, is_late=is_late)
        self.undone.clear()

    @property
    def moment(self) -> Moment:
        """What changes, for `restore`."""
        return self.setup, self.running.copy(), list(self.undone)

    def restore(self, moment: Moment) -> None:
        """Return to a moment of this game."""
        self.setup, running, self.undone = moment
        self._go_on(running)

    def judge(self, ply: PlayedPly) -> Judgement:
        """Compare a move with the others there were, from what its seat knew.

        The answer stays: what is said after a move and in the review is the same.
        """
        if ply not in self._judged:
            self._judged[ply] = judge_move(self.game, ply.before, ply.action, JUDGE_SECONDS)
        return self._judged[ply]

    def explain(self, ply: PlayedPly, onlooker: int | None) -> Explanation | None:
        """Explain a player's move to another seat, or at an open table to spectators (None).

        Return None where that seat cannot know enough.
        """
        if not self.sees(ply, onlooker):
            return None
        return explain(self.game, ply.before, ply.action, onlooker, self.policies[ply.seat])

    def as_shared(self) -> dict[str, Any]:
        """Return what the game is made of as plain data, for a link or a file."""
        names = [self.game.action_name(action) for action in self.actions]
        game = {"game": self.setup.game, "settings": self.setup.settings, "deal": self.setup.deal}
        return sent_exactly({**game, "seed": self.setup.seed, "actions": names})

    def choices_of(self, seat: int) -> list[int]:
        """Return the numbers of the plies in which a seat had a choice."""
        plies = enumerate(self.plies)
        return [number for number, ply in plies if ply.seat == seat and ply.had_choice]

    # Inside

    def _go_on(self, running: OneGame) -> None:
        """Play on from here; players with memory see the game so far."""
        self.running = running
        self.seating = seat_policies(running.tables, self.policies, self._streams(0))
        self.seating.show_again([ply.states for ply in running.plies])

    def _streams(self, ply: int) -> np.ndarray:
        sitting = self.setup.sitting * _MAX_PLIES + ply + 1
        return player_streams([self.setup.seed], self.game.num_seats, sitting)

    def _apply(self, action: int) -> None:
        self.running.apply(action)
        self.seating.watch(self.running.tables.all_rows)

    def _is_choice(self) -> bool:
        return self.seat_to_act in self.people and len(self.legal) > 1

    def _last_choice(self) -> int | None:
        """The number of the last ply that was a person's choice, or None."""
        for number in range(len(self.plies) - 1, -1, -1):
            ply = self.plies[number]
            is_choice = ply.had_choice or not self.setup.skip_forced
            if ply.seat in self.people and is_choice:
                return number
        return None


def _resolved(seat: Occupant, game: Game) -> Occupant:
    """Return the occupant with the player that `best` stands for, and its name."""
    player = str(resolved(seat.player, game))
    is_named_after_it = seat.name == seat.player[:MAX_NAME]
    name = player[:MAX_NAME] if is_named_after_it else seat.name
    return dataclasses.replace(seat, name=name, player=player)


def check_thinking_times(setup: Setup, limit: float) -> None:
    """Raise ValueError where a player would think longer than `limit` seconds a move.

    Or where it makes more than MAX_SIMULATIONS simulations or playouts a move.
    """
    for number, seat in enumerate(setup.seats):
        name = seat.player.rpartition(":")[2]
        settings = parse_settings(name) if "=" in name else {}
        seconds = settings.get("milliseconds", 0) / 1000
        if any(settings.get(count, 0) > MAX_SIMULATIONS for count in COUNTS):
            raise ValueError(
                f"the player of seat {number} has a limit of {MAX_SIMULATIONS:,} simulations or "
                f"playouts a move here: {seat.player}"
            )
        if seconds > limit:
            raise ValueError(
                f"the player of seat {number} thinks {seconds:g} s a move, and the limit here is "
                f"{limit:g} s: {seat.player}"
            )


def _policy(seat: Occupant, game: Game) -> Policy | None:
    return make_policy(seat.player, game) if seat.kind == PLAYER else None


def new_token() -> str:
    """Return a secret that nobody can guess, to put into a link."""
    return secrets.token_urlsafe(_TOKEN_BYTES)
