"""The audit of other libraries' games: it finds each fault of a stand-in, none in a sound one."""

import json
import random
from collections.abc import Hashable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from docs.studies import audit as study
from parlour.envs.core.checks.audit import CHECKS, Audit, Subject, audit
from parlour.envs.core.checks.audit_rlcard import RlcardPosition
from parlour.envs.core.checks.check_game import CheckError, check_game
from parlour.envs.core.checks.subjects import audited
from tests.commands import told

pytestmark = pytest.mark.plain

SECONDS = 60.0  # never reached: the number of games ends an audit
DECK = range(6)


class TwoCards:
    """Each of two seats holds a card; they act three times in turn. `fault` is a check to fail."""

    num_seats = 2
    episodes = 0

    def __init__(self, cards: list[int], plies: int = 0, fault: str = "") -> None:
        self.cards, self.plies, self.fault = cards, plies, fault

    def actor(self) -> int | None:
        return None if self.plies == 3 else self.plies % 2

    def legal(self) -> list[int]:
        hidden = self.cards[1 - self.plies % 2]
        return [0, 1] if self.fault != "actions" else [0, hidden]

    def play(self, action: int) -> None:
        self.plies += 1

    def views(self, seat: int) -> Mapping[str, Hashable]:
        shown: dict[str, Hashable] = {"text": f"card {self.cards[seat]}, ply {self.plies}"}
        if self.fault == "views":
            shown["numbers"] = tuple(self.cards)
        return shown

    def history(self) -> str:
        return f"{self.cards} {self.plies}"

    def redealt(self, seat: int, rng: random.Random) -> "TwoCards | None":
        if self.fault == "no redeal":
            return None
        if self.fault == "redeal_hides":
            return self
        return self.changed(seat if self.fault == "redeal_knows" else 1 - seat, rng)

    def twin(self, seat: int, rng: random.Random) -> "TwoCards":
        return self.changed(1 - seat, rng)

    def changed(self, seat: int, rng: random.Random) -> "TwoCards":
        cards = list(self.cards)
        cards[seat] = rng.choice([card for card in DECK if card not in cards])
        return TwoCards(cards, self.plies, self.fault)

    def wrong_returns(self) -> str | None:
        return "they add up to 1" if self.fault == "returns" else None


def audited_toy(fault: str = "") -> Audit:
    def start(seed: int) -> TwoCards:
        TwoCards.episodes += 1
        second = TwoCards.episodes if fault == "episode" else 0
        return TwoCards(random.Random(seed + second).sample(DECK, 2), fault=fault)

    return audit(Subject("two cards", "1", start), SECONDS, num_games=20)


def test_a_sound_game_has_no_findings_and_every_check_compared_something() -> None:
    found = audited_toy()
    assert found.findings == () and found.not_told == ()
    assert all(found.counts.values()) and len(found.cleared) == len(CHECKS)
    assert found.num_games == 20


@pytest.mark.parametrize("fault", CHECKS)
def test_each_fault_is_found_by_its_check(fault: str) -> None:
    found = audited_toy(fault)
    checks = {finding.check for finding in found.findings}
    caused = {
        "views": {"redeal_knows"},
        "actions": {"redeal_knows"},
        "redeal_knows": {"redeal_hides"},
    }
    assert fault in checks and checks <= {fault} | caused.get(fault, set())
    assert f"fault {fault}: " in str(found)


def test_a_finding_says_how_to_see_it_again_and_whether_the_seat_waits() -> None:
    acting, waiting = sorted(audited_toy("redeal_hides").findings, key=lambda one: one.waits)
    assert "20 re-deals keep what seat 1 is shown" in str(acting) and acting.seat == 0
    assert "while it waits" in str(waiting) and "seed 0, after [" in str(waiting)


def test_what_cannot_be_compared_is_said() -> None:
    found = audited_toy("no redeal")
    assert len(found.not_told) == 2 and all("Nothing to compare" in why for why in found.not_told)
    assert "cannot tell: A re-deal changes nothing that the seat knows." in str(found)


class StandInUno:
    """What the adapter needs of an environment of RLCard."""

    name, num_players = "uno", 2

    def __init__(self, leaks: bool) -> None:
        self.leaks = leaks
        hands = [[1, 2], [3, 4]]
        players = [SimpleNamespace(player_id=k, hand=hand) for k, hand in enumerate(hands)]
        self.game = SimpleNamespace(players=players, dealer=SimpleNamespace(deck=[5, 6, 7]))

    def is_over(self) -> bool:
        return False

    def get_player_id(self) -> int:
        return 0

    def get_state(self, seat: int) -> dict[str, Any]:
        import numpy as np

        shown = 0 if self.leaks else seat
        hand = np.array(self.game.players[shown].hand, float)
        return {"obs": hand, "raw_obs": {}, "legal_actions": {0: None}}


@pytest.mark.parametrize("leaks", [False, True])
def test_the_hidden_cards_of_rlcard_are_shuffled_and_put_back(leaks: bool) -> None:
    env, rng = StandInUno(leaks), random.Random(0)
    position = RlcardPosition(env)
    twins = [position.twin(1, rng) for _ in range(20)]
    same = [twin is not None and twin.views(1) == position.views(1) for twin in twins]
    assert all(same) != leaks
    assert [player.hand for player in env.game.players] == [[1, 2], [3, 4]]
    assert env.game.dealer.deck == [5, 6, 7]


@pytest.mark.parametrize("path", ["parlour.envs.president_v0", "not_installed.table"])
def test_an_environment_of_pettingzoo_is_audited_by_its_path(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "not_installed").mkdir()
    (tmp_path / "not_installed/table.py").write_text("from parlour.envs.president_v0 import env")
    monkeypatch.syspath_prepend(tmp_path)
    report = check_game(path, num_games=1)
    assert "A second episode of a seed shows the same as the first." in str(report)
    assert "not checked: It has no re-deal of its own." in str(report)
    assert f"not checked: {CHECKS['returns']}" in str(report)  # it declares no bounds


def test_the_command_checks_a_game_of_parlour(capsys: pytest.CaptureFixture[str]) -> None:
    shown = told("check trick_taking --set num_values=2 --games 1", capsys)
    assert "ok   What a seat sees, reads and may do does not depend on" in shown


def test_openspiel_is_audited() -> None:
    pytest.importorskip("pyspiel")
    assert audited("pyspiel:kuhn_poker", 20, 0).findings == ()
    with pytest.raises(CheckError, match="redeal_hides: 20 re-deals keep what seat"):
        check_game("pyspiel:colored_trails", num_games=3)
    with pytest.raises(ValueError, match="draws chance inside itself"):
        audited("pyspiel:tarok", 1, 0)


def test_the_page_is_that_of_the_record_and_publishes_only_what_was_verified() -> None:
    record = json.loads((study.PAGE.parents[1] / "studies" / "audit.json").read_text())
    assert study.PAGE.read_text(encoding="utf-8") == study.page(record)
    found = {
        (entry["subject"], finding["check"])
        for entry in record
        for finding in entry.get("findings", ())
    }
    assert set(study.VERIFIED) <= found
