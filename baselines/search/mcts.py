"""Monte Carlo tree search over re-deals of the unseen, for any game.

The actions to choose from share the playouts by sequential halving, as in `playout`; below them
grows a tree in which every seat prefers what has served it best (UCT: Kocsis and Szepesvari 2006).
A node stands for the actions that led to it, whatever the re-deal (Cowling, Powley and Whitehouse
2012), so an action is looked at only where the re-deal at hand allows it.
"""

from functools import lru_cache

import numpy as np

from ...envs.core.bits import gather_mask, is_allowed, mask_words, random_allowed
from ...envs.core.game import NO_ACTION, Function, Game, check_range
from ...envs.core.jit import bind, rule
from ...envs.core.rng import split
from ...envs.core.tables import meanings_of, new_streams
from ..policy import Policy
from .playout import (
    MOST_PLAYOUTS,
    NOISE,
    check_noise,
    checked_budget,
    choose_by_halving,
    choose_in_time,
    compiled_row,
    meanings_for,
    play_out_template,
    single_rows,
)

NAME = "mcts"
EXPLORE = 0.5  # weight of the term of UCT that favours what was tried seldom
EXPAND_AT = 8  # visits after which a node's actions get nodes of their own
MOST_EXPAND_AT = 1_000_000
MOST_PLIES = 64  # of a line in the tree
NODES_IN_TIME = 200_000  # a search by the clock stops growing its tree at so many
NO_NODE = 0  # the root is nobody's child
ROOT = 0

NODE = np.dtype(
    (
        np.record,
        [
            ("action", np.int32),
            ("visits", np.int32),
            ("first_child", np.int32),
            ("next_sibling", np.int32),
            ("total", np.float64),  # returns of the seat that acted
        ],
    )
)


