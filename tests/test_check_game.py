"""check_game passes what is sound and catches every planted mutant, each by the check for it."""

import copy
import dataclasses
import random
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from numba.core.config import DISABLE_JIT

from parlour.envs import check_game
from parlour.envs.core.bits import is_legal
from parlour.envs.core.checks.check_game import CheckError
from parlour.envs.core.checks.report import NO_CHANCE
from parlour.envs.core.compile import rule
from parlour.envs.core.defaults import nothing_is_unseen
from parlour.envs.core.game import setting
from tests import toy_game as toy
from tests.toy_aec import NUM_CARDS, ToyEnv

pytestmark = pytest.mark.plain

SOUND = toy.game()
Mutant = Callable[..., Any]


# Mutants of the game: plain functions around the sound, compiled ones


def after(sound: Mutant, fault: Mutant) -> Mutant:
    """The sound function, and then a fault with what it was given."""

    def mutant(*args):
        answer = sound(*args)
        fault(*args)
        return answer

    return mutant


def put(record, **numbers):
    for name, number in numbers.items():
        record[name] = number


def observe_leaks_a_hand(state, seat, out):
    toy.observe(state, seat, out)
    out.drawn = int(state.hands[1 - seat]) % NUM_CARDS


def observe_forgets_a_field(state, seat, out):
    before = int(out.drawn)
    toy.observe(state, seat, out)
    out.drawn = before


def mask_too_wide(state, mask):
    mask[0] = toy.ALL_CARDS


def mask_empty(state, mask):
    if state.num_plays != 3:
        toy.legal_actions(state, mask)


def mask_tells_the_other_hand(state, mask):
    toy.legal_actions(state, mask)
    if state.hands[1 - toy.seat_to_act(state)] & 1:
        mask[0] &= -mask[0]


def apply_with_memory_elsewhere(state, action, calls=[0]):  # noqa: B006 (the mutant)
    toy.apply_action(state, action)
    calls[0] += 1
    state.odd = calls[0] // 5 % 2


def apply_never_ends(state, action):
    toy.apply_action(state, action)
    if toy.is_terminal(state):
        state.hands[:] = (3, 12)
        state.num_plays -= 2


def deal_from_the_operating_system(state, rng):
    rng.state = np.uint64(random.SystemRandom().getrandbits(63))
    toy.deal(state, rng)


def deal_without_the_seed(state, rng):
    rng.state = np.uint64(1)
    toy.deal(state, rng)


def deal_the_first_again(state, rng):
    before = rng.copy()
    toy.deal(state, rng)
    rng["state"], rng["gamma"] = before["state"], before["gamma"]


def draw_the_last(state, rng):
    """Draws without chance, so that all chance is in the deal."""
    state.drawn = int(state.deck).bit_length() - 1


def deal_with_the_draw(state, rng):
    toy.deal(state, rng)
    state.drawn = 1


def deal_a_constant_second_game(state, rng):
    """The first game of a seed is a game of its own; all after it are one and the same."""
    toy.deal(state, rng)
    rng.state = np.uint64(1)


def returns_not_a_number(state, out):
    toy.returns(state, out)
    if out.any():
        out[0] = np.nan


def returns_early(state, out):
    toy.returns(state, out)
    if state.num_plays == 2:
        out[0] = 0.5


def returns_that_add_up(state, out):
    returns = np.zeros(len(out))
    toy.returns(state, returns)
    out += returns


def reshuffle_nothing(state, seat, rng):
    pass


def tell_all_hands(state, seat):
    return str(state.hands)


def a_stranger(**settings):
    return toy.game(**{**settings, "num_players": 3})


def observe_without_the_draw(state, seat, out):
    toy.observe(state, seat, out)
    out.drawn = toy.NO_CARD


def reshuffle_for_seat_0_alone(state, seat, rng):
    if seat == 0:
        toy.reshuffle_unseen(state, seat, rng)


def reshuffle_all_but_the_last_hand(state, seat, rng):
    """As an author who forgets that this hand is hidden, and forgets it in `observe` too."""
    kept = int(state.hands[-1])
    toy.reshuffle_unseen(state, seat, rng)
    state.hands[-1] = kept
    state.deck &= ~kept


