"""What is said about a move: a loss only where it is more than chance."""

import itertools
from typing import Any

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.advice import judgements
from parlour.baselines.advice.judgements import Judgement, judge_move, judgement_of, rivals_of
from parlour.baselines.advice.move_values import MoveValues, adviser_of, study_of
from parlour.envs import load_game
from parlour.envs.core.played.transcript import action_of, record, replay
from parlour.scripts.table.table import GameTable, Occupant, Setup

pytestmark = pytest.mark.plain

SPLENDOR = load_game("splendor")
TRICKS = load_game("trick_taking", num_values=5)
BRIEF = "mcts:num_simulations=16"
NUM_MOVES, NUM_TRIALS = 20, 400


def table_of(name: str = "splendor", **settings: Any) -> GameTable:
    return GameTable(Setup(name, settings, (Occupant("here", "-"),) * 2, 4))


def tricks() -> GameTable:
    """A small game: a search of it is brief."""
    return table_of("trick_taking", num_values=5)


def judged(picking: MoveValues, again: MoveValues, action: int = 0) -> Judgement:
    """Judge a move by searches that pick the rivals and by others that measure them."""
    return judgement_of(picking, dict.fromkeys(rivals_of(picking, action), again), action)


def noisy(rng: np.random.Generator, lead_of_last: float = 0.0) -> MoveValues:
    """Eight searches of moves that are equally good, the last one apart."""
    samples = rng.normal(0.0, 0.3, (8, NUM_MOVES))
    samples[:, -1] += lead_of_last
    return MoveValues(np.arange(NUM_MOVES), samples, "search", 8)


def test_the_luck_of_the_best_of_twenty_moves_is_no_mistake() -> None:
    """Measured by the search that picks the best of them, it would be one in a case of five."""
    rng = np.random.default_rng(1)
    trials = [(noisy(rng), noisy(rng)) for _ in range(NUM_TRIALS)]
    leads = [first.lead(rivals_of(first, 0)[0], 0) for first, _ in trials]
    naive = sum(lead is not None and lead.low > 0 for lead in leads)
    honest = sum(judged(first, again).is_mistake for first, again in trials)
    assert naive > 0.15 * NUM_TRIALS
    assert honest < 0.05 * NUM_TRIALS  # one side of a 95 % interval
    best = [
        j for first, again in trials if "best move" in (j := judged(first, again)).text(SPLENDOR)
    ]
    assert len(best) < 0.05 * NUM_TRIALS


def test_the_interval_holds_a_true_lead_as_often_as_it_says() -> None:
    rng, num_covered = np.random.default_rng(2), 0
    for _ in range(NUM_TRIALS):
        verdict = judged(noisy(rng, 5.0), noisy(rng, 5.0))
        assert verdict.rival == NUM_MOVES - 1 and verdict.is_mistake and verdict.lead is not None
        num_covered += verdict.lead.low <= 5.0 <= verdict.lead.high
    assert 0.95 < num_covered / NUM_TRIALS < 1  # of four leads together: each alone more often


def steady(*values: float) -> MoveValues:
    """Eight searches that nearly agree on the values of moves."""
    samples = np.array(values) + np.linspace(-0.01, 0.01, 8)[:, None]
    return MoveValues(np.arange(len(values)), samples, "search", 8)


def test_the_better_move_is_the_first_in_the_list_that_is_known_to_be_better() -> None:
    """Move 2 leads by more when it is measured, but the list has move 1 above it."""
    verdict = judged(steady(0.0, 0.5, 0.4), steady(0.0, 0.4, 0.6))
    assert verdict.rival == 1 and verdict.best == 1
    assert verdict.lead is not None and verdict.lead.mean == pytest.approx(0.4)
    assert "list" not in verdict.text(SPLENDOR)


def test_it_is_said_why_a_better_move_is_not_the_first_in_the_list() -> None:
    verdict = judged(steady(0.0, 0.5, 0.4), steady(0.0, -0.2, 0.6))
    assert verdict.best == 2
    first, rival = SPLENDOR.action_name(1), SPLENDOR.action_name(2)
    assert f"better: {rival} ({first} is first in the list, but" in verdict.text(SPLENDOR)
    itself = judged(steady(0.5, 0.0, 0.4), steady(0.0, -0.2, 0.6))
    assert f"({SPLENDOR.action_name(0)} is first" in itself.text(SPLENDOR)


VERDICTS = {  # of the moves of `greedy` against `planner` in deal 0
    4: "lost about",
    16: "was about as good as the best others",
    21: "lost about",
    42: "was the best move",
}


