"""The former name of a setting still works, in calls, at the console and in stored files."""

import dataclasses
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from parlour.baselines import make_policy
from parlour.baselines.networks.checkpoints import load_checkpoint, network_for, save_checkpoint
from parlour.baselines.networks.learned import shipped_checkpoints
from parlour.envs import load_game, trick_taking_v0
from parlour.envs.core.played import transcript
from parlour.scripts.main import main
from parlour.scripts.table.table import PLAYER, GameTable, Occupant, Setup

OLD: dict[str, Any] = {"num_seats": 3, "num_values": 4}
GAME = load_game("trick_taking", num_players=3, num_values=4)


def test_every_way_to_make_a_game_takes_it() -> None:
    env = gymnasium.make("parlour:TrickTaking-v0", **OLD).unwrapped
    envs: Any = gymnasium.make_vec("parlour:TrickTaking-v0", 2, **OLD)
    made: list[Any] = [env, envs, trick_taking_v0.env(**OLD), trick_taking_v0.raw_env(**OLD)]
    for game in (load_game("trick_taking", **OLD), *(view.game for view in made)):
        assert game.config == GAME.config
    assert "num_seats" not in GAME.config_dict()


def test_the_command_line_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("num_seats", "num_players"):
        line = f"watch trick_taking --set {name}=3,num_values=2 --seed 1"
        assert main(line.split()) in (0, None)
    lines = capsys.readouterr().out.splitlines()
    assert lines[: len(lines) // 2] == lines[len(lines) // 2 :]
    assert "player 2" in lines[-1] + lines[-2] + lines[-3]
    assert main(["games"]) in (0, None)
    assert "num_seats" not in capsys.readouterr().out


def test_both_names_at_once_are_refused() -> None:
    with pytest.raises(TypeError, match="num_seats is the old name of num_players: give only nu"):
        load_game("trick_taking", num_players=3, num_seats=3)


def test_a_transcript_with_it_is_read() -> None:
    text = transcript.to_text(
        transcript.record(GAME, 0, policies=[make_policy("random", GAME)] * 3)
    )
    old = text.replace('"num_players": 3', '"num_seats": 3')
    assert old != text
    for game in (None, GAME):
        assert transcript.to_text(transcript.from_text(old, game)) == text


def test_checkpoints_with_it_play(tmp_path: Path) -> None:
    for count in (2, 3, 4):
        game = load_game("trick_taking", num_players=count)
        for path in shipped_checkpoints(game).values():
            checkpoint = load_checkpoint(path)
            assert checkpoint.game_config["num_seats"] == count  # as they were written
            network_for(checkpoint, game)
            config = {"num_values": 10, "num_players": count, "leader": 0}
            save_checkpoint(
                dataclasses.replace(checkpoint, game_config=config), tmp_path / "new.pt"
            )
            network_for(load_checkpoint(tmp_path / "new.pt"), game)


def test_a_stored_table_with_it_goes_on() -> None:
    setup = Setup("trick_taking", OLD, (Occupant(PLAYER, "random", "random"),) * 3, 5)
    assert GameTable(setup).game.config == GAME.config
