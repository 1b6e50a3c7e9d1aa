"""The root of a guided search, as in Gumbel AlphaZero (Danihelka et al. 2022).

The score of a candidate, a node of a root action, is its logit plus Gumbel noise. Sequential
halving ranks the candidates by score and mean value, and keeps the better half each time. At the
end the priors and the values make an improved policy.
"""

import numpy as np

from ...envs.core.compile import rule
from ...envs.core.rng import uniform
from .tree import NO_NODE, ROOT

LEAST_CHANCE = 1e-30
VISIT_OFFSET = 50.0  # how much values count against priors before any visit


@rule
def num_halvings(num_candidates):
    """Return how often the candidates can be halved until one is left, at least once."""
    num_phases = 1
    while 1 << num_phases < num_candidates:
        num_phases += 1
    return num_phases


@rule
def list_candidates(tree, rng, settings, scratch):
    """List the actions at the root with their scores; return how many there are."""
    num_legal = 0
    child = np.int64(tree.nodes[ROOT].first_child)
    while child != NO_NODE:
        score = np.log(max(np.float64(tree.nodes[child].prior), LEAST_CHANCE))
        if settings.gumbel_scale > 0.0:
            score -= settings.gumbel_scale * np.log(-np.log(max(uniform(rng), LEAST_CHANCE)))
        scratch.candidates[num_legal] = child
        scratch.scores[num_legal] = score
        num_legal += 1
        child = np.int64(tree.nodes[child].next_sibling)
    return num_legal


@rule
def rank_candidates(tree, settings, scratch, count):
    """Sort the first `count` candidates by score and value; of equals, the order stays."""
    candidates, scores = scratch.candidates, scratch.scores
    scale = value_scale(tree, settings)
    for place in range(1, count):
        candidate, score = candidates[place], scores[place]
        total = score + scale * mean_value(tree, candidate)
        other = place
        while other > 0 and total > scores[other - 1] + scale * mean_value(
            tree, candidates[other - 1]
        ):
            candidates[other], scores[other] = candidates[other - 1], scores[other - 1]
            other -= 1
        candidates[other], scores[other] = candidate, score


@rule
def mean_value(tree, node):
    """Return the mean value of a node's simulations; 0 without any."""
    visit_count = tree.nodes[node].visit_count
    return tree.nodes[node].value_sum / visit_count if visit_count > 0 else 0.0


@rule
def value_scale(tree, settings):
    """Return the weight of a value at the root relative to a logit: more with more visits."""
    highest = np.int64(0)
    child = np.int64(tree.nodes[ROOT].first_child)
    while child != NO_NODE:
        highest = max(highest, np.int64(tree.nodes[child].visit_count))
        child = np.int64(tree.nodes[child].next_sibling)
    return settings.value_scale * (VISIT_OFFSET + highest)


@rule
def improve(tree, settings, policy, action_values):
    """Write the improved policy and the completed action values; return the value of the root.

    An action that was not simulated is given the network's value of the root, mixed with the mean
    of those that were, weighed by their priors.
    """
    nodes = tree.nodes
    completed = completed_value(tree)
    scale = value_scale(tree, settings)
    highest = -np.inf
    child = np.int64(nodes[ROOT].first_child)
    while child != NO_NODE:
        value = mean_value(tree, child) if nodes[child].visit_count > 0 else completed
        logit = np.log(max(np.float64(nodes[child].prior), LEAST_CHANCE)) + scale * value
        action_values[nodes[child].action] = value
        policy[nodes[child].action] = logit
        highest = max(highest, logit)
        child = np.int64(nodes[child].next_sibling)
    total, value = 0.0, 0.0
    child = np.int64(nodes[ROOT].first_child)
    while child != NO_NODE:
        action = nodes[child].action
        policy[action] = np.exp(policy[action] - highest)
        total += policy[action]
        value += policy[action] * action_values[action]
        child = np.int64(nodes[child].next_sibling)
    child = np.int64(nodes[ROOT].first_child)
    while child != NO_NODE:
        policy[nodes[child].action] /= total
        child = np.int64(nodes[child].next_sibling)
    return value / total


@rule
def completed_value(tree):
    """Return the value that stands for the actions at the root that were not simulated."""
    nodes = tree.nodes
    total, mass, weighted = 0.0, 0.0, 0.0
    child = np.int64(nodes[ROOT].first_child)
    while child != NO_NODE:
        if nodes[child].visit_count > 0:
            prior = max(np.float64(nodes[child].prior), LEAST_CHANCE)
            total += nodes[child].visit_count
            mass += prior
            weighted += prior * mean_value(tree, child)
        child = np.int64(nodes[child].next_sibling)
    if total == 0.0:
        return nodes[ROOT].value_sum
    return (nodes[ROOT].value_sum + total * weighted / mass) / (1.0 + total)


@rule
def count_visits(tree, visit_counts):
    """Write how often each action at the root was simulated."""
    child = np.int64(tree.nodes[ROOT].first_child)
    while child != NO_NODE:
        visit_counts[tree.nodes[child].action] = tree.nodes[child].visit_count
        child = np.int64(tree.nodes[child].next_sibling)
