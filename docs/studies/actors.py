"""How fast actors on a Ray cluster feed a learner, and what that costs.

    python -m docs.studies.actors    writes docs/studies/actors.json and .md

One process, then two actors on a cluster of this machine, learn Splendor by expert iteration. From
the time and the bytes of a decision follows, on paper, what more actors would do.
"""

import time
from typing import Any

import numpy as np

from parlour.baselines.arena.results.export import markdown_table
from parlour.envs import load_game
from parlour.scripts.bench.measure import machine
from parlour.training import actors, expert_iteration
from parlour.training.expert_iteration import ANY_CLUSTER, Config, Learner, player_of, unpacked

from .recorded import STUDIES, code_digest, write_record

RECORD = STUDIES / "actors.json"
MODULES = (actors, expert_iteration)
GAME = load_game("splendor", num_players=2)
ONE: dict[str, Any] = {"num_threads": 1, "num_actors": 2, "num_tables": 256}
BATCHES = 24
PAPER = (2, 16, 256)  # actors
LINK = 125e6  # bytes a second, of a network with a gigabit a second


def learning(**settings: Any) -> dict[str, float]:
    """Return the decisions a second of a run, by the clock and by processor time."""
    steps = BATCHES * ONE["num_tables"] * Config().batch_decisions
    learner = Learner(GAME, Config(total_steps=steps, **ONE, **settings))
    for _ in learner.run():
        pass
    progress = learner.progress
    return {
        "by_the_clock": progress.decisions / progress.seconds,
        "by_processor": progress.decisions / progress.cpu_seconds,
    }


def costs() -> dict[str, float]:
    """Return the processor seconds of a decision for an actor and for the learner, and bytes."""
    config = Config(**ONE)
    learner = Learner(GAME, config)
    play, weights = player_of(GAME, config, 1), learner.average.record(learner.game)
    random, num_actions = np.random.default_rng(0), learner.game.num_actions
    start = time.process_time()
    lessons = [play(weights) for _ in range(4)]
    acting, start = time.process_time() - start, time.process_time()
    for lesson in lessons:
        learner._learn(unpacked(lesson, num_actions), random)
    learned = time.process_time() - start
    count = sum(len(lesson.actions) for lesson in lessons)
    return {
        "acting": acting / count,
        "learning": learned / count,
        "bytes": sum(column.nbytes for lesson in lessons for column in lesson) / count,
        "unpacked": sum(c.nbytes for c in unpacked(lessons[0], num_actions))
        / len(lessons[0].actions),
        "weights": weights.nbytes,
        "batch": len(lessons[0].actions),
    }


def on_paper(each: dict[str, float], num_actors: int) -> dict[str, float]:
    """Return what so many actors would ask of the learner and of its network."""
    rate = num_actors / each["acting"]
    return {
        "actors": num_actors,
        "decisions": rate,
        "learner": rate * each["learning"],  # processors that learning alone would need
        "link": rate * (each["bytes"] + each["weights"] / each["batch"]) / LINK,
    }


def page(record: dict[str, Any]) -> str:
    """The record in Markdown."""
    each = record["costs"]
    runs = [
        [name, *(f"{record[key][by]:,.0f}" for by in ("by_the_clock", "by_processor"))]
        for key, name in (("one", "one process, one thread that searches"), ("two", "two actors"))
    ]
    paper = [
        [
            f"{one['actors']}",
            f"{one['decisions']:,.0f}",
            f"{one['learner']:.2f}",
            f"{100 * one['link']:.1f}",
        ]
        for one in (on_paper(each, count) for count in PAPER)
    ]
    most = each["acting"] / each["learning"]
    linked = 1 / on_paper(each, 1)["link"]
    one, two, cores = record["one"], record["two"], record["machine"]["cores"]
    lines = [
        "# Actors on a cluster",
        "",
        "Written by `python -m docs.studies.actors`; do not edit. Expert iteration at Splendor "
        "with two seats, a network of 128-128 and 32 simulations a search. "
        + "{processor}, {cores} cores, measured beside other work.".format(**record["machine"]),
        "",
        *markdown_table(
            ("", "decisions a second by the clock", "a second of processor time"), runs
        ),
        "",
        f"By the clock two actors make {two['by_the_clock'] / one['by_the_clock']:.2f} times the "
        "decisions. One process learns while it searches, so it uses "
        f"{one['by_the_clock'] / one['by_processor']:.2f} cores; on {cores} cores the "
        "actors and the learner together can reach at most "
        f"{cores * two['by_processor'] / one['by_the_clock']:.2f} times.",
        "",
        f"A decision takes an actor {1e6 * each['acting']:.0f} microseconds and the learner "
        f"{1e6 * each['learning']:.0f}. It is {each['bytes']:.0f} bytes on the wire, "
        f"{each['unpacked']:.0f} before illegal actions are left out; the weights that an actor "
        f"gets for each batch of {each['batch']:,.0f} are {each['weights']:,.0f} bytes.",
        "",
        "On paper, with a processor for each actor and a network of a gigabit a second at the "
        "learner:",
        "",
        *markdown_table(
            ("actors", "decisions a second", "processors that learning needs", "of the network, %"),
            paper,
        ),
        "",
        f"One processor learns from the decisions of {most:.0f} actors; the network carries those "
        f"of {linked:.0f}, and most of that are weights. With more, actors wait. More simulations "
        "for each decision and longer batches help with both, fewer epochs or a GPU with the "
        "first.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write the record."""
    record = {"machine": machine(), "code": code_digest(MODULES), "costs": costs()}
    record |= {"one": learning(), "two": learning(cluster=ANY_CLUSTER)}
    write_record(RECORD, record, page(record))
    print(page(record))


if __name__ == "__main__":
    main()
