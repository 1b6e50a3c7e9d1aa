"""Checks of any PettingZoo AEC or Gymnasium environment from the outside.

One small interface drives both kinds; every check then plays episodes and compares everything that
they showed.
"""

import contextlib
import copy
import logging
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from ..play.tables import Tables
from ..rng import streams
from .report import (
    NO_CHANCE,
    NO_REFEREE,
    CheckError,
    CheckReport,
    Trial,
    is_any_other,
    more_seeds,
    no_global_generators,
    sentence_of,
)
from .rules import compare_legal

_LEARNER = "the learner"
_CLOSE = 1e-5  # rewards may be float32
_OR_NO_CHANCE = "or declare has_chance=False where the rules leave nothing to chance"
_COPY_PLACES = 3  # copies are tried at the start, in the middle and at the last ply


class Aec:
    """A PettingZoo AEC environment."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.unused: Any = None  # a copy from before the first reset, if there was such a time

    def reset(self, seed: int | None = None, deal: Any = None) -> None:
        """A new episode."""
        options = None if deal is None else {"deal": deal}
        self.env.reset(seed=seed, options=options)

    def who(self) -> str | None:
        """The agent to act; None when all are done."""
        alive = [a for a in self.env.agents if not self._is_over(a)]
        return self.env.agent_selection if alive else None

    def _is_over(self, agent: str) -> bool:
        return self.env.terminations[agent] or self.env.truncations[agent]

    def everyone(self) -> list[str]:
        """All agents, in the order of their seats."""
        return list(self.env.possible_agents)

    def observation(self, agent: str) -> Any:
        """What an agent observes now."""
        return self.env.observe(agent)

    def mask(self, agent: str) -> np.ndarray | None:
        """Its action mask; None where there are none."""
        seen = self.env.observe(agent)
        if isinstance(seen, Mapping) and "action_mask" in seen:
            return np.asarray(seen["action_mask"])
        mask = self.env.infos.get(agent, {}).get("action_mask")
        return None if mask is None else np.asarray(mask)

    def spaces(self, agent: str) -> tuple[Any, Any]:
        """Its observation space and its action space."""
        return self.env.observation_space(agent), self.env.action_space(agent)

    def step(self, action: int) -> dict[str, float]:
        """One ply, and the removal of agents that are done in the midst of a game."""
        self.env.step(action)
        rewards = {agent: float(reward) for agent, reward in self.env.rewards.items()}
        while self.who() is not None and self._is_over(self.env.agent_selection):
            self.env.step(None)
        return rewards

    def ask_everything(self) -> None:
        """Call everything that should change nothing."""
        for agent in self.everyone():
            self.observation(agent)
            self.spaces(agent)
        self.env.last()
        _render_and_state(self.env)


class Solo:
    """A Gymnasium environment: one seat."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.unused: Any = None
        self._seen: Any = None
        self._info: Mapping[str, Any] = {}
        self._is_over = True

    def reset(self, seed: int | None = None, deal: Any = None) -> None:
        """A new episode."""
        options = None if deal is None else {"deal": deal}
        self._seen, self._info = self.env.reset(seed=seed, options=options)
        self._is_over = False

    def who(self) -> str | None:
        """The agent to act; None when the episode is over."""
        return None if self._is_over else _LEARNER

    def everyone(self) -> list[str]:
        """All agents, in the order of their seats."""
        return [_LEARNER]

    def observation(self, agent: str) -> Any:
        """What an agent observes now."""
        return self._seen

    def mask(self, agent: str) -> np.ndarray | None:
        """Its action mask; None where there are none."""
        if "action_mask" in self._info:
            return np.asarray(self._info["action_mask"])
        ask = getattr(self.env.unwrapped, "action_masks", None)
        return None if ask is None else np.asarray(ask())

    def spaces(self, agent: str) -> tuple[Any, Any]:
        """Its observation space and its action space."""
        return self.env.observation_space, self.env.action_space

    def step(self, action: int) -> dict[str, float]:
        """One ply; what each agent earns by it."""
        seen, reward, terminated, truncated, info = self.env.step(action)
        self._seen, self._info, self._is_over = seen, info, terminated or truncated
        return {_LEARNER: float(reward)}

    def ask_everything(self) -> None:
        """Call everything that should change nothing."""
        self.mask(_LEARNER)
        _render_and_state(self.env)


