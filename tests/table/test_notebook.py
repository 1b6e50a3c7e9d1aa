"""Notebooks show transcripts and environments: the game so far, with the controls of a replay."""

import copy
import dataclasses
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils.wrappers import BaseWrapper

from parlour.baselines import make_policy
from parlour.baselines.environments import make_solo, solo_env
from parlour.baselines.policies.policy import Policy
from parlour.envs import GAMES, find_game, load_game
from parlour.envs.core.environments.aec import CheckedEnv, RawEnv
from parlour.envs.core.environments.notebook import show_wrapped
from parlour.envs.core.environments.solo import SoloEnv
from parlour.envs.core.game import Game
from parlour.envs.core.played.transcript import record

from ..view_tools import SHORT
from .replay_pages import data_of, page_in, pictures, still
from .test_leak import HIDING, redealt, replaced, script, table_of

pytestmark = pytest.mark.plain
long = pytest.mark.long

DEAR = ("splendor", "top_trumps")  # in plain Python
SETTINGS = {**SHORT, "trick_taking": {"num_values": 5}}
FORMS = {"num_games": 2, "economy": "swap_two"}  # of President: more than one game, hidden actions


def shown(env: Any) -> dict[str, Any]:
    """The data of what a notebook shows of an environment."""
    return data_of(page_in(env._repr_mimebundle_()))


def state_of(env: RawEnv | SoloEnv) -> np.record:
    tables = env._tables if isinstance(env, RawEnv) else env._episodes.tables
    return tables.states[0]


def some_action(mask: np.ndarray, chooser: random.Random) -> int:
    return chooser.choice(np.flatnonzero(mask).tolist())


def aec_plies(env: RawEnv, chooser: random.Random) -> Iterator[None]:
    """Play the game that lies there ply by ply."""
    while not env.terminations[env.agent_selection]:
        env.step(some_action(env.infos[env.agent_selection]["action_mask"], chooser))
        yield


def solo_steps(env: SoloEnv, chooser: random.Random) -> Iterator[None]:
    """Play on with random actions, step by step."""
    is_over = False
    while not is_over:
        _, _, is_over, _, _ = env.step(some_action(env.action_masks(), chooser))
        yield


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(pytest.param(name, RawEnv, marks=long if name in DEAR else ()) for name in GAMES),
        ("trick_taking", CheckedEnv),
    ],
)
def test_an_aec_environment_shows_every_position_of_its_game(name: str, kind: type[RawEnv]) -> None:
    """Before the first ply, in the middle, at the end, and in a later game of the same stream."""
    game = find_game(name, **SETTINGS.get(name, {}))
    env, chooser = kind(game), random.Random(3)
    for seed in (1, None):
        env.reset(seed=seed)
        expected = [still(game, state_of(env))]
        assert pictures(shown(env)) == expected
        for ply, _ in enumerate(aec_plies(env, chooser)):
            expected.append(still(game, state_of(env)))
            if ply == 3:
                assert pictures(shown(env)) == expected
                assert shown(env)["returns"] is None
        data = shown(env)
        assert pictures(data) == expected
        assert data["start"] == len(data["plies"]) == len(expected) - 1
        assert data["returns"] == [env.rewards[agent] for agent in env.possible_agents]


@pytest.mark.parametrize(
    ("name", "skip_forced"),
    [
        *(
            pytest.param(name, name == "president", marks=long if name in DEAR else ())
            for name in GAMES
        ),
        ("notty", True),
    ],
)
def test_a_gymnasium_environment_shows_the_plies_of_all_seats(name: str, skip_forced: bool) -> None:
    game = find_game(name, **SETTINGS.get(name, {}))
    env = solo_env(game, seat="random", skip_forced=skip_forced, render_seat="all")
    chooser = random.Random(4)
    for seed in (1, None):
        _, info = env.reset(seed=seed)
        names = shown(env)["names"]
        waits = [still(game, state_of(env), names=names)]
        for _ in solo_steps(env, chooser):
            waits.append(still(game, state_of(env), names=names))
        data = shown(env)
        shots = pictures(data)
        assert set(waits) <= set(shots) and shots[-1] == waits[-1]
        assert data["first"] == "The deal" and len(shots) == len(data["plies"]) + 1
        assert {ply["seat"] for ply in data["plies"]} == set(range(game.num_seats))
        assert data["names"][info["seat"]] == "you"
        assert set(data["names"]) == {"you", "random"}


