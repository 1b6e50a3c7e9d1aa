"""Agents with pandas frames at our table, and our players as such agents."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
import pytest

from parlour.baselines import make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.top_trumps import agent_template as top_trumps_agent_template
from parlour.baselines.top_trumps.agents import Agent, AgentAtTable, create_agent
from parlour.envs import load_game
from parlour.envs.core.game import Game
from parlour.envs.core.play.driver import Seating
from parlour.envs.core.play.legal import PlayerError
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import player_streams, streams
from parlour.scripts.main import main
from tests.one_table import dealt
from tests.top_trumps.lockstep import Size, dealt_tables, referee_of

pytestmark = pytest.mark.plain

GAME: Final = "top_trumps"
SIZES = {"num_cards": 7, "num_fields": 3}
TEMPLATE = Path(top_trumps_agent_template.__file__)


class Recorder(Agent):
    """Plays at random and keeps all that it is told."""

    all: ClassVar[list["Recorder"]] = []

    def __init__(self, my_initial_card_ids: set[str], full_game_deck_ref_df: pd.DataFrame) -> None:
        super().__init__("recorder", my_initial_card_ids, full_game_deck_ref_df)
        self.initial = set(my_initial_card_ids)
        self.asked: list[tuple[pd.DataFrame, int, list[str]]] = []
        self.told: list[dict[str, Any]] = []
        self.own_sets = [set(self.my_current_card_ids)]
        self.random = random.Random(len(Recorder.all))
        Recorder.all.append(self)

    def choose_field(
        self, my_top_card_df: pd.DataFrame, opponent_hand_size: int, available_fields: list[str]
    ) -> str:
        self.asked.append((my_top_card_df, opponent_hand_size, available_fields))
        return self.random.choice(available_fields)

    def update_state(self, *news_items: Any, **news: Any) -> None:
        super().update_state(*news_items, **news)
        self.told.append(news)
        self.own_sets.append(set(self.my_current_card_ids))


@pytest.fixture(autouse=True)
def _nobody_yet() -> Iterator[None]:
    Recorder.all.clear()
    yield
    Recorder.all.clear()


def seat(tables: Tables, *players: Any) -> None:
    """Play all these tables to the end."""
    game = tables.game
    policies = [make_policy(player, game) for player in players]
    places = np.tile(np.arange(2), (len(tables.states), 1))
    rngs = player_streams(range(len(tables.states)), 2)
    Seating(tables, policies, places, rngs).advance(tables.all_rows)


def test_an_agent_is_told_what_the_referee_tells_its_seat() -> None:
    """Every frame of every trick, of decks with many draws."""
    tables = dealt_tables(Size(7, 3, 60, top_value=4), 20, seed=5)
    referees = [referee_of(state) for state in tables.states]
    seat(tables, Recorder, "rander")
    assert len(Recorder.all) == 20
    outcomes = set()
    for referee, agent in zip(referees, Recorder.all, strict=True):
        deck = agent.full_game_deck_ref_df
        assert deck is not None
        ids = deck["id"].tolist()
        assert agent.initial == {ids[card] for card in referee.decks[0]}
        tops = []
        for news, own_set in zip(agent.told, agent.own_sets[1:], strict=True):
            if referee.seat_to_act() == 0:
                tops.append(([ids[referee.top_card()]], len(referee.decks[1])))
            starter = referee.starter
            referee.apply(int(news["chosen_field"].removeprefix("Field")))
            report = referee.reports[0][-1]
            mine, other = ids[report.my_card], report.other_card
            pile = [ids[card] for card in report.pile]
            assert news["outcome"] == report.outcome
            assert news["my_card_played_df"]["id"].tolist() == [mine]
            assert news["opponent_actual_card_id"] == (None if other is None else ids[other])
            assert news["opponent_revealed_value"] == report.other_value
            drawn = [] if other is None else [ids[other], mine]
            if starter == 1:
                drawn.reverse()
            is_win, is_loss = report.outcome == "win", report.outcome == "loss"
            won = [ids[other], *pile] if other is not None and is_win else []
            assert news["pot_cards_df"]["id"].tolist() == (
                drawn if report.outcome == "draw" else []
            )
            assert news["cards_i_won_df"]["id"].tolist() == won
            assert news["cards_opponent_won_df"]["id"].tolist() == ([mine, *pile] * is_loss)
            assert own_set == {ids[card] for card in referee.decks[0]}
            outcomes.add((report.outcome, bool(pile)))
        assert referee.is_terminal()
        assert [(top["id"].tolist(), size) for top, size, _ in agent.asked] == tops
    assert len(outcomes) == 6


def test_frames_have_ids_and_whole_numbers_and_played_cards_one_row() -> None:
    game = load_game(GAME, **SIZES)
    tables = dealt(game, [1])
    seat(tables, Recorder, "maxer")
    (agent,) = Recorder.all
    fields = ["Field0", "Field1", "Field2"]
    deck = agent.full_game_deck_ref_df
    assert deck is not None and agent._indexed_ref_df is not None
    assert deck["id"].is_unique and all(len(name) == 6 for name in deck["id"])
    frames = [deck, *(top for top, _, _ in agent.asked)]
    for news in agent.told:
        frames += [value for value in news.values() if isinstance(value, pd.DataFrame)]
        assert len(news["my_card_played_df"]) == 1
    for frame in frames:
        assert frame.columns.tolist() == ["id", *fields]
        assert all(str(dtype) == "Int64" for dtype in frame[fields].dtypes)
        expected = agent._indexed_ref_df.loc[frame["id"], fields].reset_index()
        pd.testing.assert_frame_equal(frame, expected, check_names=False)
    assert all(len(top) == 1 and names == fields for top, _, names in agent.asked)
    values = tables.states[0]["values"].tolist()
    assert deck[fields].to_numpy().tolist() == values


def test_the_template_plays_and_beats_rander(tmp_path: Path) -> None:
    """Of 24 games an equal of rander would win 18 or more in one of 90 runs."""
    file = tmp_path / "my_agent.py"
    file.write_text(TEMPLATE.read_text())
    game = load_game(GAME, **SIZES)
    result = play_match(game, f"{file}:MyAgent", "rander", num_deals=12)
    assert result.first == "MyAgent"
    assert result.first_places.mean >= 18 / 24
    make_policy(f"{file}:MyAgent:caution=0.3", game)
    with pytest.raises(ValueError, match="unexpected keyword argument 'colour'"):
        play_match(game, f"{file}:MyAgent:colour=1", "rander", num_deals=1)


PAGE = (Path(__file__).resolve().parents[2] / "envs" / GAME / "AGENTS.md").read_text()
SMALLER = {"--deals 50": "--deals 5", "50, 3]": "50, 1]", "50, 1000,": "50, 20,"}


def blocks(language: str) -> list[str]:
    """The code of the page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def smaller(text: str) -> str:
    for size, less in SMALLER.items():
        text = text.replace(size, less)
    return text


