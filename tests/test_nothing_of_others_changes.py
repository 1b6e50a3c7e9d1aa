"""Parlour changes no other library, and no setting of the process that imports it."""

from pathlib import Path

import pytest

from tests.processes import run_python

# First everything is imported and used without Parlour, because libraries load parts of themselves
# late. Then everything of Parlour is used; what is called and what is replaced is printed.
SCRIPT = '''
import gc, importlib, sys, warnings
from types import FunctionType, ModuleType

calls = []
sys.addaudithook(lambda event, arguments: event == "sys.addaudithook" and calls.append(event))

LIBRARIES = ("numba", "llvmlite", "numpy", "gymnasium", "pettingzoo", "torch")
for name in (
    "llvmlite.binding", "numba.core.caching", "numpy.testing", "gymnasium.vector",
    "gymnasium.wrappers.vector", "gymnasium.envs.registration", "pettingzoo.utils.wrappers",
    "pettingzoo.utils.env", "torch.nn.functional", "torch.distributions", "pandas", "scipy.stats",
    "joblib", "matplotlib.pyplot", "PIL.Image", "anyio", "uvicorn", "starlette.testclient",
    "starlette.websockets", "websockets", "rich.console",
):
    importlib.import_module(name)

import gymnasium, llvmlite.binding, numba, numpy as np, torch


def use_libraries(folder):
    """Compile, find what was compiled, step an environment and a network."""
    add = numba.njit(nogil=True)(lambda array: array[0].a + array[0].b[1])
    add(np.zeros(2, np.dtype((np.record, [("a", "i1"), ("b", "f4", 2)]))))
    gymnasium.make("CartPole-v1").reset(seed=0)
    gymnasium.make_vec("CartPole-v1", 2).reset(seed=0)
    network = torch.nn.Linear(2, 2)
    optimizer = torch.optim.Adam(network.parameters())
    network(torch.zeros(1, 2)).sum().backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()


def watch(module, *names):
    """Note calls of these functions."""
    for name in names:
        def noted(*arguments, call=getattr(module, name), what=f"{module.__name__}.{name}"):
            calls.append(what)
            return call(*arguments)
        setattr(module, name, noted)


def snapshot():
    """Return the values of modules and the functions of classes, by what has them and name."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in LIBRARIES and isinstance(module, ModuleType):
            for key, value in list(vars(module).items()):
                found[name, key] = value
                if isinstance(value, type) and value.__module__ == name:
                    found |= {
                        (f"{name}.{key}", one): function
                        for one, function in vars(value).items()
                        if isinstance(function, FunctionType | property | staticmethod)
                    }
    return found


def settings():
    """Return what is set for the whole process."""
    return {
        "gc": (gc.get_threshold(), gc.isenabled(), gc.get_debug()),
        "warnings": list(warnings.filters),
        "recursion": sys.getrecursionlimit(),
        "hooks": (sys.excepthook, sys.displayhook, sys.unraisablehook),
        "numpy": (np.geterr(), np.get_printoptions()),
        "random": (np.random.get_state()[1].tolist(), __import__("random").getstate()),
        "locks": list(llvmlite.binding.ffi.lib._lock._cblist),
    }


def is_same(one, other):
    plain = isinstance(one, str | int | float | tuple | None)
    return one is other or (plain and type(one) is type(other) and one == other)


def use_parlour(folder):
    import parlour
    from parlour.baselines.arena import play_match
    from parlour.envs import load_game, trick_taking_v0
    from parlour.training import ppo

    env = trick_taking_v0.env(num_values=3)
    env.reset(seed=0)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
    for env in (
        gymnasium.make("parlour:TrickTaking-v0", num_values=3, opponents="smart"),
        gymnasium.make_vec("parlour:TrickTaking-v0", 4, num_values=3, opponents="random"),
        gymnasium.make_vec("parlour:TrickTaking-v0", 4, num_values=3, self_play=True),
    ):
        _, info = env.reset(seed=0)
        for _ in range(3):
            *_, info = env.step(info["action_mask"].argmax(axis=-1))
    game = load_game("trick_taking", num_values=3)
    (folder / "mine.py").write_text(
        "def choose(observations, action_masks, rngs):\\n    return action_masks.argmax(axis=1)\\n"
    )
    for player in ("smart", f"{folder}/mine.py:choose"):
        play_match(game, player, "random", 2)
    config = ppo.Config(
        total_steps=32, hidden=(8,), num_tables=8, batch_decisions=4, minibatch_size=32,
        num_threads=1,
    )
    assert list(ppo.Learner(game, config).run())
    play_at_the_table(folder)


def play_at_the_table(folder):
    from tests.table.serving import ME, open_table, player, seated, server

    with server(folder) as client:
        tokens = open_table(client, "trick_taking", [ME, player("random")])
        with seated(client, tokens[0]) as person:
            position = person.my_turn()
            person.act(position, position["legal"][0])
            person.my_turn()


from pathlib import Path

folder = Path(sys.argv[1])
use_libraries(folder)
watch(gc, "disable", "enable", "freeze", "set_threshold", "set_debug")
watch(llvmlite.binding.ffi, "register_lock_callback", "unregister_lock_callback")
watch(torch, "set_default_dtype", "set_num_interop_threads")
before, set_before = snapshot(), settings()
use_parlour(folder)
after, set_after = snapshot(), settings()
replaced = [".".join(key) for key in before if not is_same(before[key], after.get(key))]
were_set = [key for key in set_before if set_before[key] != set_after[key]]
print("\\n".join([*replaced, *calls, *were_set]))
'''


@pytest.mark.long
def test_no_other_library_is_changed_and_nothing_is_set_for_all(tmp_path: Path) -> None:
    assert run_python(SCRIPT, str(tmp_path)).split() == []
