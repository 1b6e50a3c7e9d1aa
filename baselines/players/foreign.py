"""Players of other libraries: models of torch and stable-baselines3, files of models, array code.

A model gives each action a score, and the legal action with the highest one is played. To load a
model's file may run code that it holds, so only the person at this machine may name one.
"""

import copy
import dataclasses
import pickle
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from ...envs.core.environments.common import (
    LAYOUTS,
    OBSERVATIONS,
    ObservationEncoder,
    observation_space,
)
from ...envs.core.game import Game
from ...envs.core.play.legal import PlayerError
from ...envs.core.words import how_to_install
from ..policies.file_names import STATISTICS
from ..policies.policy import Policy

ArrayFunction = TypeVar("ArrayFunction", bound=Callable[..., Any])
NOT_WHOLE = 0.01  # off a whole number in natural units: more than rounding errors

Scores = Callable[[np.ndarray, np.ndarray], Any]  # (records [B], masks int8 [B, A]) -> [B, A]


def takes_arrays(function: ArrayFunction) -> ArrayFunction:
    """Let a function of arrays play: `function(observations, action_masks)`.

    It takes float32 [B, num_inputs], as environments show by default, and int8 [B, A], 1 where an
    action is legal. It returns actions [B], or scores [B, A], of which the legal action with the
    highest one is played::

        >>> import parlour
        >>> from parlour.policies import takes_arrays
        >>> @takes_arrays
        ... def first(observations, action_masks):
        ...     return action_masks.argmax(axis=1)
        >>> parlour.make_policy(first, parlour.load_game("notty"))
        <Policy first of notty>
    """
    if not isinstance(function, FunctionType):
        raise TypeError(f"takes_arrays needs a function, not {function!r}")
    vars(function)["takes_arrays"] = True
    return function


