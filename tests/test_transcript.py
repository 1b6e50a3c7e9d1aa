"""Transcripts: what is saved is what was played, and nothing else is taken for it."""

import sys
from pathlib import Path
from typing import Any

import pytest

from parlour.baselines.players.making import make_policy
from parlour.envs import load_game
from parlour.envs.core.played.transcript import (
    Ply,
    Transcript,
    TranscriptError,
    from_text,
    load,
    record,
    replay,
    save,
    to_text,
    verify,
)
from tests import toy_game as toy

pytestmark = pytest.mark.plain

TOY = toy.game()
DEAL = {"hands": [[0, 9], [3, 5]]}
ACTIONS = ["card:0", "card:5", "card:9", "card:3"]


# A seed whose draw lets the higher card win.
RETURNS = (record(TOY, seed, deal=DEAL, actions=ACTIONS).returns for seed in range(50))
SEED = next(seed for seed, returns in enumerate(RETURNS) if returns == (1.0, -1.0))


def played() -> Transcript:
    """A toy game in golden form."""
    return record(TOY, SEED, deal=DEAL, actions=ACTIONS, show=("num_plays", "hand"))


def test_what_is_loaded_is_what_was_saved(tmp_path: Path) -> None:
    save(played(), tmp_path / "game.txt")
    loaded = load(tmp_path / "game.txt", TOY)
    assert loaded == played()
    verify(loaded)


def test_a_registered_game_is_found_by_its_header(tmp_path: Path) -> None:
    game = load_game("president", num_players=2)
    save(record(game, 3, policies=make_policy("lowest", game)), tmp_path / "game.txt")
    loaded = load(tmp_path / "game.txt")
    assert loaded.game.config == game.config
    assert not any(ply.legal or ply.shown for ply in loaded.plies)
    verify(loaded)


def test_a_ply_says_who_did_what_out_of_what_and_what_it_saw() -> None:
    line = to_text(played()).splitlines()[6]
    assert line == "1 seat 0: card:0 of card:0 card:9 | num_plays=0 hand=513"
    assert played().plies[0] == Ply(
        0, "card:0", ("card:0", "card:9"), (("num_plays", (0,)), ("hand", (513,)))
    )


def test_replay_gives_each_position_as_a_copy_of_its_own() -> None:
    states = list(replay(played()))
    assert [int(state.num_plays) for state in states] == [0, 1, 2, 3, 4]
    assert len({state.tobytes() for state in states}) == 5


def test_a_game_may_be_recorded_unfinished() -> None:
    dealt = next(replay(record(TOY, 4, actions=[])))
    half = record(TOY, 4, actions=TOY.legal_action_list(dealt)[:1])
    assert len(half.plies) == 1 and half.returns == (0.0, 0.0)
    verify(from_text(to_text(half), TOY))


def test_players_play_as_they_do_in_a_match() -> None:
    game = load_game("president", num_players=2)
    policies = [make_policy("random", game), make_policy("lowest", game)]
    assert record(game, 5, policies=policies) == record(game, 5, policies=policies)
    assert record(game, 5, policies=policies) != record(game, 6, policies=policies)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("parlour transcript 1", "parlour transcript 2", "not a transcript"),
        ("game toy", "game chess", "a transcript of chess, not of toy"),
        ("version 0", "version 1", "played under version 1 of toy; this is 0"),
        ('"odd": "low"', '"odd": "high"', "played with the settings"),
        ("config {", "config ", "the line of the config cannot be read"),
        ("seed ", "sea ", "expected the line of the seed"),
        ("seed ", "seed []", "line of the seed cannot be read"),
        ("seed ", "seed 9" + "0" * 5000, "line of the seed cannot be read"),
        ("deal ", "deal " + "[" * 100_000, "line of the deal cannot be read"),
        ("\nend\n", "\n", "cut short"),
        ("\nend\n", "\nend", "cut short"),
        ("2 seat 1: card:5", "3 seat 1: card:5", "line of ply 2 cannot be read"),
        ("2 seat 1: card:5", "2 seat one: card:5", "line of ply 2 cannot be read"),
        ("num_plays=1", "num_plays", "line of ply 2 cannot be read"),
        ("returns 1.0 -1.0", "returns 1.0", "expected the returns of 2 seats"),
        ("returns 1.0 -1.0", "returns 1.0 -", "returns cannot be read"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_with_one_clear_error(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    text = to_text(played())
    assert old in text
    (tmp_path / "game.txt").write_text(text.replace(old, new))
    with pytest.raises(TranscriptError, match=sentence):
        load(tmp_path / "game.txt", TOY)


@pytest.mark.parametrize("length", range(0, 340, 17))
def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path, length: int) -> None:
    text = to_text(played())
    (tmp_path / "game.txt").write_text(text[: min(length, len(text) - 1)])
    with pytest.raises(TranscriptError):
        load(tmp_path / "game.txt", TOY)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TranscriptError, match="not a text file"):
        load(tmp_path / "game.txt", TOY)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ('{"num_players": 3}', "num_players"),
        ('{"colour": 1}', "no setting 'colour'"),
        ('{"name": 1}', "no setting 'name'"),
        ("[]", "the config is not an object"),
        ("[" * 100_000, "the line of the config cannot be read"),
    ],
)
def test_unknown_settings_are_refused(config: str, sentence: str) -> None:
    with pytest.raises(TranscriptError, match=sentence):
        from_text(empty_text("president", config))


