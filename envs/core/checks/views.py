"""Checks of any PettingZoo AEC or Gymnasium environment from the outside.

Every check plays episodes and compares everything that they showed.
"""

import copy
import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from pettingzoo.utils.env_logger import EnvLogger

from ..play.tables import Tables
from ..rng import streams
from .any_env import AnyEnv, Episode, any_env
from .report import NO_CHANCE, NO_REFEREE, CheckError, CheckReport, Trial
from .rules import check_turn
from .seeds import OR_NO_CHANCE, check_repeatable, check_second_episode, check_seeds, more_seeds

_CLOSE = 1e-5  # rewards may be float32
_COPY_PLACES = 3  # copies are tried at the start, in the middle and at the last ply


def check(subject: Any, trial: Trial) -> CheckReport:
    """Run all checks; see `check_game`."""
    env = any_env(subject, trial)
    made = [(one, one(env)) for one in CHECKS]
    return CheckReport.of(str(subject), [len(env.play(seed)) - 1 for seed in trial.seeds], made)


# The checks: each returns None, or why it could not be made


def check_masks(env: AnyEnv) -> str | None:
    """The seat to act may do something, idle seats nothing, and the game ends."""
    for seed in env.trial.seeds:
        for actor, _, _ in env.walk(seed):
            mask, space = env.mask(actor), env.spaces(actor)[1]
            if mask is None:
                return "There are no action masks."
            if mask.shape != (space.n,) or not np.isin(mask, (0, 1)).all():
                raise CheckError("mask_shape", f"a mask is {space.n} times 0 or 1; got {mask}")
            for agent in env.agents:
                idle = None if agent == actor else env.mask(agent)
                if idle is not None and idle.any():
                    problem = f"{actor} is to act, but the mask of {agent} is not empty"
                    raise CheckError("mask_idle", problem)
    return None


def check_spaces(env: AnyEnv) -> None:
    """What every seat observes is inside its observation space."""
    for seed in env.trial.seeds:
        for _ in env.walk(seed):
            for agent in env.agents:
                if not env.spaces(agent)[0].contains(env.observation(agent)):
                    problem = f"seed {seed}: {agent} observes what is not in its space"
                    raise CheckError("spaces", problem)


def check_fresh_copies(env: AnyEnv) -> str | None:
    """Copies made before the first reset play different games."""
    if not env.trial.has_chance:
        return NO_CHANCE
    if env.unused is None:
        return "The environment had been reset before, or cannot be copied."
    first, second = (any_env(copy.deepcopy(env.unused), env.trial) for _ in range(2))
    if all(first.play() == second.play() for _ in more_seeds(env)):
        raise CheckError(
            "fresh_copies",
            "two copies of a new environment play the same games; make its generator in the first "
            f"reset(), {OR_NO_CHANCE}",
        )
    return None


def check_questions(env: AnyEnv) -> None:
    """Rendering, observing and asking for the state change nothing."""
    for seed in env.trial.seeds:
        expected = env.play(seed)
        env.reset(seed)
        if not env.goes_on(expected, asks=True):
            problem = f"seed {seed}: rendering or asking changes the game"
            raise CheckError("questions", problem)


