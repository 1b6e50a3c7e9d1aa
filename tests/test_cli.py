"""The command line: each command once, small, and one clear line for every wrong argument."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numba.core.config import DISABLE_JIT

import parlour
from docs.site.speed import page, speed_table
from parlour.baselines import make_policy
from parlour.baselines.arena.contest import sandbox
from parlour.envs import GAMES, find_game
from parlour.envs.core.compile import rule
from parlour.envs.core.played.transcript import load, record, to_text, verify
from parlour.scripts import output
from parlour.scripts.bench import measure
from parlour.scripts.main import COMMANDS, ENDED_EARLY, INTERRUPTED, main
from parlour.scripts.options import player_names
from parlour.training.session import algorithms
from tests.commands import refusal, told
from tests.example_games import imported
from tests.processes import ended, run_python

pytestmark = pytest.mark.plain

GAME = "president"
FOUR_SEATS = "president"
HINTED = "notty"
SMALL_TRAINING = (
    f"train dqn {GAME} --set num_players=2 --total-steps 400 --num-tables 8 --batch-size 8 "
    "--buffer-size 200 --hidden 8 --points 1 --deals 2 --num-threads 1"
)

WRONG = {
    "nonsense": "nonsense",
    "evalute": "did you mean 'evaluate'?",
    "--quiet games": "unrecognized arguments: --quiet",
    "games --nonsense": "unrecognized arguments: --nonsense; see --help",
    "games --jsn -": "unrecognized arguments: --jsn -; did you mean '--json'? see --help",
    "watch presidnt": "did you mean 'president'? the games are",
    f"watch {GAME} --set num_player=2": "did you mean 'num_players'? its settings are",
    f"watch {GAME} --players lowst": "did you mean 'lowest'? it has best, ",
    f"watch {GAME} --players mcts:num_simulation=3": "did you mean 'num_simulations'? its",
    f"match {GAME} random,lowest --contest secnds=3": "did you mean 'seconds'? its settings are",
    f"train dqm {GAME}": "did you mean 'dqn'?",
    f"train dqn {GAME} --hiden 8": "did you mean '--hidden'?",
    "watch": "GAME",
    "watch whist": "unknown game 'whist'",
    "watch this:whist": "unknown game 'this:whist'",
    f"watch {GAME} --set name=red": "no setting 'name'; its settings are",
    f"watch {GAME} --set num_players": "key=value",
    f"watch {GAME} --set num_players=2,num_players=4": "set twice",
    f"watch {GAME} --players nobody": "no player 'nobody'",
    f"watch {GAME} --players random,random,random": "3 players",
    f"watch {GAME} --players mcts:depth=3": "mcts has no setting 'depth'; its settings are num_",
    f"watch {GAME} --seat 9": "seat must be in",
    f"watch {GAME} --seat x": "--seat: expected a whole number, not x",
    f"play {GAME} --port 70000": "--port: a port is a number in 0 .. 65535, not 70000",
    f"watch {GAME} --seed -1": "seed",
    f"watch {GAME} --plies 0": "--plies",
    "replay missing.txt --think -1": "--think: expected seconds",
    f"watch {FOUR_SEATS} --hints": f"at the console, only for {HINTED}; `parlour play` has",
    f"evaluate {GAME}": "PLAYER",
    f"evaluate {GAME} missing.pt": "missing.pt",
    f"evaluate {GAME} random,random": "one player",
    f"evaluate {GAME} random --deals 2 --seed {2**63 - 1}": "follow seed",
    f"evaluate {GAME} random --deals 1 --json /no/such/folder/file": "/no/such/folder/file",
    f"evaluate {GAME} random --workers 100000": "workers must be an integer in 1 .. ",
    f"evaluate {GAME} random --deals 1 --json /tmp": "--json: /tmp is a folder; name a file",
    f"evaluate {GAME} random --deals 1 --store /tmp": "/tmp is a folder; name a file for the store",
    "replay missing.txt --html /tmp": "--html: /tmp is a folder; name a file",
    "games --json /proc/none": "cannot write /proc/none: No such file or directory",
    f"record {GAME} --deals 1 --out /tmp": "/tmp is a folder that exists; name another place",
    "watch top_trumps --set deck=/bin/sh": "/bin/sh is no text in UTF-8",
    f"match {GAME} random,first_legal --until x": "--until",
    f"match {GAME} random,first_legal --adjust random": "--adjust takes two players",
    f"match {GAME} random,first_legal --adjust mcts,random": "mcts cannot stand in",
    f"match {GAME} random,first_legal --until 0": "until must be a number of Elo points above 0",
    f"match {GAME} random,first_legal --budget 9": "a budget of 10 .. 100000 games, not 9",
    f"match {GAME} random,first_legal --budget 20 --deals 9": "--deals: not allowed with argument",
    f"match {GAME} random,first_legal --budget 20 --until 9": "take --budget or --until",
    f"evaluate {GAME} random --budget 20 --duplicate": "take --budget or --duplicate",
    f"evaluate {GAME} random --budget 99 --seed {2**63 - 2000}": "3960 deals cannot follow seed",
    f"match {GAME} random,first_legal --seed {2**63 - 1} --deals 2": "at most 1 deals follow seed",
    f"match {GAME} random,first_legal --store /no/such/folder/file": "/no/such/folder/file",
    f"match {GAME} random,first_legal --deals {10**12}": f"deals in 1 .. {10**8}, not {10**12}",
    f"tournament {GAME} --players random": "needs at least 2 players",
    f"tournament {GAME} --players random,random": "entered twice",
    f"tournament {GAME} --players random,first_legal --form knockout": "--form",
    f"tournament {FOUR_SEATS} --scoring duplicate": "two seats",
    f"tournament {GAME} --players random,first_legal --deals 1 --out /proc/none": "/proc/none",
    "ratings": "STORE",
    "ratings /no/such/store": "no store",
    f"ratings {Path(__file__)}": "is not a store",
    "train": "ALGORITHM",
    f"train alchemy {GAME}": "alchemy",
    f"train dqn {GAME} --minutes soon": "--minutes",
    f"train dqn {GAME} --evaluate-against nobody": "nobody",
    f"train dqn {GAME} --seed -1": "seed must be",
    f"train dqn {GAME} --num-tables {10**12}": "num_tables must be an integer in 1 .. 1048576",
    f"bench --batch {10**12}": "expected tables in 1 .. 1048576",
    "bench --against nowhere.json": "--against nowhere.json: No such file",
    f"bench --against {__file__}": "not a file of `parlour bench --json`",
    "evaluate splendor random --exact": "not solved",
    "evaluate president random --exact": "2 players",
    "evaluate president random --duplicate": "two seats",
    "evaluate trick_taking random --set num_players=3 --exact": "two seats",
    "evaluate trick_taking random --deals all": "--exact",
    "evaluate trick_taking random --exact --duplicate": "not allowed",
}


def run(command: str) -> int:
    return main(command.split())


@pytest.mark.parametrize(("command", "named"), WRONG.items())
def test_a_wrong_argument_gets_one_clear_line_and_status_2(
    command: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert named in refusal(command, capsys)


FILES = {  # a user's file, what is asked of it, and what has to be named
    "syntax": ("x = 1\ndef choose(:\n", "choose", "SyntaxError"),
    "raises": ("x = 1\n1 / 0\n", "choose", "ZeroDivisionError: division by zero (line 2)"),
    "imports": ("import nowhere\n", "choose", "No module named 'nowhere'"),
    "empty": ("x = 1\n", "choose", "no function"),
    "other": ("def pick(o, m, r): ...\n", "choose", "has pick"),
    "unnamed": ("def pick(o, m, r): ...\n", "", "has pick"),
    "signature": ("def choose(o): ...\n", "choose", "TypeError"),
    "fails": ("def choose(o, m, r):\n    raise RuntimeError('mine')\n", "choose", "mine (line 2)"),
    "leaves": ("def choose(o, m, r):\n    raise SystemExit\n", "choose", "SystemExit (line 2)"),
    "stops": (
        "def choose(o, m, r):\n    raise BaseException('\\x1b[2J\\x07 mine')\n",
        "choose",
        ":choose failed: BaseException: \\x1b[2J\\x07 mine (line 2)",
    ),
    "stops_at_once": ("raise BaseException\n", "choose", "BaseException (line 1)"),
    "leaves_at_once": ("raise SystemExit(0)\n", "choose", "SystemExit: 0 (line 1)"),
    "illegal": ("def choose(o, m, r):\n    return 0 * m[:, 0] - 1\n", "choose", "not legal"),
    "text": ("def choose(o, m, r):\n    return ['pass'] * len(m)\n", "choose", "whole number"),
    "short": ("def choose(o, m, r):\n    return [0] * (len(m) + 1)\n", "choose", "rows"),
    "halves": ("def choose(o, m, r):\n    return m[:, 0] + 0.5\n", "choose", "whole number"),
    "nothing": ("def choose(o, m, r): ...\n", "choose", "whole number"),
}


WATCH, EVALUATE = "watch {game} --players {file}", "evaluate {game} {file} --deals 2"


@pytest.mark.parametrize(
    ("command", "kind"),
    [*((WATCH, kind) for kind in FILES), *((EVALUATE, kind) for kind in ("fails", "illegal"))],
)
def test_a_players_file_that_does_not_play_gets_one_clear_line(
    command: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, function, named = FILES[kind]
    file = tmp_path / f"{kind}.py"
    file.write_text(source)
    text = refusal(command.format(game=GAME, file=f"{file}:{function}"), capsys)
    assert named in text


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("seed 7", "seed -1", "a seed must be an integer in 0 .. 2**63 - 1, got -1"),
        ("deal null", "deal {}", "a deal is"),
        ("deal null", "deal " + "[" * 100_000, "the line of the deal cannot be read"),
        ("config {", 'config {"name": 1, ', "no setting 'name'; its settings are"),
        ("seat 0: ", "seat 0: un", "no action is called"),
        ("returns ", "returns 1", "the returns differ"),
    ],
)
def test_a_game_that_cannot_have_been_played_is_not_replayed(
    old: str, new: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = find_game(GAME, num_players=2)
    text = to_text(record(game, 7, policies=make_policy("lowest", game)))
    assert old in text
    file = tmp_path / "game.txt"
    file.write_text(text.replace(old, new))
    line = refusal(f"replay {file} --think 0 --html {tmp_path / 'game.html'}", capsys)
    assert named in line


def test_a_file_that_is_no_game_is_refused_with_those_that_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def mine(observations, action_masks, rngs):\n    ...\n")
    line = refusal(f"replay {file}", capsys)
    assert f"{file} is no game that was played: name a transcript (parlour watch GAME" in line


def test_players_that_the_learner_refuses_are_a_wrong_argument(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "nobody" in refusal(f"{SMALL_TRAINING} --out {tmp_path} --opponents nobody", capsys)


@pytest.mark.parametrize("learner", algorithms())
def test_the_help_of_a_learner_has_its_settings(
    learner: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(f"train {learner} --help")
    shown = " ".join(capsys.readouterr().out.split())
    if learner == "dqn":
        assert "--learning-rate X" in shown
        assert "games played side by side (default 1024)" in shown
    assert not re.findall(r"--[\w-]+(?: X)? \(default", shown)
    assert "(default )" not in shown


def test_alone_it_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr()
    assert all(f"  {command} " in shown.out for command in COMMANDS)
    assert not shown.err


def test_python_dash_m_is_the_same_command() -> None:
    assert ended("-m", "parlour", "--version").stdout == f"parlour {parlour.__version__}\n"


@pytest.mark.parametrize(
    ("error", "status", "why"),
    [
        (KeyboardInterrupt(), INTERRUPTED, "stopped"),
        (MemoryError("unable to allocate 7 TiB"), ENDED_EARLY, "out of memory: unable to allo"),
    ],
)
def test_a_command_that_stops_while_it_is_imported_says_why(
    error: BaseException,
    status: int,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr("parlour.scripts.main.importlib.import_module", failing)
    assert run("games") == status
    text = capsys.readouterr().err
    assert text.startswith(f"parlour games: {why}") and text.count("\n") == 1


@rule
def read_no_field(state):
    return state.nothing


@pytest.mark.compiled
@pytest.mark.skipif(bool(DISABLE_JIT), reason="nothing is compiled")
def test_a_rule_that_cannot_be_compiled_gets_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KeyError) as caught:
        read_no_field(np.zeros(1, np.dtype((np.record, [("seat", np.int8)])))[0])

    def failing(*_: object) -> None:
        raise caught.value  # Numba imports modules as it compiles

    monkeypatch.setattr("parlour.scripts.main.importlib.import_module", failing)
    assert run("games") == ENDED_EARLY
    text = capsys.readouterr().err
    assert text.startswith("parlour games: a rule cannot be compiled: KeyError: 'nothing'; ")
    assert text.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
@pytest.mark.parametrize("command", ["", "games --help", "games --json -"])
def test_output_that_cannot_be_written_gets_one_line(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = " ".join(["parlour", *command.split()[:1]])
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert run(command) == ENDED_EARLY
    assert capsys.readouterr().err == f"{program}: cannot write: No space left on device\n"
    monkeypatch.setattr(sys, "stdout", None)
    assert run(command) == ENDED_EARLY
    assert capsys.readouterr().err == f"{program}: cannot write: stdout is closed\n"


def test_a_person_with_a_closed_input_has_left_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (f"watch {GAME} --players human", f"play {GAME} --text"):
        monkeypatch.setattr(sys, "stdin", None)
        assert run(command) == ENDED_EARLY
        assert capsys.readouterr().err.endswith(": the input ended before the game did\n")


NARROW = 60  # columns


@pytest.mark.parametrize(
    "command",
    [
        "",
        "games",
        f"match {GAME} random,first_legal --deals 2",
        f"evaluate {GAME} random --against first_legal --deals 2",
        f"tournament {GAME} --players random,first_legal,lowest --deals 2",
    ],
)
def test_tables_fit_a_narrow_window(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(NARROW))
    lines = told(command, capsys).splitlines()
    assert not [line for line in lines if len(line) > NARROW]
    assert not [line for line in lines if "…" in line]  # where a cell was cut
    assert not [line for line in lines if line.rstrip().endswith("[")]  # an interval that was


def test_a_table_too_wide_becomes_a_block_for_each_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [["a", "0.12 [0.01, 0.23]", 1234], ["b", "", 5]]
    for columns, lines in (
        (40, ["player mean number", "a 0.12 [0.01, 0.23] 1,234", "b 5"]),
        (30, ["a", "mean 0.12 [0.01, 0.23]", "number 1,234", "b", "number 5"]),
    ):
        monkeypatch.setenv("COLUMNS", str(columns))
        output.print_table(["player", "mean", "number"], rows)
        shown = capsys.readouterr().out.splitlines()
        assert [" ".join(line.split()) for line in shown] == lines


def test_contest_time_is_refused_at_once_where_it_does_not_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for system in ("win32", "darwin"):
        monkeypatch.setattr(sandbox, "sys", SimpleNamespace(platform=system))
        for method in ("", "sandbox=none"):
            text = refusal(f"match {GAME} random,first_legal --contest {method}", capsys)
            assert f"contest time needs Linux; this system is {system}" in text


@pytest.mark.long
def test_the_commands_start_without_what_only_unix_has() -> None:
    """As on Windows: what other libraries import there is imported before."""
    source = (
        "import os, sys\n"
        "import joblib.externals.loky, numba, pandas, pettingzoo, stable_baselines3, torch\n"
        "for name in ('fcntl', 'grp', 'pwd', 'resource', 'termios', 'tty'):\n"
        "    sys.modules[name] = None\n"
        "for name in ('fork', 'setsid', 'killpg', 'pidfd_open', 'O_PATH'):\n"
        "    delattr(os, name)\n"
        "from parlour.scripts.main import main\n"
        "main(['games'])\n"
    )
    run_python(source)


def test_games_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    shown = told("games", capsys)
    assert all(name in shown and env_id in shown for name, env_id in GAMES.items())
    assert shown.count("players   human ") == len(GAMES)
    assert "deck      planets" in shown
    listed = json.loads(told("games --json -", capsys))
    assert [game["game"] for game in listed] == list(GAMES)


def test_a_watched_game_is_the_game_of_its_seed(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for seed in (5, 5, 6):
        shown.append(told(f"watch {GAME} --seed {seed}", capsys))
    assert shown[0] == shown[1] != shown[2]
    over, scores, again = shown[0].splitlines()[-3:]
    assert over.startswith("The game is over after ") and scores.count("player ") == 4
    assert again == "The same deal again: --seed 5"


def test_a_watched_game_is_kept_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, page = tmp_path / "game.txt", tmp_path / "game.html"
    watch = f"watch {GAME} --players lowest --seed 3 --transcript {file}"
    num_plies = told(watch, capsys).count("(lowest): ")
    played = load(file)
    verify(played)
    assert len(played.plies) == num_plies and any(played.returns)
    assert f"{num_plies} plies" in told(f"replay {file} --think 0 --html {page}", capsys)
    before = file.read_bytes()
    assert "exists; name another file" in refusal(watch, capsys)
    assert "not with --browser" in refusal(f"{watch} --browser", capsys)
    assert file.read_bytes() == before


def test_hints_come_before_each_ply_of_the_seat_that_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for seat, hinted in (("", {0, 1}), ("--seat 0", {0}), ("--seat 1", {1})):
        plies = told(f"watch {HINTED} --hints --plies 12 {seat}", capsys).split("\n\n")[:-1]
        for ply in plies:
            *position, last = ply.splitlines()
            actor = int(last.split()[2])
            shown = [line for line in position if line.startswith("hints for player")]
            expected = [f"hints for player {actor}: best discard nothing"]
            assert shown == (expected if actor in hinted else [])
        assert len(plies) == 12
    assert "hints" not in told(f"watch {HINTED} --plies 4", capsys)


def test_a_person_sees_hints_before_being_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = []

    def answer(prompt: str) -> str:
        before.append(capsys.readouterr().out)
        return "pass"

    monkeypatch.setattr("builtins.input", answer)
    assert run(f"watch {HINTED} --players human,always_pass --seat 0 --hints --plies 3") == 0
    assert len(before) == 2
    assert all(shown.count("hints for player 0") == 1 for shown in before)


def test_evaluate_gives_a_table_and_the_same_figures_as_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "result.json"
    command = f"evaluate {GAME} first_legal --against random,first_legal --deals 4 --seed 2"
    shown = told(f"{command} --json {file}", capsys)
    results = json.loads(file.read_text())
    assert [result["second"] for result in results] == ["random", "first_legal"]
    assert all(result["num_deals"] == 4 for result in results)
    assert f"{100 * results[0]['first_places'][0]:.1f} [" in shown


def test_a_match_of_two_gives_its_result_and_the_same_as_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "result.json"
    command = f"match {GAME} random,first_legal --deals 6 --until 400"
    shown = told(f"{command} --json {file}", capsys)
    result = json.loads(file.read_text())
    assert (result["first"], result["second"]) == ("random", "first_legal")
    assert result["verdict"]["decision"] in shown
    assert f"mean return  {result['mean_return'][0]:+.3f}" in shown


@pytest.mark.compiled
def test_few_games_are_measured_by_match_and_by_evaluate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = "--budget 12 --json -"
    result = json.loads(told(f"match trick_taking first_legal,random {options}", capsys))
    assert (result["num_deals"], result["sample"]["pool"]) == (12, 480)
    assert json.loads(told(f"evaluate trick_taking first_legal {options}", capsys)) == [result]


def test_a_tournament_is_kept_and_rated_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, out = tmp_path / "store.db", tmp_path / "out"
    command = f"tournament {GAME} --players random,first_legal --deals 5 --store {store}"
    shown = told(f"{command} --out {out}", capsys)
    assert "first_legal" in shown and "Score of the row against the column" in shown
    assert (out / "summary.md").is_file()
    tables = []
    for again in (f"{command} --json -", f"ratings {store} --json -"):
        tables.append(json.loads(told(again, capsys)))
    assert tables[1] == [tables[0]] == [json.loads((out / "results.json").read_text())]
    assert run(f"ratings {store} --out {tmp_path}") == 0
    assert (tmp_path / GAME / "results.json").read_bytes() == (out / "results.json").read_bytes()


def test_train_leaves_a_checkpoint_that_evaluate_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as terminal:
        terminal.setenv("FORCE_COLOR", "1")  # as in a terminal
        assert run(f"{SMALL_TRAINING} --out {tmp_path}") == 0
    assert {"checkpoint.pt", "checkpoint.md", "curve.csv"} <= {p.name for p in tmp_path.iterdir()}
    assert f"`parlour {SMALL_TRAINING}" in (tmp_path / "checkpoint.md").read_text()
    shown = capsys.readouterr()
    assert "against" in shown.out
    assert "compiling, once" in shown.err.partition("%")[0]
    file = tmp_path / "checkpoint.pt"
    evaluate = f"evaluate {GAME} {file} --set num_players=2 --deals 2 --json -"
    assert run(evaluate) == 0
    again = f"{SMALL_TRAINING} --out {tmp_path} --resume --seed 5"
    with pytest.raises(SystemExit):
        run(again)
    refused = " ".join(capsys.readouterr().err.split())
    assert "the run so far had other settings: seed 0, now 5" in refused
    assert f"its command: parlour {SMALL_TRAINING}" in refused and "is complete" in refused


def test_bench_takes_a_script_or_where_a_game_has_none_random_play() -> None:
    assert measure.compiled_rival(find_game(GAME)) == "set_keeper"
    with imported("kuhn") as (kuhn,):
        assert measure.compiled_rival(kuhn.game()) == "random"


@pytest.mark.long
def test_bench_measures_every_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of one player count."""
    monkeypatch.setattr(measure, "games_by_seats", lambda name: [find_game(name)])
    file = tmp_path / "record.json"
    earlier = tmp_path / "earlier.json"
    seats = str(find_game(GAME).num_seats)
    rates = {"plies_per_cpu_second": {"playouts": {seats: 1e-3}}}
    earlier.write_text(json.dumps({"games": {GAME: rates}}))
    command = f"bench {GAME} --quick --batch 16 --json {file} --against {earlier}"
    shown = told(command, capsys)
    assert shown.count("of before)") == 1
    assert all(name in shown for name in measure.FIGURE_LABELS.values())
    assert "own plies, set_keeper" in shown
    record = json.loads(file.read_text())
    missing = {"library": "RLCard", "what": "doudizhu", "missing": "no wheel"}
    with_others = page({**record, "peers": [missing]})
    assert speed_table(record) in with_others
    assert "Not measured: RLCard, doudizhu: no wheel" in with_others


def test_warm_plays_a_first_game_in_each_view(capsys: pytest.CaptureFixture[str]) -> None:
    assert f"{GAME} is compiled" in told(f"warm {GAME}", capsys)
    assert "unknown game 'chess'" in refusal("warm chess", capsys)


def test_settings_of_a_player_may_hold_commas() -> None:
    assert player_names("a,b:x=1,y=2, c") == ("a", "b:x=1,y=2", "c")
