"""Write played games to files: a Parquet table of plies, a Minari dataset, or chats as JSON lines.

Each format is a class with `write`, which takes whole games, and `close`. Optional packages are
imported when a file is opened.
"""

import contextlib
import copy
import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from ..envs import GAMES
from ..envs.core.environments.common import ObservationEncoder, observation_space
from ..envs.core.fields import Field
from ..envs.core.game import Game
from ..envs.core.play.loops import loops_of
from ..envs.core.play.tables import action_masks
from ..envs.core.rng import player_streams
from ..envs.core.whole_files import written_whole
from ..envs.core.words import how_to_install
from .advice.move_values import EXACT, exact_values_of
from .players.making import make_policy, resolved
from .plies import Plies, plies_of
from .policies.policy import Policy, PolicySpec, values_of
from .prompts import Style, answer, instructions, position_text

DEFAULT_SEARCH = "mcts"  # values moves where the game is not solved
EXTRA = "record"  # has the packages
PORTION = 64  # episodes of Minari, after which their number is written
FLAT, MASK = "observation", "action_mask"  # of the Dict space of a single-seat environment


@dataclasses.dataclass(frozen=True)
class Recorded:
    """What is recorded, and by whom it is played."""

    game: Game
    players: Sequence[PolicySpec]  # one for each seat
    valued_by: str | None = None  # EXACT or a player; None: no values

    @cached_property
    def policies(self) -> list[Policy]:
        """The players of all seats."""
        made = {player: make_policy(player, self.game) for player in dict.fromkeys(self.players)}
        return [made[player] for player in self.players]


def record_games(
    recorded: Recorded,
    seeds: range,
    path: Path,
    file_format: str = "parquet",
    on_progress: Callable[[int], None] = lambda done: None,
) -> int:
    """Play the deals `seeds` and write them to a file; return the number of plies.

    `on_progress` is called with the games done so far. The file has its name once it is complete.
    Raises ValueError where a package is missing, where values do not fit the format, for a folder
    that is not empty, an unknown player and an illegal action, and OSError.
    """
    num_games = num_plies = 0
    policies = recorded.policies  # errors come before the file
    if path.is_dir() and (FORMATS[file_format] is not _Minari or any(path.iterdir())):
        raise ValueError(f"{path} is a folder that exists; name another place")
    with written_whole(path) as partial:
        try:
            with contextlib.closing(FORMATS[file_format](recorded, partial)) as recorder:
                for plies in plies_of(recorded.game, policies, np.arange(seeds.start, seeds.stop)):
                    recorder.write(plies)
                    num_games += len(plies.seeds)
                    num_plies += len(plies.seats)
                    on_progress(num_games)
        except KeyboardInterrupt as stop:
            raise KeyboardInterrupt(
                f"stopped; at least {num_games:,} deals are in {partial}"
            ) from stop
    return num_plies


def valuer_of(game: Game, player: str | None) -> str:
    """Return who values the moves: `player`; else exact values of a solved game, else a search.

    Raises ValueError for a player that cannot.
    """
    if player in (None, EXACT):
        if exact_values_of(game) is not None:
            return EXACT
        if player == EXACT:
            raise ValueError(f"{game.name} is not solved with these settings")
    name = player or DEFAULT_SEARCH
    if make_policy(name, game).values is None:
        raise ValueError(
            f"{name} chooses without values of the moves; a search such as mcts has them"
        )
    return name


def values_of_plies(game: Game, plies: Plies, valued_by: str) -> np.ndarray:
    """Return the value of every action, float32 [P, A], for the seat that acts: an expected return.

    NaN stands for illegal actions, and for those that a search left aside. A search starts from
    determinized positions.
    """
    masks = action_masks(plies.words, game.num_actions)
    exact = exact_values_of(game) if valued_by == EXACT else None
    if exact is not None:
        values = exact(plies.observations, masks)
    else:
        rngs = player_streams(plies.seeds[plies.games], 1, plies.numbers)[:, 0]
        positions = game.new_states(len(masks))
        seats = plies.seats.astype(np.int64)
        rows = np.arange(len(masks))
        loops_of(game).reshuffle_rows(plies.states, rows, seats, rngs, positions)
        policy = make_policy(valued_by, game)
        values = values_of(policy, plies.observations, masks, rngs, positions)
    return np.where(masks == 1, values, np.nan).astype(np.float32)


