"""PPO by self-play in 40 lines: one network plays and learns all seats of President.

`python self_play_ppo.py 2` learns for two minutes, then plays 1,000 deals against three `lowest`.
"""

import sys
import time

import gymnasium as gym
import numpy as np
import torch

import parlour

TABLES, STEPS, MINIBATCH, LAMBDA = 1024, 96, 4096, 0.95
HAND, UNSEEN = slice(0, 13), slice(26, 39)  # `envs.game.layout.name(26)` says what an index is
HIGHER = np.triu(np.ones((13, 13), bool), 1)
envs = gym.make_vec("parlour:President-v0", TABLES, num_players=4, self_play=True)
num_inputs, num_actions = envs.single_observation_space.shape[0] + 13, envs.single_action_space.n
network = torch.nn.Sequential(
    *(torch.nn.Linear(num_inputs, 128), torch.nn.ReLU(), torch.nn.Linear(128, 128)),
    *(torch.nn.ReLU(), torch.nn.Linear(128, num_actions + 1)),  # logits, and the seat's value
)
adam = torch.optim.Adam(network.parameters())


def see(observations):
    """Add to each rank of the hand how many higher ranks may beat it."""
    hand, unseen = observations[:, HAND], observations[:, UNSEEN]
    answers = ((unseen[:, None] >= hand[:, :, None]) & HIGHER).sum(2) * (hand > 0)
    return torch.as_tensor(np.hstack([observations, answers / 13]), dtype=torch.float32)


def judge(inputs, masks):
    """Return the logarithms of the actions' probabilities, and the values."""
    out = network(inputs)
    logits = out[:, :-1].masked_fill(torch.as_tensor(masks) == 0, -1e9)
    return logits.log_softmax(1), out[:, -1]


@torch.no_grad()
def choose(observations, masks, rngs=None):
    """Play the likeliest action, in matches."""
    return judge(see(envs.game.layout.scaled(observations)), masks)[0].argmax(1).numpy()


@torch.no_grad()
def rollout(observations, info):
    """Play; return where the games stand, and what was seen, done and earned at each step."""
    steps = []
    for _ in range(STEPS):
        inputs, masks, seats = see(observations), info["action_mask"], info["seat"]
        logs, values = judge(inputs, masks)
        actions = logs.exp().multinomial(1)
        observations, _, ended, _, info = envs.step(actions[:, 0].numpy())
        steps.append((inputs, masks, actions, logs.gather(1, actions), values))
        ends = ...
    return observations, info, [np.stack(column) for column in zip(*steps, strict=True)]
