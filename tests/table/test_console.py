"""`parlour play GAME --text`: answers, help, undo, and screens that fit 80 x 24 in every game."""

import io
import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.players import human
from parlour.envs import GAMES, find_game
from parlour.envs.core.catalogue import games_by_seats
from parlour.scripts.console import play as console
from parlour.scripts.main import main
from parlour.scripts.table.catalogue import chosen_settings
from parlour.scripts.table.table import HERE, PLAYER, GameTable, Occupant, Setup

from ..searching import after_plies

pytestmark = pytest.mark.plain


def _tables() -> list[tuple[str, dict[str, Any]]]:
    """Every game with each number of seats, as a person gets it, and with exchanges of cards."""
    games: dict[Any, tuple[str, dict[str, Any]]] = {}
    for name in GAMES:
        games[find_game(name, **chosen_settings(name, {})).config] = name, chosen_settings(name, {})
        for game in games_by_seats(name):
            config = game.config_dict()
            settings = {key: config[key] for key in ("num_players",) if key in config}
            games.setdefault(game.config, (name, settings))
    return [*games.values(), ("president", {"num_games": 2, "economy": "swap_two"})]


TABLES = _tables()
NUM_SCREENS = 5


def table_of(name: str, seed: int = 1, **settings: object) -> GameTable:
    game = find_game(name, **settings)
    others = [Occupant(PLAYER, "random", "random")] * (game.num_seats - 1)
    return GameTable(Setup(name, settings, (Occupant(HERE, "you"), *others), seed))


