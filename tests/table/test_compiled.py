"""The table with compiled rules and searches; its other tests run without the compiler."""

from pathlib import Path

import pytest

from .serving import ME, SMALL, player, playing
from .test_leak import check_help


def test_hints_at_two_seat_president_are_exact(tmp_path: Path) -> None:
    seats, settings = [ME, player("lowest")], {"num_players": 2}
    with playing(tmp_path, seats, "president", settings=settings) as me:
        position = me.my_turn()
        hints = me.ask({"type": "hint", "player": "search"}, "hints")
        me.act(position, position["legal"][0])
        judged = me.ask({"type": "judge", "ply": position["ply"]}, "judged")
    assert hints["source"] == judged["source"] == "exact"
    assert set(hints["values"]) == set(position["legal"])
    assert set(hints["values"].values()) <= {-1.0, 1.0}
    assert judged["values"] == hints["values"] and judged["regret"] in (0, 2)


def test_help_depends_on_nothing_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other games are in the long tests."""
    check_help("trick_taking", SMALL, monkeypatch)
