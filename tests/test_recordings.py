"""Recorded games: the same games as in matches, and files from which each game can be repeated."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from parlour.baselines import plies
from parlour.baselines.arena.play.batches import play_deals
from parlour.baselines.players.making import make_policy
from parlour.baselines.plies import Plies, plies_of, plies_of_actions
from parlour.baselines.policies.policy import Policy
from parlour.baselines.prompts import Style, instructions, position_text
from parlour.baselines.recordings import Recorded, record_games, valuer_of
from parlour.envs import GAMES, Playthrough, find_game, load_game
from parlour.envs.core.game import Game
from parlour.envs.core.words import how_to_install
from parlour.scripts.main import main
from tests.view_tools import short

pytestmark = pytest.mark.plain

SEEDS = range(40, 43)


def joined(parts: list[Plies]) -> tuple[np.ndarray, np.ndarray]:
    """The actions and the returns of all batches."""
    actions, returns = ([getattr(part, name) for part in parts] for name in ("actions", "returns"))
    return np.concatenate(actions), np.concatenate(returns)


def players(game: Game, name: str = "random") -> list[Policy]:
    return [make_policy(name, game)] * game.num_seats


def written(
    game: Game, path: Path, file_format: str = "parquet", by: Any = "random", **how: Any
) -> Path:
    names = [by] * game.num_seats if isinstance(by, str) else by
    record_games(Recorded(game, names, **how), SEEDS, path, file_format)
    return path


@pytest.mark.parametrize("name", GAMES)
def test_recorded_games_are_those_of_a_match(name: str) -> None:
    game = find_game(name, **short(name, {}))
    seated = np.tile(np.arange(game.num_seats), (len(SEEDS), 1, 1))
    expected = play_deals(game, tuple(players(game)), np.array(SEEDS), seated)
    assert np.array_equal(joined(list(plies_of(game, players(game), SEEDS)))[1], expected[:, 0])


@pytest.mark.parametrize("name", ["notty", "president"])
def test_players_that_are_not_compiled_play_the_same_games(name: str) -> None:
    game = find_game(name, **short(name, {}))
    outside = [dataclasses.replace(one, row_function=None) for one in players(game)]
    expected = joined(list(plies_of(game, players(game), SEEDS)))
    plies = joined(list(plies_of(game, [*outside[:1], *players(game)[1:]], SEEDS)))
    assert all(map(np.array_equal, plies, expected))


def test_a_game_longer_than_a_batch_gets_a_larger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load_game("president")
    expected = joined(list(plies_of(game, players(game), SEEDS)))
    monkeypatch.setattr(plies, "BATCH_BYTES", 20 * game.state_dtype.itemsize)
    parts = list(plies_of(game, players(game), SEEDS))
    assert len(parts) == len(SEEDS)
    assert all(map(np.array_equal, joined(parts), expected))


def test_actions_that_are_no_whole_games_are_refused() -> None:
    game = load_game("president")
    actions, _ = joined(list(plies_of(game, players(game), SEEDS)))
    for wrong in (actions[:-1], [*actions, 0], np.full(len(actions), game.num_actions)):
        with pytest.raises(ValueError, match="not whole games of these 3 deals"):
            plies_of_actions(game, SEEDS, wrong)


@pytest.mark.parametrize("name", GAMES)
def test_chats_repeat_every_game_in_the_words_of_models(name: str, tmp_path: Path) -> None:
    game = find_game(name, **short(name, {}))
    asked: dict[tuple[int, int, int], str] = {}
    answers: dict[tuple[int, int, int], str] = {}
    returns: dict[tuple[int, int], float] = {}
    for line in written(game, tmp_path / "games.jsonl", "jsonl").read_text().splitlines():
        chat = json.loads(line)
        assert find_game(chat["game"], **chat["settings"]).config == game.config
        first, *turns = chat["messages"]
        prompt = instructions(game, chat["seat"], Style())
        assert first == {"role": "system", "content": prompt}
        keys = [(chat["deal"], ply, chat["seat"]) for ply in chat["plies"]]
        for key, question, said in zip(keys, turns[::2], turns[1::2], strict=True):
            assert (question["role"], said["role"]) == ("user", "assistant")
            asked[key], answers[key] = question["content"], said["content"]
        returns[chat["deal"], chat["seat"]] = chat["return"]
    for seed in SEEDS:
        playthrough = Playthrough(game, seed=seed)
        for turn in playthrough:
            key = seed, turn.number, turn.seat
            if len(turn.legal) == 1:
                assert key not in asked
                turn.play(turn.legal[0])
            else:
                assert asked.pop(key) == position_text(game, turn.state, turn.seat, Style())
                turn.play(answers[key].removeprefix("<action>").removesuffix("</action>"))
        ends = enumerate(playthrough.returns.tolist())
        assert all(returns.get((seed, seat), value) == value for seat, value in ends)
    assert not asked


def inputs_without_parlour(path: Path, observations: bytes) -> np.ndarray:
    """What a network reads, as a reader makes it who has the file's metadata alone."""
    pq = pytest.importorskip("pyarrow.parquet")
    about = json.loads(pq.read_schema(path).metadata[b"parlour"])
    assert len(about["actions"]) == about["num_actions"]
    fields = about["observation"]
    dtype = [(field["name"], field["dtype"], tuple(field["shape"])) for field in fields]
    records = np.frombuffer(observations, dtype)
    columns = []
    for field in fields:
        values = records[field["name"]].reshape(len(records), -1)
        if field["num_bits"]:
            values = (values[:, :, None] >> np.arange(field["num_bits"]) & 1).reshape(
                len(records), -1
            )
        if field["is_input"]:
            columns.append(values * np.float32(field["scale"]))
    inputs = np.concatenate(columns, axis=1)
    assert inputs.shape[1] == about["num_inputs"]
    return inputs


