"""The written end of docs/studies/mutants.md, made from a session of Cosmic Ray."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "studies" / "mutants.md"
WRITTEN = "<!-- from here on written by make mutants -->\n"


def write_page(session: Path, commit: str) -> None:
    """Write what has become of the mutants that have been tried."""
    from cosmic_ray.work_db import WorkDB, use_db

    tried: Counter[str] = Counter()
    executed: Counter[str] = Counter()
    killed: Counter[str] = Counter()
    survivors = []
    with use_db(session, WorkDB.Mode.open) as work:
        planned = work.num_work_items
        for item, result in sorted(work.completed_work_items, key=_order):
            for layer in (_layer(item), "together"):
                tried[layer] += 1
                executed[layer] += bool(result.output)
                killed[layer] += result.is_killed
            if not result.is_killed:
                survivors.append(_survivor(item, result))
    text = [f"\n## The sample of commit {commit}\n\n"]
    text.append(f"Tried: {tried['together']} of {planned} mutants.\n\n")
    text.append("| code | mutants | executed by a quick test | killed | of all | of executed |\n")
    text.append("|" + "---|" * 6 + "\n")
    text += [
        f"| {layer} | {count} | {executed[layer]} | {killed[layer]} | {killed[layer] / count:.0%} "
        f"| {killed[layer] / max(executed[layer], 1):.0%} |\n"
        for layer, count in sorted(tried.items())
    ]
    head = PAGE.read_text().partition(WRITTEN)[0]
    PAGE.write_text("".join([head, WRITTEN, *text, "\n## Survivors\n", *survivors]))


def _order(entry: tuple[Any, Any]) -> tuple[str, Any]:
    return str(entry[0].mutations[0].module_path), entry[0].mutations[0].start_pos


def _layer(item: Any) -> str:
    """`envs/core`, or else `envs/<game>`, `baselines`, `training`."""
    parts = item.mutations[0].module_path.parts
    return parts[0] if parts[0] != "envs" else "envs/core" if parts[1] == "core" else "envs/<game>"


def _survivor(item: Any, result: Any) -> str:
    """The changed lines, and where they are."""
    (mutation,) = item.mutations
    lines = [line for line in result.diff.splitlines() if line[:1] in "+-"]
    changed = [line for line in lines if line[:3] not in ("+++", "---")]
    shown = "\n".join(f"  {line[0]} {line[1:].strip()}" for line in changed)
    where = f"`{mutation.module_path}`, `{mutation.definition_name or 'module'}`"
    where += "" if result.output else ": no quick test executes it"
    return f"\n* {where}\n\n  ```diff\n{shown}\n  ```\n"
