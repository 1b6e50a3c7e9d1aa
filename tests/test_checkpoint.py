"""Checkpoints: the same player comes back, its card says what it is, and broken files are told."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from parlour.baselines import make_policy
from parlour.baselines.networks.checkpoints import (
    FORMAT,
    Checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from parlour.baselines.networks.kinds import policy_of
from parlour.baselines.networks.modules import ActionValues
from parlour.envs import GAMES, load_game
from parlour.envs.core.game import Game
from parlour.envs.core.rng import streams
from parlour.training import dqn

from .searching import after_plies

pytestmark = pytest.mark.plain

HIDDEN = (16,)
FACTS = ("algorithm", "config", "game", "game_config", "game_version", "hidden", "weights")
STRENGTH = {
    "second": "random",
    "num_games": 4000,
    "first_places": [0.5, 0.48, 0.52],
    "fair_share": 0.25,
    "mean_return": [0.25, 0.2, 0.3],
}


def game_of(num_players: int = 4) -> Game:
    return load_game("president", num_players=num_players)


def untrained(game: Game) -> ActionValues:
    torch.manual_seed(0)
    return ActionValues(game, HIDDEN)


def checkpoint_of(game: Game, **changes: Any) -> Checkpoint:
    made = Checkpoint(
        game=game.name,
        game_version=game.version,
        game_config=game.config_dict(),
        algorithm="dqn",
        config=dataclasses.asdict(dqn.Config(hidden=HIDDEN)),
        hidden=HIDDEN,
        weights=untrained(game).state_dict(),
        command="parlour train dqn president --seed 4",
        revision="0123456789ab",
        training={"seconds": 60.0, "decisions": 5000},
        strength=[STRENGTH],
    )
    return dataclasses.replace(made, **changes)


def test_a_round_trip_gives_the_same_player_byte_for_byte(tmp_path: Path) -> None:
    game, path = game_of(), tmp_path / "mine.pt"
    save_checkpoint(checkpoint_of(game), path)
    _, _, observations, masks = after_plies(game, 0)
    loaded, made = make_policy(str(path), game), policy_of("dqn", game, untrained(game))
    assert loaded.name == "mine"
    assert loaded.values is not None
    assert made.values is not None
    assert (
        loaded.values(observations, masks).tobytes() == made.values(observations, masks).tobytes()
    )
    rngs = streams(np.zeros(len(masks), np.int64))
    assert loaded(observations, masks, rngs).tobytes() == made(observations, masks, rngs).tobytes()


def test_all_that_a_checkpoint_says_of_itself_comes_back(tmp_path: Path) -> None:
    made, path = checkpoint_of(game_of()), tmp_path / "mine.pt"
    save_checkpoint(made, path)
    loaded = load_checkpoint(path)
    for field in dataclasses.fields(Checkpoint):
        if field.name != "weights":
            assert getattr(loaded, field.name) == getattr(made, field.name), field.name


def broken(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"broken\.pt") as refused:
        load_checkpoint(path)
    return str(refused.value)


def test_what_is_no_checkpoint_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "broken.pt"
    with pytest.raises(ValueError, match=r"no checkpoint .*broken\.pt"):
        load_checkpoint(path)
    save_checkpoint(checkpoint_of(game_of()), path)
    whole = path.read_bytes()
    assert "damaged" in broken(path, whole[: len(whole) // 2])
    assert "damaged" in broken(path, b"")
    assert "damaged" in broken(path, b"no weights at all" * 100)


@pytest.mark.parametrize("data", [[1, 2], {"weights": {}}, torch.zeros(3)])
def test_what_torch_can_read_but_we_did_not_write_is_refused(tmp_path: Path, data: Any) -> None:
    torch.save(data, tmp_path / "broken.pt")
    said = r"not a checkpoint of Parlour: it (lacks format|has no)"
    with pytest.raises(ValueError, match=said):
        load_checkpoint(tmp_path / "broken.pt")


@pytest.mark.parametrize("fact", FACTS)
def test_a_checkpoint_that_lacks_a_fact_says_which(tmp_path: Path, fact: str) -> None:
    facts = dataclasses.asdict(checkpoint_of(game_of()))
    del facts[fact]
    torch.save(facts, tmp_path / "broken.pt")
    with pytest.raises(ValueError, match=f"it lacks {fact}$"):
        load_checkpoint(tmp_path / "broken.pt")


def test_a_file_that_would_run_code_is_refused_and_runs_nothing(tmp_path: Path) -> None:
    torch.save({"format": FORMAT, "weights": Trap(tmp_path / "sprung")}, tmp_path / "broken.pt")
    with pytest.raises(ValueError, match="damaged"):
        load_checkpoint(tmp_path / "broken.pt")
    assert not (tmp_path / "sprung").exists()


class Trap:
    """Touches a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


