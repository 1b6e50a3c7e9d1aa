"""A played game as a short text that people can check against the rules and programs replay.

This module has the format and all its operations: record, save, load, replay and verify::

    >>> import parlour
    >>> game = parlour.load_game("president", num_players=2)
    >>> played = parlour.transcript.record(game, 7, policies=parlour.make_policy("lowest", game))
    >>> text = parlour.transcript.to_text(played)
    >>> parlour.transcript.from_text(text).plies == played.plies
    True
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..catalogue import as_game, game_within
from ..game import Game
from ..play.playthrough import Playthrough, Turn
from ..play.policies import SeatedPolicy
from ..whole_files import write_whole
from .page.replay import PlyJudgements, game_data, replay_frame

_FIRST_LINE = "parlour transcript 1"
_LAST_LINE = "end"
_HEADER = ("game", "version", "config", "seed", "deal")


class TranscriptError(ValueError):
    """A transcript that cannot be read or that contradicts the game."""


class Ply(NamedTuple):
    """One action: its seat, the legal actions, and what that seat saw."""

    seat: int  # 0 .. num_seats - 1
    action: str  # its name
    legal: tuple[str, ...]  # empty if the transcript does not list them
    shown: tuple[tuple[str, tuple[int, ...]], ...]  # observation fields and their numbers


class Transcript(NamedTuple):
    """A played game: its deal, every ply, and the returns.

    `deal` is the start position as plain data, or None if the stream of `seed` dealt it. The
    returns are zeros for a game that was left unfinished.
    """

    game: Game  # with its settings
    seed: int  # of the game's random stream
    deal: Any  # plain data, or None
    plies: tuple[Ply, ...]  # in the order of play
    returns: tuple[float, ...]  # -1 .. 1, in the order of the seats

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return what a notebook shows: the replay with its controls, or the text."""
        return {"text/plain": to_text(self), "text/html": replay_frame(replay_data(self))}


def record(
    game: Game | str,
    seed: int = 0,
    *,
    deal: Any = None,
    policies: SeatedPolicy | Sequence[SeatedPolicy] | None = None,
    actions: Sequence[int | str] | None = None,
    show: Sequence[str] | None = None,
    sitting: int = 0,
) -> Transcript:
    """Play a game and record it.

    Either `policies` play it to the end (one a seat, or one for all seats), or the given `actions`
    are played, numbers or names, as far as they go. `show` is the golden form: each ply also lists
    the legal actions and these fields of the acting seat's observation. `sitting` numbers the games
    of one deal, in which players have different random streams. Raises ValueError for an illegal
    action, an impossible deal, or an unknown field.
    """
    if (policies is None) == (actions is None):
        raise ValueError("a game is recorded from policies or from actions: give one of them")
    game = as_game(game)
    _check_fields(game, show or ())
    played = Playthrough(game, policies, seed, deal=deal, sitting=sitting)
    plies = []
    for turn in played:
        if actions is not None:
            if turn.number > len(actions):
                break
            turn.play(actions[turn.number - 1])
        plies.append(_look(turn, turn.action if actions else turn.choose(), show))
    if len(plies) < len(actions or ()):
        raise ValueError(f"the game is over: there is no ply {len(plies) + 1}")
    return Transcript(game, seed, deal, tuple(plies), tuple(played.returns.tolist()))


def replay(transcript: Transcript) -> Iterator[np.record]:
    """Yield the positions of the game, before each ply and after the last, each as a copy.

    Raises TranscriptError for an impossible deal and at an illegal ply.
    """
    try:
        played = Playthrough(transcript.game, None, transcript.seed, deal=transcript.deal)
    except ValueError as error:
        raise TranscriptError(f"no such game can be dealt: {error}") from error
    for turn in played:
        yield turn.state
        if turn.number > len(transcript.plies):
            return
        turn.play(_checked_action(turn, transcript.plies[turn.number - 1]))
    if len(played.actions) < len(transcript.plies):
        raise TranscriptError(f"ply {len(played.actions) + 1} differs: the game is already over")
    yield played.state


def verify(transcript: Transcript) -> None:
    """Replay a transcript; raise a TranscriptError that names the first thing that differs."""
    for state in replay(transcript):
        last = state
    returns = np.zeros(transcript.game.num_seats)
    transcript.game.returns(last, returns)
    if not np.allclose(returns, transcript.returns):
        raise TranscriptError(
            f"the returns differ: the transcript says {_numbers(transcript.returns)}, "
            f"the rules say {_numbers(returns)}"
        )


