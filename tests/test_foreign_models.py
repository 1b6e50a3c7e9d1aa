"""Models of other libraries, functions of arrays and folders of runs as players."""

import copy
import pickle
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from sb3_contrib import QRDQN, MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import VecNormalize

from parlour.baselines import Policy, load_network, make_policy, takes_arrays
from parlour.baselines.arena import play_match
from parlour.baselines.arena.play.entrants import enter
from parlour.baselines.arena.results.identity import UNKNOWN, identity_of
from parlour.baselines.environments import solo_env
from parlour.baselines.networks.learned import shipped_checkpoints
from parlour.baselines.players.named_files import files_named
from parlour.envs import load_game
from parlour.envs.core.environments.common import ObservationEncoder
from parlour.envs.core.game import Game
from parlour.envs.core.play.legal import PlayerError
from parlour.envs.core.rng import streams
from parlour.scripts.main import main
from parlour.training.recipes.sb3_vec_env import sb3_vec_env

from .test_compiled_networks import positions

pytestmark = pytest.mark.plain

OURS: dict[str, Any] = {"num_players": 4}
GAME = load_game("president", **OURS)
INPUTS, ACTIONS = GAME.layout.num_inputs, GAME.num_actions
SMALL: dict[str, Any] = {"learning_starts": 16, "buffer_size": 64}
KINDS: dict[str, Callable[..., Any]] = {
    "A2C": lambda env, policy: A2C(policy, env, seed=0).learn(32),
    "DQN": lambda env, policy: DQN(policy, env, seed=0, **SMALL).learn(32),
    "MaskablePPO": lambda env, policy: MaskablePPO(
        policy, env, n_steps=32, batch_size=32, seed=0
    ).learn(64),
    "PPO": lambda env, policy: PPO(policy, env, n_steps=32, batch_size=32, seed=0).learn(32),
    "QRDQN": lambda env, policy: QRDQN(policy, env, seed=0, **SMALL).learn(32),
}

SCORES: dict[str, Callable[..., torch.Tensor]] = {
    "A2C": lambda model, shown: model.policy.get_distribution(shown).distribution.probs,
    "DQN": lambda model, shown: model.q_net(shown),
    "PPO": lambda model, shown: model.policy.get_distribution(shown).distribution.probs,
    "QRDQN": lambda model, shown: model.quantile_net(shown).mean(dim=1),
}


def trained(kind: str, layout: str = "flat", observation: str = "scaled", game: Game = GAME) -> Any:
    env = solo_env(
        game, opponents="random", layout=layout, observation=observation, illegal_action="random"
    )
    return KINDS[kind](env, "MlpPolicy" if layout == "flat" else "MultiInputPolicy")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A model of MaskablePPO and its file."""
    path = tmp_path_factory.mktemp("models") / "model.zip"
    model = trained("MaskablePPO")
    model.save(path)
    return model, path


@pytest.fixture(scope="module")
def batch() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Observations, masks and streams of random play."""
    observations, words = positions(GAME, 8, 12)
    masks = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :ACTIONS]
    return observations, masks.view(np.int8), streams([0] * len(masks))


def perceptron(inputs: int = INPUTS, actions: int = ACTIONS) -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, 8), torch.nn.Dropout(), torch.nn.Linear(8, actions)
    )


