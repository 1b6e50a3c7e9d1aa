"""Make players by name: scripts of a game, generic players, checkpoints, users' own files."""

import dataclasses
import re
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, get_args

from ...envs.core.catalogue import as_game, without_numpy
from ...envs.core.game import Game
from ...envs.core.words import check_setting_names, did_you_mean
from ..networks.learned import learned_policy, shipped_checkpoints
from ..policies.file_names import CHECKPOINT, CODE, MODELS, checkpoint_file
from ..policies.policy import Policy, PolicySpec
from ..policies.roster import BLIND, Kind, Player, check_player_settings, own_players, searching
from ..policies.settings import parse_settings
from ..search.mcts import mcts, playout
from . import best, foreign, human
from .user_files import policy_of_class, policy_of_file

GUIDE = "expert_iteration"  # of the learners whose networks ship, the one that learns by search
GUIDED = "guided"
GENERIC = {
    **BLIND,
    "playout": searching(playout),
    "mcts": searching(mcts),
}
AT_THE_CONSOLE = {
    "human": Player(human.human, "You, at the console."),
    "user": Player(human.human, "Another name of `human`."),
}


def players_of(game: Game) -> dict[str, Player]:
    """Return all players of a game by name: `best`, generic, its own (weakest first), trained.

    A game's own player replaces a generic one of the same name; one that cannot play with these
    settings is left out. `best` stands for one of the others; see `resolved`.
    """
    others = {name: player for name, player in _roster(game).items() if player.plays(game)}
    champion = best.champion_of(game, others)
    is_timed = others[champion.partition(":")[0]].is_timed
    summary = f"The strongest player that ships: here `{champion}`."
    make = partial(make_policy, best.NAME)
    return {best.NAME: Player(make, summary, is_timed=is_timed, kind="best"), **others}


@lru_cache
def _roster(game: Game) -> Mapping[str, Player]:
    """Return all players of a game but `best`, for any settings: found once."""
    own = own_players(game)
    of_any_game = {name: player for name, player in GENERIC.items() if name not in own}
    return {**of_any_game, **own, **_trained(game)}


def resolved(spec: PolicySpec, game: Game, **settings: Any) -> PolicySpec:
    """Resolve `best`, the folder of a run and a model of another library; return any other spec.

    `best` becomes the player that it stands for at this game, the folder its checkpoint file, the
    model a Policy. A store of results keeps a player under the spec returned.
    """
    if isinstance(spec, str):
        return _resolved_name(spec, game, settings)
    if foreign.torch_module(spec) is None:
        return spec
    check_setting_names(type(spec).__name__, settings, ())
    return foreign.policy_of_model(spec, game)


def _resolved_name(spec: str, game: Game, settings: Mapping[str, Any]) -> str:
    name, _, rest = spec.partition(":")
    if _run_together(name) == best.NAME:
        return best.stand_in(game, players_of(game), **{**parse_settings(rest), **settings})
    file = checkpoint_file(name)
    if file == name or _run_together(name) in _known(game):
        return spec
    all_settings = [rest, *(f"{key}={value!r}" for key, value in settings.items())]
    return f"{file}:{','.join(filter(None, all_settings))}".removesuffix(":")


def _trained(game: Game) -> dict[str, Player]:
    """Return the players whose networks ship, and the search that one of them guides."""
    shipped = shipped_checkpoints(game)
    players = {
        name: Player(
            partial(learned_policy, path, name=name),
            f"Learned: {game.name}/checkpoints/{path.name}.",
            kind="network",
        )
        for name, path in shipped.items()
    }
    if GUIDE in shipped:
        players[GUIDED] = Player(
            partial(_guided, shipped[GUIDE]),
            f"Search a tree: `mcts` with `{GUIDE}` in place of playouts.",
            is_timed=True,
            kind="search",
        )
    return players


def _guided(path: Path, game: Game, **settings: Any) -> Policy:
    if "network" in settings:
        raise TypeError(f"{GUIDED} has its own network; mcts:network=FILE.pt searches with another")
    search = {**GENERIC, **own_players(game)}["mcts"]
    return dataclasses.replace(search.make(game, network=str(path), **settings), name=GUIDED)


def list_policies(game: Game | str, kind: Kind | None = None) -> list[str]:
    """Return the names of all players: `best`, generic, the game's own (weakest first), trained.

    With a `kind` only those of it: "script" (rules of thumb), "search" (looks ahead at each move),
    "solver" (exact play), "network" (trained), or "best", which stands for one of the others.
    `human` is not listed, because it needs a person at the console. Raises ValueError for an
    unknown game or kind::

        >>> import parlour
        >>> parlour.list_policies(parlour.load_game("notty"))[-2:]
        ['x_defensive', 'finisher']
        >>> parlour.list_policies("president", kind="network")
        ['dqn', 'ppo']
    """
    if kind is not None and kind not in get_args(Kind):
        raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}; got {kind!r}")
    players = players_of(as_game(game))
    return [name for name, player in players.items() if kind in (None, player.kind)]