def test_a_match_of_several_games_is_shown_whole() -> None:
    game = load_game("president", **FORMS)
    raw, solo = RawEnv(game, skip_forced=True), solo_env(game, skip_forced=True)
    raw.reset(seed=2)
    for _ in aec_plies(raw, random.Random(5)):
        pass
    solo.reset(seed=2)
    for _ in solo_steps(solo, random.Random(5)):
        pass
    for env in (raw, solo):
        data = shown(env)
        assert data["returns"] is not None
        assert pictures(data)[-1] == still(game, state_of(env), data["seat"], data["names"])
        names = [ply["action"] for ply in data["plies"]]
        assert names.count("1x2") >= 1 and len(names) > 60
        assert any(name.startswith("give:") for name in names if name) or env is solo


def test_a_given_deal_is_shown_from_its_start() -> None:
    game = load_game("president", num_players=2)
    ranks = ["2", "4", "5", "6", "7", "10", "11", "12", "3", "1"]
    hands = [[rank + suit for rank in ranks for suit in pair] for pair in ("OB", "CE")]
    deal = {"hands": hands}
    raw, solo = RawEnv(game), solo_env(game, opponents="lowest")
    for env in (raw, solo):
        env.reset(seed=1)
        env.reset(options={"deal": deal})
    deal["hands"] = []  # what happens to the user's own list later does not matter
    raw.step(raw.infos[raw.agent_selection]["action_mask"].argmax())
    solo.step(solo.action_masks().argmax())
    for env in (raw, solo):
        data = shown(env)
        assert data["first"] == "The deal" and data["plies"]
        assert pictures(data)[-1] == still(game, state_of(env), data["seat"], data["names"])


def unsteady(game: Game) -> Policy:
    """Return a player that is not compiled and chooses otherwise each time it is asked."""
    chooser = random.Random(7)

    def choose(observations: Any, masks: np.ndarray, rngs: Any) -> np.ndarray:
        return np.array([some_action(mask, chooser) for mask in masks])

    return Policy("unsteady", game, choose)


def test_players_that_would_choose_otherwise_are_shown_as_they_chose() -> None:
    game = load_game("president")
    opponents = [make_policy("random", game), unsteady(game), make_policy("random", game)]
    env = SoloEnv(game, opponents=opponents, seat=1, skip_forced=True)
    env.reset(seed=3)
    for number, _ in enumerate(solo_steps(env, random.Random(8))):
        if number == 7:
            data = shown(env)
            assert data["first"] == "The deal"
            assert pictures(data)[-1] == still(game, state_of(env), 1, data["names"])
    data = shown(env)
    assert data["returns"] is not None
    assert data["names"][1:] == ["you", "random", "unsteady"]


@pytest.mark.parametrize(
    ("kind", "make_copy"),
    [("aec", copy.deepcopy), ("solo", lambda env: pickle.loads(pickle.dumps(env)))],
)
def test_a_copy_shows_a_game_of_its_own(kind: str, make_copy: Callable[[Any], Any]) -> None:
    game = load_game("trick_taking", num_values=5)
    env: Any = RawEnv(game) if kind == "aec" else make_solo("trick_taking", num_values=5)
    play: Any = aec_plies if kind == "aec" else solo_steps
    env.reset(seed=4)
    next(play(env, random.Random(1)))
    twin = make_copy(env)
    before = shown(env)
    for _ in play(twin, random.Random(2)):
        pass
    assert shown(env) == before and before["returns"] is None
    assert shown(twin)["returns"] is not None and len(shown(twin)["plies"]) == 10


def test_a_position_that_was_altered_stands_alone_and_says_so() -> None:
    game = load_game("president")
    env = RawEnv(game)
    env.reset(seed=4)
    plies = aec_plies(env, random.Random(1))
    for _ in range(5):
        next(plies)
    altered = env.determinize("player_0")
    env._tables.states[0] = altered
    data = shown(env)
    assert pictures(data) == [still(game, altered)]
    assert "cannot be played again" in data["first"] and data["plies"] == []


def test_an_illegal_action_that_ends_the_game_is_no_ply() -> None:
    env = make_solo("trick_taking", num_values=5)
    env.reset(seed=1)
    env.step(int(env.action_masks().argmin()))
    data = shown(env)
    assert data["returns"] is None
    assert all(data["names"][ply["seat"]] != "you" for ply in data["plies"])


