"""A search for trick-taking with two seats: alpha-beta over a few tricks, learned values below.

With two seats nothing is hidden. Every way to play the next tricks is compared (alpha-beta: Knuth
and Moore 1975), and a network that learned by self-play values the positions after them. The
values of `solver` have no part in this.

A value is the number of tricks that the leader will take. It is exact if it is between `low` and
`high`, else a bound.
"""

import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...envs.core.bits import WORD_BITS, allow, clear, gather_mask, has_allowed, lowest_bit
from ...envs.core.compile import bind, rule
from ...envs.core.game import Function, Game, check_range
from ..networks.compiled import best_legal, num_layers
from ..networks.inputs import octets
from ..networks.learned import shipped_checkpoints
from ..networks.ranked import ranked_functions
from ..players.policy import Policy
from .position import (
    MAX_VALUES_OF_KEY,
    after_trick,
    bit_of,
    colour_of,
    highest_bit,
    highest_card,
    key_of,
    legal_replies,
    lowest_of_runs,
    other_hand,
    position_seen,
    slot_of,
)

if TYPE_CHECKING:
    from ..networks.modules import RankedValues  # torch, which other players do not need

NAME = "alpha_beta"
GUIDE = "lookahead"  # the learner whose networks value positions
SETS = ("hand", "unseen", "table")  # that the network must be shown, with the tricks won
INPUTS = ("tricks_won",)
NUM_TRICKS = 3
MAX_TRICKS = 5
LOG2_MEMORY = 18
LEAST_GAIN = (
    1e-6  # tricks: cards whose values are closer are equal, and the network's choice stands
)


class ValueNetwork(NamedTuple):
    """A network that values positions, with scratch and a table of the values found."""

    weights: np.ndarray  # a record [1]
    offsets: np.ndarray  # float [N + 1]: what its outputs leave out, by the tricks left
    words: np.ndarray  # int64 [W]: the mask of the position to move in
    order: np.ndarray  # float32 [A]: the network's outputs there
    observation: np.ndarray  # record [1] of another position
    data: np.ndarray  # uint8 [size]: the bytes of that
    mask: np.ndarray  # int64 [W] of that
    outputs: np.ndarray  # float32 [A]: the network's outputs there
    keys: np.ndarray  # int64 [slots]: positions valued before
    known: np.ndarray  # float32 [slots]: their values


