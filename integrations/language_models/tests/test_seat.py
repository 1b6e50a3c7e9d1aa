"""The game in text that all frameworks use: what models read, and what their answers do."""

import dataclasses

import pytest
from parlour_seat import TextGame, action_in, seated
from sizes import SIZES

from parlour.baselines.advice.move_values import study_of
from parlour.baselines.prompts import Style, instructions
from parlour.envs import find_game, start
from parlour.envs.core.pages import page_section

IDS = [f"{name}-{seats}" for name, _, seats in SIZES]


@pytest.mark.parametrize(("name", "settings", "num_seats"), SIZES, ids=IDS)
def test_models_at_all_seats_read_what_they_may_know(
    name: str, settings: dict, num_seats: int
) -> None:
    game = find_game(name, **settings)
    table, state = TextGame(game, [None] * num_seats, seed=5), start(game, seed=5)
    played = 0
    while table.turn is not None:
        while len(state.legal_actions) == 1:
            state.apply(state.legal_actions[0])
        words, fields, legal = table.text().rsplit("\n\n", 2)
        assert words == state.describe(state.seat) and fields.startswith('{"')
        names = [game.action_name(action) for action in state.legal_actions]
        assert legal == f"Legal actions: {', '.join(names)}"
        assert table.answer(f"I would say <action> {names[-1]} </action>.") == ""
        state.apply(names[-1])
        played += 1
    assert sum(each.choices for each in table.conduct) == played > 0


@pytest.mark.parametrize("name", sorted({name for name, _, _ in SIZES}))
def test_instructions_hold_the_rules_and_every_setting_and_field(name: str) -> None:
    game = find_game(name)
    text = instructions(game, 1, Style())
    assert "in seat 1 of" in text and page_section(name, "Actions") in text
    assert page_section(name, "Rules") in text
    meanings = [field.metadata["meaning"] for field in dataclasses.fields(game.config)]
    meanings += [field.meaning for field in game.observation_fields]
    assert not [meaning for meaning in meanings if meaning not in text]
    short = instructions(game, 1, Style(show_fields=False))
    assert game.observation_fields[0].meaning not in short


def test_illegal_answers_are_counted_and_the_last_one_forfeits() -> None:
    table = TextGame(find_game("president"), [None, "random", None, "random"], 1)
    assert table.turn is not None
    seat = table.turn.seat
    before = table.text()
    for reply in ("fold", "<action>9x9</action>", "<action>"):
        assert table.turn is not None and table.text() == before
        assert "is not a legal action" in table.answer(reply)
    assert table.turn is None and table.legal == []
    assert table.returns == [-1 if each == seat else 1 / 3 for each in range(4)]
    metrics = table.conduct[seat].metrics
    assert metrics == {"choices": 0, "illegal_moves": 3, "forfeits": 1}


def test_a_refusal_gives_a_legal_action_as_its_example() -> None:
    game = find_game("trick_taking")
    tables = [TextGame(game, [None, None], seed) for seed in range(8)]
    assert not all(game.action_name(0) in table.legal for table in tables)
    for table in tables:
        assert action_in(table.answer("no card")) == table.legal[0]


def test_legal_actions_that_are_not_shown_stay_unknown() -> None:
    game = find_game("trick_taking", num_values=5)
    table = TextGame(game, [None, None], 3, Style(show_legal=False, show_fields=False))
    assert table.text() == start(game, seed=3).describe(0)
    error = table.answer("card:9.9")
    assert not [name for name in table.legal if name in error] and action_in(error) == "NAME"


def test_the_regret_is_that_of_exact_values() -> None:
    game = find_game("trick_taking", num_values=5)
    regrets = []
    for seed in range(8):
        table = TextGame(game, [None, "perfect"], seed, Style(judge_seconds=0.0))
        while table.turn is not None:
            values = study_of(game, table.turn.state, "exact").think(0).values
            action = table.turn.legal[0]
            table.answer(game.action_name(action))
            regrets.append(max(values.values()) - values[action])
            assert table.conduct[0].regrets[-1] == pytest.approx(regrets[-1])
        mean = sum(table.conduct[0].regrets) / table.conduct[0].choices
        assert table.conduct[0].metrics["regret"] == pytest.approx(mean)
    assert max(regrets) > 0 == min(regrets)


def test_equal_seeds_deal_the_same_to_every_sitting() -> None:
    game = find_game("president")
    texts = [TextGame(game, [None] * 4, 7, sitting=sitting).text() for sitting in range(3)]
    assert len(set(texts)) == 1 and TextGame(game, [None] * 4, 8).text() not in texts


def test_the_last_action_in_tags_counts() -> None:
    assert action_in("<action>1x2</action> no, <ACTION>\npass </ACTION>") == "pass"
    assert action_in(" pass\n") == "pass"


def test_a_wrong_choice_is_explained() -> None:
    game = find_game("president")
    assert seated(["agent", "lowest"], 4) == ["agent", "lowest", "lowest", "lowest"]
    with pytest.raises(ValueError, match="name 1 to 4 players"):
        seated(["random"] * 5, 4)
    with pytest.raises(ValueError, match="nobody"):
        TextGame(game, [None, "nobody", None, None], 1)
    with pytest.raises(ValueError, match="max_illegal"):
        Style(max_illegal=0)
    with pytest.raises(ValueError, match=r"judge_seconds must be None or in 0 \.\. 10"):
        Style(judge_seconds=60)