def over_records(name: str, game: Game, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function over records [B] for one that `takes_arrays`; any other as it is."""
    if not getattr(function, "takes_arrays", False):
        return function

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        chosen = np.asarray(function(game.layout.scaled(observations), action_masks))
        return best_legal_actions(name, chosen, action_masks) if chosen.ndim > 1 else chosen

    return choose


def best_legal_actions(name: str, scores: Any, action_masks: np.ndarray) -> np.ndarray:
    """Return the legal action with the highest score in each row. Raises PlayerError."""
    scores = np.asarray(scores)
    if scores.shape != action_masks.shape:
        raise PlayerError(
            f"{name} should give each action a score, {list(action_masks.shape)}; "
            f"it gave {list(scores.shape)}"
        )
    if np.isnan(scores).any():
        raise PlayerError(f"{name} gave scores that are not numbers (NaN)")
    lowest = np.finfo(np.float32).min  # of legal actions, which a model itself may give -inf
    return np.where(action_masks == 0, -np.inf, np.maximum(scores, lowest)).argmax(axis=1)


def torch_module(model: Any) -> Any:
    """Return the torch module that a model is, or has in stable-baselines3; None if it has none."""
    torch = sys.modules.get("torch")  # where there is a model, it is imported
    module = model if callable(model) else getattr(model, "policy", None)
    return module if torch is not None and isinstance(module, torch.nn.Module) else None


def policy_of_model(model: Any, game: Game, name: str | None = None) -> Policy:
    """Make a player of a torch module or a model of stable-baselines3, as it is now.

    It keeps a copy, so further training does not change the player. What a `VecNormalize` around
    its environments has learned is applied. Raises ValueError where its observations or its actions
    are not those of this game.
    """
    name, network = name or type(model).__name__, torch_module(model)
    last = getattr(network, "action_dist", None)  # holds a gradient, which cannot be copied deeply
    module = copy.deepcopy(network, {id(last): copy.copy(last)}).cpu().eval()
    normalizer = getattr(model, "get_vec_normalize_env", lambda: None)()
    if network is not model:
        _check_observed(vars(model), game, name, normalizer)
    saved = None if normalizer is None else pickle.dumps(normalizer)  # as it is now
    return _remade(module, game, name, saved)


def _remade(module: Any, game: Game, name: str, saved: bytes | None) -> Policy:
    """Make a player that can be pickled, with a pickled VecNormalize."""
    remake = partial(_remade, module, game, name, saved)
    normalizer = None if saved is None else _normalizer(saved)
    return dataclasses.replace(_policy_of_module(module, game, name, normalizer), remake=remake)


def policy_of_model_file(path: Path, game: Game) -> Policy:
    """Make a player of the file of a model, which may run code. Raises ValueError."""
    if not path.is_file():
        raise ValueError(f"no file {path}")
    if path.suffix == ".onnx":
        return _scoring_policy(path.stem, game, _onnx_scores(path, game))
    normalizer = learner = None
    try:
        if path.suffix == ".zip":
            module, learner = _sb3_module(path)
            statistics = path.with_suffix(STATISTICS)
            normalizer = _normalizer(statistics.read_bytes()) if statistics.is_file() else None
        else:
            module = _torch_script(path)
    except Exception as error:  # of any kind, by torch, by pickle or by the file's own code
        raise ValueError(f"cannot load {path}: {_described(error)}") from error
    if learner is not None:
        _check_observed(learner, game, path.stem, normalizer)
    return _policy_of_module(module, game, path.stem, normalizer)


def _policy_of_module(module: Any, game: Game, name: str, normalizer: Any) -> Policy:
    from ..networks.kinds import algorithm_of, policy_of  # torch, which other players do not need

    algorithm = algorithm_of(module)
    if algorithm is not None:  # a network of ours, which takes whole numbers
        return policy_of(algorithm, getattr(module, "game", game), module, name)
    if hasattr(module, "obs_to_tensor"):  # a policy of stable-baselines3
        return _scoring_policy(name, game, _sb3_scores(module, game, name, normalizer))
    return _scoring_policy(name, game, partial(_torch_scores, module, game))


def _scoring_policy(name: str, game: Game, scores: Scores) -> Policy:
    """Make the policy that plays by scores. Raises ValueError where they do not fit the game."""

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        try:
            values = scores(observations, action_masks)
        except Exception as error:
            raise PlayerError(f"{name} failed: {_described(error)}") from error
        return best_legal_actions(name, values, action_masks)

    blank = np.zeros(2, game.observation_dtype), np.ones((2, game.num_actions), np.int8)
    try:
        choose(*blank, np.zeros(0))
    except PlayerError as error:
        raise ValueError(
            f"{name} does not fit {game!r}: it should {_needed(game)}; {error}"
        ) from error
    return Policy(name, game, choose)


def _needed(game: Game) -> str:
    return f"take float32 [B, {game.layout.num_inputs}] and score {game.num_actions} actions"


def _described(error: Exception) -> str:
    """Describe an error in one line: the last, because TorchScript shows its code before."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[-1].strip()}"


def _torch_scores(module: Any, game: Game, records: np.ndarray, masks: np.ndarray) -> np.ndarray:
    import torch

    with torch.inference_mode():
        outputs = module(torch.from_numpy(game.layout.scaled(records)))
    return (outputs[0] if isinstance(outputs, tuple | list) else outputs).float().numpy()


def _torch_script(path: Path) -> Any:
    import torch

    return torch.jit.load(path, map_location="cpu").eval()


def _sb3_module(path: Path) -> tuple[Any, dict[str, Any]]:
    """Return the policy in a zip of stable-baselines3, and what it says of the learner."""
    from stable_baselines3.common.save_util import load_from_zip_file

    data, parameters, _ = load_from_zip_file(path, device="cpu")
    if not isinstance(data, dict) or "policy_class" not in data:
        raise ValueError("it holds no policy, or one of a package that is missing (sb3-contrib?)")
    settings = {key: value for key, value in data["policy_kwargs"].items() if key != "device"}
    spaces = data["observation_space"], data["action_space"]
    module = data["policy_class"](*spaces, lambda _: 0.0, **settings)
    module.load_state_dict(parameters["policy"])
    return module.eval(), data


def _normalizer(saved: bytes) -> Any:
    """Return a VecNormalize of its pickle. Raises ValueError for anything else."""
    from stable_baselines3.common.vec_env import VecNormalize

    normalizer = pickle.loads(saved)
    if not isinstance(normalizer, VecNormalize):
        raise ValueError(f"a {type(normalizer).__name__} is no VecNormalize")
    return normalizer


def _check_observed(learner: Mapping[str, Any], game: Game, name: str, normalizer: Any) -> None:
    """Raise ValueError where a learner saw other numbers than the game shows, with no normalizer.

    They are the last observations [N] that it has saved.
    """
    last, space = learner.get("_last_obs"), learner.get("observation_space")
    if normalizer is not None or last is None or space is None:
        return
    encoder, layout = _view(space, game, name)
    numbers = last if layout == "flat" else last["observation"]
    units = numbers / (game.layout.scale if encoder.is_scaled else 1)
    if np.abs(units - np.rint(units)).max() > NOT_WHOLE:
        raise ValueError(
            f"{name} learned from observations that a wrapper had changed, such as VecNormalize; "
            f'save what it learned beside the model: env.save("model{STATISTICS}") for model.zip'
        )


def _sb3_scores(module: Any, game: Game, name: str, normalizer: Any) -> Scores:
    """Return the scores of a policy of stable-baselines3: values, or logits of its actions."""
    import torch

    encoder, layout = _view(module.observation_space, game, name)
    if getattr(module.action_space, "n", None) != game.num_actions:
        raise ValueError(f"{name} chooses from {module.action_space}; it should {_needed(game)}")
    if hasattr(module, "lstm_actor"):
        raise ValueError(f"{name} has a memory, which a player of single positions cannot keep")

    def scores(records: np.ndarray, masks: np.ndarray) -> np.ndarray:
        observations: Any = encoder.encode(records)
        if layout == "dict":
            observations = {"observation": observations, "action_mask": masks}
        if normalizer is not None:
            observations = normalizer.normalize_obs(observations)
        shown, _ = module.obs_to_tensor(observations)
        with torch.inference_mode():
            if hasattr(module, "q_net"):
                return module.q_net(shown).numpy()
            if hasattr(module, "quantile_net"):
                return module.quantile_net(shown).mean(dim=1).numpy()
            return module.get_distribution(shown).distribution.logits.numpy()

    return scores


def _view(space: Any, game: Game, name: str) -> tuple[ObservationEncoder, str]:
    """Return the encoder and the layout of environments with this space. Raises ValueError."""
    for form in OBSERVATIONS:
        encoder = ObservationEncoder(game, form)
        for layout in LAYOUTS:
            if space == observation_space(game, encoder, layout):
                return encoder, layout
    shown = f"{space.dtype} {list(space.shape)}" if space.shape else f"a {type(space).__name__}"
    raise ValueError(
        f"{name} observes {shown}, which is not what environments of {game!r} show: it should "
        f"{_needed(game)}, within the same bounds"
    )


def _onnx_scores(path: Path, game: Game) -> Scores:
    try:
        import onnxruntime
    except ImportError as error:
        raise ValueError(f"{path} needs the extra: {how_to_install('onnx')}") from error
    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ValueError(f"cannot load {path}: {_described(error)}") from error
    inputs, output = session.get_inputs(), session.get_outputs()[0].name
    shapes = [each.shape for each in inputs]
    width = shapes[0][-1] if len(shapes) == 1 and len(shapes[0]) == 2 else 0
    if isinstance(width, int) and width != game.layout.num_inputs:
        raise ValueError(f"{path} takes {shapes}; at {game!r} it should {_needed(game)}")
    is_single = shapes[0][0] == 1  # exported for one observation at a time

    def scores(records: np.ndarray, masks: np.ndarray) -> np.ndarray:
        vectors = game.layout.scaled(records)
        batches = vectors[:, None] if is_single else [vectors]
        runs = [session.run([output], {inputs[0].name: batch})[0] for batch in batches]
        return np.concatenate(runs)

    return scores