def alpha_beta(game: Game, num_tricks: int = NUM_TRICKS, network: str | None = None) -> Policy:
    """Looks three tricks ahead, and values the rest by the network `lookahead`.

    `num_tricks` counts that under way. `network` is the file of a checkpoint of the learner
    `lookahead`; the default is the one that ships for the game. Of cards of equal value it plays
    the one that the network prefers.

    Raises ValueError for a value out of range, for other than two seats, for a checkpoint that does
    not fit, and where no network ships and none is named.
    """
    check_range("num_tricks", num_tricks, 1, MAX_TRICKS)
    check_range("num_values", game.config.num_values, 1, MAX_VALUES_OF_KEY)
    if game.num_seats != 2:
        raise ValueError(f"{NAME} plays with 2 seats, where nothing is hidden; not {game!r}")
    if network is None and not has_lookahead_network(game):
        raise ValueError(f"no network ships for {game!r}; name a checkpoint: network=FILE.pt")
    net = _new_value_network(game, _network(network or shipped_checkpoints(game)[GUIDE], game))
    search_rows = _bind_search(num_layers(net.weights), num_tricks)
    lock = threading.Lock()  # threads must not share the scratch

    def search(
        observations: np.ndarray, masks: np.ndarray, is_full: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        actions, values = np.empty(len(masks), np.int64), np.full(masks.shape, np.nan)
        with lock:
            given = observations, octets(observations), np.ascontiguousarray(masks)
            search_rows(net, *given, is_full, actions, values)
        return actions, values

    def choose(observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        return search(observations, masks, False)[0]

    def values(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        tricks = observations["tricks_won"][:, :1] + search(observations, masks, True)[1]
        return 2.0 * tricks / game.config.num_values - 1.0

    return Policy(NAME, game, choose, values=values)


def has_lookahead_network(game: Game) -> bool:
    """Whether a network ships for these settings."""
    return GUIDE in shipped_checkpoints(game)


def _network(path: Path | str, game: Game) -> "RankedValues":
    from ..networks.checkpoints import load_checkpoint, network_for
    from ..networks.modules import RankedValues

    checkpoint = load_checkpoint(path)
    module = network_for(checkpoint, game)
    shown = tuple(checkpoint.config.get("sets", ())), tuple(checkpoint.config.get("inputs", ()))
    if not isinstance(module, RankedValues) or shown != (SETS, INPUTS):
        raise ValueError(
            f"{path} cannot value positions of {NAME}: that needs a network of {GUIDE} trained "
            f"with --sets {','.join(SETS)} --inputs {','.join(INPUTS)}"
        )
    return module


def _new_value_network(game: Game, module: "RankedValues") -> ValueNetwork:
    observation = game.new_observations(1)
    return ValueNetwork(
        weights=module.record(game),
        offsets=_offsets(game, module),
        words=np.zeros(game.num_mask_words, np.int64),
        order=np.zeros(game.num_actions, np.float32),
        observation=observation,
        data=octets(observation)[0],
        mask=np.zeros(game.num_mask_words, np.int64),
        outputs=np.zeros(game.num_actions, np.float32),
        keys=np.zeros(1 << LOG2_MEMORY, np.int64),
        known=np.zeros(1 << LOG2_MEMORY, np.float32),
    )


def _offsets(game: Game, module: "RankedValues") -> np.ndarray:
    """Return what to add to the outputs for the return to come, by the tricks left [N + 1].

    It is the network's baseline less the return of the tricks won, averaged over all possible
    scores so far. So the search depends on the cards left, not on the score.
    """
    import torch

    most = game.config.num_values
    offsets = np.zeros(most + 1)
    for left in range(most + 1):
        own = np.arange(most - left + 1)
        observations = game.new_observations(len(own))
        observations["tricks_won"] = np.stack([own, own[::-1]], axis=1)
        with torch.inference_mode():
            integers = torch.from_numpy(game.layout.integers(observations))
            baseline = module.baseline(module.encoder(integers)).numpy()[:, 0]
        offsets[left] = (baseline - (own - own[::-1]) / most).mean()
    return offsets


# The compiled search


@lru_cache
def _bind_search(num_layers: int, num_tricks: int) -> Function:
    evaluate = ranked_functions(num_layers).evaluate
    value_of = bind(_leaf, assess=bind(_assess, evaluate=evaluate))
    for _ in range(num_tricks):
        trick_value = bind(_trick_value, value_of=value_of)
        lead_value = bind(_lead_value, trick_value=trick_value)
        value_of = bind(_best_lead, lead_value=lead_value)
    card_value = bind(_card_value, trick_value=trick_value, lead_value=lead_value)
    return bind(_search_rows, card_value=card_value, evaluate=evaluate)


def _search_rows(net, observations, data, masks, is_full, actions, values):
    """Choose a card in every position, and write what each is worth to the seat to act.

    The cards that the network prefers are tried first. Unless `is_full`, the value of a card that
    is not chosen is a bound.
    """
    for row in range(observations.shape[0]):
        observation = observations[row]
        gather_mask(masks[row], net.words)
        evaluate(net.weights[0], data[row], net.words, net.order)
        best = -np.inf
        while has_allowed(net.words):
            card = best_legal(net.words, net.order)
            value = card_value(net, observation, card, -np.inf if is_full else best)
            if value > best + LEAST_GAIN:
                actions[row], best = card, value
            set_run(observation, card, value, values[row], net.words)


def _card_value(net, observation, card, low):
    """The tricks that the seat to act, leader or not, takes from now on if it plays this card.

    If it is not more than `low`, it is a bound.
    """
    num_values = observation.dealt.shape[0]
    hand, unseen, table = observation.hand, observation.unseen, observation.table
    position, lead = position_seen(hand, unseen, table, np.int64(observation.led_colour))
    colour = card // num_values
    left = hand[colour] | unseen[colour] | table[colour]
    played = bit_of(position, left, colour, card - colour * num_values)
    if lead == 0:
        return lead_value(net, position, played, low, np.inf)
    return position.tricks - trick_value(
        net, position, lead, played, -np.inf, position.tricks - low
    )


def _best_lead(net, position, is_first, low, high):
    """The tricks that the leader takes by its best card.

    The colour that was led last is tried first, which cuts off most; `is_first` says which it was.
    """
    leads = lowest_of_runs(position, position.word)
    if leads == 0:
        return 0.0
    last_led = np.int64(1) << position.size
    last_led = last_led - 1 if is_first else -last_led
    while leads != 0 and low < high:
        again = leads & last_led
        lead = highest_card(again if again != 0 else leads)
        leads ^= lead
        low = max(low, lead_value(net, position, lead, low, high))
    return low


def _lead_value(net, position, lead, low, high):
    """The tricks that the leader takes by this card, after the best reply.

    Cards that win are tried first, the lowest first.
    """
    replies = lowest_of_runs(position, legal_replies(position, lead))
    above = -lead & colour_of(position, lead)
    while replies != 0 and low < high:
        winners = replies & above
        chosen = winners if winners != 0 else replies
        reply = chosen & -chosen
        replies ^= reply
        high = min(high, trick_value(net, position, lead, reply, low, high))
    return high


def _trick_value(net, position, lead, reply, low, high):
    """The tricks that the leader takes from this trick on, with both its cards on the table."""
    leader_wins, rest = after_trick(position, lead, reply)
    is_first = lead >> position.size == 0
    if leader_wins:
        return 1.0 + value_of(net, rest, is_first, low - 1.0, high - 1.0)
    return rest.tricks - value_of(net, rest, is_first, rest.tricks - high, rest.tricks - low)


def _leaf(net, position, is_first, low, high):
    """The tricks that the leader takes by the network's estimate."""
    if position.tricks == 0:
        return 0.0
    key = key_of(position)
    slot = slot_of(key, net.keys.shape[0])
    if net.keys[slot] != key:
        net.known[slot] = assess(net, position)
        net.keys[slot] = key
    return np.float64(net.known[slot])


def _assess(net, position):
    """The network's value of a position, laid out with the lowest cards of each colour."""
    observation, size = net.observation[0], position.size
    num_values = observation.dealt.shape[0]
    first = (np.int64(1) << size) - 1
    own, other = position.word, other_hand(position)
    observation.hand[0], observation.hand[1] = own & first, own >> size
    observation.unseen[0], observation.unseen[1] = other & first, other >> size
    clear(net.mask)
    while own != 0:
        index = lowest_bit(own)
        allow(net.mask, index if index < size else num_values + index - size)
        own &= own - 1
    evaluate(net.weights[0], net.data, net.mask, net.outputs)
    ahead = net.outputs[best_legal(net.mask, net.outputs)] + net.offsets[position.tricks]
    return (position.tricks + num_values * ahead) / 2


@rule
def set_run(observation, card, value, values, words):
    """Write the value of a card and of those equal to it, and clear their bits in the mask."""
    num_values = observation.dealt.shape[0]
    colour = card // num_values
    run = run_of(observation, colour, card - colour * num_values)
    while run != 0:
        equal = colour * num_values + lowest_bit(run)
        values[equal] = value
        words[equal // WORD_BITS] &= ~(np.int64(1) << equal % WORD_BITS)
        run &= run - 1


@rule
def run_of(observation, colour, value):
    """The cards of the hand that touch this one: no card of another is left between them."""
    others = observation.unseen[colour] | observation.table[colour]
    below = others & ((np.int64(1) << value) - 1)
    above = others ^ below
    run = observation.hand[colour] & -(np.int64(1) << highest_bit(below) + 1)
    return run & ((above & -above) - 1) if above != 0 else run