def answers(*lines: str) -> human.Ask:
    left: Iterator[str] = iter(lines)

    def ask(prompt: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return ask


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")


@pytest.mark.parametrize(("name", "settings"), TABLES)
def test_every_position_fits_one_screen_of_80_by_24(
    name: str, settings: dict[str, int], screen: None
) -> None:
    """Of whole random games; the prompt is one of the lines."""
    chooser, num_positions = random.Random(0), 0
    seats = (Occupant(HERE, "somebody"),) * find_game(name, **settings).num_seats
    while num_positions < 60:
        table = GameTable(Setup(name, settings, seats, chooser.randrange(1 << 32)))
        while not table.is_over and num_positions < 60:
            (lines,) = human.screens(table.game, table.state, table.seat_to_act, table.legal)
            assert 1 + len(lines) <= 24 and max(map(len, lines)) <= 80
            num_positions += 1
            table.act(chooser.choice(table.legal))
            table.plies.clear()  # they keep positions


def test_what_is_printed_between_two_answers_fits_one_screen(
    screen: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The moves of the others are above the board; a board with many moves takes two screens."""
    lengths, chooser = [], random.Random(4)

    def ask(prompt: str) -> str:
        lengths.append(len(capsys.readouterr().out.splitlines()) + 1)
        if len(lengths) == NUM_SCREENS:
            raise EOFError
        if prompt != human.PROMPT:
            return ""
        return str(chooser.randrange(1, 1 + len(table.legal)))

    table = table_of("splendor", 2, num_players=4)
    with pytest.raises(human.EndOfInput):
        console.play_at_console(table, 0, ask)
    assert max(lengths) <= 24


def test_a_game_at_the_console_ends_with_its_result_in_three_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    console.play_at_console(table_of("trick_taking", num_values=5), 0, answers(*["1"] * 5))
    ended, scores, again = capsys.readouterr().out.splitlines()[-3:]
    assert ended.startswith("The game is over after 10 plies: ")
    assert "You " in scores and "Random " in scores and " tricks" in ended
    assert again == "The same deal again: --seed 1"


def test_moves_are_named_by_number_and_by_beginning() -> None:
    table = table_of("splendor")
    names = [table.game.action_name(action) for action in table.legal]
    place = names.index("collect:black+red+green")
    for answer, name in (
        (str(place + 1), names[place]),
        ("Collect:BLACK+red+Green", names[place]),
        ("reserve:1.0", "reserve:1.0"),
        ("collect:white*", "collect:white*2"),
    ):
        chosen = human.chosen(table.game, table.legal, answer)
        assert chosen == table.legal[names.index(name)]
    for answer, said in (("reserve", "could be"), ("0", "no legal move"), ("", "no legal move")):
        with pytest.raises(ValueError, match=said):
            human.chosen(table.game, table.legal, answer)


def test_hints_at_the_console_say_where_they_come_from() -> None:
    for name, settings, source in (
        ("trick_taking", {"num_values": 5}, "exact"),
        ("notty", {}, "estimated by finisher"),
    ):
        table = table_of(name, **settings)
        said, *values = console.value_lines(table)
        text = " ".join(values).replace("Random", "player 1")
        assert source in said
        for action in table.legal:
            assert f"{table.game.label_action(table.state, action)}: " in text


def test_undo_history_and_help_at_the_console(capsys: pytest.CaptureFixture[str]) -> None:
    table = table_of("trick_taking", num_values=5)
    console.play_at_console(table, 0, answers("2", "HISTORY", "undo", "undo", "?", "quit"))
    out = capsys.readouterr().out
    assert "   1  You: " in out
    assert "there is nothing to take back" in out
    assert "beginning of its name" in out
    assert out.splitlines()[-1] == "You left the game."
    assert table.plies == []


def test_input_that_ends_early_is_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    command = ["play", "trick_taking", "--text", "--players", "high_low", "--set", "num_values=5"]
    assert main(command) == 1
    assert "the input ended" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess", "--text"], "unknown game 'chess'; the games are"),
        (["--text"], "name a game"),
        (["president", "--text", "--seat", "9"], "seat must be in 0 .. 3"),
        (["president", "--text", "--players", "lowest,lowest"], "one for each of them (3); got 2"),
        (["president", "--text", "--players", "nobody"], "no player"),
        (["president", "--port", "1", "--host", "203.0.113.1"], "cannot listen"),
        (["president", "--players", "lowest"], "--players goes with --text"),
        (["president", "--seat", "0"], "--seat goes with --text"),
        (["--no-browser", "--port", "0", "--store", __file__], "cannot keep tables"),
    ],
)
def test_wrong_arguments_get_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["play", *arguments])
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


@pytest.mark.parametrize(("name", "settings"), TABLES)
def test_the_help_is_narrow_and_speaks_of_the_moves_of_this_game(
    name: str, settings: dict[str, int], screen: None
) -> None:
    table = table_of(name, **settings)
    lines = console.help_text(table).splitlines()
    assert max(map(len, lines)) <= 80
    number, short, move = re.search(
        r"(\d+) and (.+) both mean (.+?)\. If", " ".join(lines)
    ).groups()  # type: ignore[union-attr]
    action = table.game.parse_action(move)
    assert action in table.legal
    for answer in (number, short):
        assert human.chosen(table.game, table.legal, answer) == action


def test_the_example_of_the_help_is_no_number_of_another_move(screen: None) -> None:
    """Of 1x4, 1x5 and 2x4 the answer 2 means the second, although one name begins so."""
    game = find_game("president", num_players=4)
    legal = [game.parse_action(name) for name in ("1x4", "1x5", "2x4")]
    *_, last = human.legal_moves(game, legal)
    (short,) = re.findall(r"and (\S+) both", human.answer_help(human.legal_moves(game, legal)))
    assert human.chosen(game, legal, short) == last.action and not short.isdecimal()


@pytest.mark.parametrize("name", ["top_trumps", "trick_taking"])
def test_a_person_who_is_watched_has_the_prompt_of_the_console(
    name: str, screen: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prompts: list[list[str]] = []

    def answer(prompt: str) -> str:
        prompts.append([*capsys.readouterr().out.splitlines(), prompt])
        return "?" if len(prompts) == 1 else "1"

    monkeypatch.setattr("builtins.input", answer)
    line = f"watch {name} --players human,random --seed 1 --plies 3"
    assert main(line.split()) == 0
    first, helped, *_ = prompts
    table = table_of(name)
    (shown,) = human.screens(table.game, table.state, 0, table.legal)
    assert table.seat_to_act == 0 and "both mean" in " ".join(helped)
    assert first == [*shown, human.PROMPT] and len(first) <= 24


def test_a_person_is_asked_again_until_the_action_is_legal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["nonsense", "give:2", "pass"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    game = find_game("president", num_players=4)
    tables, _, observations, masks = after_plies(game, 20)
    row = int(np.flatnonzero(masks[:, 0] == 1)[0])
    person, position = make_policy("human", game), tables.states[row]
    chosen = person.act(observations[row], masks[row], position=position)
    assert chosen == game.parse_action("pass")
    shown = capsys.readouterr().out
    assert game.describe(position, int(game.seat_to_act(position))).strip() in shown
    for name in ("nonsense", "give:2"):
        assert f"no legal move is called '{name}'" in shown