def _render_and_state(env: Any) -> None:
    if getattr(env, "render_mode", None) in ("ansi", "rgb_array"):
        env.render()
    if callable(getattr(env.unwrapped, "state", None)) and hasattr(env.unwrapped, "state_space"):
        env.state()


Face = Aec | Solo  # one interface to both kinds, from which the checks are made


class Moment(NamedTuple):
    """One ply of an episode, seen from outside."""

    agent: str
    seen: Any  # frozen: what the agent observed, and its mask
    rewards: tuple[tuple[str, float], ...]  # after its action


class Episode(NamedTuple):
    """A whole episode: its events and its actions."""

    moments: tuple[Moment, ...]
    actions: tuple[int, ...]


def check(env: Any, trial: Trial) -> CheckReport:
    """Run all checks; see `check_game`."""
    if isinstance(env, gymnasium.Env):
        face: Face = Solo(env)
    elif hasattr(env, "possible_agents") and hasattr(env, "agent_iter"):
        face = Aec(env)
    else:
        raise TypeError(
            "check_game takes a Game, a PettingZoo AEC environment or a Gymnasium environment; "
            f"got {type(env).__name__}"
        )
    if _is_new(env):
        face.unused = _copied(env, copy.deepcopy, "a copy of the new environment")
    checks = [c for c in CHECKS if trial.has_chance or c not in _OF_CHANCE]
    skipped = [f"{sentence_of(c)} {NO_CHANCE}" for c in CHECKS if c not in checks]
    checked = []
    for one in checks:
        reason = one(face, trial)
        if reason is None:
            checked.append(sentence_of(one))
        else:
            skipped.append(f"{sentence_of(one)} {reason}")
    episodes = [play(face, trial, seed) for seed in trial.seeds]
    plies = sum(len(episode.actions) for episode in episodes)
    return CheckReport(str(env), len(episodes), plies, tuple(checked), tuple(skipped))


def _is_new(env: Any) -> bool:
    """Whether the environment was never reset."""
    bare = env.unwrapped
    return not getattr(bare, "agents", None) and getattr(bare, "_np_random", None) is None


def _copied(original: Any, copier: Callable[[Any], Any], what: str) -> Any:
    try:
        return copier(original)
    except Exception as error:
        raise CheckError("copies", f"{what} fails: {type(error).__name__}: {error}") from error


# Playing


def play(face: Face, trial: Trial, seed: int | None = None, chooser_seed: int = 0) -> Episode:
    """Reset and play randomly to the end."""
    face.reset(seed)
    return _play_on(face, trial, np.random.default_rng(chooser_seed))


def _play_on(face: Face, trial: Trial, chooser: np.random.Generator) -> Episode:
    moments, actions = [], []
    for action in _choices(face, trial, chooser):
        moments.append(_act(face, action))
        actions.append(action)
    return Episode(tuple(moments), tuple(actions))


def _choices(face: Face, trial: Trial, chooser: np.random.Generator) -> Iterator[int]:
    """Yield a random legal action for each ply; the caller takes it before asking for the next."""
    for _ in range(trial.max_plies):
        agent = face.who()
        if agent is None:
            return
        legal = _legal(face, agent)
        if not legal:
            raise CheckError("mask_empty", f"{agent} has to act, but nothing is legal")
        yield legal[int(chooser.integers(len(legal)))]
    if face.who() is not None:
        raise CheckError("ends", f"the game is not over after {trial.max_plies} plies")


def _legal(face: Face, agent: str) -> list[int]:
    mask = face.mask(agent)
    if mask is None:
        return list(range(int(face.spaces(agent)[1].n)))
    return np.flatnonzero(mask).tolist()


def _act(face: Face, action: int) -> Moment:
    agent = str(face.who())
    seen = freeze((face.observation(agent), face.mask(agent)))
    return Moment(agent, seen, tuple(sorted(face.step(action).items())))


