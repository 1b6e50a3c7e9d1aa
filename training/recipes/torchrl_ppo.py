"""Recipe: PPO of TorchRL on the vector environment, whose wrapper finds the mask in `info`.

module = learn(game, Config(total_steps=200_000, opponents="random"))
print(play_match(game, make_policy(module, game), "random", num_deals=1_000))
"""

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.data.replay_buffers.samplers import SamplerWithoutReplacement
from torchrl.envs import GymWrapper
from torchrl.modules import ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from ...baselines.environments import vector_env
from ...envs.core.game import Game
from . import Config, Masked, network

ROLLOUT, EPOCHS, MINIBATCH = 64, 4, 512


def learn(game: Game, config: Config) -> nn.Module:
    """Train in a random seat against `config.opponents`; return the network of the policy."""
    torch.manual_seed(config.seed)
    tables = vector_env(
        game,
        config.num_envs,
        seat="random",
        opponents=config.opponents,
        illegal_action="random",  # GymWrapper's trial steps ignore the mask
    )
    envs = GymWrapper(tables, categorical_action_encoding=True)
    module = network(game, game.num_actions)
    actor = ProbabilisticActor(
        TensorDictModule(Masked(module), ["observation", "action_mask"], ["logits"]),
        in_keys=["logits"],
        distribution_class=torch.distributions.Categorical,
        spec=envs.action_spec,
        return_log_prob=True,
    )
    critic = ValueOperator(network(game, 1), in_keys=["observation"])
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, normalize_advantage=True, entropy_coeff=0.01)
    adam = torch.optim.Adam(loss.parameters(), lr=1e-3)
    size = ROLLOUT * config.num_envs
    buffer = ReplayBuffer(
        storage=LazyTensorStorage(size), sampler=SamplerWithoutReplacement(), batch_size=MINIBATCH
    )
    rounds = config.total_steps // size
    collector = Collector(
        envs,
        actor,
        frames_per_batch=size,
        total_frames=size * rounds,
        auto_register_policy_transforms=False,  # for policies with a memory
    )
    for rollout in collector:
        advantage(rollout)
        buffer.extend(rollout.flatten())
        for _ in range(EPOCHS * size // MINIBATCH):
            losses = loss(buffer.sample())
            adam.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            adam.step()
    return module
