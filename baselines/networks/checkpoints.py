"""Checkpoints: a network's weights, how it was made, and how strong it is.

A checkpoint is one file, and loading it executes nothing from it. A model card beside it states the
same facts for people.
"""

import dataclasses
import io
import operator
import subprocess
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ... import __version__
from ...envs.core.game import Game
from ...envs.core.whole_files import write_whole
from ..policies.file_names import checkpoint_file
from ..statistics.result_words import words_of
from .kinds import new_network

FORMAT = 1


@dataclasses.dataclass
class Checkpoint:
    """A trained network and its provenance."""

    game: str
    game_version: int
    game_config: dict[str, Any]
    algorithm: str
    config: dict[str, Any]  # of the learner
    hidden: tuple[int, ...]
    weights: dict[str, torch.Tensor]
    command: str = ""  # the command that trained it
    revision: str = ""  # of the code that trained it
    parlour: str = __version__
    training: dict[str, Any] = dataclasses.field(default_factory=dict)  # seconds, decisions, ...
    strength: list[dict[str, Any]] = dataclasses.field(default_factory=list)  # match results
    duplicates: list[dict[str, Any]] = dataclasses.field(default_factory=list)  # deals won, lost
    exact: list[dict[str, Any]] = dataclasses.field(default_factory=list)  # by the exact solution
    notes: list[str] = dataclasses.field(default_factory=list)  # such as other seeds, failed runs
    format: int = FORMAT


