"""Audit the hidden-information games of OpenSpiel, PettingZoo and RLCard; write the page.

Run it where these libraries are installed: `python -m docs.studies.audit docs/studies/audit.json`,
with names after it to audit only these again.
A fault is published with what was found out by hand: `VERIFIED` says what it is and how to see it.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from parlour.envs.core.checks.subjects import audited

SECONDS = 5.0
LONGER = {"bridge": 15, "euchre": 15, "gin_rummy": 100, "gin-rummy": 8, "hearts": 15}
LONGER |= {"kriegspiel": 15, "mahjong": 12, "oh_hell": 15, "uno": 10}
GRACE = 400.0  # seconds that a busy machine and a slow position may take
ZOO = ("hanabi_v5", "leduc_holdem_v4", "rps_v2", "texas_holdem_no_limit_v6", "texas_holdem_v4")
RLCARD = (
    "blackjack", "bridge", "doudizhu", "gin-rummy", "leduc-holdem", "limit-holdem", "mahjong",
    "no-limit-holdem", "uno",
)  # fmt: skip
_MARK = "audit "
PAGE = Path(__file__).parents[1] / "pages" / "audit.md"
Record = list[dict[str, Any]]


class Verified(NamedTuple):
    """A finding that was looked at by hand."""

    what: str
    how: str  # Python that shows it


_AT = """\
import random
import pyspiel


def at(name, *actions):
    state = pyspiel.load_game(name).new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


"""

VERIFIED: Final[Mapping[tuple[str, str], Verified]] = {
    ("pyspiel:colored_trails", "redeal_hides"): Verified(
        "`resample_from_infostate` keeps the offer of the first proposer, which the second cannot "
        "see: it returns the true state every time.",
        _AT
        + """\
first, other = at("colored_trails", 8, 12835), at("colored_trails", 8, 12836)
assert first.information_state_string(1) == other.information_state_string(1)
redeals = [first.resample_from_infostate(1, random.random).history() for _ in range(300)]
assert redeals == [[8, 12835]] * 300
""",
    ),
    ("pyspiel:dou_dizhu", "actions"): Verified(
        "The observation leaves out the bids: a pass and a bid of 1 look the same to the next "
        "player, in the string and in the tensor, but the legal bids differ.",
        _AT
        + """\
deal = [48, 102, 53, 56, 95, 89, 85, 67, 82, 81, 80, 59, 73, 71, 91, 104, 101, 77]
deal += [72, 63, 52, 51, 76, 68, 70, 98, 83, 84, 62, 54, 69, 60, 86, 103, 92, 61, 97]
deal += [94, 90, 99, 88, 93, 65, 100, 96, 57, 78, 75, 66, 74, 64, 87]
passed, bid = at("dou_dizhu", *deal, 0), at("dou_dizhu", *deal, 1)
assert passed.observation_string(1) == bid.observation_string(1)
assert passed.observation_tensor(1) == bid.observation_tensor(1)
print(passed.legal_actions(), bid.legal_actions())  # [0, 1, 2, 3] [0, 2, 3]
""",
    ),
    ("pyspiel:euchre", "redeal_hides"): Verified(
        "`resample_from_infostate` keeps the card that the dealer has discarded face down.",
        _AT
        + """\
deal = [3, 22, 1, 2, 19, 16, 14, 7, 13, 12, 11, 4, 9, 8, 18, 23, 21, 10, 6, 3, 0, 5]
state = at("euchre", *deal, 24, 26, 10, 29)  # the dealer, player 3, discards 10
other = at("euchre", *deal, 24, 26, 16, 29)  # or 16
assert state.information_state_string(0) == other.information_state_string(0)
redeals = [state.resample_from_infostate(0, random.random) for _ in range(300)]
assert {redealt.history()[24] for redealt in redeals} == {10}
""",
    ),
    ("pyspiel:euchre", "views"): Verified(
        "No leak, but states that differ share a name: the information state string says "
        "`Pick up!` for each suit that may be named in the second round of bidding, so it leaves "
        "out which suit is trump; the tensor has it.",
        _AT
        + """\
deal = [2, 18, 17, 21, 6, 23, 11, 15, 14, 20, 4, 7, 13, 10, 16, 3, 22, 0, 12, 5, 1, 9]
spades, clubs = (at("euchre", *deal, 24, 24, 24, 24, suit, 30, 16) for suit in (28, 25))
assert spades.information_state_string(0) == clubs.information_state_string(0)
assert spades.information_state_tensor(0) != clubs.information_state_tensor(0)
""",
    ),
    ("pyspiel:gin_rummy", "redeal_hides"): Verified(
        "`resample_from_infostate` of the player who has knocked keeps the hand of the other, "
        "which is not laid open while cards are laid off (their pull request 1613).",
        _AT
        + """\