class _Parquet:
    """One row for each ply; see docs/pages/formats.md."""

    def __init__(self, recorded: Recorded, path: Path) -> None:
        self.recorded = recorded
        with _extra("parquet"):
            import pyarrow
            import pyarrow.parquet
        self.arrow = pyarrow
        about = self.arrow.schema(self._schema(), {"parlour": json.dumps(_about(recorded))})
        repeated = [name for name in about.names if name != FLAT]
        self.writer = pyarrow.parquet.ParquetWriter(
            path, about, compression="zstd", use_dictionary=repeated
        )

    def _schema(self) -> list[tuple[str, Any]]:
        pa, game = self.arrow, self.recorded.game
        label = pa.dictionary(pa.int8(), pa.string())
        columns = [
            ("game", label),
            ("settings", label),
            ("deal", pa.int64()),
            ("ply", pa.int32()),
            ("seat", pa.int8()),
            ("player", label),
            ("observation", pa.binary(game.observation_dtype.itemsize)),
            ("legal_actions", pa.list_(pa.int16())),
            ("action", pa.int16()),
            ("return", pa.float32()),
        ]
        valued = [("values", pa.list_(pa.float32())), ("valued_by", label)]
        return columns + (valued if self.recorded.valued_by else [])

    def write(self, plies: Plies) -> None:
        """Append whole games, as one row group."""
        pa, recorded, count = self.arrow, self.recorded, len(plies.seats)
        legal = action_masks(plies.words, recorded.game.num_actions) == 1
        numbers = np.flatnonzero(legal) % legal.shape[1]
        games, seats = plies.games, plies.seats
        size = recorded.game.observation_dtype.itemsize
        records = pa.py_buffer(np.ascontiguousarray(plies.observations).view(np.uint8))
        columns = {
            "game": _same(pa, recorded.game.name, count),
            "settings": _same(pa, json.dumps(recorded.game.config_dict()), count),
            "deal": plies.seeds[games].astype(np.int64),
            "ply": plies.numbers.astype(np.int32),
            "seat": seats,
            "player": pa.DictionaryArray.from_arrays(seats, [p.name for p in recorded.policies]),
            "observation": pa.FixedSizeBinaryArray.from_buffers(
                pa.binary(size), count, [None, records]
            ),
            "legal_actions": _lists(pa, legal, numbers.astype(np.int16)),
            "action": plies.actions.astype(np.int16),
            "return": plies.returns[games, seats].astype(np.float32),
        }
        if recorded.valued_by:
            values = values_of_plies(recorded.game, plies, recorded.valued_by)
            columns["values"] = _lists(pa, legal, values[legal])
            columns["valued_by"] = _same(pa, recorded.valued_by, count)
        self.writer.write_table(pa.table(columns, schema=self.writer.schema))

    def close(self) -> None:
        """Write the end of the file, without which nothing can be read."""
        self.writer.close()


def _same(pa: Any, label: str, count: int) -> Any:
    return pa.DictionaryArray.from_arrays(np.zeros(count, np.int8), [label])


def _lists(pa: Any, legal: np.ndarray, values: np.ndarray) -> Any:
    """Return a list of numbers for each row: one number for each legal action."""
    ends = np.cumsum(legal.sum(axis=1))
    return pa.ListArray.from_arrays(np.concatenate([[0], ends]).astype(np.int32), pa.array(values))


class _Minari:
    """An episode for each seat of each game, as the single-seat environment shows it."""

    def __init__(self, recorded: Recorded, path: Path) -> None:
        _refuse_values(recorded, "minari")
        with _extra("minari"):
            import minari
            import pyarrow.dataset  # noqa: F401  (Minari's files are Arrow's)
        self.recorded, self.encoder = recorded, ObservationEncoder(recorded.game, "scaled")
        self.episode = minari.data_collector.EpisodeBuffer
        path = path.resolve()  # Minari counts the files of relative ones wrong
        path.mkdir(exist_ok=True)
        self.storage = minari.dataset.minari_storage.MinariStorage.new(
            path,
            observation_space(recorded.game, self.encoder, "dict"),
            gymnasium.spaces.Discrete(recorded.game.num_actions),
            _env_spec(recorded),
            "arrow",
        )
        names = ",".join(policy.name for policy in recorded.policies)
        self.storage.update_metadata(
            {
                "dataset_id": f"parlour/{recorded.game.name}-v{recorded.game.version}",
                "algorithm_name": names,
                "minari_version": minari.__version__,
                "parlour": _about(recorded),
            }
        )

    def write(self, plies: Plies) -> None:
        """Append an episode for each seat that acts in a game; the metadata count each portion."""
        places = list(plies.episodes())
        for start in range(0, len(places), PORTION):
            portion = (self._episode(plies, *place) for place in places[start : start + PORTION])
            self.storage.update_episodes(portion)

    def _episode(self, plies: Plies, index: int, seat: int, rows: np.ndarray) -> Any:
        game, count = self.recorded.game, len(rows)
        last = game.new_observations()
        game.observe(plies.finals[index], seat, last[0])
        observations = np.concatenate([plies.observations[rows], last])
        masks = action_masks(plies.words[rows], game.num_actions)
        nothing = np.zeros((1, game.num_actions), np.int8)
        is_last = np.arange(count) == count - 1
        return self.episode(
            seed=int(plies.seeds[index]),
            observations={
                FLAT: self.encoder.encode(observations),
                MASK: np.concatenate([masks, nothing]),
            },
            actions=plies.actions[rows],
            rewards=np.where(is_last, plies.returns[index, seat], 0.0),
            terminations=is_last,
            truncations=np.zeros(count, bool),
            infos={"seat": [seat] * (count + 1)},
        )

    def close(self) -> None:
        """Do nothing: each episode is a file."""


