"""Time control and isolation: a player's fault costs that player its game and nothing else."""

import dataclasses
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from parlour.baselines.arena.contest.time_control import (
    TimeControl,
    isolated,
    new_secret,
    play_game,
)
from parlour.baselines.arena.play.batches import Fault
from parlour.baselines.arena.play.match import play_match
from parlour.baselines.arena.play.playing import Plan
from parlour.envs import find_game, load_game
from parlour.scripts.main import main
from tests.arena.bad_players import DAWDLE
from tests.commands import refusal

pytestmark = pytest.mark.plain

BAD = Path(__file__).parent / "bad_players.py"
GAME = load_game("trick_taking", num_values=4)  # each seat acts four times a game
ACTIONS = 4
MEMORY_MIB = 1024
OUTPUT_KIB = 64


def bad(name: str) -> str:
    return f"{BAD}:{name}"


def control(seconds: float = 60.0, start_seconds: float = 60.0, warnings: int = 3) -> TimeControl:
    """The contest's with longer times: waiting is charged too, and the machine may be busy."""
    return TimeControl(
        seconds=seconds,
        forfeit_seconds=60.0,
        start_seconds=start_seconds,
        warnings=warnings,
        memory_mib=MEMORY_MIB,
        output_kib=OUTPUT_KIB,
    )


class Game(NamedTuple):
    """What a game came to."""

    returns: list[float]
    fault: Fault | None
    warnings: list[list[str]]  # of each seat


def games(name: str, logs: Path, limits: TimeControl, num_games: int = 2) -> list[Game]:
    """Games of this player of the bad file in seat 1, a good one in seat 0."""
    played = []
    with isolated(GAME, [bad("legal"), bad(name)], limits, logs) as players:
        for seed in range(num_games):
            returns, fault = play_game(GAME, players, seed)
            played.append(Game(returns.tolist(), fault, [player.warnings for player in players]))
    return played


FAULTS = {
    "crash": ("crash", r"status 1: .*no_such_field.*\(line \d+\)"),
    "play_words": ("crash", "play_words should choose one whole number"),
    "play_a_fraction": ("crash", "one whole number for each of 1 rows; it gave float64"),
    "play_a_numeral": ("crash", "one whole number for each of 1 rows; it gave <U"),
    "no_such_function": ("crash", "ValueError: name a function or class"),
    "play_illegally": ("warnings", "3 warnings: .*not legal.*not legal.*not legal"),
    "play_beyond_the_table": ("warnings", "no action of this game"),
}


def test_a_fault_costs_its_player_the_game_and_nothing_else(tmp_path: Path) -> None:
    """The red team has many more."""
    with isolated(GAME, [bad("legal"), *map(bad, FAULTS)], control(), tmp_path) as players:
        for player, (name, (kind, reason)) in zip(players[1:], FAULTS.items(), strict=True):
            returns, fault = play_game(GAME, [players[0], player], 0)
            assert fault is not None
            assert (fault.seat, fault.player, fault.kind) == (1, bad(name), kind)
            assert re.search(reason, fault.detail), fault.detail
            assert returns.tolist() == [1, -1]
            assert players[0].warnings == []


@pytest.mark.parametrize(
    ("warnings", "kind"),
    [pytest.param(ACTIONS, None, marks=pytest.mark.long), (ACTIONS - 1, "time")],
)
def test_slow_actions_are_warnings_of_which_the_last_forfeits(
    warnings: int, kind: str | None, tmp_path: Path
) -> None:
    """The first has the allowance of the start; each of the others is a warning and is played."""
    (game,) = games("dawdle", tmp_path, control(0.8 * DAWDLE, warnings=warnings), num_games=1)
    assert (game.fault and (game.fault.seat, game.fault.kind)) == (kind and (1, kind))
    assert len(game.warnings[1]) == warnings - 1
    assert all(re.match(r"took \d\.\d\d s", text) for text in game.warnings[1])


def test_a_player_that_is_never_ready_forfeits(tmp_path: Path) -> None:
    late = tmp_path / "late.py"
    late.write_text("import threading\nthreading.Event().wait()\n")
    with isolated(
        GAME, [f"{late}:choose", bad("legal")], control(start_seconds=0.1), tmp_path
    ) as players:
        returns, fault = play_game(GAME, players, 0)
    assert fault is not None
    assert (fault.seat, fault.kind, returns.tolist()) == (0, "start", [-1, 1])


def test_what_a_player_prints_is_in_its_log_and_nowhere_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / f"1-{_file_name('print_a_little')}.log").write_text("of an earlier run")
    two = games("print_a_little", tmp_path, control())
    assert [game.fault for game in two] == [None, None]
    silent, talking = (path.read_text() for path in sorted(tmp_path.glob("*.log")))
    assert silent == ""
    assert "earlier" not in talking
    assert talking.count("thinking aloud\n") == 2 * ACTIONS
    assert talking.count("and complaining\n") == 2 * ACTIONS
    assert capfd.readouterr() == ("", "")