actions = [4, 49, 8, 38, 43, 37, 15, 18, 35, 50, 31, 26, 19, 20, 36, 21, 27, 32, 30, 1, 10]
state = at("gin_rummy", *actions, 52, 15, 52, 55, 36, 138, 147, 54)  # player 1 has knocked
redeals = [state.resample_from_infostate(1, random.random) for _ in range(300)]
assert {redealt.observation_string(0) for redealt in redeals} == {state.observation_string(0)}
""",
    ),
    ("pyspiel:kriegspiel", "views"): Verified(
        "The observation tensor has the number of moves since the last capture or move of a pawn "
        "(its sixth number, of the 50-move rule), so it says whether the opponent's hidden move "
        "was a pawn's; the string does not. `dark_chess` has the number in both.",
        _AT
        + """\
start = at("kriegspiel")
first = next(a for a in start.legal_actions() if start.action_to_string(a) == "e2e4")
pawn, knight = at("kriegspiel", first, 2425), at("kriegspiel", first, 656)  # e7e6, b8c6
assert pawn.observation_string(1) == knight.observation_string(1)
print(pawn.observation_tensor(1)[5], knight.observation_tensor(1)[5])  # 0.0 0.01
""",
    ),
    ("pyspiel:oh_hell", "redeal_hides"): Verified(
        "`resample_from_infostate` exchanges cards among the hands and never takes one that was "
        "not dealt: so it says which cards are in play.",
        _AT
        + """\
deal = [3, 2, 39, 13, 25, 23, 34, 42, 4, 1, 44, 21]  # players, tricks, then ten of 52 cards
state = at("oh_hell", *deal)
redeals = [state.resample_from_infostate(0, random.random) for _ in range(300)]
assert {frozenset(redealt.history()[2:]) for redealt in redeals} == {frozenset(deal[2:])}
""",
    ),
    ("rlcard:bridge", "views"): Verified(
        "`get_state(player_id)` shows every player the hand of the player to act. RLCard's own "
        "loop asks only for the player to act.",
        """\
import rlcard

env = rlcard.make("bridge", {"seed": 0})
env.reset()  # player 0 is to act
print([env.get_state(player)["obs"][:52].sum() for player in range(4)])  # 13 cards each time
""",
    ),
    ("rlcard:mahjong", "views"): Verified(
        "While a player may take the last discard, `get_state(player_id)` shows every player that "
        "player's hand. RLCard's own loop asks only for the player to act.",
        """\
import numpy as np
import rlcard

env = rlcard.make("mahjong", {"seed": 0})
state, player = env.reset()
while env.game.round.valid_act is False:
    state, player = env.step(min(state["legal_actions"]))
hands = [env.get_state(other)["obs"][0] for other in range(4)]
assert all(np.array_equal(hand, hands[player]) for hand in hands)
""",
    ),
    ("rlcard:no-limit-holdem", "episode"): Verified(
        "The second game of a seed has other cards than the first: the seat of the dealer, drawn "
        "in the first game, is kept for the next ones and not drawn again.",
        """\
import rlcard

env = rlcard.make("no-limit-holdem", {"seed": 0})
for _ in range(2):
    env.seed(0)
    state, player = env.reset()
    print(state["raw_obs"]["hand"])  # ['S7', 'SK'], then ['H2', 'HJ']