def freeze(value: Any) -> Any:
    """Make observations comparable: arrays become their bytes."""
    if isinstance(value, Mapping):
        return tuple((key, freeze(value[key])) for key in sorted(value))
    if isinstance(value, tuple | list):
        return tuple(freeze(item) for item in value)
    if isinstance(value, np.ndarray | np.generic):
        return str(value.dtype), value.shape, value.tobytes()
    return value


def _replayed(face: Face, actions: Sequence[int]) -> tuple[Moment, ...] | None:
    """Play these actions from here; None if the game ends before them."""
    moments = []
    for action in actions:
        if face.who() is None:
            return None
        moments.append(_act(face, action))
    return tuple(moments) if face.who() is None else None


def _name_of(face: Face, action: int) -> str:
    game = getattr(face.env.unwrapped, "game", None)
    return str(action) if game is None else game.action_name(action)


# The checks: each returns None, or why it could not be made


def check_fresh_copies(face: Face, trial: Trial) -> str | None:
    """Copies made before the first reset play different games."""
    if face.unused is None:
        return "The environment had been reset before."
    first, second = (type(face)(copy.deepcopy(face.unused)) for _ in range(2))
    if all(play(first, trial) == play(second, trial) for _ in more_seeds(trial.seeds)):
        raise CheckError(
            "fresh_copies",
            "two copies of a new environment play the same games; make its generator in the first "
            f"reset(), {_OR_NO_CHANCE}",
        )
    return None


def check_masks(face: Face, trial: Trial) -> str | None:
    """The seat to act may do something, idle seats nothing, and the game ends."""
    for seed in trial.seeds:
        face.reset(seed)
        for action in _choices(face, trial, np.random.default_rng(seed)):
            actor = str(face.who())
            mask, space = face.mask(actor), face.spaces(actor)[1]
            if mask is None:
                return "There are no action masks."
            if mask.shape != (space.n,) or not np.isin(mask, (0, 1)).all():
                raise CheckError("mask_shape", f"a mask is {space.n} times 0 or 1; got {mask}")
            for agent in face.everyone():
                idle = None if agent == actor else face.mask(agent)
                if idle is not None and idle.any():
                    raise CheckError(
                        "mask_idle", f"{actor} is to act, but the mask of {agent} is not empty"
                    )
            face.step(action)
    return None


def check_spaces(face: Face, trial: Trial) -> str | None:
    """What every seat observes is inside its observation space."""
    for seed in trial.seeds:
        face.reset(seed)
        for action in _choices(face, trial, np.random.default_rng(seed)):
            for agent in face.everyone():
                if not face.spaces(agent)[0].contains(face.observation(agent)):
                    raise CheckError(
                        "spaces", f"seed {seed}: {agent} observes what is not in its space"
                    )
            face.step(action)
    return None


def check_repeatable(face: Face, trial: Trial) -> str | None:
    """The same seed and actions give the same episode, whatever the global generators are."""
    for seed in trial.seeds:
        episodes = []
        for attempt in range(2):
            with no_global_generators(attempt):
                episodes.append(play(face, trial, seed))
        if episodes[0] != episodes[1]:
            raise CheckError("repeatable", f"seed {seed} does not give the same episode again")
    return None


def check_seeds(face: Face, trial: Trial) -> str | None:
    """Different seeds give different episodes."""
    seeds = more_seeds(trial.seeds)
    if len(seeds) > 1 and not is_any_other(play(face, trial, seed) for seed in seeds):
        raise CheckError(
            "seeds", f"{len(seeds)} seeds all give the same episode; use the seed, {_OR_NO_CHANCE}"
        )
    return None


def check_second_episode(face: Face, trial: Trial) -> str | None:
    """The second episode neither repeats the first nor is it the same for all seeds."""
    seeds = more_seeds(trial.seeds)
    if all(play(face, trial, seed) == play(face, trial) for seed in seeds):
        raise CheckError(
            "second_episode",
            "reset() without a seed repeats the first episode; let the generator go on, "
            f"{_OR_NO_CHANCE}",
        )
    if len(seeds) > 1 and not is_any_other(_second_episode(face, trial, seed) for seed in seeds):
        raise CheckError(
            "second_episode",
            "the second episode is the same for all seeds; let the generator of the seed go on, "
            f"{_OR_NO_CHANCE}",
        )
    return None


