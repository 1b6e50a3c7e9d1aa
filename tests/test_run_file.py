"""Options of every command: `--config`, `--import`, `--quiet` and `--verbose`."""

import json
import logging
import sys
from pathlib import Path

import pytest

from parlour.scripts import output
from parlour.scripts.main import COMMANDS, main

pytestmark = pytest.mark.plain

MATCH = "match trick_taking random,high_low --set num_values=3 --json -"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Commands run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARLOUR_IMPORT", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def refusal(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as left:
        main(command.split())
    text = capsys.readouterr().err
    assert left.value.code == 2 and text.count("\n") == 1
    return text


@pytest.mark.parametrize(
    ("options", "line", "num_games"),
    [
        ("deals = 3", "", 6),
        ("deals = 3", "--deals 4", 8),  # the command line wins
        ("deals = 3\nworkers = 2\nquiet = true", "--verbose", 6),
        ("cluster = false\ndeals = 5\nseed = 7", "", 10),
    ],
)
def test_a_file_gives_options_and_the_command_line_wins(
    options: str, line: str, num_games: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run.toml").write_text(options)
    assert main(f"{MATCH} --config run.toml {line}".split()) == 0
    assert json.loads(capsys.readouterr().out)["num_games"] == num_games


def test_a_table_gives_settings_and_a_list_is_what_commas_separate(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run.toml").write_text(
        "against = ['random', 'playout:num_playouts=2', 'high_low']\ndeals = 2\n"
        "[set]\nnum_players = 3\nnum_values = 3\n"
    )
    command = ["evaluate", "trick_taking", "high_low", "--json", "-", "--config", "run.toml"]
    assert main(command) == 0
    results = json.loads(capsys.readouterr().out)
    assert [one["second"] for one in results] == ["random", "playout", "high_low"]
    assert [one["fair_share"] for one in results] == pytest.approx([1 / 3] * 3)


def test_a_sub_command_takes_a_file_and_its_card_names_what_was_in_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run.toml").write_text(
        "total_steps = 200\nnum-tables = 8\nbatch-size = 8\nbuffer-size = 200\nhidden = [8, 8]\n"
        "points = 1\ndeals = 2\nnum-threads = 1\nout = 'here'\n[set]\nnum_values = 3\n"
    )
    assert (
        main(["train", "dqn", "trick_taking", "--config", "run.toml", "--deals", "3", "--quiet"])
        == 0
    )
    assert capsys.readouterr().err == ""
    card = (folder / "here" / "checkpoint.md").read_text()
    assert "`parlour train dqn --total-steps=200 --num-tables=8" in card
    assert "--hidden=8,8" in card and "--set=num_values=3 trick_taking --deals 3`" in card


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("dels = 3", "run.toml: dels is no option of this command; did you mean 'deals'? a file"),
        ("help = true", "run.toml: help is no option of this command; a file may set"),
        ("game = 'notty'", "run.toml: game stands on the command line, not in a file"),
        ("deals = true", "run.toml: deals takes a value, not true"),
        ("cluster = 3", "run.toml: cluster is true or false, not 3"),
        ("quiet = 'no'", "run.toml: quiet is true or false, not 'no'"),
        (
            "deals = 0",
            "argument --deals: expected deals in 1 .. 100000000, not 0 (options of run.t",
        ),
        ("set = 3", "a setting must be written key=value; got '3'"),
        ("[set]\nnum_player = 2", "did you mean 'num_players'?"),
        ("deals = ", "run.toml is no TOML file: Invalid value"),
        ("import = ['nope']", "cannot import nope: ModuleNotFoundError"),
    ],
)
def test_a_file_that_is_wrong_gets_one_line(
    options: str, text: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run.toml").write_text(options)
    command = MATCH.replace("--set num_values=3", "--config run.toml")
    assert text in refusal(command, capsys)


def test_a_file_that_cannot_be_read_gets_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "latin.toml").write_bytes(b"\xff")
    for file, why in (
        ("no.toml", "cannot read no.toml: No such file"),
        (".", "cannot read .: Is a directory"),
        ("latin.toml", "latin.toml is no TOML file: 'utf-8'"),
    ):
        assert why in refusal(f"games --config {file}", capsys)


@pytest.mark.parametrize("command", ["", *COMMANDS, "train ppo"])
def test_help_explains_every_command_and_these_options(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main([*command.split(), "--help"])
    text = capsys.readouterr()
    assert left.value.code == 0 and not text.err
    shown = " ".join(text.out.split())
    assert "usage: parlour" in shown
    options = ("--config FILE.toml", "--import PACKAGE,...", "--quiet", "--verbose")
    assert all(f"{option} " in shown for option in (*options, "PARLOUR_IMPORT")) or not command
    if command in ("play", "watch", "evaluate", "match", "tournament", "train ppo"):
        assert "PLAYER:SETTING=VALUE,... as in mcts:num_simulations=100" in shown


def test_packages_are_imported_that_the_environment_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("first_of_these", "second_of_these", "third_of_these"):
        (folder / f"{name}.py").write_text(f"print({name!r})")
    monkeypatch.setenv("PARLOUR_IMPORT", "first_of_these, second_of_these.py")
    assert main(["games", "--import", "third_of_these,json", "--json", "games.json"]) == 0
    shown = capsys.readouterr().out.split()
    assert shown[:3] == ["first_of_these", "second_of_these", "third_of_these"]
    monkeypatch.setenv("PARLOUR_IMPORT", "json,nope")
    text = refusal("games", capsys)
    assert text.startswith("parlour games: PARLOUR_IMPORT: cannot import nope: ModuleNotFoundError")


@pytest.mark.parametrize(
    ("option", "shown"), [("", "a note"), ("--quiet", ""), ("--verbose", "a detail|a note")]
)
def test_diagnostics_go_to_stderr_as_far_as_they_are_asked_for(
    option: str,
    shown: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "notes.py").write_text(
        "import logging\n"
        "logger = logging.getLogger('parlour.test')\n"
        "logger.debug('a detail')\n"
        "logger.info('a note')\n"
    )
    monkeypatch.delitem(sys.modules, "notes", raising=False)
    assert main(["games", "--import", "notes", "--json", "-", *option.split()]) == 0
    text = [line for line in capsys.readouterr().err.split("\n") if line.startswith("a ")]
    assert "|".join(text) == shown
    logger = logging.getLogger("parlour")
    assert (logger.level, logger.handlers, logger.propagate) == (logging.NOTSET, [], True)


@pytest.mark.parametrize(("level", "is_off"), [(logging.ERROR, True), (logging.INFO, False)])
def test_a_progress_bar_is_off_where_its_logger_is(
    level: int, is_off: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in a terminal
    logger = logging.getLogger("parlour")
    logger.setLevel(level)
    try:
        assert output.progress_bar().disable == is_off
    finally:
        logger.setLevel(logging.NOTSET)