def apply_outside_the_hands_once(state, action):
    """Writes behind the hands in one game of twenty or so."""
    toy.apply_action(state, action)
    if state.drawn == 7 and action == 3:
        state.hands[2] = 0


def label_by_the_other_hand(state, action):
    return f"{action} against {state.hands[1 - toy.seat_to_act(state)]}"


def score_by_the_deck(state, seat):
    return str(int(state.deck) % 7)


def deal_unchecked(state, data, rng):
    """Takes cards of any number, how often and whatever they are."""
    if not isinstance(data, dict) or set(data) != {"hands"}:
        raise ValueError("no deal")
    toy.deal(state, rng)
    state["hands"] = [sum(1 << max(card, 0) % 60 for card in hand) for hand in data["hands"]]


def deal_of_any_size(state, data, rng):
    hands = data["hands"] if isinstance(data, dict) and set(data) == {"hands"} else [[-1]]
    cards = [card for hand in hands for card in hand]
    if not set(cards) <= set(range(NUM_CARDS)) or len(set(cards)) < len(cards):
        raise ValueError("no deal")
    deal_unchecked(state, data, rng)


def deal_of_doubles(state, data, rng):
    hands = data["hands"] if isinstance(data, dict) and set(data) == {"hands"} else [[-1]]
    if any(card not in range(NUM_CARDS) for hand in hands for card in hand):
        raise ValueError("no deal")
    deal_unchecked(state, data, rng)