def check_copies(env: AnyEnv) -> None:
    """A deep copy and a pickled copy keep the position and share nothing with the original."""
    copiers: dict[str, Callable[[Any], Any]] = {
        "deepcopy": copy.deepcopy,
        "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    }
    for seed in env.trial.seeds:
        expected = env.play(seed)
        for place in np.linspace(0, len(expected) - 2, _COPY_PLACES).astype(int).tolist():
            for name, copier in copiers.items():
                env.reset(seed)
                env.goes_on(expected[:place])
                if fault := _copy_fault(env, copier, expected[place:]):
                    raise CheckError("copies", f"seed {seed}: {name}: {fault}")


def _copy_fault(env: AnyEnv, copier: Callable[[Any], Any], expected: Episode) -> str:
    """What is wrong with a copy of this position; empty where copy and original go on."""
    try:
        if not copier(env).goes_on(expected):
            return "the copy does not keep the position"
        if not env.goes_on(expected):
            return "the original shares with its copy the position"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def check_referee(env: AnyEnv) -> str | None:
    """A naive referee agrees on who acts, what is legal, the end and the pay-off."""
    if env.trial.referee is None:
        return NO_REFEREE
    for seed in env.trial.seeds:
        deal, referee = env.trial.referee(seed)
        where = f"seed {seed}"
        for agent, legal, action in env.walk(seed, deal):
            if hasattr(referee, "chance"):
                referee.chance(env.env.unwrapped)
            seat = None if env.is_solo else env.agents.index(agent)
            check_turn(referee, "the environment", where, (seat, list(map(env.name_of, legal))))
            referee.apply(env.name_of(action))
        check_turn(referee, "the environment", where, None)
        if not env.is_solo:
            _check_payoff(env, seed, "referee", referee.returns())
    return None


def check_own_game(env: AnyEnv) -> str | None:
    """The environment plays its `game`: same seed, same returns, and seats see only its records."""
    if env.game is None or env.is_solo:
        return (
            "Whether a seat sees what it should not: only an AEC environment that shows a `game`, "
            "whose reshuffle_unseen says what is hidden, can be asked."
        )
    for seed in env.trial.seeds:
        tables = Tables(env.game, streams([seed]))
        tables.deal(tables.all_rows)
        for _, _, action in env.walk(seed):
            _check_seen(env, tables, seed)
            tables.apply(tables.all_rows, np.array([action]))
        _check_payoff(env, seed, "game", tables.returns(tables.all_rows)[0].tolist())
    return None


def _check_payoff(env: AnyEnv, seed: int, who: str, expected: Sequence[float]) -> None:
    if not np.allclose(env.total, expected, atol=_CLOSE):
        problem = f"seed {seed}: pays {env.total.tolist()}, the {who} {expected}"
        raise CheckError("payoff", problem)


def _check_seen(env: AnyEnv, tables: Tables, seed: int) -> None:
    """Every seat observes its record, scaled or in natural units, and nothing else."""
    layout = tables.game.layout
    for seat, agent in enumerate(env.agents):
        observation = env.observation(agent)
        vector = np.asarray(
            observation["observation"] if isinstance(observation, Mapping) else observation
        ).ravel()
        record = tables.observe(tables.all_rows, np.array([seat]))
        if not any(
            vector.shape == flat[0].shape and np.allclose(vector, flat[0])
            for flat in (layout.scaled(record), layout.integers(record))
        ):
            raise CheckError(
                "unseen", f"seed {seed}: {agent} observes something other than what it may know"
            )


def check_illegal(env: AnyEnv) -> str | None:
    """An illegal action raises an error, or ends the episode at the cost of who chose it."""
    tried = 0
    for seed in env.trial.seeds:
        for agent, legal, _ in env.walk(seed):
            illegal = [a for a in range(int(env.spaces(agent)[1].n)) if a not in legal]
            if illegal:
                tried += 1
                action = illegal[tried % len(illegal)]
                twin = copy.copy(env)
                twin.env = copy.deepcopy(env.env)
                if not _is_refused(twin, agent, action):
                    problem = f"{agent} may not do {env.name_of(action)}, yet it is done"
                    raise CheckError("illegal", f"seed {seed}: {problem}")
    return None if tried else "No action was ever illegal."


def _is_refused(env: AnyEnv, agent: str, action: int) -> bool:
    """Whether an action raises an error, or ends the episode at the agent's cost."""
    logger = EnvLogger.get_logger()
    was_disabled = logger.disabled
    logger.disabled = True  # wrappers warn of illegal actions; here they are meant
    try:
        rewards = env.step(action)
    except Exception:  # any error will do: the environment was not silent
        return True
    finally:
        logger.disabled = was_disabled
    return env.who() is None and rewards[env.agents.index(agent)] < 0


def check_rewards(env: AnyEnv) -> str | None:
    """What last() pays each seat in the end is what rewards said on the way."""
    if env.is_solo:
        return "Only AEC environments pay by last()."
    aec = env.env
    for seed in env.trial.seeds:
        env.reset(seed)
        chooser = np.random.default_rng(seed)
        said, paid = dict.fromkeys(env.agents, 0.0), dict.fromkeys(env.agents, 0.0)
        for agent in aec.agent_iter(2 * env.trial.max_plies):
            _, reward, terminated, truncated, _ = aec.last()
            paid[agent] += float(reward)
            is_over = terminated or truncated
            aec.step(None if is_over else int(chooser.choice(env.legal(agent))))
            for other, earned in () if is_over else aec.rewards.items():
                said[other] += float(earned)
        for agent in env.agents:
            if not np.isclose(said[agent], paid[agent], atol=_CLOSE):
                problem = f"seed {seed}: {agent} earns {said[agent]}, last() pays {paid[agent]}"
                raise CheckError("rewards", problem)
    return None


CHECKS: list[Callable[[AnyEnv], str | None]] = [
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