def run(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """A command of the page, without a shell."""
    command, _, file = command.partition(" > ")
    assert main(command.removeprefix("parlour ").split()) == 0
    text = capsys.readouterr().out
    if file:
        Path(file).write_text(text)
    return text


@pytest.mark.release
def test_the_commands_of_the_page_run_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In an empty folder, in their order, with fewer games where there are many."""
    monkeypatch.chdir(tmp_path)
    function, factory = blocks("python")
    Path("mine.py").write_text(function)
    Path("my_trials.json").write_text(smaller(*blocks("json")))
    text = [run(command, capsys) for command in smaller("".join(blocks("sh"))).splitlines()]
    assert len(text) == 7
    assert all(size in PAGE for size in SMALLER)
    assert all("MyAgent" in shown for shown in text[2:])
    assert "(steady)" in text[0]
    exec(compile(factory, "<AGENTS.md>", "exec"), {})
    assert capsys.readouterr().out == "weight\n"


class Unknown(Recorder):
    """Wants a field that is not there."""

    def choose_field(self, *asked: Any, **question: Any) -> str:
        return "Field9"


class Failing(Recorder):
    """Fails when it is told something."""

    def update_state(self, *news_items: Any, **news: Any) -> None:
        raise RuntimeError("lost my notes")


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Unknown, "Unknown chose 'Field9'; the fields are Field0, Field1, Field2"),
        (Failing, "Failing failed: RuntimeError: lost my notes"),
    ],
)
def test_an_agent_that_fails_is_named_and_never_replaced(agent: Any, message: str) -> None:
    game = load_game(GAME, **SIZES)
    with pytest.raises(PlayerError, match=message):
        play_match(game, agent, "rander", num_deals=1)


# Our players as agents


class Mirror(Agent):
    """Asks one of our players as an agent; both are asked in the test."""

    def __init__(
        self, my_initial_card_ids: set[str], full_game_deck_ref_df: pd.DataFrame, player: str
    ) -> None:
        super().__init__(player, my_initial_card_ids, full_game_deck_ref_df)
        self.inner = create_agent(player, my_initial_card_ids, full_game_deck_ref_df)

    def choose_field(self, *asked: Any, **question: Any) -> str:
        return self.inner.choose_field(*asked, **question)

    def update_state(self, *news_items: Any, **news: Any) -> None:
        super().update_state(*news_items, **news)
        self.inner.update_state(*news_items, **news)
        assert self.inner.my_current_card_ids == self.my_current_card_ids


def knowledge(game: Game, observation: np.record) -> dict[str, Any]:
    """All of an observation but who the cards are named after."""
    return {
        f.name: observation[f.name].tolist() for f in game.observation_fields if f.name != "ids"
    }


def test_what_an_agent_of_ours_replays_is_what_its_seat_observes() -> None:
    """So it decides as the player does: at its own table lies what it may know at the real one."""
    tables = dealt_tables(Size(7, 3, 60, top_value=5), 10, seed=8)
    game, rows = tables.game, tables.all_rows
    memories = [AgentAtTable(Mirror, {"player": "goliath"}) for _ in rows]
    for memory in memories:
        memory.begin(0, game)
    num_compared = 0
    while len(rows):
        views = tables.observe(rows, np.zeros(len(rows), np.int64))
        for row, observation in zip(rows, views, strict=True):
            memories[row].watch(observation)
            if observation["starter"] != 0 or game.is_terminal(tables.states[row]):
                continue
            agent: Any = memories[row]._agent
            memories[row].choose(observation, np.ones(3, np.int8), streams([0]))
            replayed = agent.inner._observe()
            assert knowledge(game, replayed) == knowledge(game, observation)
            num_compared += 1
        rows = np.array([r for r in rows if not game.is_terminal(tables.states[r])], np.int64)
        tables.apply(rows, np.arange(len(rows)) % 3)
    assert num_compared > 30


@pytest.mark.parametrize("name", ["Rander", "RandMaxer", "Maxer", "MeanerMax", "EXPert", "Goliath"])
def test_the_factory_knows_the_players_as_their_inventor_wrote_them(name: str) -> None:
    game = load_game(GAME, **SIZES)
    settings: dict[str, Any] = {"num_deals": 1}
    assert play_match(game, make_policy(Mirror, game, player=name), "rander", **settings)


def test_the_factory_refuses_what_is_no_player() -> None:
    deck = pd.DataFrame({"id": ["A", "B"], "Speed": [1, 2]})
    with pytest.raises(ValueError, match="no player 'Nobody'"):
        create_agent("Nobody", {"A"}, deck)
    with pytest.raises(TypeError, match="colour"):
        create_agent("goliath", {"A"}, deck, colour=1)
    with pytest.raises(ValueError, match="searches or remembers"):
        create_agent("playout", {"A"}, deck)
    assert create_agent("expert", {"A"}, deck, m=0.25).my_current_card_ids == {"A"}