def save_checkpoint(checkpoint: Checkpoint, path: Path | str) -> None:
    """Write the checkpoint to `path` (`.pt`) and its model card beside it (`.md`)."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    torch.save(dataclasses.asdict(checkpoint), content)
    write_whole(path, content.getvalue())
    write_whole(path.with_suffix(".md"), model_card(checkpoint))


def load_checkpoint(path: Path | str) -> Checkpoint:
    """Read a checkpoint, from its file or from the folder of its run.

    Raises a ValueError that says what is wrong with the file.
    """
    path = Path(checkpoint_file(str(path)))
    if not path.is_file():
        raise ValueError(f"no checkpoint {path}")
    try:
        data = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # there are many kinds, and torch's advice would mislead
        raise ValueError(
            f"{path} is not a checkpoint, or is damaged; a model in TorchScript ends in .ts"
        ) from error
    if not isinstance(data, dict):
        raise ValueError(f"{path} is not a checkpoint of Parlour: it has no table of facts")
    fields = {field.name: field for field in dataclasses.fields(Checkpoint)}
    no = dataclasses.MISSING
    required = [name for name, f in fields.items() if f.default is no and f.default_factory is no]
    lacking = [key for key in ("format", *required) if key not in data]
    if lacking:
        raise ValueError(f"{path} is not a checkpoint of Parlour: it lacks {', '.join(lacking)}")
    if data["format"] != FORMAT:
        raise ValueError(f"{path} has checkpoint format {data['format']!r}; this is {FORMAT}")
    damage = _damage(data)
    if damage:
        raise ValueError(f"{path} is damaged: {damage}")
    return Checkpoint(**{key: value for key, value in data.items() if key in fields})


def _damage(data: dict[str, Any]) -> str:
    """What is wrong with the facts of a checkpoint; empty where nothing is."""
    for key in ("algorithm", "game"):
        if not isinstance(data[key], str):
            return f"{key} should be text; it is {data[key]!r}"
    for key in ("game_config", "config", "weights"):
        if not isinstance(data[key], dict):
            return f"{key} should be a table; it is {data[key]!r}"
    if not isinstance(data["game_version"], int):
        return f"game_version should be a whole number; it is {data['game_version']!r}"
    if not _are_sizes(data["hidden"]):
        return f"hidden should be sizes of layers; it is {data['hidden']!r}"
    for name, weights in data["weights"].items():
        damage = _damage_of_weights(weights)
        if damage:
            return f"weights {name!r} {damage}"
    size = sum(weights.numel() for weights in data["weights"].values())
    if sum(map(operator.mul, data["hidden"], [1, *data["hidden"]])) > size:
        return f"its weights do not fit the network that it describes: they are {size:,} numbers"
    return ""


def _damage_of_weights(weights: Any) -> str:
    """What is wrong with weights, found without reading more than the file holds of them."""
    if not isinstance(weights, torch.Tensor):
        return f"should be a tensor, not a {type(weights).__name__}"
    is_plain = weights.layout is torch.strided and weights.device.type == "cpu"
    if not is_plain or weights.is_nested or weights.is_quantized:
        return f"should be a plain tensor; it is {weights.dtype} {weights.layout} {weights.device}"
    stored = weights.untyped_storage().nbytes() // weights.element_size()
    if weights.numel() > stored:
        return f"should be {weights.numel():,} numbers, of which the file holds {stored:,}"
    num_infinite = int((~weights.isfinite()).sum())
    if num_infinite:
        return f"has {num_infinite:,} of {weights.numel():,} numbers that are not finite"
    return ""


def _are_sizes(hidden: Any) -> bool:
    return isinstance(hidden, list | tuple) and all(
        isinstance(size, int) and size > 0 for size in hidden
    )


def network_for(checkpoint: Checkpoint, game: Game, other_rules: bool = False) -> nn.Module:
    """Return the network, ready to play `game`.

    Raises ValueError if it was trained for another game or version, for other house rules (unless
    `other_rules` allows them) or for other sizes.
    """
    if checkpoint.game != game.name:
        raise ValueError(f"this checkpoint plays {checkpoint.game}, not {game.name}")
    if checkpoint.game_version != game.version:
        raise ValueError(
            f"this checkpoint was trained for {game.name} version {checkpoint.game_version}; "
            f"the rules are now version {game.version}"
        )
    rules = _other_rules(checkpoint, game)
    try:
        network = _network_of(checkpoint, game)
    except (RuntimeError, KeyError, TypeError) as error:
        if rules:
            raise ValueError(
                f"this checkpoint was trained for {rules}, whose sizes do not fit this game"
            ) from error
        raise ValueError(
            "this checkpoint is damaged: its weights do not fit the network that it describes"
        ) from error
    if rules and not other_rules:
        raise ValueError(
            f"this checkpoint was trained for {rules}; to let it play all the same, add the "
            "setting other_rules=True, as in FILE.pt:other_rules=True"
        )
    return network.eval()


def _network_of(checkpoint: Checkpoint, game: Game) -> nn.Module:
    settings = {**checkpoint.config, "hidden": tuple(checkpoint.hidden)}
    network: nn.Module = new_network(checkpoint.algorithm, game, settings)
    network.load_state_dict(checkpoint.weights)
    return network


def _other_rules(checkpoint: Checkpoint, game: Game) -> str:
    """The settings of the game that a checkpoint was trained for, where this game has others."""
    defaults = {field.name: field.default for field in dataclasses.fields(game.config)}
    trained = {**defaults, **checkpoint.game_config}  # settings added since had their defaults
    here = {**dict.fromkeys(trained), **game.config_dict()}
    return ", ".join(
        f"{key}={trained[key]!r} (here {here[key]!r})"
        for key in here
        if repr(trained[key]) != repr(here[key])
    )


def code_revision() -> str:
    """The commit of the code, with `+` if files are changed; empty outside a checkout."""
    root = Path(__file__).resolve().parents[2]
    try:
        commit = _git(root, "rev-parse", "--short=12", "HEAD")
        return commit + ("+" if _git(root, "status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def model_card(checkpoint: Checkpoint) -> str:
    """Return the model card as Markdown: what a user should know about the network."""
    settings = ", ".join(f"{key}={value!r}" for key, value in checkpoint.game_config.items())
    size = sum(tensor.numel() for tensor in checkpoint.weights.values())
    words = words_of(round(1 / checkpoint.strength[0]["fair_share"]) if checkpoint.strength else 2)
    lines = [
        f"# {checkpoint.algorithm} for {checkpoint.game}",
        "",
        f"* Game: `{checkpoint.game}` version {checkpoint.game_version}, {settings}",
        f"* Network: hidden layers {tuple(checkpoint.hidden)}, {size:,} numbers",
        f"* Made by: `{checkpoint.command}`",
        f"* Code: {checkpoint.revision or 'as released'}, Parlour {checkpoint.parlour}",
        *(f"* {key}: {_short(value)}" for key, value in checkpoint.training.items()),
        *(f"* {note}" for note in checkpoint.notes),
        "",
        "## Measured strength",
        "",
        "Duplicate deals: the network plays one seat, the opponent all others; 95 % intervals. "
        f"{words.note}",
        "",
        f"| against | games | {words.score}, % | of an equal player, % | mean return |",
        "|---|---|---|---|---|",
        *(_strength_row(result) for result in checkpoint.strength),
        "",
    ]
    if checkpoint.duplicates:
        lines += _duplicate_lines(checkpoint.duplicates)
    if checkpoint.exact:
        lines += _exact_lines(checkpoint.exact)
    return "\n".join(lines)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"


def _duplicate_lines(results: list[dict[str, Any]]) -> list[str]:
    return [
        "Each deal is played twice with the hands exchanged; 95 % intervals.",
        "",
        "| against | deals | won, % | drawn, % | lost, % |",
        "|---|---|---|---|---|",
        *(_duplicate_row(result) for result in results),
        "",
    ]


def _duplicate_row(result: dict[str, Any]) -> str:
    percentages = [[100 * value for value in result[key]] for key in ("wins", "draws", "losses")]
    percent = " | ".join(f"{mean:.2f} [{low:.2f}, {high:.2f}]" for mean, low, high in percentages)
    return f"| {result['second']} | {result['num_deals']:,} | {percent} |"


def _exact_lines(results: list[dict[str, Any]]) -> list[str]:
    return [
        "Measured against the exact solution of the game; 95 % intervals where deals are a sample.",
        "",
        "| measure | against | deals | value |",
        "|---|---|---|---|",
        *(_exact_row(result) for result in results),
        "",
    ]


def _exact_row(result: dict[str, Any]) -> str:
    mean, low, high = result["value"]
    deals = result["deals"] if isinstance(result["deals"], str) else f"{result['deals']:,}"
    value = f"{mean:.4f} [{low:.4f}, {high:.4f}]"
    return f"| {result['measure']} | {result['against']} | {deals} | {value} |"


def _strength_row(result: dict[str, Any]) -> str:
    first, low, high = (100 * value for value in result["first_places"])
    mean, mean_low, mean_high = result["mean_return"]
    return (
        f"| {result['second']} | {result['num_games']:,} | {first:.1f} [{low:.1f}, {high:.1f}] | "
        f"{100 * result['fair_share']:.1f} | {mean:+.3f} [{mean_low:+.3f}, {mean_high:+.3f}] |"
    )
