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


AnyEnv = Aec | Solo  # one interface to both kinds, from which the checks are made


class Moment(NamedTuple):
    """One ply of an episode, seen from outside."""

    agent: str
    seen: Any  # frozen: what the agent observed, and its mask
    action: int
    rewards: tuple[tuple[str, float], ...]  # after its action


Episode = tuple[Moment, ...]


def check(env: Any, trial: Trial) -> CheckReport:
    """Run all checks; see `check_game`."""
    if isinstance(env, gymnasium.Env):
        checked: AnyEnv = Solo(env)
    elif hasattr(env, "possible_agents") and hasattr(env, "agent_iter"):
        checked = Aec(env)
    else:
        raise TypeError(
            "check_game takes a Game, a PettingZoo AEC environment or a Gymnasium environment; "
            f"got {type(env).__name__}"
        )
    if _is_new(env):
        checked.unused = _copied(env, copy.deepcopy, "a copy of the new environment")
    left_out = () if trial.has_chance else _OF_CHANCE
    made: list[tuple[Callable[..., Any], str | None]] = [(one, NO_CHANCE) for one in left_out]
    made += [(one, one(checked, trial)) for one in CHECKS if one not in left_out]
    plies = [len(play(checked, trial, seed)) for seed in trial.seeds]
    return CheckReport.of(str(env), plies, made)


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


def play(env: AnyEnv, trial: Trial, seed: int | None = None) -> Episode:
    """Reset and play randomly to the end."""
    env.reset(seed)
    return tuple(_act(env, action) for _, _, action in _choices(env, trial, 0))


def _walk(
    env: AnyEnv, trial: Trial, seed: int, deal: Any = None, total: dict[str, float] | None = None
) -> Iterator[tuple[str, list[int], int]]:
    """Reset, and play as `_choices` yields; add to `total` what everyone earns."""
    env.reset(seed, deal)
    for turn in _choices(env, trial, seed):
        yield turn
        for agent, reward in env.step(turn[-1]).items():
            if total is not None:
                total[agent] = total.get(agent, 0.0) + reward


def _choices(env: AnyEnv, trial: Trial, seed: int) -> Iterator[tuple[str, list[int], int]]:
    """Yield the agent to act, its legal actions and a random one, to be taken by the caller."""
    chooser = np.random.default_rng(seed)
    for _ in range(trial.max_plies):
        agent = env.who()
        if agent is None:
            return
        legal = _legal(env, agent)
        if not legal:
            raise CheckError("mask_empty", f"{agent} has to act, but nothing is legal")
        yield agent, legal, legal[int(chooser.integers(len(legal)))]
    if env.who() is not None:
        raise CheckError("ends", f"the game is not over after {trial.max_plies} plies")


def _legal(env: AnyEnv, agent: str) -> list[int]:
    mask = env.mask(agent)
    if mask is None:
        return list(range(int(env.spaces(agent)[1].n)))
    return np.flatnonzero(mask).tolist()


def _act(env: AnyEnv, action: int) -> Moment:
    agent = str(env.who())
    seen = freeze((env.observation(agent), env.mask(agent)))
    return Moment(agent, seen, action, tuple(sorted(env.step(action).items())))


def freeze(value: Any) -> Any:
    """Make observations comparable: arrays become their bytes."""
    if isinstance(value, Mapping):
        return tuple((key, freeze(value[key])) for key in sorted(value))
    if isinstance(value, tuple | list):
        return tuple(freeze(item) for item in value)
    if isinstance(value, np.ndarray | np.generic):
        return str(value.dtype), value.shape, value.tobytes()
    return value


def _replayed(env: AnyEnv, episode: Episode) -> tuple[Episode, str | None]:
    """Play these actions from here until the game ends; return also who would act next."""
    return tuple(_act(env, one.action) for one in episode if env.who() is not None), env.who()


def _name_of(env: AnyEnv, action: int) -> str:
    game = getattr(env.env.unwrapped, "game", None)
    return str(action) if game is None else game.action_name(action)


# The checks: each returns None, or why it could not be made


def check_fresh_copies(env: AnyEnv, trial: Trial) -> str | None:
    """Copies made before the first reset play different games."""
    if env.unused is None:
        return "The environment had been reset before."
    first, second = (type(env)(copy.deepcopy(env.unused)) for _ in range(2))
    if all(play(first, trial) == play(second, trial) for _ in more_seeds(trial.seeds)):
        raise CheckError(
            "fresh_copies",
            "two copies of a new environment play the same games; make its generator in the first "
            f"reset(), {_OR_NO_CHANCE}",
        )
    return None


