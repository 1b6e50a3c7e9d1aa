"""Audit the hidden-information games of OpenSpiel, PettingZoo and RLCard; write the page.

Run it where these libraries and `integrations/other_libraries` are installed:
`python -m docs.studies.audit docs/studies/audit.json`, with names after it to audit only these.
A fault is published with what was found out by hand: `audit_page.toml` says what it is and how to
see it.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parlour.baselines.arena.results.export import markdown_table

SECONDS = 5.0
LONGER = {"bridge": 15, "euchre": 15, "gin_rummy": 100, "gin-rummy": 8, "hearts": 15}
LONGER |= {"kriegspiel": 15, "mahjong": 12, "oh_hell": 15, "uno": 10}
GRACE = 400.0  # seconds that a busy machine and a slow position may take
ZOO = ("hanabi_v5", "leduc_holdem_v4", "rps_v2", "texas_holdem_no_limit_v6", "texas_holdem_v4")
RLCARD = (
    "blackjack", "bridge", "doudizhu", "gin-rummy", "leduc-holdem", "limit-holdem", "mahjong",
    "no-limit-holdem", "uno",
)  # fmt: skip
_COMPARED = ("views", "redeal_knows")  # checks of pairs of positions
_MARK = "audit "
PAGE = Path(__file__).parents[1] / "pages" / "audit.md"
TEXT = tomllib.loads(Path(__file__).with_name("audit_page.toml").read_text(encoding="utf-8"))
VERIFIED = {(fault["subject"], fault["check"]): fault for fault in TEXT["faults"]}
Entry = dict[str, Any]  # what an audit found in a game, or the error that ended it


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


def entry_of(name: str) -> Entry:
    """Audit one game in a process of its own, which a fault of the library may end."""
    limit = LONGER.get(name.partition(":")[2], SECONDS)
    command = [sys.executable, "-m", "docs.studies.audit", "--one", name, str(limit)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit + GRACE)
    except subprocess.TimeoutExpired:
        return {"subject": name, "error": f"a single position takes more than {GRACE:g} seconds"}
    marked = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if marked:
        return json.loads(marked[0].removeprefix(_MARK))
    last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    return {"subject": name, "error": last.partition(": ")[2] or last}


def one(name: str, seconds: float) -> None:
    """Audit a game and print what was found as JSON."""
    from parlour_audit import audited

    report = audited(name, 1000, 0, seconds)
    findings = [finding._asdict() for finding in report.findings]
    print(_MARK + json.dumps(report._asdict() | {"findings": findings}))


def page(record: list[Entry]) -> str:
    """Return the page of a record."""
    sound = [entry for entry in record if not published(entry) and _pairs(entry)]
    silent = [entry for entry in record if not published(entry) and not _pairs(entry)]
    faults = [(entry, fault) for entry in record for fault in published(entry)]
    rows = [
        (entry["subject"], entry["version"], _what(fault), f"[{number}](#reproduction-{number})")
        for number, (entry, fault) in enumerate(faults, start=1)
    ]
    versions = {
        each for entry in record if "version" in entry for each in entry["version"].split(" on ")
    }
    lines = [
        TEXT["introduction"].format(
            versions=", ".join(sorted(versions)),
            total=len(record),
            compared=len(record) - len(silent),
        ),
        *markdown_table(("game", "version", "finding", "reproduction"), rows),
        "",
    ]
    for number, (entry, fault) in enumerate(faults, start=1):
        lines += [f"### Reproduction {number}", "", f"`{entry['subject']}`:", ""]
        lines += ["```py", f"{_program(fault)}```", ""]
    lines += ["## No fault found", ""]
    lines += ["Random games of a few seconds; another minute may find more.", ""]
    heads = ("game", "version", "games", "pairs of positions", "re-deals")
    lines += [*markdown_table(heads, [_row(entry) for entry in sound]), ""]
    lines += ["## Not audited", "", "Nothing could be compared in these.", ""]
    lines += markdown_table(("game", "why"), [(entry["subject"], _why(entry)) for entry in silent])
    return "\n".join(lines) + "\n"


def published(entry: Entry) -> list[dict[str, str]]:
    """Return the findings of a game that were verified by hand."""
    checks = dict.fromkeys(finding["check"] for finding in entry.get("findings", ()))
    keys = [(entry["subject"], check) for check in checks]
    return [VERIFIED[key] for key in keys if key in VERIFIED]


def _what(fault: Mapping[str, str]) -> str:
    return " ".join(fault["what"].split())


def _program(fault: Mapping[str, str]) -> str:
    start = TEXT["start"] if fault["subject"].startswith("pyspiel:") else ""
    return f"{start}{fault['how']}"


def _pairs(entry: Entry) -> int:
    return sum(entry["counts"][check] for check in _COMPARED) if "counts" in entry else 0


def _row(entry: Entry) -> tuple[str, ...]:
    numbers = [entry["num_games"], *(entry["counts"][check] for check in _COMPARED)]
    return (entry["subject"], entry["version"], *(f"{number:,}" for number in numbers))


def _why(entry: Entry) -> str:
    return str(entry.get("error") or " ".join(entry["not_told"][:2]))


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