def _env_spec(recorded: Recorded) -> Any:
    """Return the spec of the recorded table in Gymnasium; None where a player has no name.

    The learner takes any seat among equal players, and seat 0 among others.
    """
    spec = copy.deepcopy(gymnasium.registry.get(GAMES.get(recorded.game.name, "")))
    names = [resolved(player, recorded.game) for player in recorded.players]
    if spec is None or not all(isinstance(name, str) for name in names):
        return None
    is_same = len(set(names)) == 1
    table = {"seat": "random" if is_same else 0, "opponents": names[0] if is_same else names[1:]}
    spec.kwargs |= {**recorded.game.config_dict(), **table, "layout": "dict"}
    return spec


class _Chats:
    """A line for each seat that has a choice in a game, in the words that language models read.

    As in the environments for these, plies without a choice are left out.
    """

    def __init__(self, recorded: Recorded, path: Path) -> None:
        _refuse_values(recorded, "jsonl")
        seats = range(recorded.game.num_seats)
        self.instructions = [instructions(recorded.game, seat, Style()) for seat in seats]
        self.recorded, self.file = recorded, path.open("w", encoding="utf-8")

    def write(self, plies: Plies) -> None:
        """Append a line for each seat that has a choice in a game."""
        recorded, numbers = self.recorded, plies.numbers
        has_choice = action_masks(plies.words, recorded.game.num_actions).sum(axis=1) > 1
        for game, seat, acted in plies.episodes():
            rows = acted[has_choice[acted]]
            if not len(rows):
                continue
            line = {
                "game": recorded.game.name,
                "settings": recorded.game.config_dict(),
                "deal": int(plies.seeds[game]),
                "seat": seat,
                "player": recorded.policies[seat].name,
                "return": float(plies.returns[game, seat]),
                "plies": numbers[rows].tolist(),
                "messages": [
                    {"role": "system", "content": self.instructions[seat]},
                    *(turn for row in rows for turn in self._turns(plies, row)),
                ],
            }
            self.file.write(json.dumps(line) + "\n")
        self.file.flush()  # whole lines, should this process be killed

    def _turns(self, plies: Plies, row: int) -> tuple[dict[str, str], dict[str, str]]:
        """Return what the seat is asked and what it answers."""
        game = self.recorded.game
        asked = position_text(game, plies.states[row], int(plies.seats[row]), Style())
        said = answer(game.action_name(int(plies.actions[row])))
        return {"role": "user", "content": asked}, {"role": "assistant", "content": said}

    def close(self) -> None:
        """Close the file."""
        self.file.close()


FORMATS: dict[str, type[_Parquet | _Minari | _Chats]] = {
    "parquet": _Parquet,
    "minari": _Minari,
    "jsonl": _Chats,
}


def _about(recorded: Recorded) -> dict[str, Any]:
    """Return what a reader without Parlour needs to know."""
    game = recorded.game
    return {
        "game": game.name,
        "version": game.version,
        "settings": game.config_dict(),
        "players": [policy.name for policy in recorded.policies],
        "valued_by": recorded.valued_by,
        "num_actions": game.num_actions,
        "actions": [*map(game.action_name, range(game.num_actions))],
        "num_inputs": game.layout.num_inputs,
        "observation": [_about_field(field) for field in game.observation_fields],
    }


def _about_field(field: Field) -> dict[str, Any]:
    """Describe a field of the observation record, and the factor that makes inputs of it."""
    scale = 1.0 / max(1, abs(field.low), abs(field.high)) if not field.num_bits else 1.0
    return {
        "name": field.name,
        "dtype": np.dtype(field.dtype).str,
        "shape": list(field.shape),
        "num_bits": field.num_bits,
        "is_input": not field.hidden,
        "scale": scale,
        "meaning": field.meaning,
    }


def _refuse_values(recorded: Recorded, file_format: str) -> None:
    if recorded.valued_by is not None:
        raise ValueError(f"--values needs --format parquet; {file_format} has no place for them")


@contextlib.contextmanager
def _extra(file_format: str) -> Iterator[None]:
    """Turn a missing package into a ValueError that names the extra."""
    try:
        yield
    except ImportError as error:
        raise ValueError(
            f"--format {file_format} needs the extra: {how_to_install(EXTRA)}"
        ) from error
