"""The study that seats each player in turn in one place of a field."""

import numpy as np
import pytest

from docs.studies.notty_fields import main, row_of

pytestmark = pytest.mark.plain


def test_the_lead_is_that_of_the_first_player_on_the_same_deals() -> None:
    ahead, behind = np.array([[1, 1], [1, 0]]) == 1, np.array([[1, 0], [1, 0]]) == 1
    assert row_of("a", ahead, ahead, ahead)[3] == "-"
    games, first, lead, decided = row_of("b", behind, ahead, ahead)[1:]
    assert games == "4" and first.startswith("50.0") and lead.startswith("+25.0")
    assert decided == "75.0"


def test_it_prints_a_row_for_each_player(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = ["--deals", "2", "--field", "always_pass", "--players", "aggressive,always_pass"]
    monkeypatch.setattr("sys.argv", ["fields", *chosen])
    main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| player | games | first, % | lead of `aggressive`")
    assert [line.split()[1] for line in lines[2:4]] == ["`aggressive`", "`always_pass`"]
