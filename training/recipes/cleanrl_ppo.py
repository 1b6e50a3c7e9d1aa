"""Recipe: PPO in one file, in the style of CleanRL, on the vector environment.

module = learn(game, Config(total_steps=500_000, opponents="random"))
print(play_match(game, make_policy(module, game), "random", num_deals=1_000))
"""

import torch
from torch import nn
from torch.distributions import Categorical

from ...baselines.environments import vector_env
from ...envs.core.game import Game
from . import Config, Masked, network

ROLLOUT, EPOCHS, MINIBATCH, LAMBDA, CLIP, ENTROPY = 64, 4, 512, 0.95, 0.2, 0.01


def learn(game: Game, config: Config) -> nn.Module:
    """Train in a random seat against `config.opponents`; return the network of the policy."""
    torch.manual_seed(config.seed)
    envs = vector_env(game, config.num_envs, seat="random", opponents=config.opponents)
    actor, critic = Masked(network(game, game.num_actions)), network(game, 1)
    adam = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)

    observations, info = envs.reset(seed=config.seed)
    for _ in range(config.total_steps // (ROLLOUT * config.num_envs)):
        steps = []
        for _ in range(ROLLOUT):
            inputs, masks = torch.tensor(observations), torch.tensor(info["action_mask"])
            with torch.no_grad():
                actions = Categorical(logits=actor(inputs, masks)).sample()
            observations, rewards, ended, truncated, info = envs.step(actions.numpy())
            outcomes = torch.tensor(rewards).float(), torch.tensor(ended | truncated).float()
            steps.append((inputs, masks, actions, *outcomes))
        inputs, masks, actions, paid, over = (
            torch.stack(column) for column in zip(*steps, strict=True)
        )
        with torch.no_grad():
            logs = Categorical(logits=actor(inputs, masks)).log_prob(actions)
            values = critic(torch.cat([inputs, torch.tensor(observations)[None]]))[..., 0]
            advantages, ahead = torch.zeros_like(paid), torch.zeros(config.num_envs)
            for step in reversed(range(ROLLOUT)):  # nothing is discounted: a game pays at its end
                goes_on = 1 - over[step]
                error = paid[step] + goes_on * values[step + 1] - values[step]
                advantages[step] = ahead = error + LAMBDA * goes_on * ahead
        batch = [inputs, masks, actions, logs, advantages, advantages + values[:-1]]
        batch = [column.flatten(0, 1) for column in batch]
        for part in torch.cat([torch.randperm(len(batch[0])) for _ in range(EPOCHS)]).split(
            MINIBATCH
        ):
            inputs, masks, actions, logs, advantages, targets = (column[part] for column in batch)
            now = Categorical(logits=actor(inputs, masks))
            ratio = (now.log_prob(actions) - logs).exp()
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            gain = torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages)
            error = (critic(inputs)[:, 0] - targets).square().mean()
            loss = error / 2 - gain.mean() - ENTROPY * now.entropy().mean()
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters()], 0.5)
            adam.step()
    return actor.module