def check_masks(env: AnyEnv, trial: Trial) -> str | None:
    """The seat to act may do something, idle seats nothing, and the game ends."""
    for seed in trial.seeds:
        for actor, _, _ in _walk(env, trial, seed):
            mask, space = env.mask(actor), env.spaces(actor)[1]
            if mask is None:
                return "There are no action masks."
            if mask.shape != (space.n,) or not np.isin(mask, (0, 1)).all():
                raise CheckError("mask_shape", f"a mask is {space.n} times 0 or 1; got {mask}")
            for agent in env.everyone():
                idle = None if agent == actor else env.mask(agent)
                if idle is not None and idle.any():
                    what = f"{actor} is to act, but the mask of {agent} is not empty"
                    raise CheckError("mask_idle", what)
    return None


def check_spaces(env: AnyEnv, trial: Trial) -> str | None:
    """What every seat observes is inside its observation space."""
    for seed in trial.seeds:
        for _ in _walk(env, trial, seed):
            for agent in env.everyone():
                if not env.spaces(agent)[0].contains(env.observation(agent)):
                    what = f"seed {seed}: {agent} observes what is not in its space"
                    raise CheckError("spaces", what)
    return None


def check_repeatable(env: AnyEnv, trial: Trial) -> str | None:
    """The same seed and actions give the same episode, whatever the global generators are."""
    for seed in trial.seeds:
        episodes = []
        for attempt in range(2):
            with no_global_generators(attempt):
                episodes.append(play(env, trial, seed))
        if episodes[0] != episodes[1]:
            raise CheckError("repeatable", f"seed {seed} does not give the same episode again")
    return None


def check_seeds(env: AnyEnv, trial: Trial) -> str | None:
    """Different seeds give different episodes."""
    seeds = more_seeds(trial.seeds)
    if len(seeds) > 1 and not is_any_other(play(env, trial, seed) for seed in seeds):
        raise CheckError(
            "seeds", f"{len(seeds)} seeds all give the same episode; use the seed, {_OR_NO_CHANCE}"
        )
    return None


def check_second_episode(env: AnyEnv, trial: Trial) -> str | None:
    """The second episode neither repeats the first nor is it the same for all seeds."""
    seeds = more_seeds(trial.seeds)

    def pairs() -> Iterator[tuple[Episode, Episode]]:
        return ((play(env, trial, seed), play(env, trial)) for seed in seeds)

    if all(first == second for first, second in pairs()):
        what = "reset() without a seed repeats the first episode; let the generator go on, "
        raise CheckError("second_episode", what + _OR_NO_CHANCE)
    if len(seeds) > 1 and not is_any_other(second for _, second in pairs()):
        what = "the second episode is the same for all seeds; let the generator of the seed go on, "
        raise CheckError("second_episode", what + _OR_NO_CHANCE)
    return None


def check_questions(env: AnyEnv, trial: Trial) -> str | None:
    """Rendering, observing and asking for the state change nothing."""
    for seed in trial.seeds:
        expected = play(env, trial, seed)
        env.reset(seed)
        for ply, moment in enumerate(expected, 1):
            env.ask_everything()
            if env.who() is None or _act(env, moment.action) != moment:
                what = f"seed {seed}, ply {ply}: rendering or asking changes the game"
                raise CheckError("questions", what)
    return None


