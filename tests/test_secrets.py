"""What a player can compute from its random stream: never the seed that dealt the cards.

The attacker here undoes SplitMix64 and the way streams used to be derived, in plain integers.
"""

from typing import Any

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.policies.policy import Policy
from parlour.envs import load_game
from parlour.envs.core import rng
from parlour.envs.core.compile import plain
from parlour.envs.core.environments.solo import SoloEnv
from parlour.envs.core.game import Game
from parlour.envs.core.play.driver import Seating
from parlour.envs.core.played.transcript import record
from parlour.envs.core.rng import GOLDEN_GAMMA, SEED_LIMIT, player_streams, siphash, streams
from tests.one_table import dealt

pytestmark = pytest.mark.plain

WORD = 2**64 - 1
NUM_DRAWS = 300  # of its own stream, that the attacker tries going back: more than a game has
NUM_PURPOSES = 12


def unshift(word: int, count: int) -> int:
    """The inverse of `word ^ (word >> count)`."""
    result = word
    for _ in range(64 // count + 1):
        result = word ^ (result >> count)
    return result & WORD


def unmix(word: int) -> int:
    """The inverse of SplitMix64's mixing function."""
    word = unshift(word, 31) * pow(0x94D049BB133111EB, -1, 2**64) & WORD
    word = unshift(word, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) & WORD
    return unshift(word, 30)


def suspects(state: int) -> set[int]:
    """The seeds that a stream in this state may come from, if it is derived as it used to be."""
    gamma = int(GOLDEN_GAMMA)
    results = set()
    for drawn in range(NUM_DRAWS):
        start = unmix((state - drawn * gamma) & WORD)
        for purpose in range(NUM_PURPOSES):
            seed = (unmix((start - purpose) & WORD) - gamma) & WORD
            if seed < 2**40:  # what people give as seeds; a wrong guess is anywhere in 64 bits
                results.add(seed)
    return results


class Spy(Policy):
    """Plays as `random` does, and notes the state of the stream that it is handed."""

    def __init__(self, game: Game) -> None:
        plays = make_policy("random", game)
        self.states: list[int] = []

        def choose(observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
            self.states += rngs["state"].tolist()
            return plays(observations, masks, rngs)

        super().__init__("spy", game, choose)


def test_the_attack_finds_the_seed_of_a_stream_that_is_mixed_from_it() -> None:
    for seed in (0, 7, 123_456_789):
        for purpose in (1, 2, 5):
            for drawn in (0, 1, 250):
                state = int(streams([seed], purpose)["state"][0]) + drawn * int(GOLDEN_GAMMA)
                assert suspects(state & WORD) == {seed}


def test_the_attack_finds_nothing_in_the_streams_of_players() -> None:
    seeds = range(4)
    for sitting in range(2):
        for state in player_streams(seeds, 2, sitting)["state"].ravel().tolist():
            assert suspects(state) == set()


def test_a_player_finds_nothing_in_any_view() -> None:
    game = load_game("president", num_players=2)
    spy = Spy(game)
    record(game, 5, policies=spy)
    env = SoloEnv(game, opponents=spy)
    env.reset(seed=6)
    tables = dealt(game, [7])
    Seating(tables, [spy], np.zeros((1, 2), int), player_streams([7], 2)).advance(tables.all_rows)
    assert len(spy.states) > 10
    for state in spy.states[:: len(spy.states) // 10]:
        assert suspects(state) == set()


def test_the_hash_is_siphash() -> None:
    """The example of appendix A of the paper: the bytes 0 .. 14 under the key 0 .. 15."""
    message = [
        int.from_bytes(bytes(range(first, first + 8)), "little") for first in range(0, 16, 8)
    ]
    words = [np.uint64(word) for word in message]
    last = np.uint64(message[1] & (2**56 - 1) | 15 << 56)
    assert siphash(words[0], words[1], words[0], last) == 0xA129CA6149BE45E5


def test_streams_do_not_depend_on_whether_the_hash_is_compiled() -> None:
    seeds, sittings = [0, 3, SEED_LIMIT - 1], np.array([0, 1, 2**40], np.uint64)
    compiled = player_streams(seeds, 8, sittings)
    in_python = np.zeros_like(compiled)
    with np.errstate(over="ignore"):
        others, rows = np.zeros(3, in_python.dtype), np.arange(3)
        start = plain(rng.seed_games)
        start(np.array(seeds, np.uint64), sittings, rows, others, in_python, others)
    assert compiled.shape == (3, 8)
    assert (compiled == in_python).all()


def test_seats_sittings_and_seeds_share_no_stream() -> None:
    seeds = [*range(500), SEED_LIMIT - 1]
    states = [player_streams(seeds, 8, sitting)["state"] for sitting in range(4)]
    assert len(np.unique(np.stack(states))) == len(seeds) * 8 * 4


@pytest.mark.parametrize("seeds", [[2**63], [1.5], [-1], np.array([1.5, 2]), np.array([-1])])
def test_players_streams_come_from_seeds(seeds: Any) -> None:
    with pytest.raises(ValueError, match=r"integer in 0 \.\. 2\*\*63 - 1"):
        player_streams(seeds, 2)