@pytest.mark.long
def test_a_player_may_lie_in_the_folder_of_the_logs(tmp_path: Path) -> None:
    """Which is hidden from players otherwise."""
    own = tmp_path / "own.py"
    own.write_text(BAD.read_text())
    limits = dataclasses.replace(control(), logs=str(tmp_path))
    with isolated(GAME, [f"{own}:legal", bad("legal")], limits, tmp_path / "logs") as players:
        assert play_game(GAME, players, 0)[1] is None


def _file_name(name: str) -> str:
    return re.sub("[^a-zA-Z0-9_.]", "-", bad(name)).strip("-")[-80:]


def test_a_folder_that_cannot_have_logs_is_refused_before_play(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = refusal(f"match trick_taking random,first_play --contest logs={__file__}", capsys)
    assert line.startswith(f"parlour match: cannot write logs to {__file__}/")
    assert line.endswith("; logs must be a folder that can be written to")


def test_entrants_are_refused_by_their_own_process(tmp_path: Path) -> None:
    """What crashes or hangs is no refusal: it loses its games."""
    leaves = tmp_path / "leaves.py"
    leaves.write_text("import os\nos._exit(0)\n")
    limits = dataclasses.replace(control(), logs=str(tmp_path / "logs"))
    limits.check_players(GAME, [bad("legal"), f"{leaves}:choose"])
    with pytest.raises(ValueError, match=r"^name a function or class of"):
        limits.check_players(GAME, [bad("no_such_function")])


def test_a_secret_draws_deals_that_it_alone_can_tell(tmp_path: Path) -> None:
    one, other = (TimeControl(secret=new_secret()) for _ in range(2))
    assert one.deal_seed(0) == TimeControl(secret=one.secret).deal_seed(0)
    assert len({control.deal_seed(k) for control in (one, other) for k in range(100)}) == 200
    assert TimeControl().deal_seed(7) == 7
    assert one.as_data()["secret"] == one.secret


@pytest.mark.long
def test_a_file_that_leaves_at_import_costs_its_player_the_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leaves = tmp_path / "leaves.py"
    leaves.write_text("import os\nos._exit(0)\n")
    command = f"match trick_taking first_play,{leaves}:choose --set num_values=4 --deals 1"
    assert main([*command.split(), "--json", "-", "--contest", f"logs={tmp_path / 'logs'}"]) == 0
    text = capsys.readouterr()
    assert "first_play" in text.out
    (secret,) = re.findall(r"the deals were drawn from a secret; --contest secret=(\w+)", text.err)
    assert f'"secret": "{secret}"' in text.out  # published with the results


@pytest.mark.parametrize(
    ("name", "config", "players"),
    [
        pytest.param(
            *("president", {"num_players": 2}, ("lowest", "random")), marks=pytest.mark.long
        ),
        pytest.param(
            *("trick_taking", {"num_values": 5}, ("random", "playout:num_playouts=30")),
            marks=pytest.mark.long,
        ),
        ("trick_taking", {"num_values": 4}, (f"{BAD}:Remembers", "random")),
    ],
)
def test_without_a_fault_a_match_is_the_same_as_in_one_process(
    name: str, config: dict[str, int], players: tuple[str, str], tmp_path: Path
) -> None:
    game = find_game(name, **config)
    limits = TimeControl(seconds=60, forfeit_seconds=60, start_seconds=60, logs=str(tmp_path))
    plain, timed = (
        play_match(game, *players, num_deals=1, plan=Plan(control=how)) for how in (None, limits)
    )
    assert timed == plain


@pytest.mark.parametrize(
    "command",
    [
        "match trick_taking first_play,{player}",
        *(
            pytest.param(
                f"evaluate trick_taking first_play --against {{player}}{duplicate}",
                marks=pytest.mark.long,
            )
            for duplicate in ("", " --duplicate")
        ),
    ],
)
def test_a_contest_says_why_games_were_lost_and_where_the_logs_are(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    player = bad("crash")
    arguments = [*command.format(player=player).split(), "--deals", "2", "--set", "num_values=4"]
    assert main([*arguments, "--contest", f"logs={tmp_path}"]) == 0
    shown, said = capsys.readouterr()
    assert COPIES not in said
    assert "lost by a fault: first_play 0 games, crash 4" in shown or "evaluate" in command
    (line,) = (one for one in said.splitlines() if "by a fault" in one)
    assert line.startswith(f"{player} lost 4 games by a fault (crash): its process ended with ")
    assert line.endswith(f"; its logs are in {tmp_path / 'trick_taking'}")
    assert list((tmp_path / "trick_taking").rglob("1-*.log"))


def test_the_limits_must_make_sense() -> None:
    with pytest.raises(ValueError, match="seconds must be a number above 0; got 0"):
        TimeControl(seconds=0)
    with pytest.raises(ValueError, match="forfeit_seconds must be at least seconds"):
        TimeControl(seconds=5)
    with (
        pytest.raises(ValueError, match="given as text"),
        isolated(GAME, ["random", lambda *_: 0], TimeControl(), Path("unused")),
    ):
        raise AssertionError("a function cannot be sent to another process")


COPIES = "several seats have copies of one player"


@pytest.mark.long
def test_copies_of_a_player_at_one_table_are_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = "match trick_taking first_play,random --set num_players=3,num_values=2 --deals 1"
    assert main([*command.split(), "--contest", f"logs={tmp_path}"]) == 0
    assert COPIES in capsys.readouterr().err