def check_copies(env: AnyEnv, trial: Trial) -> str | None:
    """A deep copy and a pickled copy keep the position and share nothing with the original."""
    copiers: dict[str, Callable[[Any], Any]] = {
        "deepcopy": copy.deepcopy,
        "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    }
    for seed in trial.seeds:
        expected = play(env, trial, seed)
        for place in np.linspace(0, len(expected) - 1, _COPY_PLACES).astype(int):
            for name, copier in copiers.items():
                env.reset(seed)
                _check_copy(env, copier, expected, int(place), f"seed {seed}: {name}")
    return None


def _check_copy(
    env: AnyEnv, copier: Callable[[Any], Any], expected: Episode, place: int, what: str
) -> None:
    """Copy at a ply; the copy and then the original must both go on as expected."""
    for moment in expected[:place]:
        env.step(moment.action)
    twin, rest = _copied(env, copier, what), expected[place:]
    for who, one in (("copy does not keep", twin), ("original shares with its copy", env)):
        try:
            found = _replayed(one, rest)
        except Exception as error:
            raise CheckError(
                "copies", f"{what}: the {who} the position: {type(error).__name__}: {error}"
            ) from error
        if found != (rest, None):
            raise CheckError("copies", f"{what}: the {who} the position")


def check_illegal(env: AnyEnv, trial: Trial) -> str | None:
    """An illegal action raises an error, or ends the episode at the cost of who chose it."""
    tried = 0
    for seed in trial.seeds:
        for agent, legal, _ in _walk(env, trial, seed):
            illegal = [a for a in range(int(env.spaces(agent)[1].n)) if a not in legal]
            if illegal:
                tried += 1
                with _without_warnings():
                    _check_refused(copy.deepcopy(env), agent, illegal[tried % len(illegal)], seed)
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


def _check_refused(env: AnyEnv, agent: str, action: int, seed: int) -> None:
    try:
        rewards = env.step(action)
    except Exception:  # any error will do: the environment was not silent
        return
    if env.who() is not None or rewards.get(agent, 0) >= 0:
        what = f"seed {seed}: {agent} may not do {_name_of(env, action)}, yet it is done"
        raise CheckError("illegal", what)


def check_rewards(env: AnyEnv, trial: Trial) -> str | None:
    """What last() pays each seat in the end is what rewards said on the way."""
    if not isinstance(env, Aec):
        return "Only AEC environments pay by last()."
    aec = env.env
    for seed in trial.seeds:
        env.reset(seed)
        chooser = np.random.default_rng(seed)
        said = dict.fromkeys(env.everyone(), 0.0)
        paid = dict.fromkeys(env.everyone(), 0.0)
        for agent in aec.agent_iter(2 * trial.max_plies):
            _, reward, terminated, truncated, _ = aec.last()
            paid[agent] += float(reward)
            is_over = terminated or truncated
            aec.step(None if is_over else int(chooser.choice(_legal(env, agent))))
            for other, earned in () if is_over else aec.rewards.items():
                said[other] += float(earned)
        for agent in env.everyone():
            if not np.isclose(said[agent], paid[agent], atol=_CLOSE):
                what = f"seed {seed}: {agent} earns {said[agent]}, last() pays {paid[agent]}"
                raise CheckError("rewards", what)
    return None


def check_own_game(env: AnyEnv, trial: Trial) -> str | None:
    """The environment plays its `game`: same seed, same returns, and seats see only its records."""
    game = getattr(env.env.unwrapped, "game", None)
    if game is None or not isinstance(env, Aec):
        return (
            "Whether a seat sees what it should not: only an AEC environment that shows a `game`, "
            "whose reshuffle_unseen says what is hidden, can be asked."
        )
    for seed in trial.seeds:
        tables = Tables(game, streams([seed]))
        tables.deal(tables.all_rows)
        total = dict.fromkeys(env.everyone(), 0.0)
        for _, _, action in _walk(env, trial, seed, total=total):
            _check_seen(env, tables, seed)
            tables.apply(tables.all_rows, np.array([action]))
        _check_payoff(seed, total, "game", tables.returns(tables.all_rows)[0].tolist())
    return None


def _check_payoff(seed: int, total: dict[str, float], who: str, expected: Sequence[float]) -> None:
    if not np.allclose(list(total.values()), expected, atol=_CLOSE):
        what = f"seed {seed}: pays {list(total.values())}, the {who} {expected}"
        raise CheckError("payoff", what)


def _check_seen(env: AnyEnv, tables: Tables, seed: int) -> None:
    """Every seat observes its record, scaled or in natural units, and nothing else."""
    layout = tables.game.layout
    for seat, agent in enumerate(env.everyone()):
        seen = env.observation(agent)
        vector = np.asarray(seen["observation"] if isinstance(seen, Mapping) else seen).ravel()
        record = tables.observe(np.array([0]), np.array([seat]))
        if not any(
            vector.shape == flat[0].shape and np.allclose(vector, flat[0])
            for flat in (layout.scaled(record), layout.integers(record))
        ):
            raise CheckError(
                "unseen", f"seed {seed}: {agent} observes something other than what it may know"
            )


def check_referee(env: AnyEnv, trial: Trial) -> str | None:
    """A naive referee agrees on who acts, what is legal, the end and the pay-off."""
    if trial.referee is None:
        return NO_REFEREE
    for seed in trial.seeds:
        deal, referee = trial.referee(seed)
        total = dict.fromkeys(env.everyone(), 0.0)
        for agent, legal, action in _walk(env, trial, seed, deal, total):
            names = [_name_of(env, one) for one in legal]
            _check_agreed(env, referee, agent, names, f"seed {seed}")
            referee.apply(_name_of(env, action))
        if not referee.is_terminal():
            raise CheckError("referee_end", f"seed {seed}: only the environment thinks it is over")
        if isinstance(env, Aec):
            _check_payoff(seed, total, "referee", referee.returns())
    return None


def _check_agreed(env: AnyEnv, referee: Any, agent: str, legal: Sequence[str], where: str) -> None:
    if hasattr(referee, "chance"):
        referee.chance(env.env.unwrapped)
    if referee.is_terminal():
        raise CheckError("referee_end", f"{where}: only the referee thinks that it is over")
    seat = env.everyone().index(agent)
    if isinstance(env, Aec) and seat != referee.seat_to_act():
        what = f"{where}: {agent} is to act, the referee says {referee.seat_to_act()}"
        raise CheckError("referee_seat", what)
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