@pytest.mark.parametrize("name", GAMES)
def test_a_table_repeats_every_game(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    game = find_game(name, **short(name, {}))
    table = pd.read_parquet(written(game, tmp_path / "games.parquet"))
    again = plies_of_actions(game, table.deal.unique(), table.action)
    records = np.frombuffer(b"".join(table.observation), game.observation_dtype)
    assert np.array_equal(records, again.observations)
    assert np.array_equal(table.seat, again.seats)
    assert np.array_equal(table.ply, again.numbers)
    returns = again.returns[again.games, again.seats]
    assert np.array_equal(table["return"], returns.astype(np.float32))
    legal = [game.legal_action_list(state) for state in again.states]
    assert [list(row) for row in table.legal_actions] == legal
    inputs = inputs_without_parlour(tmp_path / "games.parquet", b"".join(table.observation))
    assert np.array_equal(inputs, game.layout.scaled(again.observations))
    assert set(table.player) == {"random"} and json.loads(table.settings[0]) == game.config_dict()


def test_exact_values_stand_beside_the_legal_actions(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    game = load_game("trick_taking", num_values=2)
    assert valuer_of(game, None) == "exact" and valuer_of(load_game("notty"), None) == "mcts"
    table = pd.read_parquet(written(game, tmp_path / "games.parquet", valued_by="exact"))
    last = table.groupby("deal").tail(1)
    assert set(table.valued_by) == {"exact"}
    assert [len(v) for v in table["values"]] == [len(legal) for legal in table.legal_actions]
    assert [v.tolist() for v in last["values"]] == [[value] for value in last["return"]]


def test_searched_values_are_expected_returns(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    game, search = load_game("trick_taking", num_values=5), "mcts:num_simulations=16"
    table = pd.read_parquet(written(game, tmp_path / "games.parquet", valued_by=search))
    values = np.concatenate(table["values"])
    assert np.nanmin(values) >= -1 and np.nanmax(values) <= 1 and np.isfinite(values).any()
    again = pd.read_parquet(written(game, tmp_path / "again.parquet", valued_by=search))
    assert np.array_equal(np.concatenate(again["values"]), values, equal_nan=True)


def test_minari_reads_an_episode_for_each_seat(tmp_path: Path) -> None:
    minari = pytest.importorskip("minari")
    pytest.importorskip("pyarrow")
    game = load_game("president", num_players=4)
    data = minari.MinariDataset(written(game, tmp_path / "games", "minari"))
    assert data.total_episodes == len(SEEDS) * game.num_seats
    assert data.recover_environment().observation_space == data.observation_space
    assert data.env_spec.kwargs["seat"] == "random"  # equal players have no seat of their own
    again = joined(list(plies_of(game, players(game), SEEDS)))[1]
    for episode, expected in zip(data, again.ravel(), strict=True):
        masks = episode.observations["action_mask"]
        assert (masks[np.arange(len(episode)), episode.actions] == 1).all()
        assert episode.rewards[-1] == expected and not episode.rewards[:-1].any()


def test_minari_recovers_the_recorded_table(tmp_path: Path) -> None:
    """Players that draw no random numbers repeat the episodes, move by move."""
    minari = pytest.importorskip("minari")
    pytest.importorskip("pyarrow")
    game = load_game("trick_taking", num_players=4, num_values=4)
    seated = ["smart", "high_low", "playout:num_playouts=1", "smart"]
    data = minari.MinariDataset(written(game, tmp_path / "games", "minari", by=seated))
    env = data.recover_environment()
    assert env.unwrapped.game.config == game.config
    assert data.env_spec.kwargs["opponents"] == seated[1:]
    quiet = ["smart", "high_low", "smart", "high_low"]
    data = minari.MinariDataset(written(game, tmp_path / "quiet", "minari", by=quiet))
    env = data.recover_environment()
    own = [episode for episode in data if episode.infos["seat"][0] == 0]
    for seed, episode in zip(SEEDS, own, strict=True):
        view, _ = env.reset(seed=seed)
        for ply, action in enumerate(episode.actions):
            assert np.array_equal(view["observation"], episode.observations["observation"][ply])
            view, reward, *_ = env.step(action)
            assert reward == episode.rewards[ply]


def test_the_command_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    main(["record", "president", "--deals", "2", "--format", "jsonl", "--out", str(path)])
    assert capsys.readouterr().out.startswith("2 deals, ")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["--values", "random"], "random chooses without values"),
        (["--values", "exact"], "president is not solved with these settings"),
        (["--values", "--format", "jsonl"], "--values needs --format parquet"),
        (["--players", "random,lowest,random"], "name one player for all seats"),
        (["--format", "parquet"], f"needs the extra: {how_to_install('record')}"),
        (["--format", "minari"], f"needs the extra: {how_to_install('record')}"),
    ],
)
def test_a_mistake_gets_one_line(
    words: list[str],
    answer: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    monkeypatch.setitem(__import__("sys").modules, "minari", None)
    settings = ["--set", "num_players=5", "--out", str(tmp_path / "games")]
    with pytest.raises(SystemExit):
        main(["record", "president", *settings, *words])
    assert answer in capsys.readouterr().err
