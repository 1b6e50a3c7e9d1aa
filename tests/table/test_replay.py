"""`parlour replay`: transcripts and stored games become one self-contained page."""

import contextlib
import json
import re
import sqlite3
from functools import cache
from pathlib import Path

import pytest

from parlour.baselines import make_policy
from parlour.envs import load_game
from parlour.envs.core.played.page.replay import replay_page
from parlour.envs.core.played.transcript import Transcript, record, replay, replay_data, save
from parlour.scripts.main import main
from parlour.scripts.table.store import Damaged, TableStore
from parlour.scripts.table.table import setup_from

from .replay_pages import data_of, pictures, still

pytestmark = pytest.mark.plain

GAME = load_game("trick_taking", num_values=5)
NOTTY = load_game("notty", turn_limit=2)
SETUP = json.dumps(
    {
        "game": "trick_taking",
        "settings": {"num_values": 5},
        "seats": [{"kind": "here", "name": "Ann"}, {"kind": "here", "name": "Ben"}],
        "seed": 7,
    }
)


@cache
def played() -> Transcript:
    """A game, played when the first test asks for it."""
    return record(GAME, 7, policies=make_policy("high_low", GAME))


def test_a_replay_holds_every_picture_and_shapes_once() -> None:
    data = data_of(replay_page(replay_data(played(), seat=1)))
    states = list(replay(played()))
    assert pictures(data) == [still(GAME, state, 1) for state in states]
    phone = pictures({**data, "frames": data["narrow_frames"]})
    assert phone == [still(GAME, state, 1, is_narrow=True) for state in states]
    assert len(set(data["lines"])) == len(data["lines"])
    assert [ply["action"] for ply in data["plies"]] == [ply.action for ply in played().plies]
    assert data["returns"] == list(played().returns)
    assert data["seed"] is None  # it would reveal the other hands


def test_a_replay_turns_to_the_other_seats_where_nothing_is_hidden_from_the_viewer() -> None:
    shown = replay_data(played())
    assert shown["views"].keys() == {0, 1} and not replay_data(played(), 0)["views"]
    views = pictures({**shown, **shown["views"][1]})
    assert views == [still(GAME, state, 1) for state in replay(played())]
    open_hands = load_game("notty", turn_limit=4)
    public = record(open_hands, 5, policies=make_policy("random", open_hands))
    assert replay_data(public, 0)["views"].keys() == {1}


def test_a_draw_has_an_end_and_a_game_that_was_left_has_none() -> None:
    drawn = record(NOTTY, 3, policies=make_policy("random", NOTTY))
    assert not any(drawn.returns)
    assert replay_data(drawn)["returns"] == [0, 0]
    left = record(GAME, 7, actions=[played().plies[0].action])
    assert replay_data(left)["returns"] is None


def test_a_replay_loads_nothing_from_elsewhere() -> None:
    page = replay_page(replay_data(played(), names=["</script><script>alert(1)</script>", "b"]))
    loads = r'(src|href)="|@import|url\(|https?://(?!www\.w3\.org/2000/svg)'
    assert not re.search(loads, page + "".join(data_of(page)["lines"]))
    assert page.count("<script") == 3
    assert data_of(page)["names"][0].startswith("</script>")


def test_a_transcript_is_replayed_with_exact_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(played(), tmp_path / "game.txt")
    html = tmp_path / "game.html"
    assert main(["replay", str(tmp_path / "game.txt"), "--html", str(html), "--think", "0.01"]) == 0
    assert "10 plies" in capsys.readouterr().out
    judged = data_of(html.read_text())["judged"]
    legal = GAME.legal_action_list(next(replay(played())))
    assert set(judged[0]["values"]) == {GAME.action_name(action) for action in legal}
    assert "exact" in judged[0]["text"] and judged[0]["interval"] is None
    assert judged[-1] is None  # no choice


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such-file"], "cannot read"),
        (["{game}", "--seat", "9"], "seat must be in 0 .. 1"),
        (["{junk}"], "is no game that was played"),
        (["{game}", "--html", "/no/such/folder/x.html", "--think", "0"], "no folder"),
    ],
)
def test_wrong_arguments_get_one_line(
    tmp_path: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    save(played(), tmp_path / "game.txt")
    (tmp_path / "junk").write_bytes(b"\xff\xfe\x00")
    files = {"game": str(tmp_path / "game.txt"), "junk": str(tmp_path / "junk")}
    with pytest.raises(SystemExit):
        main(["replay", *(each.format(**files) for each in arguments)])
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("column", "text", "said"),
    [
        ("setup", "[]", "a setup is an object with seats, not []"),
        ("setup", "{}", "a setup is an object with seats, not {}"),
        ("setup", "[" * 100_000, "damaged"),  # too deep; what Python says to that differs
        ("setup", '{"seats": [5]}', "must be a mapping"),
        ("setup", SETUP.replace("7", '"seven"'), "seed of a table is of another type: 'seven'"),
        ("actions", "[1e400]", "actions should be whole numbers, not [inf]"),
        ("undone", "5", "actions should be whole numbers, not 5"),
    ],
)
def test_a_damaged_table_is_left_out_with_a_line_and_others_are_shown(
    tmp_path: Path, column: str, text: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "tables.db"
    with contextlib.closing(TableStore(path)) as store:
        for id in ("whole", "broken"):
            store.add(id, setup_from(json.loads(SETUP)), GAME.version, (f"{id} 1", f"{id} 2", id))
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.execute(f"UPDATE tables SET {column} = ? WHERE id = 'broken'", (text,))
        with pytest.raises(Damaged, match="table broken of this store is damaged: "):
            store.load("broken")
        assert [table.id for table in store.recent(9)] == ["whole"]
    (line,) = caplog.messages
    assert line.startswith("table broken of this store is damaged: ") and said in line
    assert line.endswith("; it is left out")


def test_a_seat_is_shown_no_action_and_no_value_that_it_may_not_know() -> None:
    """Two seats swap cards face down, and values name the legal actions of their seat."""
    game = load_game("president", num_games=2, economy="swap_two")
    played = record(game, 5, policies=make_policy("lowest", game))
    judged = [{"values": {ply.action: 0.0}} for ply in played.plies]
    for seat in (0, 1):
        data = replay_data(played, seat, judged=judged)
        hidden = [k for k, ply in enumerate(data["plies"]) if ply["action"] is None]
        assert all(played.plies[k].action.startswith("give:") for k in hidden)
        plies = [k for k, ply in enumerate(played.plies) if ply.action.startswith("give:")]
        assert 0 < len(hidden) < len(plies)
        assert all(
            (j is None) == (p["seat"] != seat)
            for j, p in zip(data["judged"], data["plies"], strict=True)
        )
    assert all(ply["action"] for ply in replay_data(played, judged=judged)["plies"])


def test_a_table_that_cannot_be_kept_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    setup = setup_from(json.loads(SETUP))
    with contextlib.closing(TableStore(tmp_path / "tables.db")) as store:
        store.add("0", setup, 0, ("a", "b", "c"))
        with pytest.raises(sqlite3.IntegrityError):
            store.add("1", setup, 0, ("d", "e", "c"))
        assert store.load("1") is None and store.table_id("d") is None
        store.add("1", setup, 0, ("d", "e", "f"))
