"""Results as plain data and as tables, and the description of their fields."""

import json
import math

import pytest

from docs.site import reference
from parlour.baselines.arena import play_duplicate, play_match, play_tournament
from parlour.baselines.statistics.estimates import Estimate
from parlour.baselines.statistics.result_data import as_data, frame_of

pytestmark = pytest.mark.plain


def test_a_match_is_plain_data_and_a_row() -> None:
    result = play_match("trick_taking", "high_low", "first_play", num_deals=3)
    data = result.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["first"] == "high_low" and data["wins"] == list(result.wins)
    (row,) = result.to_frame().to_dict("records")
    assert row["first"] == "high_low" and row["num_games"] == 6
    assert (row["wins"], row["wins_low"], row["wins_high"]) == result.wins
    assert not {"control", "origin", "verdict", "faults"} & {*row}


def test_an_open_interval_is_none_in_data_and_infinite_in_a_table() -> None:
    result = play_match("trick_taking", "high_low", "first_play", num_deals=3)
    open_result = type(result)(**{**vars(result), "elo": Estimate(800.0, 400.0, math.inf)})
    assert open_result.to_dict()["elo"] == [800.0, 400.0, None]
    assert open_result.to_frame().elo_high[0] == as_data(open_result)["elo"][2] == math.inf


def test_a_tournament_has_a_row_for_each_player_and_a_duplicate_match_one() -> None:
    players = ["first_play", "high_low", "random"]
    table = play_tournament("trick_taking", players, num_deals=3)
    frame = table.to_frame()
    assert list(frame.player) == [row.player for row in table.rows]
    assert list(frame.elo_low) == [row.elo.low for row in table.rows]
    assert frame.equals(frame_of(table.rows))
    assert len(table.to_dict()["cross"]) == 3
    assert len(play_duplicate("trick_taking", "high_low", "random", num_deals=3).to_frame()) == 1


@pytest.mark.parametrize("result", reference.RESULTS, ids=lambda result: result.__name__)
def test_every_field_of_a_result_has_its_meaning_in_the_reference(result: type) -> None:
    described = {name.strip("`"): meaning for name, _, meaning in reference.fields(result)}
    assert list(described) == list(vars(result)["__annotations__"])
    assert all(described.values()), described
    assert "\n| `num_deals` | `int` |" in reference.api_pages()["arena"]
