"""Words that the page and the console have in common: who sits where, and how a game ended."""

import re
from collections.abc import Container, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..baselines.policies.file_names import CHECKPOINT_FILE
from ..envs.core.words import YOU, in_words

if TYPE_CHECKING:
    from .table.table import Occupant

ROLES = {  # what people call a player at the table, where its name is no plain word
    "first_legal": "Newcomer",
    "playout": "Experimenter",
    "mcts": "Analyst",
    "best": "Champion",
    "guided": "Grandmaster",
    "expert_iteration": "Apprentice",
    "mlp": "Student",
    "ppo": "Graduate",
    "dqn": "Scholar",
    "perfect": "Perfectionist",
    "best_response": "Exploiter",
    "always_pass": "Bystander",
    "aggressive": "Attacker",
    "x_aggressive": "Daredevil",
    "defensive": "Defender",
    "x_defensive": "Guardian",
    "hoarder": "Hoarder",
    "lowest": "Saver",
    "set_keeper": "Collector",
    "playout_exact": "Simulator",
    "greedy": "Buyer",
    "rander": "Guesser",
    "rand_maxer": "Gambler",
    "maxer": "Optimist",
    "meaner_max": "Statistician",
    "first_play": "Beginner",
    "high_low": "Duellist",
    "smart": "Tactician",
}
HOST = "Host"  # the person who opened a table without giving a name, to all others


def player_label(player: str) -> str:
    """Return what people call a player: "set_keeper" is "Set keeper", a file its name.

    "runs/demo/checkpoint.pt" is "demo": every run has a checkpoint of that name.
    """
    name, colon, settings = player.partition(":")
    if "." in name or "/" in name:
        path = PurePath(name)
        label = path.parent.name if path.name == CHECKPOINT_FILE else path.name
        label = label or name
    else:
        label = in_words(name)
    return f"{label} ({settings.replace('=', ' ')})" if colon else label


def seat_label(player: str) -> str:
    """Return the plain name of a player at a table: "Collector" is `set_keeper`."""
    name, label = player.partition(":")[0], player_label(player)
    return ROLES[name] + label.removeprefix(in_words(name)) if name in ROLES else label


def summary_label(summary: str, players: Container[str]) -> str:
    """Return a player's summary with the names of other players as people call them."""
    return re.sub(
        "`(.+?)`", lambda code: seat_label(code[1]) if code[1] in players else code[0], summary
    )


def seat_names(seats: "Sequence[Occupant]", own: int | None) -> list[str]:
    """Return the name of each seat as the seat `own` reads it, which is called "You"."""
    names = [seat_label(who.name) if who.player else who.name for who in seats]
    names = [HOST if name == YOU else name for name in names]
    if own is not None:
        names[own] = YOU
    return [
        f"{name} {names[: seat + 1].count(name)}" if names.count(name) > 1 else name
        for seat, name in enumerate(names)
    ]


def ending(names: Sequence[str], returns: Sequence[float], scores: Sequence[str]) -> str:
    """Return how a game ended: "You won 7 tricks to 3", "Ada won; you came 3rd of 4"."""
    winners = [name for name, value in zip(names, returns, strict=True) if value == max(returns)]
    if len(winners) == len(names):
        return f"A draw, {scores[0]} each" if scores[0] and len({*scores}) == 1 else "A draw"
    text = f"{' and '.join(winners)} won"
    if len(names) == 2:
        best = names.index(winners[0])
        return text + _margin(scores[best], scores[1 - best])
    if YOU in names and YOU not in winners:
        place = 1 + sum(value > returns[names.index(YOU)] for value in returns)
        text += f"; you came {place}{ {2: 'nd', 3: 'rd'}.get(place, 'th') } of {len(names)}"
    return text


def _margin(best: str, other: str) -> str:
    """Return " 7 tricks to 3" where both are a number and one noun."""
    pair = best.split(), other.split()
    if any(len(words) != 2 or not words[0].isdecimal() for words in pair):
        return ""
    return f" {best} to {pair[1][0]}"


def placed(
    names: Sequence[str], returns: Sequence[float], scores: Sequence[str]
) -> list[tuple[str, str]]:
    """Return each name with what its seat achieved, best first."""
    ranked = sorted(range(len(returns)), key=lambda seat: -returns[seat])
    return [(names[seat], scores[seat] or f"{returns[seat]:+.2g}") for seat in ranked]


def result_lines(
    who: Sequence[str], returns: Sequence[float], scores: Sequence[str], num_plies: int, seed: int
) -> list[str]:
    """Return who won, what all seats achieved, best first, and how to deal this deal again.

    `who` names the seats, in order.
    """
    return [
        f"The game is over after {num_plies} plies: {ending(who, returns, scores)}.",
        ", ".join(f"{name} {score}" for name, score in placed(who, returns, scores)),
        f"The same deal again: --seed {seed}",
    ]