def empty_text(game: str, config: str = "{}") -> str:
    """A transcript without a ply."""
    header = f"parlour transcript 1\ngame {game}\nversion 0\nconfig {config}\nseed 0\ndeal null\n"
    return f"{header}returns 0 0\nend\n"


def test_a_transcript_imports_no_package() -> None:
    """`this` prints a poem where it is imported."""
    for package in ("this", "no_such_package"):
        with pytest.raises(TranscriptError, match=f"unknown game '{package}:x'; the games are"):
            from_text(empty_text(f"{package}:x"))
    assert "this" not in sys.modules


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("2 seat 1: card:5", "2 seat 0: card:5", "ply 2 differs: the transcript has seat 0 act"),
        ("3 seat 0: card:9", "3 seat 0: card:8", "ply 3 differs: card:8 is not legal"),
        ("3 seat 0: card:9", "3 seat 0: nine", "ply 3: no action is called 'nine'"),
        ("of card:0 card:9", "of card:0", "ply 1 differs: the transcript lists as legal card:0"),
        ("num_plays=3", "num_plays=2", "ply 4 differs: the transcript shows num_plays=2"),
        ("num_plays=3", "deck=2", "ply 4: toy shows no 'deck'; its fields are seat"),
        ("returns 1.0 -1.0", "returns -1.0 1.0", "the returns differ"),
        ("returns 1.0 -1.0", "returns nan nan", "the returns differ"),
        (f"seed {SEED}", "seed -1", "no such game can be dealt: a seed must be"),
        ("[[0, 9], [3, 5]]", "[[0, 0], [3, 5]]", "no such game can be dealt: .* two cards"),
        ("\nreturns", "\n5 seat 0: card:1\nreturns", "ply 5 differs: the game is already over"),
    ],
)
def test_verify_names_the_first_thing_that_differs(old: str, new: str, sentence: str) -> None:
    text = to_text(record(TOY, SEED, deal=DEAL, actions=ACTIONS, show=("num_plays",)))
    assert old in text
    with pytest.raises(TranscriptError, match=sentence):
        verify(from_text(text.replace(old, new), TOY))


def test_recording_refuses_what_cannot_be_played() -> None:
    with pytest.raises(ValueError, match="give one of them"):
        record(TOY)
    with pytest.raises(ValueError, match="not legal"):
        record(TOY, deal=DEAL, actions=["card:1"])
    with pytest.raises(ValueError, match="the game is over: there is no ply 5"):
        record(TOY, deal=DEAL, actions=[*ACTIONS, "card:1"])
    numbers: list[Any] = [float("inf"), 1.5]
    for number in numbers:
        with pytest.raises(
            ValueError, match=f"ply 1: an action is a number or a name, not {number}"
        ):
            record(TOY, deal=DEAL, actions=[number])
    with pytest.raises(ValueError, match="its fields are seat"):
        record(TOY, deal=DEAL, actions=ACTIONS, show=("deck",))
    with pytest.raises(ValueError, match="two cards of its own"):
        record(TOY, deal={"hands": [[0, 0], [1, 2]]}, actions=[])
    with pytest.raises(ValueError, match="2 seats, not 3"):
        record(TOY, policies=[make_policy("random", TOY)] * 3)
