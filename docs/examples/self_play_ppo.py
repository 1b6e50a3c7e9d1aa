"""PPO by self-play: one network plays and learns all four seats of President.

`python self_play_ppo.py` learns from 200 rollouts, or as many as are named behind it, which takes
two minutes, then plays 1,000 deals against three `lowest`.
Only `see`, which says what the network is shown, is about President.
"""

import sys

import gymnasium as gym
import numpy as np
import torch
from torch import nn

import parlour

TABLES, STEPS, MINIBATCH, RATE, LAMBDA = 256, 128, 1024, 1e-3, 0.95
envs = gym.make_vec("parlour:President-v0", TABLES, self_play=True, observation="integer")
low, high = envs.single_observation_space.low, envs.single_observation_space.high
COLUMNS = np.repeat(np.arange(len(low)), high - low)  # one input for each value above the lowest
VALUES = np.concatenate([np.arange(*ends) for ends in zip(low, high, strict=True)])
HIGHER = np.triu(np.ones((10, 10), bool), 1)  # ranks above each rank


def see(observations):
    """Return the inputs [B, num_inputs]: which values are reached, and what can beat the hand."""
    hand, unseen = observations[:, :10], observations[:, 20:30]  # `game.layout.name(20)` says so
    is_held = hand > 0
    answers = ((unseen[:, None] >= hand[:, :, None]) & HIGHER).sum(axis=2) * is_held
    counts = np.stack([is_held.sum(1), (is_held & (answers == 0)).sum(1)], axis=1)
    inputs = np.hstack([observations[:, COLUMNS] > VALUES, answers / 10, counts / 10])
    return torch.as_tensor(inputs, dtype=torch.float32)


num_inputs = see(envs.reset(seed=0)[0]).shape[1]
network = nn.Sequential(
    *(nn.Linear(num_inputs, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU()),
    nn.Linear(128, int(envs.single_action_space.n) + 1),  # logits, and the value
)
adam = torch.optim.Adam(network.parameters())


def judge(inputs, masks):
    """Return the logarithms of the probabilities of actions, and the values."""
    out = network(inputs)
    logits = out[:, :-1].masked_fill(torch.as_tensor(masks) == 0, -1e9)
    return logits.log_softmax(dim=1), out[:, -1]


@torch.no_grad()
def choose(observations, masks, rngs):
    """Play the likeliest action, in matches."""
    return judge(see(envs.game.layout.integers(observations)), masks)[0].argmax(dim=1).numpy()


@torch.no_grad()
def rollout(observations, info):
    """Play; return how the games go on, and what each step has seen, done and told, [STEPS, ..]."""
    steps = []
    for _ in range(STEPS):
        inputs, masks, seats = see(observations), info["action_mask"], info["seat"]
        logs, values = judge(inputs, masks)
        actions = logs.exp().multinomial(1)
        observations, _, ended, _, info = envs.step(actions[:, 0].numpy())
        chosen = logs.gather(1, actions)
        steps.append((inputs, masks, actions, chosen, values, seats, ended, info["returns"]))
    return observations, info, [np.stack(column) for column in zip(*steps, strict=True)]


def advantages(values, seats, ended, returns):
    """Return generalized advantage estimates [STEPS, TABLES], back from the end of each game.

    What follows a decision is the value at the next turn of the same seat, or its return.
    """
    goals = 0.4 * returns + 0.6 * (returns == 1)  # to be first is worth more than the return
    follows, gains = (np.full(returns[0].shape, number) for number in (np.nan, 0.0))
    out = np.zeros_like(values)
    for step in reversed(range(STEPS)):
        follows[ended[step]], gains[ended[step]] = goals[step][ended[step]], 0
        turn = np.arange(TABLES), seats[step]
        gains[turn] = np.nan_to_num(follows[turn] - values[step] + LAMBDA * gains[turn])
        follows[turn], out[step] = values[step], gains[turn]
    return out


def learn(inputs, masks, actions, chosen, values, *outcome, left):
    """Pass once through a rollout; `left` is the fraction of the run that is left."""
    gains = advantages(values, *outcome)
    columns = inputs, masks, actions, chosen, gains, values + gains
    rows = [torch.as_tensor(column).flatten(0, 1) for column in columns]
    adam.param_groups[0]["lr"] = RATE * left
    for part in torch.randperm(TABLES * STEPS).split(MINIBATCH):
        features, mask, action, before, gain, target = (row[part] for row in rows)
        logs, value = judge(features, mask)
        ratio = (logs.gather(1, action) - before)[:, 0].exp()
        gain = (gain - gain.mean()) / gain.std()
        won = torch.minimum(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
        entropy = -(logs.exp() * logs).sum(dim=1).mean()
        loss = (value - target).square().mean() / 2 - won - 0.02 * left * entropy
        adam.zero_grad()
        loss.backward()
        adam.step()


if __name__ == "__main__":
    num_rollouts = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    torch.manual_seed(0)
    torch.set_num_threads(1)  # more do not pay for so small a network
    observations, info = envs.reset(seed=0)
    for number in range(num_rollouts):
        observations, info, batch = rollout(observations, info)
        learn(*batch, left=1 - number / num_rollouts)
    print(parlour.play_match(envs.game, choose, "lowest", num_deals=1000))