GAME_MUTANTS: list[tuple[str, str, Mutant]] = [
    ("unseen", "observe", observe_leaks_a_hand),
    ("unseen", "legal_actions", mask_tells_the_other_hand),
    ("unseen", "reshuffle_unseen", lambda s, seat, rng: toy.reshuffle_unseen(s, 1 - seat, rng)),
    ("unseen", "describe", tell_all_hands),
    ("unseen", "draw", tell_all_hands),
    ("buffers", "observe", observe_forgets_a_field),
    ("buffers", "returns", returns_that_add_up),
    ("ranges", "observe", after(toy.observe, lambda s, seat, out: put(out, drawn=99))),
    ("ranges", "observe", after(toy.observe, lambda s, seat, out: put(out, hand=out.hand | 1024))),
    ("questions", "observe", after(toy.observe, lambda s, seat, out: put(s, deck=0))),
    ("questions", "draw", lambda state, seat: put(state, drawn=3)),
    ("questions", "describe", lambda state, seat: put(state, played=3)),
    ("mask_too_wide", "legal_actions", mask_too_wide),
    ("mask_too_narrow", "legal_actions", after(toy.legal_actions, lambda s, m: m.__iand__(-m))),
    ("mask_empty", "legal_actions", mask_empty),
    ("mask_range", "legal_actions", lambda state, mask: mask.fill(1 << NUM_CARDS)),
    ("seat_to_act", "seat_to_act", lambda state: 2),
    ("returns", "returns", returns_early),
    ("returns", "returns", after(toy.returns, lambda state, out: out.__imul__(3))),
    ("returns", "returns", returns_not_a_number),
    ("referee_returns", "returns", after(toy.returns, lambda s, out: out.__imul__(-1))),
    ("referee_end", "is_terminal", lambda state: state.num_plays >= 3),
    ("repeatable", "apply_action", apply_with_memory_elsewhere),
    ("repeatable", "deal", deal_from_the_operating_system),
    ("global_generators", "apply_action", after(toy.apply_action, lambda *_: np.random.random())),
    ("global_generators", "deal", after(toy.deal, lambda *_: random.shuffle([1, 2, 3]))),
    ("global_generators", "deal", after(toy.deal, lambda *_: np.random.seed(0))),
    ("ends", "apply_action", apply_never_ends),
    ("ends", "play_chance", lambda state, rng: None),
    ("seeds", "deal", deal_without_the_seed),
    ("names", "action_name", lambda action: SOUND.action_name(action // 2)),
    ("names", "action_name", lambda action: f"card  {action}"),
    ("names", "parse_action", lambda name: SOUND.parse_action(name) if "card:" in name else 0),
    ("names", "parse_action", lambda name: int(name.split(":")[1])),
    ("bad_deals", "deal_from", lambda state, data, rng: toy.deal(state, rng)),
    ("pickle", "make", a_stranger),
]


@pytest.mark.parametrize("num_players", [2, 3])
def test_a_sound_game_passes(num_players: int) -> None:
    report = check_game(toy.game(num_players=num_players), toy.referee(num_players), max_plies=100)
    assert report.num_games == 10 and report.num_plies == 20 * num_players
    assert report.not_checked == ()


def check_that_fails(
    changes: dict[str, Any], sentence: str | None = None, referee: Any = None, num_games: int = 6
) -> str:
    """The check that finds the fault of the sound game so changed."""
    with pytest.raises(CheckError, match=sentence) as caught:
        check_game(
            dataclasses.replace(SOUND, **changes), referee, num_games=num_games, max_plies=100
        )
    return caught.value.check


@pytest.mark.parametrize(("check", "name", "mutant"), GAME_MUTANTS)
def test_a_mutant_of_the_game_is_caught_by_the_check_for_it(
    check: str, name: str, mutant: Mutant
) -> None:
    assert check_that_fails({name: mutant}, referee=toy.referee()) == check


@rule
def apply_to_a_field_that_is_none(state, action):
    state.nothing = action


@rule
def legal_actions_in_the_wrong_array(state, mask):
    is_legal(state, 0)


@rule
def deal_by_a_generator(state, rng):
    state.deck = np.random.default_rng().integers(3)


@pytest.mark.compiled
@pytest.mark.skipif(bool(DISABLE_JIT), reason="nothing is compiled")
@pytest.mark.parametrize(
    ("name", "function", "sentence"),
    [
        (
            "apply_action",
            apply_to_a_field_that_is_none,
            r"test_check_game.py, line \d+, in apply_to_a_field_that_is_none: "
            "`state.nothing = action` fails: AttributeError: the record has no field 'nothing'; "
            "its fields are hands, deck",
        ),
        (
            "legal_actions",
            legal_actions_in_the_wrong_array,
            r"test_check_game.py, line \d+, .*: `is_legal\(state, 0\)` fails: AttributeError: .*"
            r"\(Numba says KeyError: 'shape'\)",
        ),
        ("deal", deal_by_a_generator, "TypingError: Unknown attribute 'default_rng' of type"),
        ("deal", deal_by_a_generator, ".*NUMBA_DISABLE_JIT=1 in the environment a debugger"),
    ],
)
def test_a_rule_that_cannot_be_compiled_is_named_with_what_is_wrong(
    name: str, function: Mutant, sentence: str
) -> None:
    assert (
        check_that_fails({name: function}, f"{name} cannot be compiled: {sentence}") == "compiles"
    )


def apply_over_and_over(state, action):
    """As rules that forget the end: an index that grows, in compiled code, writes anywhere."""
    toy.apply_action(state, action)
    state.num_plays = int(state.num_plays) + 100


def test_without_a_referee_the_report_says_what_was_not_checked() -> None:
    report = check_game(SOUND, num_games=3)
    assert "No referee was given" in " ".join(report.not_checked)
    assert "not checked" in str(report)


# What cannot be found, and what is therefore printed; indices


def test_the_report_says_for_each_seat_what_was_taken_as_hidden() -> None:
    report = check_game(toy.game(num_players=3), num_games=5)
    open_to_all = "played, drawn, num_plays, odd"
    assert report.hidden == (
        f"seat 0: hands[1-2], deck; never hands[0], {open_to_all}",
        f"seat 1: hands[0, 2], deck; never hands[1], {open_to_all}",
        f"seat 2: hands[0-1], deck; never hands[2], {open_to_all}",
    )
    assert report.hidden[0] in str(report)


def test_a_mask_that_is_too_wide_is_not_found_without_a_referee_and_the_report_says_so() -> None:
    report = check_game(dataclasses.replace(SOUND, legal_actions=mask_too_wide), num_games=2)
    assert any("Masks that are too wide or too narrow" in line for line in report.not_checked)


@rule
def apply_to_the_next_seat(state, action):
    """Writes into the field behind the hands, where the seat is the last."""
    toy.apply_action(state, action)
    state.hands[(state.num_plays - 1) % state.hands.shape[0] + 1] &= toy.ALL_CARDS


@rule
def observe_by_a_sentinel(state, seat, out):
    """Reads from the end while `drawn` is -1, which stands for none."""
    toy.observe(state, seat, out)
    out.drawn = max(state.drawn, min(state.played[state.drawn // NUM_CARDS, 0], -1))


COMPILED = (toy.is_terminal,)


def is_terminal_by_a_compiled_rule(state):
    return COMPILED[0](state)


@pytest.mark.compiled
@pytest.mark.skipif(bool(DISABLE_JIT), reason="nothing is compiled")
def test_a_game_that_plain_python_cannot_play_passes_and_the_report_says_so() -> None:
    game = dataclasses.replace(SOUND, is_terminal=is_terminal_by_a_compiled_rule)
    report = check_game(game, num_games=3)
    assert any(
        "`return COMPILED[0](state)`: Typ" in line and "\n" not in line
        for line in report.not_checked
    )


# The two facts that a game declares


def test_a_game_without_chance_passes_and_the_report_says_what_was_left_out() -> None:
    game = dataclasses.replace(
        SOUND, deal=deal_with_the_draw_and_no_seed, play_chance=None, has_chance=False
    )
    report = check_game(game, num_games=3)
    assert sum(NO_CHANCE in sentence for sentence in report.not_checked) == 2


def deal_with_the_draw_and_no_seed(state, rng):
    deal_without_the_seed(state, rng)
    state.drawn = 1


def observe_no_hand(state, seat, out):
    toy.observe(state, seat, out)
    out.hand[0] = 0


WITHOUT_A_REFEREE: list[tuple[str, str, dict[str, Any]]] = [
    (
        "ranges",
        "ply 2: the position has num_plays = ",
        {"apply_action": apply_over_and_over, "is_terminal": lambda state: False},
    ),
    (
        "second_episode",
        "second deal of every seed repeats its first",
        {"deal": deal_the_first_again, "play_chance": draw_the_last},
    ),
    (
        "second_episode",
        "second deal is the same for all seeds",
        {"deal": deal_a_constant_second_game, "play_chance": draw_the_last},
    ),
    (
        "unseen",
        "never changes anything",
        {"deal": deal_with_the_draw, "play_chance": None, "reshuffle_unseen": reshuffle_nothing},
    ),
    (
        "bounds",
        r"test_check_game.py, line \d+, .*`state.hands.*: index 2 is out of bounds",
        {"apply_action": apply_to_the_next_seat},
    ),
    (
        "bounds",
        r"test_check_game.py, line \d+, .*`out.drawn = max.*: index -1 is negative",
        {"observe": observe_by_a_sentinel},
    ),
    (
        "has_chance",
        "declare has_chance=True",
        {"has_chance": False, "play_chance": None, "deal": deal_with_the_draw},
    ),
    ("has_hidden", "declare has_hidden=True", {"has_hidden": False}),
    ("seeds", "declare has_chance=False", {"deal": deal_without_the_seed}),
    ("unseen", "declare has_hidden=False", {"reshuffle_unseen": reshuffle_nothing}),
    (
        "questions",
        "seed 0, ply 1: label_action changes",
        {"label_action": lambda s, a: put(s, odd=1)},
    ),
    ("questions", "seed 0, ply 1: score changes", {"score": lambda s, seat: put(s, odd=1)}),
    (
        "unseen",
        r"seed 0, ply 1: label_action of card:\d tells seat 0",
        {"label_action": label_by_the_other_hand},
    ),
    ("unseen", "seed 0, ply 1: score shows seat 0", {"score": score_by_the_deck}),
    (
        "repeatable",
        "seed 0, ply 1: describe has another answer",
        {"describe": lambda state, seat: str(time.perf_counter_ns())},
    ),
    (
        "repeatable",
        "seed 0, ply 1: draw has another answer",
        {"draw": lambda state, seat: str(np.random.default_rng().random())},
    ),
    (
        "global_generators",
        "seed 0, ply 1: a text or picture draws from, or seeds, the global generator random",
        {"describe": lambda state, seat: str(random.random())},
    ),
    (
        "incomplete",
        r"seed \d+, ply \d: seat \d cannot tell .* which differs in drawn; show it",
        {"observe": observe_without_the_draw},
    ),
    (
        "unseen",
        r"never changes anything for seat 1, which does not see deck, hands\[0\]; deal again",
        {"reshuffle_unseen": reshuffle_for_seat_0_alone},
    ),
    (
        "incomplete",
        r"seat 0 cannot tell .* which differs in hands\[1\]; show it in `observe`, or let",
        {"reshuffle_unseen": reshuffle_all_but_the_last_hand},
    ),
    ("bad_deals", "deal_from takes -1 in hands", {"deal_from": deal_unchecked}),
    ("bad_deals", "deal_from takes a missing card in hands", {"deal_from": deal_of_any_size}),
    ("bad_deals", r"deal_from takes a doubled \d in hands", {"deal_from": deal_of_doubles}),
    (  # without reshuffle_unseen to tell, two positions that look alike give it away
        "has_hidden",
        "cannot tell this position from another",
        {"has_hidden": False, "reshuffle_unseen": reshuffle_nothing, "observe": observe_no_hand},
    ),
]


@pytest.mark.parametrize(("check", "sentence", "changes"), WITHOUT_A_REFEREE)
def test_without_a_referee_a_fault_is_found_and_its_place_or_remedy_named(
    check: str, sentence: str, changes: dict[str, Any]
) -> None:
    assert check_that_fails(changes, sentence) == check


def test_an_index_that_one_game_of_many_has_outside_is_found() -> None:
    changes: dict[str, Any] = {"apply_action": apply_outside_the_hands_once}
    assert check_game(dataclasses.replace(SOUND, **changes), num_games=1).num_games == 1
    sentence = r"seed \d+: test_check_game.py, line \d+, .* index 2 is out of bounds"
    assert check_that_fails(changes, sentence, num_games=200) == "bounds"


@dataclasses.dataclass(frozen=True)
class ShownConfig(toy.Config):
    """The house rule with its choices, as people set it at the table."""

    odd: str = setting("low", "what wins if the drawn card is odd", choices=toy.ODD_RULES)


def returns_by_the_highest(state, out):
    odd = int(state.odd)
    state.odd = 1
    toy.returns(state, out)
    state.odd = odd


def with_choices(**settings):
    game = toy.game(**settings)
    return dataclasses.replace(game, config=ShownConfig(**game.config_dict()), make=with_choices)


def without_the_rule(**settings):
    changes = {"make": without_the_rule, "returns": returns_by_the_highest}
    return dataclasses.replace(with_choices(**settings), **changes)


def test_a_house_rule_that_changes_nothing_is_a_warning() -> None:
    assert check_game(with_choices(), num_games=3).warnings == ()
    report = check_game(without_the_rule(), num_games=3)
    assert report.warnings == (
        "With these settings the house rule odd changes nothing: games with 'high' go as those "
        "with 'low'.",
    )
    assert "warning: With these settings the house rule odd" in str(report)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"has_chance": False}, "has play_chance but declares has_chance=False"),
        ({"reshuffle_unseen": nothing_is_unseen}, "needs reshuffle_unseen"),
        (
            {"seat_to_act": lambda state, rng: 0},
            r"seat_to_act is called as seat_to_act\(state\), but it takes \(state, rng\)",
        ),
        (
            {"state_fields": SOUND.state_fields + SOUND.state_fields[:1]},
            f"two fields are called '{SOUND.state_fields[0].name}'",
        ),
    ],
)
def test_a_game_that_contradicts_itself_cannot_be_made(
    changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        dataclasses.replace(SOUND, **changes)


def test_has_chance_is_for_environments_that_declare_nothing() -> None:
    with pytest.raises(ValueError, match="toy declares has_chance=True itself"):
        check_game(SOUND, has_chance=False)
    report = check_game(GuessTheSame(), num_games=3, has_chance=False)
    assert f"Different seeds give different episodes. {NO_CHANCE}" in report.not_checked


# Mutants of an environment


class LeakyMask(ToyEnv):
    def mask(self, seat):
        mask = np.zeros(NUM_CARDS, np.int8)
        mask[self.hands[seat]] = 1
        return mask


class EmptyMask(ToyEnv):
    def mask(self, seat):
        return super().mask(seat) * (len(self.plays[1]) == 0)


class WideMask(ToyEnv):
    def mask(self, seat):
        return np.ones(NUM_CARDS, np.int8) * super().mask(seat).max()


class ShyWideMask(WideMask):
    def is_legal(self, seat, card):
        return True


class NarrowMask(ToyEnv):
    def mask(self, seat):
        mask = super().mask(seat)
        mask[np.flatnonzero(mask)[1:]] = 0
        return mask


class OutOfItsSpace(ToyEnv):
    def vector(self, seat):
        return super().vector(seat) + 50


class SameEpisodeAgain(ToyEnv):
    seed_given = 0

    def seed_generator(self, seed):
        self.seed_given = self.seed_given if seed is None else seed
        super().seed_generator(self.seed_given)


class ConstantSecondEpisode(ToyEnv):
    def seed_generator(self, seed):
        super().seed_generator(1 if seed is None else seed)


class ConstantSeed(ToyEnv):
    def seed_generator(self, seed):
        super().seed_generator(1)


class NoSeed(ToyEnv):
    def seed_generator(self, seed):
        super().seed_generator(None)
        self._rng = np.random.default_rng()


class EarlyGenerator(ToyEnv):
    def __init__(self):
        super().__init__()
        self._rng = np.random.default_rng()


class GlobalDeal(ToyEnv):
    def deal(self):
        cards = np.random.permutation(NUM_CARDS).tolist()
        return [cards[:2], cards[2:4]]


class GlobalRandomModule(ToyEnv):
    def deal(self):
        cards = random.sample(range(NUM_CARDS), 4)
        return [cards[:2], cards[2:4]]


class RenderPlays(ToyEnv):
    def render(self):
        self.drawn = 9
        return ""


class ObserveShuffles(ToyEnv):
    def observe(self, agent):
        view = super().observe(agent)
        self.calls = getattr(self, "calls", 0) + 1
        view["observation"][0] += self.calls > 3
        return view

    def reset(self, seed=None, options=None):
        self.calls = 0
        super().reset(seed, options)


class CopyForgets(ToyEnv):
    def __deepcopy__(self, memo):
        return type(self)()


class PickleForgets(ToyEnv):
    def __deepcopy__(self, memo):
        twin = ToyEnv()
        twin.__class__ = type(self)
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin

    def __reduce__(self):
        return type(self), ()


class CopyShares(ToyEnv):
    def __deepcopy__(self, memo):
        twin = type(self)()
        twin.__dict__.update(self.__dict__)
        return twin


class IllegalIsIgnored(ToyEnv):
    def is_legal(self, seat, card):
        return True


class WrongSeatPaid(ToyEnv):
    def pay(self, winner):
        super().pay(1 - winner)


class LastPaysOneOnly(ToyEnv):
    def _accumulate_rewards(self):
        self._cumulative_rewards[self.agent_selection] += self.rewards[self.agent_selection]


class NeverEnds(ToyEnv):
    def is_over(self):
        if sum(map(len, self.plays)) == 4:
            self.hands, self.plays = self.plays, [[], []]
        return False


ENV_MUTANTS: list[tuple[str, type[ToyEnv]]] = [
    ("mask_idle", LeakyMask),
    ("mask_empty", EmptyMask),
    ("mask_too_wide", ShyWideMask),
    ("mask_too_narrow", NarrowMask),
    ("spaces", OutOfItsSpace),
    ("second_episode", SameEpisodeAgain),
    ("second_episode", ConstantSecondEpisode),
    ("seeds", ConstantSeed),
    ("repeatable", NoSeed),
    ("fresh_copies", EarlyGenerator),
    ("global_generators", GlobalDeal),
    ("global_generators", GlobalRandomModule),
    ("questions", RenderPlays),
    ("questions", ObserveShuffles),
    ("copies", CopyForgets),
    ("copies", PickleForgets),
    ("copies", CopyShares),
    ("illegal", IllegalIsIgnored),
    ("payoff", WrongSeatPaid),
    ("rewards", LastPaysOneOnly),
    ("ends", NeverEnds),
]


def test_a_sound_environment_passes_and_the_report_says_what_it_cannot_know() -> None:
    report = check_game(ToyEnv(), env_referee, num_games=5)
    assert len(report.not_checked) == 1
    assert "Whether a seat sees what it should not" in report.not_checked[0]


@pytest.mark.parametrize(("check", "mutant"), ENV_MUTANTS)
def test_a_mutant_of_the_environment_is_caught_by_the_check_for_it(
    check: str, mutant: type[ToyEnv]
) -> None:
    with pytest.raises(CheckError) as caught:
        check_game(mutant(), env_referee, num_games=5, max_plies=100)
    assert caught.value.check == check


class EnvReferee(toy.Referee):
    """The toy's referee for the environment, whose actions are numbers."""

    def chance(self, state: Any) -> None:
        self.drawn = state.drawn

    def legal_actions(self) -> list[str]:
        return [str(card) for card in self.hands[self.seat_to_act()]]


def env_referee(seed: int) -> tuple[Any, EnvReferee]:
    deal, _ = toy.referee()(seed)
    return deal, EnvReferee(deal)


# A Gymnasium environment and its mutants


class Guess(gymnasium.Env):
    """A Gymnasium environment: say the low or the high half of three hidden numbers in turn."""

    observation_space = gymnasium.spaces.Box(-1, 3, (2,), np.int8)
    action_space = gymnasium.spaces.Discrete(3)
    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012
    render_mode = "ansi"

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hidden = self.np_random.integers(0, 2, 3)
        self.ply = 0
        return self.look(-1)

    def look(self, last):
        look = np.array([self.ply, last], np.int8)
        return look, {"action_mask": np.array([1, 1, 0], np.int8)}

    def step(self, action):
        if action == 2:
            return self.illegal()
        was = int(self.hidden[self.ply])
        self.ply += 1
        view, info = self.look(was)
        return view, float(action == was), self.ply == 3, False, info

    def illegal(self):
        view, info = self.look(-1)
        return view, -1.0, True, False, info

    def render(self):
        return str(self.ply)


class GuessWithoutEnd(Guess):
    def step(self, action):
        self.ply %= 2
        return super().step(action)


class GuessSilently(Guess):
    def illegal(self):
        return self.step(0)


class GuessTheSame(Guess):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=0)


class GuessByRender(Guess):
    def render(self):
        self.hidden[:] = 0
        return ""


def test_a_sound_gymnasium_environment_passes() -> None:
    assert "No referee was given." in str(check_game(Guess()))


@pytest.mark.parametrize(
    ("check", "mutant"),
    [
        ("ends", GuessWithoutEnd),
        ("illegal", GuessSilently),
        ("seeds", GuessTheSame),
        ("questions", GuessByRender),
    ],
)
def test_a_mutant_of_a_gymnasium_environment_is_caught(check: str, mutant: type[Guess]) -> None:
    with pytest.raises(CheckError) as caught:
        check_game(mutant(), num_games=5, max_plies=100)
    assert caught.value.check == check


def test_what_is_neither_a_game_nor_an_environment_is_refused() -> None:
    with pytest.raises(TypeError, match="got int"):
        check_game(3)
    with pytest.raises(ValueError, match="unknown game 'presidnt'; did you mean 'president'"):
        check_game("presidnt")
