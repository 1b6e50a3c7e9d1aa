"""Players that remember: one for each seat of each game, shown the start and every ply."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Final

import gymnasium
import numpy as np
import pytest

from parlour.baselines import Policy, make_policy
from parlour.baselines.arena.play.batches import play_deals
from parlour.baselines.arena.play.seatings import one_against_field
from parlour.envs import load_game
from parlour.envs.core.play.legal import PlayerError
from parlour.envs.core.play.playthrough import Playthrough
from parlour.envs.core.played import transcript
from parlour.scripts.main import main

pytestmark = pytest.mark.plain

GAME: Final = "trick_taking"
SIZES: dict[str, Any] = {"num_values": 5}
CARDS = 10  # and as many plies


class Witness:
    """Plays the first legal card and keeps what it was shown."""

    all: ClassVar[list["Witness"]] = []

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.seen: list[np.record] = []
        Witness.all.append(self)

    def begin(self, seat: int, game: Any) -> None:
        self.seat, self.game = seat, game

    def watch(self, observation: np.record) -> None:
        self.seen.append(observation)

    def choose(self, observation: np.record, action_mask: np.ndarray, rng: np.ndarray) -> int:
        assert observation.tobytes() == self.seen[-1].tobytes()
        return int(action_mask.argmax())


@pytest.fixture(autouse=True)
def _nobody_yet() -> Iterator[None]:
    Witness.all.clear()
    yield
    Witness.all.clear()


def seated() -> list[Witness]:
    return [witness for witness in Witness.all if witness.seen]


def cards_on_show(observation: np.record) -> int:
    """How many cards have been played, as this seat sees it."""
    return sum(bin(int(word)).count("1") for word in np.ravel(observation["played"]))


def test_it_forgets_an_action_that_is_taken_back() -> None:
    game = load_game(GAME, **SIZES)
    playthrough = Playthrough(game, make_policy(Witness, game), seed=2)
    shown = []
    for _ in range(4):
        shown.append(playthrough.observation(1).tobytes())
        playthrough.apply(playthrough.choose())
    playthrough.undo()
    last = next(one for one in reversed(Witness.all) if one.seen and one.seat == 1)
    assert [observation.tobytes() for observation in last.seen] == shown
    assert playthrough.position.tobytes() != playthrough.plies[-1].before.tobytes()


@pytest.mark.parametrize("other", ["first_legal", Witness])
def test_it_is_shown_the_start_and_every_ply_and_plays_as_it_would_without(other: Any) -> None:
    game = load_game(GAME, **SIZES)
    seeds = np.arange(5)
    policies = (make_policy(Witness, game), make_policy(other, game))
    plain = (make_policy("first_legal", game),) * 2
    seated_at = one_against_field(2, seeds)
    played, expected = (play_deals(game, who, seeds, seated_at) for who in (policies, plain))
    np.testing.assert_array_equal(played, expected)
    assert len(seated()) == (10 if other == "first_legal" else 20)
    assert {witness.seat for witness in seated()} == {0, 1}
    for witness in seated():
        assert [cards_on_show(view) for view in witness.seen] == list(range(CARDS + 1))
        assert all((view["dealt"] == witness.seen[0]["dealt"]).all() for view in witness.seen)


def test_a_new_episode_is_a_new_player() -> None:
    env = gymnasium.make_vec("parlour:TrickTaking-v0", num_envs=2, opponents=Witness, **SIZES)
    _, info = env.reset(seed=1)
    for _ in range(2 * SIZES["num_values"]):
        _, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))
    shown = [[cards_on_show(view) for view in witness.seen] for witness in seated()]
    whole = list(range(CARDS + 1))
    assert shown == [whole, whole, whole, whole, [0], [0]]


def test_forced_plies_of_the_learner_are_shown_too() -> None:
    env = gymnasium.make("parlour:TrickTaking-v0", opponents=Witness, skip_forced=True, **SIZES)
    _, info = env.reset(seed=3)
    is_over = False
    decisions = 0
    while not is_over:
        assert info["action_mask"].sum() > 1
        decisions += 1
        _, _, is_over, _, info = env.step(int(info["action_mask"].argmax()))
    assert decisions < SIZES["num_values"]
    (witness,) = seated()
    assert [cards_on_show(view) for view in witness.seen] == list(range(CARDS + 1))


def test_a_copy_of_an_environment_remembers_apart() -> None:
    env = gymnasium.make("parlour:TrickTaking-v0", opponents=Witness, **SIZES)
    _, info = env.reset(seed=3)
    twin = copy.deepcopy(env)
    env.step(int(info["action_mask"].argmax()))
    (witness,) = seated()
    remembered = twin.unwrapped._episodes.seating.memories  # type: ignore[attr-defined]
    (twin_witness,) = (guarded.watch.function.__self__ for guarded in remembered.values())
    assert len(witness.seen) > len(twin_witness.seen) > 0


def test_a_recorded_game_shows_every_ply() -> None:
    game = load_game(GAME, **SIZES)
    played = transcript.record(game, seed=4, policies=make_policy(Witness, game))
    assert len(played.plies) == CARDS
    assert [len(witness.seen) for witness in seated()] == [CARDS + 1] * 2


FILE = """
class Mine:
    def __init__(self, card=0):
        self.card, self.plies = card, -1
    def begin(self, seat, game):
        self.seat = seat
    def watch(self, observation):
        self.plies += 1
    def choose(self, observation, action_mask, rng):
        return BODY
"""


def run(file: Path, body: str, spec: str) -> int:
    file.write_text(FILE.replace("BODY", body))
    return main(f"watch {GAME} --set num_values=5 --players {spec.format(file)}".split())


def test_a_class_in_a_file_takes_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "int(action_mask.argmax()) if self.card == 7 and self.plies >= 0 else None"
    assert run(tmp_path / "mine.py", body, "{}:Mine:card=7,first_legal") == 0
    assert capsys.readouterr().out.count("(Mine)") == CARDS // 2 + 1


@pytest.mark.parametrize(
    ("body", "spec", "named"),
    [
        ("self.nothing", "{}:Mine", "Mine failed: AttributeError"),
        ("self.nothing", "{}:Mine", "(line 10)"),
        ("-1", "{}:Mine", "not legal"),
        ("None", "{}:Mine", "whole number"),
        ("0", "{}:Mine:colour=1", "colour"),
        ("0", "{}:Other", "has Mine"),
    ],
)
def test_what_fails_is_named(
    body: str, spec: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(tmp_path / "mine.py", body, spec)
    assert named in capsys.readouterr().err


def test_it_cannot_be_asked_without_a_seat_and_must_have_the_three_methods() -> None:
    game = load_game(GAME, **SIZES)
    policy = make_policy(Witness, game, name="w")
    assert isinstance(policy, Policy)
    with pytest.raises(ValueError, match="has a memory"):
        policy.act(game.new_observations()[0], np.ones(game.num_actions, np.int8))
    with pytest.raises(ValueError, match="have no begin, watch"):
        make_policy(int, game)
    with pytest.raises(PlayerError, match="colour"):
        make_policy(Witness, game, colour=1)