def _second_episode(face: Face, trial: Trial, seed: int) -> Episode:
    """The second episode of this seed."""
    play(face, trial, seed)
    return play(face, trial)


def check_questions(face: Face, trial: Trial) -> str | None:
    """Rendering, observing and asking for the state change nothing."""
    for seed in trial.seeds:
        expected = play(face, trial, seed)
        face.reset(seed)
        for ply, action in enumerate(expected.actions):
            face.ask_everything()
            if face.who() is None or _act(face, action) != expected.moments[ply]:
                raise CheckError(
                    "questions", f"seed {seed}, ply {ply + 1}: rendering or asking changes the game"
                )
    return None


def check_copies(face: Face, trial: Trial) -> str | None:
    """A deep copy and a pickled copy keep the position and share nothing with the original."""
    copiers: dict[str, Callable[[Any], Any]] = {
        "deepcopy": copy.deepcopy,
        "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    }
    for seed in trial.seeds:
        expected = play(face, trial, seed)
        for place in np.linspace(0, len(expected.actions) - 1, _COPY_PLACES).astype(int):
            for name, copier in copiers.items():
                face.reset(seed)
                _check_copy(face, copier, expected, int(place), f"seed {seed}: {name}")
    return None


def _check_copy(
    face: Face, copier: Callable[[Any], Any], expected: Episode, place: int, what: str
) -> None:
    """Copy at a ply; the copy and then the original must both go on as expected."""
    for action in expected.actions[:place]:
        face.step(action)
    twin = _copied(face, copier, what)
    rest = expected.actions[place:]
    for who, one in (("copy does not keep", twin), ("original shares with its copy", face)):
        try:
            found = _replayed(one, rest)
        except Exception as error:
            raise CheckError(
                "copies", f"{what}: the {who} the position: {type(error).__name__}: {error}"
            ) from error
        if found != expected.moments[place:]:
            raise CheckError("copies", f"{what}: the {who} the position")


def check_illegal(face: Face, trial: Trial) -> str | None:
    """An illegal action raises an error, or ends the episode at the cost of who chose it."""
    tried = 0
    for seed in trial.seeds:
        face.reset(seed)
        for action in _choices(face, trial, np.random.default_rng(seed)):
            agent = str(face.who())
            allowed = _legal(face, agent)
            illegal = [a for a in range(int(face.spaces(agent)[1].n)) if a not in allowed]
            if illegal:
                tried += 1
                with _without_warnings():
                    _check_refused(copy.deepcopy(face), agent, illegal[tried % len(illegal)], seed)
            face.step(action)
    return None if tried else "No action was ever illegal."


@contextlib.contextmanager
def _without_warnings() -> Iterator[None]:
    """PettingZoo's wrappers log a warning for each illegal action; here they are meant."""
    logger = logging.getLogger("pettingzoo")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def _check_refused(face: Face, agent: str, action: int, seed: int) -> None:
    try:
        rewards = face.step(action)
    except Exception:  # any error will do: the environment was not silent
        return
    if face.who() is not None or rewards.get(agent, 0) >= 0:
        raise CheckError(
            "illegal", f"seed {seed}: {agent} may not do {_name_of(face, action)}, yet it is done"
        )


def check_rewards(face: Face, trial: Trial) -> str | None:
    """What last() pays each seat in the end is what rewards said on the way."""
    if not isinstance(face, Aec):
        return "Only AEC environments pay by last()."
    env = face.env
    for seed in trial.seeds:
        face.reset(seed)
        chooser = np.random.default_rng(seed)
        said = dict.fromkeys(face.everyone(), 0.0)
        paid = dict.fromkeys(face.everyone(), 0.0)
        for agent in env.agent_iter(2 * trial.max_plies):
            _, reward, terminated, truncated, _ = env.last()
            paid[agent] += float(reward)
            is_over = terminated or truncated
            env.step(None if is_over else int(chooser.choice(_legal(face, agent))))
            for other, earned in () if is_over else env.rewards.items():
                said[other] += float(earned)
        for agent in face.everyone():
            if not np.isclose(said[agent], paid[agent], atol=_CLOSE):
                raise CheckError(
                    "rewards",
                    f"seed {seed}: {agent} earns {said[agent]}, last() pays {paid[agent]}",
                )
    return None


def check_own_game(face: Face, trial: Trial) -> str | None:
    """The environment plays its `game`: same seed, same returns, and seats see only its records."""
    game = getattr(face.env.unwrapped, "game", None)
    if game is None or not isinstance(face, Aec):
        return (
            "Whether a seat sees what it should not: only an AEC environment that shows a `game`, "
            "whose reshuffle_unseen says what is hidden, can be asked."
        )
    for seed in trial.seeds:
        face.reset(seed)
        tables = Tables(game, streams([seed]))
        tables.deal(tables.all_rows)
        total = dict.fromkeys(face.everyone(), 0.0)
        for action in _choices(face, trial, np.random.default_rng(seed)):
            _check_seen(face, tables, seed)
            for agent, reward in face.step(action).items():
                total[agent] += reward
            tables.apply(tables.all_rows, np.array([action]))
        expected = tables.returns(tables.all_rows)[0]
        if not np.allclose(list(total.values()), expected, atol=_CLOSE):
            raise CheckError(
                "payoff", f"seed {seed}: pays {list(total.values())}, the game {expected.tolist()}"
            )
    return None


def _check_seen(face: Face, tables: Tables, seed: int) -> None:
    """Every seat observes its record, scaled or in natural units, and nothing else."""
    layout = tables.game.layout
    for seat, agent in enumerate(face.everyone()):
        seen = face.observation(agent)
        vector = np.asarray(seen["observation"] if isinstance(seen, Mapping) else seen).ravel()
        record = tables.observe(np.array([0]), np.array([seat]))
        if not any(
            vector.shape == flat[0].shape and np.allclose(vector, flat[0])
            for flat in (layout.scaled(record), layout.integers(record))
        ):
            raise CheckError(
                "unseen", f"seed {seed}: {agent} observes something other than what it may know"
            )


def check_referee(face: Face, trial: Trial) -> str | None:
    """A naive referee agrees on who acts, what is legal, the end and the pay-off."""
    if trial.referee is None:
        return NO_REFEREE
    for seed in trial.seeds:
        deal, referee = trial.referee(seed)
        face.reset(seed, deal)
        total = dict.fromkeys(face.everyone(), 0.0)
        for action in _choices(face, trial, np.random.default_rng(seed)):
            _agreed(face, referee, f"seed {seed}")
            referee.apply(_name_of(face, action))
            for agent, reward in face.step(action).items():
                total[agent] += reward
        if not referee.is_terminal():
            raise CheckError("referee_end", f"seed {seed}: only the environment thinks it is over")
        if isinstance(face, Aec) and not np.allclose(
            list(total.values()), referee.returns(), atol=_CLOSE
        ):
            raise CheckError(
                "payoff",
                f"seed {seed}: pays {list(total.values())}, the referee {referee.returns()}",
            )
    return None


def _agreed(face: Face, referee: Any, where: str) -> None:
    if hasattr(referee, "chance"):
        referee.chance(face.env.unwrapped)
    if referee.is_terminal():
        raise CheckError("referee_end", f"{where}: only the referee thinks that it is over")
    agent = str(face.who())
    seat = face.everyone().index(agent)
    if isinstance(face, Aec) and seat != referee.seat_to_act():
        raise CheckError(
            "referee_seat", f"{where}: {agent} is to act, the referee says {referee.seat_to_act()}"
        )
    legal = [_name_of(face, action) for action in _legal(face, agent)]
    compare_legal(legal, referee.legal_actions(), f"{where}, {agent}")


CHECKS = [
    check_masks,
    check_spaces,
    check_repeatable,
    check_seeds,
    check_second_episode,
    check_fresh_copies,
    check_questions,
    check_copies,
    check_referee,
    check_own_game,
    check_illegal,
    check_rewards,
]
_OF_CHANCE = (check_fresh_copies, check_seeds, check_second_episode)