""",
    ),
}


def names() -> list[str]:
    """Return what is audited: of OpenSpiel all games that hide something and load by name."""
    import pyspiel

    hidden = pyspiel.GameType.Information.IMPERFECT_INFORMATION
    spiel = [
        kind.short_name
        for kind in pyspiel.registered_games()
        if kind.information == hidden and kind.default_loadable
    ]
    zoo = [f"pettingzoo.classic.{name}" for name in ZOO]
    return [f"pyspiel:{name}" for name in spiel] + zoo + [f"rlcard:{name}" for name in RLCARD]


def entry_of(name: str) -> dict[str, Any]:
    """Audit one game in a process of its own, which a fault of the library may end."""
    limit = LONGER.get(name.partition(":")[2], SECONDS)
    command = [sys.executable, "-m", "docs.studies.audit", "--one", name, str(limit)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit + GRACE)
    except subprocess.TimeoutExpired:
        return {"subject": name, "error": f"a single position takes more than {GRACE:g} seconds"}
    told = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if told:
        return json.loads(told[0].removeprefix(_MARK))
    last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    return {"subject": name, "error": last.partition(": ")[2] or last}


def one(name: str, seconds: float) -> None:
    """Audit a game and print what was found as JSON."""
    found = audited(name, 1000, 0, seconds)
    findings = [finding._asdict() for finding in found.findings]
    print(_MARK + json.dumps(found._asdict() | {"findings": findings}))


def page(record: Record) -> str:
    """Return the page of a record."""
    faulty = [entry for entry in record if published(entry)]
    sound = [e for e in record if "error" not in e and not published(e) and _pairs(e)]
    silent = [e for e in record if "error" in e or (not published(e) and not _pairs(e))]
    text = _INTRODUCTION.format(total=len(record), compared=len(faulty) + len(sound))
    rows = [
        (entry["subject"], entry["version"], fault.what, f"[{number}](#reproduction-{number})")
        for number, (entry, fault) in enumerate(_faults(faulty), start=1)
    ]
    text += _table(("game", "version", "finding", "reproduction"), rows)
    for number, (entry, fault) in enumerate(_faults(faulty), start=1):
        text += f"\n### Reproduction {number}\n\n`{entry['subject']}`:\n\n```py\n{fault.how}```\n"
    text += (
        "\n## No fault found\n\nRandom games of a few seconds; another minute may find more.\n\n"
    )
    heads = ("game", "version", "games", "pairs of positions", "re-deals")
    text += _table(heads, [_row(entry) for entry in sound])
    text += "\n## Not audited\n\nNothing could be compared in these.\n\n"
    return text + _table(("game", "why"), [(e["subject"], _why(e)) for e in silent])


def published(entry: Mapping[str, Any]) -> list[Verified]:
    """Return the findings of a game that were verified by hand."""
    checks = dict.fromkeys(finding["check"] for finding in entry.get("findings", ()))
    keys = ((entry["subject"], check) for check in checks)
    return [VERIFIED[key] for key in keys if key in VERIFIED]


def _faults(record: Record) -> Iterable[tuple[dict[str, Any], Verified]]:
    return ((entry, fault) for entry in record for fault in published(entry))


def _pairs(entry: Mapping[str, Any]) -> int:
    return sum(entry["counts"][check] for check in ("views", "redeal_knows"))


def _row(entry: Mapping[str, Any]) -> tuple[str, ...]:
    counts = entry["counts"]
    numbers = (entry["num_games"], counts["views"], counts["redeal_knows"])
    return (entry["subject"], entry["version"], *(f"{number:,}" for number in numbers))


def _why(entry: Mapping[str, Any]) -> str:
    return str(entry.get("error") or " ".join(entry["not_told"][:2]))


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(heads), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


_INTRODUCTION = """\
# What seats can learn in other libraries

<!-- Written by `python -m docs.studies.audit`. -->

`parlour check pyspiel:NAME`, `parlour check rlcard:NAME` and
`parlour check pettingzoo.classic.NAME_vN` audit games of other libraries for what a seat can learn
that it must not. Positions are compared that only hidden events tell apart:

* **re-deals** of the library's own (`resample_from_infostate`). They must change nothing that the
  seat is shown; and what they hide from it must change in some of them, where another position
  looks the same to it;
* **twins**: the same game with one event changed that the seat did not cause, where the seat's
  reference view (the information state string, else the observation string) is the same at all
  decisions; in RLCard, with the hidden cards shuffled. All other views and the legal actions must
  then be the same too.

So a fault of the reference view itself stays unseen, and where a library neither deals anew nor
explains its chance, the audit cannot tell. Also compared: a second episode of a seed with the
first, and, in OpenSpiel, the returns with what the game declares.

`parlour.check_game("pyspiel:NAME")` does the same in Python and raises `CheckError` at the first
fault.

Of {total} games, {compared} could be compared. Every fault below was looked at by hand before it
was published here.

## Faults

"""


def main(arguments: list[str]) -> None:
    """Audit one game; or all, or those named again, and write the record and the page."""
    if arguments[0] == "--one":
        one(arguments[1], float(arguments[2]))
        return
    file, again = Path(arguments[0]), arguments[1:]
    kept = {entry["subject"]: entry for entry in json.loads(file.read_text())} if again else {}
    for name in again or names():
        kept[name] = entry_of(name)
        print(name, kept[name].get("error") or len(kept[name]["findings"]), flush=True)
    file.write_text(json.dumps([*kept.values()], indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page([*kept.values()]), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