def make_policy(spec: PolicySpec, game: Game | str, **settings: Any) -> Policy:
    """Make a player of `game`, a Game or the name of one, which then has its default settings.

    `spec` is one of these:

    * a name, also as its inventor spelled it: `"lowest"`, `"X-DEFENSIVE"`
    * `"best"`, the strongest player that ships; `"best:milliseconds=20"` limits its time for a move
      where it searches, and changes nothing where it does not
    * a name with settings: `"playout:num_playouts=100"`
    * a checkpoint, by its file or the folder of its run: `"runs/mine.pt"`, `"runs/mine"`, with
      `":other_rules=True"` to play under house rules that it was not trained for
    * a function, a class or a torch module in a file of your own: `"mine.py:choose"`,
      `"mine.py:Mine:setting=1"`
    * a model of another library in a file that you trust, since loading it may run code that it
      holds: one saved by stable-baselines3 or sb3-contrib, `"model.zip"`; TorchScript, `"model.ts"`
      or `"model.torchscript"`; ONNX, `"model.onnx"`
    * such a model in memory, or a torch module; the player is a copy of it as it is now
    * a function `choose(observations, action_masks, rngs)` over batches: records [B] with the
      fields of `game.observation_fields`, int8 [B, A] and a random stream for each row; it returns
      actions [B]
    * a class, or a Policy that was made for this game

    A torch module, TorchScript and ONNX take float32 [B, num_inputs], as environments show by
    default, and return logits [B, A] or a tuple that begins with them. A model of
    stable-baselines3 takes what its `observation_space` says. What a VecNormalize learned is
    applied: that of the model in memory, or `"model.pkl"` beside `"model.zip"`, written by
    `env.save("model.pkl")`; a model that saw other numbers last is refused without it. The legal
    action with the highest logit or value is played. See `takes_arrays` for other functions of
    arrays.

    A class makes players with memory. It is called with its settings for each seat of each game and
    returns an object with begin(seat, game), watch(observation) and choose(observation,
    action_mask, rng). A game may accept another form, such as the agents of Top Trumps.

    Raises ValueError for anything else, and TypeError for a setting that the player does not have::

        >>> import parlour
        >>> game = parlour.load_game("notty")
        >>> parlour.make_policy("X-DEFENSIVE", game)
        <Policy x_defensive of notty>
    """
    game = as_game(game)
    if isinstance(spec, Policy):
        return _made_for(spec, game)
    settings = without_numpy(settings)
    named = resolved(spec, game, **settings)
    if named is not spec:
        return make_policy(named, game)
    policy = _made(spec, game, settings)
    return dataclasses.replace(policy, remake=partial(make_policy, spec, game, **settings))


def named_policies(specs: Any, game: Game) -> Policy | list[Policy]:
    """Make the policy of one spec, or the list of policies of a list of specs."""
    if isinstance(specs, list | tuple):
        return [make_policy(spec, game) for spec in specs]
    return make_policy(specs, game)


def _made_for(policy: Policy, game: Game) -> Policy:
    """Return the policy. Raises ValueError where it was made for another game or other settings."""
    made, asked = ((one.name, one.config_dict()) for one in (policy.game, game))
    if made != asked:
        raise ValueError(f"{policy.name} was made for {policy.game!r}, not for {game!r}")
    return policy


def _made(spec: Any, game: Game, settings: dict[str, Any]) -> Policy:
    if isinstance(spec, type):
        return policy_of_class(spec, spec.__name__, None, game, settings)
    if callable(spec):
        name = getattr(spec, "__name__", type(spec).__name__)
        return Policy(name, game, foreign.over_records(name, game, spec))
    if not isinstance(spec, str):
        raise ValueError(
            "a player must be a name, a file, a function, a class, a model or a Policy; "
            f"got {spec!r}"
        )
    name, _, rest = spec.partition(":")
    if name.endswith(CHECKPOINT):
        return learned_policy(name, game, **parse_settings(rest), **settings)
    if name.endswith(CODE):
        return policy_of_file(Path(name), rest, game, settings)
    if name.endswith(MODELS):
        make = partial(foreign.policy_of_model_file, Path(name))
        check_player_settings(name, make, {**parse_settings(rest), **settings})
        return make(game)
    return _named(name, game, {**parse_settings(rest), **settings})


def _named(name: str, game: Game, settings: dict[str, Any]) -> Policy:
    # `best` is resolved before; a player refuses the settings of a game that it cannot play.
    key = player_key(name, game)
    make = {**_roster(game), **AT_THE_CONSOLE}[key].make
    check_player_settings(key, make, settings)
    return make(game, **settings)


def player_key(name: str, game: Game) -> str:
    """Return the name of a player as it is listed. Raises ValueError where there is none.

    Case, hyphens, underscores and spaces are ignored: `MeanerMax` and `meaner-max` are
    `meaner_max`.
    """
    names = _known(game)
    if name in names.values():
        return name
    if _run_together(name) not in names:
        players = ", ".join([*players_of(game), *AT_THE_CONSOLE])
        close = did_you_mean(name, names.values())
        raise ValueError(f"{game.name} has no player {name!r}; {close}it has {players}")
    return names[_run_together(name)]


@lru_cache
def _known(game: Game) -> Mapping[str, str]:
    """Return the names of all players as they are listed, by their spelling run together."""
    keys = (best.NAME, *_roster(game), *AT_THE_CONSOLE)
    return {_run_together(key): key for key in keys}


def _run_together(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).lower()