def mcts(
    game: Game,
    num_playouts: int | None = None,
    milliseconds: float | None = None,
    playout_policy: str | None = None,
    noise: float = NOISE,
    expand_at: int = EXPAND_AT,
    explore: float = EXPLORE,
    shortlist: Function | None = None,
) -> Policy:
    """Looks ahead in a tree that grows where play is best, and plays out from its leaves.

    The budget of a move (`num_playouts`, 400 where nothing is said, or `milliseconds`),
    `playout_policy` and `noise` are as for `playout`. A node whose actions have not yet
    been looked at `expand_at` times in all is a leaf; `explore` weighs what was tried seldom.
    `shortlist`, a compiled function (observation, mask), strikes actions that are not worth a look.
    Raises ValueError for a value out of range.
    """
    num_playouts = checked_budget(NAME, num_playouts, milliseconds)
    check_noise(noise)
    check_range("expand_at", expand_at, 1, MOST_EXPAND_AT)
    _check_explore(explore)
    _check_shortlist(shortlist)
    num_nodes = NODES_IN_TIME if milliseconds is not None else num_playouts + game.num_actions + 1
    row = compiled_row(game, playout_policy)
    shorten = shortlist or _keep_all
    shorten_masks = _bind_shorten(shorten)

    def choose(
        observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        tree = _Tree(game, row, shorten, num_nodes, noise, expand_at, explore)
        masks = action_masks.astype(np.int8)
        shorten_masks(observations, masks, np.zeros(game.num_mask_words, np.int64))
        actions = np.empty(len(positions), np.int64)
        for index, one in enumerate(single_rows(len(positions))):
            tree.clear()
            batch = (masks[one], rngs[one], positions[one])
            if milliseconds is None:
                actions[index] = choose_by_halving(tree.play_rounds, *batch, num_playouts)[0]
            else:
                actions[index] = choose_in_time(tree.play_rounds, *batch, milliseconds / 1000)
        return actions

    return Policy(NAME, game, choose, needs_positions=True)


def _check_explore(explore: float) -> None:
    is_number = isinstance(explore, int | float) and not isinstance(explore, bool)
    if not is_number or not 0 <= explore < float("inf"):
        raise ValueError(f"explore must be a number of 0 or more; got {explore!r}")


def _check_shortlist(shortlist: Function | None) -> None:
    if shortlist is not None and not callable(shortlist):
        raise ValueError(f"shortlist must be a compiled function; got {shortlist!r}")


class _Tree:
    """The tree of one move at one table, and the compiled loop that grows it."""

    def __init__(
        self,
        game: Game,
        row: Function,
        shorten: Function,
        num_nodes: int,
        noise: float,
        expand_at: int,
        explore: float,
    ) -> None:
        self.nodes = np.zeros(min(num_nodes, MOST_PLAYOUTS), NODE)
        self.size = np.ones(1, np.int64)
        self.settings = (float(noise), expand_at, float(explore))
        self.scratch = (
            game.new_states(2),
            new_streams((2,)),
            game.new_observations(),
            np.zeros(mask_words(game.num_actions), np.int64),
            np.zeros(game.num_seats),
            np.zeros((MOST_PLIES, 2), np.int64),
        )
        in_playouts = meanings_for(game, row)
        in_tree = in_playouts if shorten is _keep_all else meanings_of(game)
        self._grow = _bind_grow(row, shorten, tuple(in_playouts.items()), tuple(in_tree.items()))

    def clear(self) -> None:
        """Only the root is left."""
        self.nodes[: self.size[0]] = np.zeros(1, NODE)
        self.size[0] = 1

    def play_rounds(
        self,
        positions: np.ndarray,
        rngs: np.ndarray,
        alive: np.ndarray,
        rounds: np.ndarray,
        sums: np.ndarray,
    ) -> None:
        """Play live actions [1, A] out, once in each of rounds[1] re-deals; adds to sums [1, A]."""
        self._grow(
            positions,
            rngs,
            alive,
            rounds,
            sums,
            self.nodes,
            self.size,
            *self.settings,
            *self.scratch,
        )


@rule
def _keep_all(observation, mask):
    """Without a shortlist every action is looked at."""


@lru_cache
def _bind_shorten(shorten: Function) -> Function:
    return bind(_shorten_masks, shorten=shorten)


def _shorten_masks(observations, masks, words):
    """Strike actions off masks [B, A]."""
    for row in range(masks.shape[0]):
        gather_mask(masks[row], words)
        shorten(observations[row], words)
        for action in range(masks.shape[1]):
            masks[row, action] = is_allowed(words, action)


Meanings = tuple[tuple[str, Function], ...]


@lru_cache
def _bind_grow(
    row: Function, shorten: Function, in_playouts: Meanings, in_tree: Meanings
) -> Function:
    """A shortlist looks at observations even where the player does not."""
    rules = dict(in_tree)
    play_out = bind(play_out_template, choose=row, **dict(in_playouts))
    select = bind(_select, choose=row, shorten=shorten, **rules)
    descend = bind(_descend, select=select, play_out=play_out, **rules)
    return bind(_grow, descend=descend, **rules)


def _grow(
    positions,
    rngs,
    alive,
    rounds,
    sums,
    nodes,
    size,
    noise,
    expand_at,
    explore,
    states,
    streams,
    observation,
    words,
    outcome,
    line,
):
    """`states` hold a re-deal and a game played from it; `streams` the luck common to actions."""
    seat = seat_to_act(positions[0])
    for _ in range(rounds[0]):
        states[0] = positions[0]
        reshuffle_unseen(states[0], seat, rngs[0])
        split(rngs[0], streams[0])
        for action in range(alive.shape[1]):
            if alive[0, action] != 0:
                states[1] = states[0]
                streams[1] = streams[0]
                line[0, 0] = child_of(nodes, size, ROOT, action)
                line[0, 1] = seat
                apply_action(states[1], action)
                length = descend(
                    states[1],
                    streams[1],
                    nodes,
                    size,
                    noise,
                    expand_at,
                    explore,
                    observation,
                    words,
                    line,
                )
                returns(states[1], outcome)
                sums[0, action] += outcome[seat]
                credit(nodes, line, length, outcome)


def _descend(state, rng, nodes, size, noise, expand_at, explore, observation, words, line):
    """From the first node of the line down to a leaf, and from there to the end of the game.

    Fills the line with nodes and the seats that acted; returns its length.
    """
    length = 1
    settle(state, rng)
    while not is_terminal(state):
        node = line[length - 1, 0]
        is_leaf = nodes[node].visits < expand_at or length == line.shape[0]
        if is_leaf or size[0] == nodes.shape[0]:
            play_out(state, rng, noise, observation, words)
            return length
        seat = seat_to_act(state)
        action = select(state, rng, seat, nodes, node, explore, observation, words)
        line[length, 0] = child_of(nodes, size, node, action)
        line[length, 1] = seat
        length += 1
        apply_action(state, action)
        settle(state, rng)
    return length


def _select(state, rng, seat, nodes, node, explore, observation, words):
    """A new action now and then, first what the player would do; else the best by UCT.

    A node with v visits has about the square root of v actions that have been tried.
    """
    words[:] = 0
    legal_actions(state, words)
    best, num_tried = best_child(nodes, node, words, explore)
    if num_tried * num_tried >= nodes[node].visits:
        return best
    observe(state, seat, observation[0])
    preferred = choose(observation[0], words, rng)
    if not is_child(nodes, node, preferred):
        return preferred
    shorten(observation[0], words)
    drawn = random_allowed(words, rng)
    return best if is_child(nodes, node, drawn) else drawn


@rule
def best_child(nodes, node, words, explore):
    """Of the actions tried and legal here the one with the highest bound; and their number."""
    best, best_bound = np.int64(NO_ACTION), -np.inf
    num_tried = 0
    spread = explore * np.sqrt(np.log(nodes[node].visits))
    child = nodes[node].first_child
    while child != NO_NODE:
        action = nodes[child].action
        if is_allowed(words, action):
            num_tried += 1
            visits = nodes[child].visits
            bound = nodes[child].total / visits + spread / np.sqrt(visits)
            if bound > best_bound:
                best, best_bound = np.int64(action), bound
        child = nodes[child].next_sibling
    return best, num_tried


@rule
def is_child(nodes, node, action):
    """Whether an action has a node below this one."""
    child = nodes[node].first_child
    while child != NO_NODE:
        if nodes[child].action == action:
            return True
        child = nodes[child].next_sibling
    return False


@rule
def child_of(nodes, size, node, action):
    """The node of an action below this one, made if there is none."""
    child = np.int64(nodes[node].first_child)
    while child != NO_NODE:
        if nodes[child].action == action:
            return child
        child = np.int64(nodes[child].next_sibling)
    child = size[0]
    size[0] += 1
    nodes[child].action = action
    nodes[child].next_sibling = nodes[node].first_child
    nodes[node].first_child = child
    return child


@rule
def credit(nodes, line, length, outcome):
    """Each node of the line gets what its seat got."""
    for index in range(length):
        node = line[index, 0]
        nodes[node].visits += 1
        nodes[node].total += outcome[line[index, 1]]