OTHER_GAME = next(name for name in GAMES if name != "president")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": FORMAT + 1}, "checkpoint format"),
        ({"game": OTHER_GAME}, f"plays {OTHER_GAME}, not president"),
        ({"game_version": 99}, "version 99"),
        ({"algorithm": "alchemy"}, "unknown algorithm 'alchemy'"),
        ({"hidden": (16, 16)}, "damaged: its weights do not fit"),
        ({"hidden": "wide"}, "damaged: hidden should be sizes"),
        ({"hidden": (0,)}, "damaged: hidden should be sizes"),
        ({"weights": {}}, "damaged: its weights do not fit"),
        ({"weights": None}, "damaged: weights should be a table"),
        ({"weights": {"a": [1.0]}}, "damaged: weights 'a' should be a tensor, not a list"),
        ({"weights": {"a": torch.tensor([1.0, torch.nan])}}, "weights 'a' has 1 of 2 numbers that"),
        ({"weights": {"a": torch.tensor([torch.inf])}}, "are not finite"),
        (
            {"weights": {"a": torch.zeros(1).expand(1 << 20, 1 << 40)}},
            "weights 'a' should be 1,152,921,504,606,846,976 numbers, of which the file holds 1",
        ),
        ({"weights": {"a": torch.eye(2).to_sparse()}}, "weights 'a' should be a plain tensor"),
        ({"weights": {"a": torch.zeros(2, device="meta")}}, "weights 'a' should be a plain tensor"),
        ({"hidden": (1 << 40, 1 << 40)}, "damaged: its weights do not fit"),
        ({"game_config": None}, "damaged: game_config should be a table"),
        ({"config": [1]}, "damaged: config should be a table"),
        ({"algorithm": 3}, "damaged: algorithm should be text"),
        ({"game_version": "1"}, "damaged: game_version should be a whole number"),
    ],
)
def test_a_checkpoint_for_something_else_says_for_what(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    game, path = game_of(), tmp_path / "other.pt"
    torch.save(dataclasses.asdict(checkpoint_of(game)) | changes, path)
    with pytest.raises(ValueError, match=said):
        make_policy(str(path), game)


@pytest.mark.parametrize("num_players", [2, 5, 8])
def test_a_checkpoint_of_another_number_of_players_says_so(
    tmp_path: Path, num_players: int
) -> None:
    save_checkpoint(checkpoint_of(game_of()), tmp_path / "four.pt")
    sentence = rf"trained for num_players=4 \(here {num_players}\), whose sizes do not fit"
    for setting in ("", ":other_rules=True"):
        with pytest.raises(ValueError, match=sentence):
            make_policy(f"{tmp_path}/four.pt{setting}", game_of(num_players))


def test_under_other_house_rules_a_checkpoint_plays_on_request_only(tmp_path: Path) -> None:
    path = tmp_path / "all.pt"
    save_checkpoint(checkpoint_of(game_of()), path)
    other = load_game("president", passing="out")
    with pytest.raises(ValueError, match=r"trained for passing='\w+' \(here 'out'\); to let it"):
        make_policy(str(path), other)
    policy = make_policy(f"{path}:other_rules=True", other)
    _, _, observations, masks = after_plies(other, 0)
    rows = np.arange(len(masks))
    assert masks[rows, policy(observations, masks, streams(rows))].all()
    with pytest.raises(TypeError, match="rules"):
        make_policy(f"{path}:rules=True", other)