@pytest.mark.long
def test_a_splendor_move_judged_ten_times_gets_one_verdict() -> None:
    """Which of several moves is the best other one changes with the seed, so none is named as such.

    The plies are not close to the border of two verdicts, where the seed decides.
    """
    assert adviser_of(SPLENDOR) == "guided"
    assert adviser_of(load_game("splendor", target=5)) == "search"  # no network ships for it
    game = record(SPLENDOR, 0, policies=[make_policy(p, SPLENDOR) for p in ("greedy", "planner")])
    states = list(replay(game))
    for number, verdict in VERDICTS.items():
        state, action = states[number], action_of(SPLENDOR, game.plies[number], number + 1)
        verdicts = [judge_move(SPLENDOR, state, action, 0.0, seed) for seed in range(10)]
        texts = [each.text(SPLENDOR) for each in verdicts]
        assert sum(text.startswith(verdict) for text in texts) >= 9, texts
        leads = [each.lead for each in verdicts if each.lead is not None]
        assert len(leads) == 10
        for one, other in itertools.combinations(leads, 2):
            assert max(one.low, other.low) <= min(one.high, other.high)
        for each, text in zip(verdicts, texts, strict=True):
            assert ("lost about" in text) is each.is_mistake is (each.loss > 0)
            better = [lead for lead in each.leads.values() if lead.low > 0]
            assert ("better, for example: " in text) is (len(better) > 1)
    again = judge_move(SPLENDOR, state, action, 0.0, 9)
    assert again.lead == verdicts[9].lead


def test_the_best_move_is_one_that_was_compared_with_all_others() -> None:
    samples = np.zeros((8, 4))
    samples[:, 0] = 0.5 + np.arange(8) / 1000
    whole = MoveValues(np.arange(4), samples, "guided", 8)
    assert judged(whole, whole).text(SPLENDOR) == "was the best move"
    samples = samples.copy()
    samples[:, 3] = np.nan
    part = MoveValues(np.arange(4), samples, "guided", 8)
    text = judged(part, part).text(SPLENDOR)
    assert text == "was better than the 2 other moves that were compared"


def test_a_judgement_has_a_number_of_searches_however_short_the_time() -> None:
    study = study_of(TRICKS, tricks().state, BRIEF)
    assert study.think(0.0, 20).num_simulations == 20


def test_a_move_that_gives_a_point_away_is_a_mistake_every_time() -> None:
    """In trick-taking with two seats and few cards, exact values say so without an interval."""
    game, table = TRICKS, tricks()
    values = study_of(game, table.state).think(0).values
    worst = min(values, key=lambda action: values[action])
    judgement = judge_move(game, table.state, worst, 0.0)
    assert judgement.loss == pytest.approx(max(values.values()) - values[worst])
    assert not judgement.has_interval and "(exact); better: " in judgement.text(game)


@pytest.mark.long
def test_moves_that_a_search_leaves_aside_are_unknown() -> None:
    table = table_of()
    values = study_of(SPLENDOR, table.state).think(0.0)
    assert len(values.values) == 16 < len(table.legal)
    assert set(values.unsearched) == set(table.legal) - set(values.values)
    left_aside = values.unsearched[0]
    assert values.lead(values.best, left_aside) is None
    assert judged(values, values, left_aside).text(SPLENDOR).startswith("has no value")
    asked = judge_move(SPLENDOR, table.state, left_aside, 0.0)  # its lead is measured then
    assert asked.lead is not None and asked.lead.low < asked.lead.high
    assert left_aside in asked.move_values.unsearched
    pair = (values.best, left_aside)
    among = study_of(SPLENDOR, table.state, "guided:num_simulations=16", among=pair).think(0.0)
    assert set(among.values) == set(among.reaches) == set(pair)


@pytest.mark.parametrize(
    ("table", "player"),
    [("tricks", BRIEF), pytest.param("splendor", "search", marks=pytest.mark.long)],
)
def test_a_search_values_only_the_moves_it_is_asked_about(table: str, player: str) -> None:
    one = tricks() if table == "tricks" else table_of(table)
    pair = tuple(one.legal[-2:])
    values = study_of(one.game, one.state, player, among=pair).think(0.0)
    assert set(values.values) == set(pair) and set(values.reaches) == set(pair)


@pytest.mark.long
def test_an_interval_narrows_with_more_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of()
    pair = tuple(table.legal[:2])
    widths = []
    for limit in (8, 128):
        monkeypatch.setattr("parlour.baselines.advice.move_values.MAX_SEARCHES", limit)
        study = study_of(SPLENDOR, table.state, BRIEF, among=pair, seed=0)
        values = study.think(60.0)
        lead = values.lead(*pair)
        assert study.is_finished and len(values.samples) == limit and lead is not None
        widths.append(lead.high - lead.low)
    assert widths[1] < widths[0] / 2


def test_the_values_of_a_script_are_its_estimates() -> None:
    game = load_game("notty")
    table = table_of("notty")
    judgement = judge_move(game, table.state, table.legal[0], 0.0)
    assert "by the estimate of Finisher" in judgement.text(game) and not judgement.has_interval
    assert make_policy("best", game).name == "finisher" and judgements.SMALL > 0
