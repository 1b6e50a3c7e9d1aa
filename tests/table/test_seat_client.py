"""The example program takes seats at a server that listens, and plays games to their end."""

import ast
import subprocess
import sys
from pathlib import Path

from .serving import GUEST, link, listening_server, opened, player

CLIENT = Path(__file__).parents[2] / "docs/examples/seat_client.py"


def test_the_example_is_short() -> None:
    assert len(CLIENT.read_text(encoding="utf-8").splitlines()) <= 40


def test_two_programs_play_president_to_its_end(tmp_path: Path) -> None:
    seats = [GUEST, player("lowest"), GUEST, player("random")]
    with listening_server(tmp_path) as address:
        tokens = opened(address, *seats, game="president", settings={})
        programs = [started(link(address, tokens[seat])) for seat in (0, 2)]
        printed = [program.communicate(timeout=100)[0] for program in programs]
    results = [ast.literal_eval(text) for text in printed]
    assert results[0] == results[1]
    assert len(results[0]) == 4 and any(results[0])


def test_a_program_plays_a_long_game_as_fast_as_it_can(tmp_path: Path) -> None:
    long = {"game": "notty", "settings": {"turn_limit": 100}}
    with listening_server(tmp_path) as address:
        program = started(link(address, opened(address, GUEST, player("random"), **long)[0]))
        printed, problem = program.communicate(timeout=100)
    assert problem == "" and len(ast.literal_eval(printed)) == 2


def test_the_example_says_why_it_is_refused(tmp_path: Path) -> None:
    with listening_server(tmp_path) as address:
        refused = started(link(address, "guessed"))
        problem = refused.communicate(timeout=100)[1]
    assert refused.returncode != 0 and "no seat has this token" in problem


def started(link: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(CLIENT), link],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
