"""Which golden transcripts there are; `python -m tests.golden.write [GAME ...]` writes them anew.

Write them anew only when rules or observations change on purpose, raise the version of the game,
and read what differs against the rulebook before it is committed.
"""

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parlour.baselines.networks.derived import with_inputs
from parlour.baselines.players.making import make_policy, players_of
from parlour.envs import find_game
from parlour.envs.core.play.playthrough import Playthrough
from parlour.envs.core.played import transcript
from parlour.envs.core.rng import streams

FOLDER = Path(__file__).parent


class Golden(NamedTuple):
    """One golden game: settings, who plays (repeated over the seats), and what is shown."""

    config: dict[str, Any]
    players: tuple[str, ...]
    show: tuple[str, ...]


_TABLE = ("hand", "table_count", "table_rank", "passed")
_EXCHANGE = ("hand", "table_count", "table_rank", "roles", "gives_left", "given", "received")
_PLAYERS = ("lowest", "random")
_TOP = ("top", "top_values", "deck_sizes", "last_values", "last_cards", "pile", "places")
_GEMS = ("bank", "gems", "cards", "points", "deck_left")
_TRICK = ("hand", "table", "leader", "led_colour", "tricks_won")
_HANDS = ("hands", "phase", "turns_played", "passes")

GOLDEN: dict[str, dict[str, Golden]] = {
    "top_trumps": {
        "8_cards": Golden({"num_cards": 8, "num_fields": 3}, ("goliath", "maxer"), _TOP),
        "planets": Golden({"deck": "planets", "starter": 1}, ("expert", "rander"), _TOP),
        "trick_limit": Golden(
            {"num_cards": 8, "num_fields": 3, "trick_limit": 7, "starter": "random"},
            ("meaner_max",),
            _TOP,
        ),
    },
    "notty": {
        "2_players": Golden({"turn_limit": 10}, ("random",), _HANDS),
        "3_players": Golden({"num_players": 3, "turn_limit": 5}, ("random",), _HANDS),
        "4_players": Golden(
            {"num_players": 4, "turn_limit": 4, "starter": "random"}, ("random",), _HANDS
        ),
        "manual": Golden({"discard": "manual", "turn_limit": 10}, ("random",), _HANDS),
        "scripts": Golden(
            {"num_players": 3, "turn_limit": 8},
            ("aggressive", "x_defensive", "x_aggressive"),
            _HANDS,
        ),
    },
    "president": {
        "2_players": Golden({"num_players": 2}, _PLAYERS, _TABLE),
        "4_players": Golden({"num_players": 4}, _PLAYERS, _TABLE),
        "5_players": Golden({"num_players": 5}, _PLAYERS, _TABLE),
        "8_players": Golden({"num_players": 8}, _PLAYERS, _TABLE),
        "passing_out": Golden({"passing": "out"}, _PLAYERS, _TABLE),
        "scripts": Golden(
            {"num_games": 3}, ("planner", "set_keeper", "planner", "hoarder"), _TABLE
        ),
        "swap_one": Golden(
            {"num_players": 2, "num_games": 2, "economy": "swap_one"}, _PLAYERS, _EXCHANGE
        ),
        "swap_two": Golden({"num_games": 2, "economy": "swap_two"}, _PLAYERS, _EXCHANGE),
    },
    "splendor": {
        "2_players": Golden({"target": 5}, ("greedy", "random"), _GEMS),
        "3_players": Golden({"num_players": 3, "target": 3}, ("greedy",), _GEMS),
        "4_players": Golden({"num_players": 4, "target": 3}, ("greedy",), _GEMS),
        "planner": Golden({"target": 8}, ("planner",), _GEMS),
        "turn_limit": Golden({"turn_limit": 5}, ("random", "greedy"), _GEMS),
    },
    "trick_taking": {
        "2_seats": Golden({"num_values": 5}, ("high_low", "first_play"), _TRICK),
        "3_seats": Golden({"num_values": 5, "num_players": 3}, ("high_low", "random"), _TRICK),
        "smart": Golden({"num_players": 3}, ("smart", "high_low", "smart"), _TRICK),
        "4_seats": Golden(
            {"num_values": 4, "num_players": 4, "leader": 2}, ("first_play",), (*_TRICK, "voids")
        ),
    },
}


def texts(golden: transcript.Transcript) -> str:
    """Return positions of a game as text: at its quarters, and after each first kind of action.

    In turn they stand as the next seat sees them, and with all that is hidden.
    """
    game, names = golden.game, [ply.action.partition(":")[0] for ply in golden.plies]
    numbers = {names.index(name) + 1 for name in names if name.isalpha()}
    numbers |= {len(names) * quarter // 4 for quarter in range(5)}
    states, lines = list(transcript.replay(golden)), []
    for index, number in enumerate(sorted(numbers)):
        seat = None if index % 2 else max(0, int(game.seat_to_act(states[number])))
        lines += [f"== after ply {number}, " + ("all open" if seat is None else f"seat {seat}")]
        lines += [game.describe(states[number], seat), ""]
    return "\n".join(lines)


def choices(golden: transcript.Transcript) -> str:
    """Return what each script would do, ply by ply, where a seat has a choice."""
    game = golden.game
    scripts = [name for name, each in players_of(game).items() if each.kind == "script"]
    policies, lines = [make_policy(name, game) for name in scripts], [" ".join(scripts)]
    for turn in Playthrough(game, None, golden.seed, deal=golden.deal):
        if len(turn.legal) > 1:
            told = turn.observation, turn.action_mask
            chosen = [policy.act(*told, rng=streams([turn.number])) for policy in policies]
            lines.append(f"{turn.number}: {' '.join(map(game.action_name, chosen))}")
        turn.play(golden.plies[turn.number - 1].action)
    return "\n".join([*lines, ""])


def fields(name: str) -> str:
    """Return the fields of a game and its networks' inputs, at the sizes of its golden games."""
    sizes: dict[str, None] = {}
    for config in ({}, *(golden.config for golden in GOLDEN[name].values())):
        game, lines = find_game(name, **config), []
        for one in (*game.state_fields, *with_inputs(game).observation_fields):
            kind, shape = np.dtype(one.dtype), "x".join(map(str, one.shape))
            words = f"{one.name} {kind} {shape} {one.low} .. {one.high}"
            lines.append(words + f" ({one.num_bits} bits)" * bool(one.num_bits))
        sizes["\n".join([*lines, ""])] = None
    return "\n".join(sizes)


def played(name: str, golden: Golden) -> transcript.Transcript:
    """Let the players play a golden game."""
    game = find_game(name, **golden.config)
    players = itertools.islice(itertools.cycle(golden.players), game.num_seats)
    policies = [make_policy(player, game) for player in players]
    return transcript.record(game, policies=policies, show=golden.show)


def main(names: Sequence[str] = ()) -> None:
    """Write the golden transcripts of these games, or of all."""
    for name in names or GOLDEN:
        (FOLDER / name).mkdir(exist_ok=True)
        for title, golden in GOLDEN[name].items():
            path = FOLDER / name / f"{title}.txt"
            game = played(name, golden)
            transcript.save(game, path)
            path.with_suffix(".text").write_text(texts(game), encoding="utf-8")
            path.with_suffix(".choices").write_text(choices(game), encoding="utf-8")
            print(path)
        (FOLDER / name / "fields.text").write_text(fields(name), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