def best_of(module: torch.nn.Module, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
    """The best legal actions by the logits of a module, by plain torch."""
    with torch.no_grad():
        logits = module.eval()(torch.from_numpy(GAME.layout.scaled(arrays[0])))
    return logits.masked_fill(torch.from_numpy(arrays[1]) == 0, -torch.inf).argmax(1).numpy()


# stable-baselines3


@pytest.mark.parametrize(
    ("kind", "layout", "observation"),
    [
        ("MaskablePPO", "flat", "scaled"),
        ("MaskablePPO", "dict", "integer"),
        ("PPO", "dict", "scaled"),
        ("A2C", "flat", "integer"),
        ("DQN", "flat", "scaled"),
        ("DQN", "dict", "integer"),
        ("QRDQN", "flat", "scaled"),
    ],
)
def test_a_model_plays_the_legal_action_that_it_prefers(
    kind: str, layout: str, observation: str, batch: Any, tmp_path: Path
) -> None:
    model = trained(kind, layout, observation)
    model.save(tmp_path / "mine")
    records, masks, _ = batch
    shown: Any = ObservationEncoder(GAME, observation).encode(records)
    if layout == "dict":
        shown = {"observation": shown, "action_mask": masks}
    if kind == "MaskablePPO":
        expected, _ = model.predict(shown, action_masks=masks, deterministic=True)
    else:
        tensors, _ = model.policy.obs_to_tensor(shown)
        with torch.no_grad():
            scores = SCORES[kind](model, tensors)
        expected = ((scores - scores.min() + 1).numpy() * masks).argmax(axis=1)
    for player in (make_policy(str(tmp_path / "mine.zip"), GAME), make_policy(model, GAME)):
        assert (player(*batch) == expected).all()
    assert len(np.unique(expected)) > 1


@pytest.mark.parametrize("layout", ["flat", "dict"])
def test_what_vec_normalize_learned_is_applied_or_missed(
    layout: str, batch: Any, tmp_path: Path
) -> None:
    env = VecNormalize(sb3_vec_env(GAME, 4, layout=layout))
    policy = "MlpPolicy" if layout == "flat" else "MultiInputPolicy"
    model = MaskablePPO(policy, env, n_steps=32, batch_size=32, seed=0).learn(256)
    records, masks, _ = batch
    shown: Any = GAME.layout.scaled(records)
    if layout == "dict":
        shown = {"observation": shown, "action_mask": masks}
    expected, plain = (
        model.predict(observed, action_masks=masks, deterministic=True)[0]
        for observed in (env.normalize_obs(shown), shown)
    )
    assert (expected != plain).any()
    path = tmp_path / "mine.zip"
    model.save(path)
    for missing in (str(path), MaskablePPO.load(path)):
        with pytest.raises(ValueError, match="a wrapper had changed, such as VecNormalize"):
            make_policy(missing, GAME)
    env.save(str(tmp_path / "mine.pkl"))
    player = make_policy(model, GAME)
    for one in (player, pickle.loads(pickle.dumps(player)), make_policy(str(path), GAME)):
        assert (one(*batch) == expected).all()
    (tmp_path / "mine.pkl").write_bytes(pickle.dumps([1]))
    with pytest.raises(ValueError, match=r"cannot load .*: a list is no VecNormalize"):
        make_policy(str(path), GAME)


def test_a_saved_model_plays_wherever_players_are_named(
    saved: tuple[Any, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, path = saved
    assert play_match(GAME, str(path), "lowest", num_deals=2).first == "model"
    env = gym.make("parlour:President-v0", opponents=str(path), **OURS)
    _, info = env.reset(seed=1)
    while not env.step(int(info["action_mask"].argmax()))[2]:
        info = {"action_mask": env.unwrapped.action_masks()}  # type: ignore[attr-defined]
    envs = gym.make_vec(
        "parlour:President-v0", num_envs=2, opponents=["random", str(path), "lowest"]
    )
    assert envs.step(envs.reset(seed=1)[1]["action_mask"].argmax(axis=1))[0].shape == (2, INPUTS)
    for command in (
        ["evaluate", "president", str(path), "--against", "lowest", "--deals", "1"],
        ["match", "president", f"{path},lowest", "--deals", "1"],
        ["watch", "president", "--players", f"{path},lowest,lowest,lowest", "--plies", "1"],
        ["tournament", "president", "--players", f"{path},lowest", "--deals", "1"],
    ):
        assert main(command) == 0
        assert "watch" in command or "model" in capsys.readouterr().out


def test_a_model_is_pickled_for_other_processes_without_its_environment(
    saved: tuple[Any, Path], batch: Any
) -> None:
    model, path = saved
    expected = make_policy(model, GAME)(*batch)
    assert "DummyVecEnv" not in repr(pickle.dumps(make_policy(model, GAME)))
    for spec in (model, str(path), perceptron()):
        player = make_policy(spec, GAME)
        again: Policy = pickle.loads(pickle.dumps(player))
        assert again.name == player.name
        assert (again(*batch) == player(*batch)).all()
    (entrant,) = enter([model], GAME)
    sent = pickle.loads(pickle.dumps(entrant))
    assert sent.name == "MaskablePPO"
    assert (make_policy(sent.spec, GAME)(*batch) == expected).all()


def test_a_model_of_another_game_is_refused(saved: tuple[Any, Path]) -> None:
    model, path = saved
    other = load_game("president", num_players=2)
    for spec, name in ((model, "MaskablePPO"), (str(path), "model")):
        with pytest.raises(
            ValueError, match=rf"^{name} observes float32 \[{INPUTS}\], which is not"
        ):
            make_policy(spec, other)


def test_a_model_with_other_actions_is_refused(
    saved: tuple[Any, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = saved[0].policy
    monkeypatch.setattr(policy, "action_space", gym.spaces.Discrete(3))
    with pytest.raises(
        ValueError, match=rf"chooses from Discrete\(3\); .* score {ACTIONS} actions"
    ):
        make_policy(policy, GAME)


# torch, TorchScript, ONNX


def test_a_torch_module_plays_as_it_was_when_it_was_given(batch: Any) -> None:
    module = perceptron()
    player = make_policy(module, GAME)
    assert player.name == "Sequential"
    assert module.training
    assert (player(*batch) == best_of(copy.deepcopy(module), batch)).all()  # without dropout
    before = player(*batch)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.neg_()
    assert (player(*batch) == before).all()
    assert (make_policy(module, GAME)(*batch) != before).any()


class ActorCritic(torch.nn.Module):
    """Logits and values; it rules out all actions but one by itself."""

    observation_space = "kept by its author"

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits = torch.full((len(observations), ACTIONS), -torch.inf)
        logits[:, 0] = 0
        return logits, torch.zeros(len(observations))


def test_logits_are_the_first_of_several_outputs_and_a_legal_action_is_found(batch: Any) -> None:
    chosen = make_policy(ActorCritic(), GAME)(*batch)
    _, masks, _ = batch
    assert masks[np.arange(len(masks)), chosen].all()
    assert (chosen[masks[:, 0] == 1] == 0).all()


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (perceptron(INPUTS + 1), rf"should take float32 \[B, {INPUTS}\].*\(2x{INPUTS} and"),
        (perceptron(INPUTS, 5), rf"should .* score {ACTIONS} actions; .*it gave \[2, 5\]"),
        (perceptron().double(), "same dtype"),
    ],
)
def test_a_module_of_other_sizes_is_refused(module: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"^Sequential does not fit <Game president.*{message}"):
        make_policy(module, GAME)
    script(module, tmp_path / "mine.ts")
    with pytest.raises(ValueError, match=f"^mine does not fit <Game president.*{message}") as said:
        make_policy(str(tmp_path / "mine.ts"), GAME)
    assert "\n" not in str(said.value)


def test_scores_that_are_no_numbers_are_reported(batch: Any) -> None:
    player = make_policy(Late(), GAME)
    with pytest.raises(PlayerError, match="Late gave scores that are not numbers"):
        player(*batch)


class Late(torch.nn.Module):
    """Fails on real observations only."""

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        is_real = (observations != 0).any(dim=1, keepdim=True)
        return torch.where(is_real, torch.nan, 0.0).expand(-1, ACTIONS)


def script(module: torch.nn.Module, path: Path) -> None:
    with pytest.warns(DeprecationWarning, match="torch.jit"):
        torch.jit.save(torch.jit.script(module), path)


@pytest.mark.filterwarnings("ignore:`torch.jit")
@pytest.mark.parametrize("suffix", ["ts", "torchscript"])
def test_torchscript_plays_as_its_module(suffix: str, batch: Any, tmp_path: Path) -> None:
    module, path = perceptron(), tmp_path / f"mine.{suffix}"
    script(module, path)
    player = make_policy(str(path), GAME)
    assert player.name == "mine"
    assert (player(*batch) == best_of(module, batch)).all()


@pytest.mark.parametrize("name", ["mine.zip", "mine.ts", "mine.torchscript"])
def test_a_file_that_is_no_model_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with pytest.raises(ValueError, match=f"^no file .*{name}$"):
        make_policy(str(path), GAME)
    path.write_text("nothing")
    with pytest.raises(ValueError, match=f"^cannot load .*{name}: "):
        make_policy(str(path), GAME)
    with pytest.raises(TypeError, match=f"{name} has no setting 'sample'"):
        make_policy(f"{path}:sample=True", GAME)


def test_onnx_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    (tmp_path / "mine.onnx").write_text("mine.onnx.data")
    with pytest.raises(ValueError, match=r"mine\.onnx needs the extra: .*\[onnx\]'"):
        make_policy(str(tmp_path / "mine.onnx"), GAME)


class Session:
    """What a session of onnxruntime offers, with a torch module in it."""

    shape: tuple[Any, ...] = ("batch", INPUTS)
    module = perceptron().eval()

    def __init__(self, path: str, providers: list[str]) -> None:
        assert path.endswith(".onnx")

    def get_inputs(self) -> list[Any]:
        return [types.SimpleNamespace(name="observations", shape=list(self.shape))]

    def get_outputs(self) -> list[Any]:
        return [types.SimpleNamespace(name="logits"), types.SimpleNamespace(name="values")]

    def run(self, names: list[str], inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        assert names == ["logits"]
        rows = inputs["observations"]
        assert self.shape[0] == "batch" or len(rows) == self.shape[0]
        with torch.no_grad():
            return [self.module(torch.from_numpy(rows)).numpy()]


@pytest.mark.parametrize("shape", [("batch", INPUTS), ("batch", "any"), (1, INPUTS)])
def test_onnx_plays_batches_or_single_observations(
    shape: tuple[Any, ...], batch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = types.SimpleNamespace(InferenceSession=Session)
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
    monkeypatch.setattr(Session, "shape", shape)
    (tmp_path / "mine.onnx").write_text("mine.onnx.data")
    player = make_policy(str(tmp_path / "mine.onnx"), GAME)
    assert (player(*batch) == best_of(Session.module, batch)).all()
    monkeypatch.setattr(Session, "shape", (*shape[:1], INPUTS + 1))
    with pytest.raises(ValueError, match=rf"takes .*{INPUTS + 1}.* float32 \[B, {INPUTS}\]"):
        make_policy(str(tmp_path / "mine.onnx"), GAME)


def test_the_results_of_a_model_depend_on_its_file(saved: tuple[Any, Path], tmp_path: Path) -> None:
    model, path = saved
    copied = tmp_path / "model.zip"
    copied.write_bytes(path.read_bytes())
    before = identity_of(str(copied), GAME)
    assert not before.startswith(UNKNOWN)
    assert before == identity_of(str(path), GAME)
    copied.write_bytes(path.read_bytes() + b"\n")
    assert identity_of(str(copied), GAME) != before
    (tmp_path / "mine.onnx").write_text("mine.onnx.data")
    before = identity_of(str(tmp_path / "mine.onnx"), GAME)
    (tmp_path / "mine.onnx.data").write_text("weights")
    assert identity_of(str(tmp_path / "mine.onnx"), GAME) != before
    assert identity_of(model, GAME).startswith(UNKNOWN)


# Functions of arrays

DEFINED = """
from parlour.baselines import takes_arrays

@takes_arrays
def choose(observations, action_masks):
    assert observations.dtype == "float32" and observations.shape[1] == {inputs}
    return {returned}
"""


@pytest.mark.parametrize(
    "returned", ["action_masks.argmax(axis=1)", "-action_masks.cumsum(axis=1).astype(float)"]
)
def test_a_function_of_arrays_plays_from_a_file(returned: str, batch: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(DEFINED.format(inputs=INPUTS, returned=returned))
    player = make_policy(f"{tmp_path / 'mine.py'}:choose", GAME)
    assert (player(*batch) == batch[1].argmax(axis=1)).all()


def test_a_function_of_arrays_sees_what_the_environment_shows(batch: Any) -> None:
    shown: list[np.ndarray] = []

    @takes_arrays
    def mine(observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        shown[:] = [observations]
        return np.zeros((len(observations), 3))

    with pytest.raises(PlayerError, match=rf"mine should give each action .*{ACTIONS}\]; .* 3\]"):
        make_policy(mine, GAME)(*batch)
    assert np.array_equal(shown[0], ObservationEncoder(GAME, "scaled").encode(batch[0]))


# Our own checkpoints


def test_the_module_of_a_checkpoint_plays_again(batch: Any) -> None:
    network = load_network("ppo", GAME)
    player = pickle.loads(pickle.dumps(make_policy(network, GAME)))
    assert (player(*batch) == make_policy("ppo", GAME)(*batch)).all()
    with pytest.raises(ValueError, match=r"was made for .*num_players=4.* not for .*num_players=2"):
        make_policy(network, load_game("president", num_players=2))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run's folder, named as from the folder above."""
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "lowest"):
        (tmp_path / name).mkdir()
        shipped = shipped_checkpoints(GAME)["ppo"].read_bytes()
        (tmp_path / name / "checkpoint.pt").write_bytes(shipped)
    return "mine"


def test_the_folder_of_a_run_stands_for_its_checkpoint(run: str, batch: Any) -> None:
    file = f"{run}/checkpoint.pt"
    assert make_policy(run, GAME).row_function is make_policy(file, GAME).row_function
    assert enter([run], GAME) == enter([file], GAME)
    assert files_named(run, GAME) == files_named(f"{run}:other_rules=True", GAME) == [file]
    assert files_named(f"playout:playout_policy={run}", GAME) == [file]
    assert make_policy(f"playout:playout_policy={run},num_playouts=1", GAME).name == "playout"
    for name in ("lowest", "nothing"):
        assert files_named(name, GAME) == [name] * (name == "nothing")
    assert make_policy("lowest", GAME).weights is None


def test_the_folder_of_a_run_takes_the_settings_of_its_checkpoint(run: str) -> None:
    game = load_game("president", **OURS, economy="none")
    with pytest.raises(ValueError, match="other_rules=True"):
        make_policy(run, game)
    assert make_policy(f"{run}:other_rules=True", game).game is game
    assert make_policy(run, game, other_rules=True).game is game


def test_a_torch_module_plays_from_a_file_of_code(batch: Any, tmp_path: Path) -> None:
    lines = (
        "import torch",
        "torch.manual_seed(0)",
        f"net = torch.nn.Linear({INPUTS}, {ACTIONS})",
    )
    (tmp_path / "mine.py").write_text("\n".join(lines))
    player = make_policy(f"{tmp_path / 'mine.py'}:net", GAME)
    torch.manual_seed(0)
    assert player.name == "net"
    assert (player(*batch) == best_of(torch.nn.Linear(INPUTS, ACTIONS), batch)).all()


@pytest.mark.filterwarnings("ignore")
def test_torchscript_is_not_taken_for_a_checkpoint(tmp_path: Path) -> None:
    script(perceptron(), tmp_path / "mine.pt")
    with pytest.raises(ValueError, match=r"not a checkpoint, .* TorchScript ends in \.ts"):
        make_policy(str(tmp_path / "mine.pt"), GAME)