def replay_data(
    transcript: Transcript,
    seat: int | None = None,
    names: Sequence[str] | None = None,
    judged: PlyJudgements | None = None,
) -> dict[str, Any]:
    """Return a transcript as plain data: what `seat` may see, or everything.

    Where nothing is hidden from the viewer, it has the views of all other seats too.
    `names` are those of the seats; `judged` has an entry for each ply, of which a seat gets its
    own. Raises TranscriptError for an impossible deal and at an illegal ply.
    """
    game, plies = transcript.game, transcript.plies
    played = [(ply.seat, action_of(game, ply, n)) for n, ply in enumerate(plies, start=1)]
    others = () if seat is not None and game.has_hidden else range(game.num_seats)
    views = (each for each in others if each != seat)
    data = game_data(game, replay(transcript), played, seat, names, views)
    if judged is not None:
        is_own = (seat in (None, ply.seat) for ply in plies)
        data["judged"] = [j if own else None for j, own in zip(judged, is_own, strict=True)]
    data["seed"] = transcript.seed if seat is None else None
    return data


def save(transcript: Transcript, path: str | Path) -> None:
    """Write a transcript to a text file."""
    write_whole(path, to_text(transcript))


def load(path: str | Path, game: Game | None = None) -> Transcript:
    """Read a transcript. `game` is needed if the game is not in the registry.

    Raises TranscriptError if the file is damaged, cut short, or of another game, version or
    configuration. It does not check the plies; `verify` does.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        return from_text(text, game)
    except UnicodeDecodeError as error:
        raise TranscriptError(f"{path}: not a text file") from error
    except TranscriptError as error:
        raise TranscriptError(f"{path}: {error}") from error


# Playing


def _look(turn: Turn, action: int, show: Sequence[str] | None) -> Ply:
    """The ply about to be played, in golden form if `show` is given."""
    name_of = turn.game.action_name
    legal = () if show is None else tuple(name_of(action) for action in turn.legal)
    values = tuple((name, tuple(np.ravel(turn.observation[name]).tolist())) for name in show or ())
    return Ply(turn.seat, name_of(action), legal, values)


def _checked_action(turn: Turn, ply: Ply) -> int:
    """Compare one ply with the rules at this position; return its action."""
    number, action = turn.number, action_of(turn.game, ply, turn.number)
    show = [name for name, _ in ply.shown] if ply.legal or ply.shown else None
    try:
        _check_fields(turn.game, show or ())
    except ValueError as error:
        raise TranscriptError(f"ply {number}: {error}") from error
    again = _look(turn, action, show)
    if again.seat != ply.seat:
        raise TranscriptError(
            f"ply {number} differs: the transcript has seat {ply.seat} act, the rules {again.seat}"
        )
    if ply.legal and again.legal != ply.legal:
        raise TranscriptError(
            f"ply {number} differs: the transcript lists as legal {' '.join(ply.legal)}; "
            f"the rules {' '.join(again.legal)}"
        )
    if not turn.action_mask[action]:
        raise TranscriptError(f"ply {number} differs: {ply.action} is not legal")
    for (name, said), (_, shown) in zip(ply.shown, again.shown, strict=True):
        if said != shown:
            raise TranscriptError(
                f"ply {number} differs: the transcript shows {name}={_numbers(said)}, "
                f"the rules {_numbers(shown)}"
            )
    return action


def action_of(game: Game, ply: Ply, number: int) -> int:
    """Return the action of ply `number`. Raises TranscriptError where none has its name."""
    try:
        return game.parse_action(ply.action)
    except ValueError as error:
        raise TranscriptError(f"ply {number}: {error}") from error


def _check_fields(game: Game, names: Sequence[str]) -> None:
    shown = [field.name for field in game.observation_fields]
    for name in names:
        if name not in shown:
            raise ValueError(f"{game.name} shows no {name!r}; its fields are {', '.join(shown)}")


# The text


def to_text(transcript: Transcript) -> str:
    """Return a transcript as text: a header, a line per ply, and the returns."""
    game = transcript.game
    lines = [
        _FIRST_LINE,
        f"game {game.name}",
        f"version {game.version}",
        f"config {json.dumps(game.config_dict())}",
        f"seed {transcript.seed}",
        f"deal {json.dumps(transcript.deal)}",
    ]
    lines += [_ply_line(number, ply) for number, ply in enumerate(transcript.plies, start=1)]
    lines += [f"returns {_numbers(transcript.returns, ' ')}", _LAST_LINE]
    return "\n".join(lines) + "\n"


def _ply_line(number: int, ply: Ply) -> str:
    """`12 seat 3: 2x7 of pass 2x7 | hand=0,2,1`."""
    line = f"{number} seat {ply.seat}: {ply.action}"
    if ply.legal:
        line += f" of {' '.join(ply.legal)}"
    if ply.shown:
        line += " | " + " ".join(f"{name}={_numbers(values)}" for name, values in ply.shown)
    return line


def _numbers(values: Sequence[float] | np.ndarray, between: str = ",") -> str:
    return between.join(str(value) for value in np.asarray(values).tolist())


def from_text(text: str, game: Game | None = None) -> Transcript:
    """The inverse of `to_text`; see `load` for `game` and errors."""
    lines = text.splitlines()
    if not lines or lines[0] != _FIRST_LINE:
        raise TranscriptError(f"not a transcript: the first line is not {_FIRST_LINE!r}")
    if len(lines) < len(_HEADER) + 3 or lines[-1] != _LAST_LINE or not text.endswith("\n"):
        raise TranscriptError(f"cut short: the last line is not {_LAST_LINE!r}")
    header = _header(lines[1 : len(_HEADER) + 1])
    game = _game_of(header, game)
    body = lines[len(_HEADER) + 1 : -2]
    starts = name_starts(game.action_name(action) for action in range(game.num_actions))
    plies = tuple(_read_ply(line, number, starts) for number, line in enumerate(body, start=1))
    returns = _read_returns(lines[-2], game)
    seed, deal = _json(header, "seed"), _json(header, "deal")
    if not isinstance(seed, int):
        raise TranscriptError(f"the seed is not a whole number: {seed!r}")
    return Transcript(game, seed, deal, plies, returns)


def _header(lines: Sequence[str]) -> dict[str, str]:
    header = {}
    for name, line in zip(_HEADER, lines, strict=True):
        word, _, rest = line.partition(" ")
        if word != name:
            raise TranscriptError(f"damaged: expected the line of the {name}, found {line!r}")
        header[name] = rest
    return header


def _json(header: Mapping[str, str], name: str) -> Any:
    try:
        return json.loads(header[name])
    except (ValueError, RecursionError) as error:  # also a number or a nesting that is too long
        raise TranscriptError(f"damaged: the line of the {name} cannot be read") from error


def _game_of(header: Mapping[str, str], game: Game | None) -> Game:
    """The game of the header; it must match the given one, if any, and this version."""
    config = _json(header, "config")
    if not isinstance(config, dict):
        raise TranscriptError(f"the config is not an object such as {{}}: {header['config']}")
    if game is None:
        try:
            game = game_within(header["game"], config)
        except (TypeError, ValueError) as error:
            raise TranscriptError(str(error)) from error
    if header["game"] != game.name:
        raise TranscriptError(f"a transcript of {header['game']}, not of {game.name}")
    if header["version"] != str(game.version):
        raise TranscriptError(
            f"played under version {header['version']} of {game.name}; this is {game.version}"
        )
    if config != game.config_dict():
        raise TranscriptError(
            f"played with the settings {config}; this game has {game.config_dict()}"
        )
    return game


def _read_ply(line: str, number: int, starts: Set[str]) -> Ply:
    """The inverse of `_ply_line`."""
    try:
        start, _, fields = line.partition(" | ")
        who, _, action_name = start.partition(": ")
        action, _, legal = action_name.partition(" of ")
        written, word, seat = who.split(" ")
        if written != str(number) or word != "seat" or not is_name(action):
            raise ValueError("not the line of a ply")
        shown = tuple(_read_field(part) for part in fields.split())
        return Ply(int(seat), action, tuple(split_names(legal, starts)), shown)
    except ValueError as error:
        raise TranscriptError(f"damaged: line of ply {number} cannot be read: {line!r}") from error


def is_name(text: str) -> bool:
    """Whether this can be the name of an action: words separated by single spaces."""
    return text != "" and " ".join(text.split()) == text


def name_starts(names: Iterable[str]) -> frozenset[str]:
    """The beginnings of names in whole words: for `a b c` these are `a`, `a b` and `a b c`."""
    many = (name.split() for name in names)
    return frozenset(" ".join(words[: end + 1]) for words in many for end in range(len(words)))


def split_names(text: str, starts: Set[str]) -> list[str]:
    """Split a text into names; a word continues the current name if that name has it next.

    `starts` is `name_starts` of all names that there may be.
    """
    lines: list[str] = []
    for word in text.split():
        if lines and f"{lines[-1]} {word}" in starts:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _read_field(part: str) -> tuple[str, tuple[int, ...]]:
    name, _, values = part.partition("=")
    return name, tuple(int(value) for value in values.split(","))


def _read_returns(line: str, game: Game) -> tuple[float, ...]:
    word, *values = line.split(" ")
    try:
        returns = tuple(float(value) for value in values)
    except ValueError as error:
        raise TranscriptError(f"damaged: the returns cannot be read: {line!r}") from error
    if word != "returns" or len(returns) != game.num_seats:
        raise TranscriptError(f"damaged: expected the returns of {game.num_seats} seats: {line!r}")
    return returns
