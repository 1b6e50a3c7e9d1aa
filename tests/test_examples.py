"""The games of docs/examples work in every view, in the arena, in a search and in a learner."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.policies.game_parts import checkpoint_folder
from parlour.envs import GAMES, check_game, find_game, register_game
from parlour.envs.core.game import Game
from parlour.envs.core.played import transcript
from parlour.envs.registry import make_aec
from tests.commands import refusal, told
from tests.example_games import EXAMPLES, imported
from tests.kuhn_poker import Kuhn
from tests.processes import ended, run_python

pytestmark = pytest.mark.plain

NAMES = ("nim", "kuhn")
SEEDS = range(2)
NUM_COPIES = 8  # one in six pairs of fresh copies deals Kuhn's cards alike


@pytest.fixture(scope="module", autouse=True)
def modules() -> Iterator[dict[str, Any]]:
    with imported(*NAMES) as imports:
        yield dict(zip(NAMES, imports, strict=True))


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_games", [1, 2])
def test_check_game_accepts_it_from_one_game_on(name: str, num_games: int, seed: int) -> None:
    """Nim without any chance, Kuhn whose two deals are often alike by chance."""
    check_game(find_game(name), num_games=num_games, seed=seed)


def test_the_single_seat_view(name: str) -> None:
    check_game(gymnasium.make(f"{name}:{GAMES[name]}"), num_games=1)


def test_the_pettingzoo_view(name: str) -> None:
    api_test(make_aec(name), num_cycles=20)
    for _ in range(NUM_COPIES):
        check_game(make_aec(name), num_games=1)


def test_the_vector_view_plays_to_returns_that_add_up(name: str) -> None:
    envs = gymnasium.make_vec(f"{name}:{GAMES[name]}", num_envs=16)
    _, info = envs.reset(seed=3)
    chooser, total, ended = np.random.default_rng(0), 0.0, 0
    for _ in range(30):
        masks = info["action_mask"]
        actions = np.array([chooser.choice(np.flatnonzero(mask)) for mask in masks])
        _, rewards, terminated, _, info = envs.step(actions)
        assert (rewards[~terminated] == 0).all() and (rewards[terminated] != 0).all()
        total, ended = total + float(np.abs(rewards).sum()), ended + int(terminated.sum())
    assert ended > 16 and total >= 0.5 * ended


def test_a_process_that_knows_only_the_id_finds_the_game() -> None:
    """As spawned workers do, of `gym.make` and of `gym.make_vec`."""
    code = (
        "import gymnasium\n"
        "env = gymnasium.make('nim:Nim-v0'); env.reset(seed=0)\n"
        "if __name__ == '__main__':\n"
        "    settings = {'vectorization_mode': 'async', 'vector_kwargs': {'context': 'spawn'}}\n"
        "    envs = gymnasium.make_vec('kuhn:Kuhn-v0', num_envs=1, **settings)\n"
        "    print(*envs.reset(seed=0)[0].shape)\n"
        "    envs.close()\n"
    )
    shown = run_python(code, cwd=EXAMPLES, NUMBA_DISABLE_JIT="1")
    assert shown.split() == ["1", "6"]


def test_a_search_beats_random_in_a_match() -> None:
    game = find_game("nim")
    assert list_policies(game) == ["best", "random", "first_legal", "playout", "mcts"]
    result = play_match(game, "playout:num_playouts=10", "random", num_deals=20)
    assert result.mean_return.low > 0


def test_a_start_position_is_taken_and_an_impossible_one_refused() -> None:
    deals = {"nim": {"heaps": [1, 0, 0, 2]}, "kuhn": {"cards": "KJ"}}
    impossible = {"nim": {"heaps": [1, 0, 0, 8]}, "kuhn": {"cards": "KK"}}
    shown = {"nim": "heap 0: |\nheap 1: \n", "kuhn": "player 0: K\nplayer 1: J\n"}
    for name in NAMES:
        env = make_aec(name, render_mode="ansi")
        env.reset(options={"deal": deals[name]})
        assert str(env.render()).startswith(shown[name])
        with pytest.raises(ValueError, match=r"heaps is 4 integers|a deal is"):
            env.reset(options={"deal": impossible[name]})


def test_a_transcript_of_it_is_read_by_name(name: str, tmp_path: Path) -> None:
    game = find_game(name)
    played = transcript.record(game, policies=make_policy("random", game))
    transcript.save(played, tmp_path / "game.txt")
    transcript.verify(transcript.load(tmp_path / "game.txt"))


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("games", "{id}"),
        ("watch {name} --players first_legal", "player 1 (first_legal): "),
        ("match {name} random,first_legal --deals 20", "first_legal"),
        ("tournament {name} --players random,first_legal --deals 10", "Score of the row against"),
        ("evaluate {name} random --deals 10 --against first_legal", "first_legal"),
        (
            "train dqn {name} --total-steps 400 --num-tables 8 --batch-size 8 --buffer-size 200 "
            "--hidden 8 --points 1 --deals 2 --num-threads 1 --out {out}",
            "checkpoint.pt",
        ),
    ],
)
def test_every_command_takes_it(
    command: str, shown: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = f"{command.format(name=name, out=tmp_path)} --import {name}"
    assert shown.format(id=GAMES[name]) in told(command, capsys)


def test_a_file_of_this_folder_may_be_named_with_its_ending(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(EXAMPLES)
    assert GAMES[name] in told(f"games --import {name}.py", capsys)


def test_a_file_of_another_folder_is_not_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(EXAMPLES.parent)
    error = refusal(f"games --import ./{EXAMPLES.name}/nim.py", capsys)
    assert "nim.py: it is not in this folder; change to its own" in error
    assert error.count("cannot import") == 1


def test_two_games_of_one_name_are_refused(modules: dict[str, Any]) -> None:
    register_game(modules["nim"].game)  # once more: nothing happens
    with pytest.raises(ValueError, match="nim has already registered a game 'nim'"):
        register_game(another_nim)


def test_a_game_in_place_of_its_function_is_refused(modules: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="takes the function that makes the game, not <Game nim"):
        register_game(modules["nim"].game())


def another_nim(**settings: Any) -> Game:
    return find_game("nim")


# The value of Kuhn poker


def test_counterfactual_regret_minimization_solves_it(modules: dict[str, Any]) -> None:
    with imported("cfr") as (cfr,):
        solver = cfr.Solver(modules["kuhn"].game())
        values = [solver.iterate() for _ in range(800)]
    kuhn = Kuhn(modules["kuhn"])
    assert np.mean(values) * kuhn.max_chips == pytest.approx(-1 / 18, abs=0.01)
    figures = kuhn.exploitability([lambda look, action: cfr.proportions(solver.sums[look])[action]])
    assert 0 <= figures < 0.01


# Players of a game in another package

CLUB = '''
"""Players of the club."""

from parlour.baselines import scripted
from parlour.envs.authoring import rule


@rule
def careful(observation, mask, rng):
    """Bets and calls with the king alone."""
    return 1 if observation.card == 2 else 0


PLAYERS = {"careful": scripted(careful)}
'''


def test_a_package_brings_players_of_its_own(tmp_path: Path) -> None:
    page = (EXAMPLES / "kuhn.py").read_text().replace('"kuhn"', '"club_kuhn"')
    package = tmp_path / "card_club"
    package.mkdir()
    (package / "__init__.py").write_text(page.replace("(game)\n", '(game, parts="card_club")\n'))
    (package / "players.py").write_text(CLUB)
    with imported("card_club", folder=tmp_path):
        game = find_game("club_kuhn")
        assert list_policies(game)[-1] == "careful"
        result = play_match(game, "careful", "random", num_deals=200)
        assert result.num_games == 400 and result.first == "careful"
        assert checkpoint_folder("club_kuhn") == package / "checkpoints"


@pytest.mark.release
def test_self_play_learns_president() -> None:
    """As the page says. Measured 38.4 to 38.8 %; 50 rollouts give 30 %, the first five 23 %."""
    done = ended(str(EXAMPLES / "self_play_ppo.py"), "200", OMP_NUM_THREADS="1")
    match = re.search(r"first places ([0-9.]+) \[([0-9.]+), ", done.stdout)
    assert match and float(match[2]) > 33


@pytest.mark.long
def test_the_curriculum_passes_its_stages_and_plays() -> None:
    """It learns nothing in so short a run; its docstring says what it learns in a long one."""
    pytest.importorskip("sb3_contrib")
    game = find_game("splendor")
    with imported("curriculum") as (curriculum,):
        model = curriculum.learn(100, num_envs=8)
        result = play_match(game, make_policy(model, game), "random", num_deals=10)
    assert model.num_timesteps == 8 * 64  # one rollout: the count begins anew with each stage
    assert result.num_games == 20 and result.faults == (0, 0)