@pytest.mark.parametrize("env", [RawEnv(load_game("notty")), make_solo("notty")])
def test_before_the_first_reset_there_is_nothing_and_this_is_said(env: Any) -> None:
    ((kind, text),) = env._repr_mimebundle_().items()
    assert kind == "text/plain" and text.endswith("no game yet; call reset() to deal one")


@pytest.mark.parametrize("kind", ["aec", "solo"])
@pytest.mark.parametrize(
    ("name", "settings"),
    [pytest.param(*case, marks=long if case[0] in DEAR else ()) for case in HIDING],
)
def test_a_seat_is_shown_the_same_for_games_it_cannot_tell_apart(
    name: str, settings: dict[str, Any], kind: str
) -> None:
    """Two deals that look the same to the seat, after actions that leave them so."""
    game = dataclasses.replace(find_game(name, **settings), deal_from=lay_out)
    table = table_of(name, settings, 3)
    tables = [table, replaced(table, redealt(table, 0, 99))]
    deals = [each.running.tables.states[0].copy() for each in tables]
    assert deals[0].tobytes() != deals[1].tobytes()
    plies: list[tuple[int, int]] = []
    num_kept = 0  # up to the last turn of this seat
    for action in script(tables):
        seat = int(table.seat_to_act)
        num_kept = len(plies) if seat == 0 else num_kept
        plies.append((seat, action))
        table.act(action)
    first, second = (bundle_of(game, kind, deal, plies[:num_kept]) for deal in deals)
    assert first == second and (num_kept or game.seat_to_act(deals[0]) == 0)


def lay_out(state: np.record, deal: np.record, rng: Any) -> None:
    for field in deal.dtype.names or ():
        state[field] = deal[field]


def bundle_of(game: Game, kind: str, deal: np.record, plies: list[tuple[int, int]]) -> list[str]:
    """What a notebook shows seat 0 of a game, without the address of the environment."""
    script = iter([action for seat, action in plies if seat != 0])
    scripted = Policy("scripted", game, lambda *_: np.array([next(script)]))
    env: Any = RawEnv(game, render_seat=0) if kind == "aec" else SoloEnv(game, opponents=scripted)
    env.reset(seed=1, options={"deal": deal})
    for seat, action in plies:
        if kind == "aec" or seat == 0:
            env.step(action)
    bundle = env._repr_mimebundle_()
    assert len(data_of(page_in(bundle))["plies"]) == len(plies)
    return [bundle[kind] for kind in ("text/html", "image/svg+xml")]


@pytest.mark.parametrize("wrap", ["gymnasium", "pettingzoo"])
def test_notebooks_show_wrapped_environments(wrap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """IPython shows them too, though wrappers hide the method."""
    printers: dict[tuple[str, str], Callable[[Any], dict | None]] = {}

    def for_type_by_name(module: str, name: str, printer: Callable[[Any], dict | None]) -> None:
        printers[module, name] = printer

    formatter = SimpleNamespace(for_type_by_name=for_type_by_name)
    shell = SimpleNamespace(display_formatter=SimpleNamespace(mimebundle_formatter=formatter))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    show_wrapped()
    wrapped: Any = gymnasium.make("parlour:TrickTaking-v0", render_mode="svg")
    if wrap == "pettingzoo":
        wrapped = BaseWrapper(RawEnv(load_game("trick_taking"), render_mode="svg"))
    (show,) = (printers[each] for each in kinds_of(wrapped) if each in printers)
    wrapped.reset(seed=1)
    bundle = show(wrapped)
    assert bundle is not None and bundle["image/svg+xml"] == wrapped.render()
    assert data_of(page_in(bundle))["first"] == "The deal"
    assert show(SimpleNamespace(unwrapped=object())) is None


def kinds_of(env: Any) -> list[tuple[str, str]]:
    return [(kind.__module__, kind.__name__) for kind in type(env).__mro__]


def test_notebooks_show_transcripts() -> None:
    game = load_game("trick_taking", num_values=5)
    played = record(game, 7, policies=make_policy("high_low", game))
    bundle = played._repr_mimebundle_()
    assert bundle["text/html"].startswith('<iframe sandbox="allow-scripts" srcdoc="')
    assert bundle["text/plain"].startswith("parlour transcript")
    assert data_of(page_in(bundle))["start"] == 0
