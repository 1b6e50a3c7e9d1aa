"""The audit of other libraries' games: it finds each fault of a stand-in, none in a sound one."""

import random
import re
import sys
from collections.abc import Hashable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from parlour_audit import audited
from parlour_audit.audit import CHECKS, Audit, Subject, audit
from parlour_audit.rlcard_games import RlcardPosition

from parlour.scripts.main import main

SECONDS = 60.0  # never reached: the number of games ends an audit
DECK = range(6)


class TwoCards:
    """Each of two seats holds a card; they act three times in turn. `fault` is a check to fail."""

    num_seats = 2
    episodes = 0

    def __init__(self, cards: list[int], plies: int = 0, fault: str = "") -> None:
        self.cards, self.plies, self.fault = cards, plies, fault

    def actor(self) -> int | None:
        later = self.plies + self.cards[1] * (self.fault == "turn")
        return None if self.plies == 3 else later % 2

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
    audit = audited_toy()
    assert audit.findings == () and audit.not_told == ()
    assert all(audit.counts.values()) and len(audit.cleared) == len(CHECKS)
    assert audit.num_games == 20


@pytest.mark.parametrize("fault", CHECKS)
def test_each_fault_is_found_by_its_check(fault: str) -> None:
    audit = audited_toy(fault)
    checks = {finding.check for finding in audit.findings}
    caused = {
        "views": {"redeal_knows"},
        "actions": {"redeal_knows"},
        "turn": {"redeal_knows"},
        "redeal_knows": {"redeal_hides"},
    }
    assert fault in checks and checks <= {fault} | caused.get(fault, set())
    assert f"fault {fault}: " in str(audit)


def test_a_finding_says_how_to_see_it_again_and_whether_the_seat_waits() -> None:
    acting, waiting = sorted(audited_toy("redeal_hides").findings, key=lambda one: one.waits)
    assert "20 re-deals keep what seat 1 is shown" in str(acting) and acting.seat == 0
    assert "while it waits" in str(waiting) and "seed 0, after [" in str(waiting)


def test_what_cannot_be_compared_is_said() -> None:
    audit = audited_toy("no redeal")
    assert len(audit.not_told) == 2 and all("Nothing to compare" in why for why in audit.not_told)
    assert "cannot tell: A re-deal changes nothing that the seat knows." in str(audit)


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


TABLE = """
import time
from types import SimpleNamespace

from tests.toy_aec import AGENTS, ToyEnv


class Table(ToyEnv):
    @property
    def env(self):  # as PettingZoo wraps a game of RLCard
        players = [SimpleNamespace(player_id=k, hand=hand) for k, hand in enumerate(self.hands)]
        game = SimpleNamespace(players=players, dealer=SimpleNamespace(deck=[]))
        return SimpleNamespace(name="uno", game=game)

    def vector(self, seat):
        first, *_ = [*self.hands[1 - seat], 0]
        return super().vector(seat) + LEAK * first

    def observe(self, agent):
        self.infos[agent] = {"elapsed": time.perf_counter_ns()}
        return super().observe(agent)


env = Table
"""


@pytest.mark.parametrize(
    ("leak", "sentence"), [(0, None), (1, r"the observation differs: at 0, \d and \d; it knows")]
)
def test_a_stopwatch_in_the_infos_is_left_out_and_a_leak_is_quoted_in_numbers(
    leak: int, sentence: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"table_{leak}.py").write_text(TABLE.replace("LEAK", str(leak)))
    monkeypatch.syspath_prepend(tmp_path)
    result = audited(f"table_{leak}", 20)
    assert result.num_games == 20 and result.counts["views"] > 50
    assert "The info elapsed is not compared" in str(result.not_told)
    findings = [finding for finding in result.findings if finding.check == "views"]
    assert bool(findings) == (sentence is not None)
    for finding in findings:
        assert re.search(str(sentence), finding.fault)


def status_of(command: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(command.split())
    return int(str(ended.value.code))


@pytest.mark.parametrize("path", ["parlour.envs.president_v0", "not_installed.table"])
def test_an_environment_of_pettingzoo_is_audited_by_its_path(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command looks in the current folder, and says that nothing could be compared."""
    (tmp_path / "not_installed").mkdir()
    (tmp_path / "not_installed/table.py").write_text("from parlour.envs.president_v0 import env")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONPATH", "")
    assert status_of(f"check {path} --games 1") == 3
    report = capsys.readouterr().out
    assert "ok   A second episode of a seed shows the same as the first." in report
    assert "cannot tell: It has no re-deal of its own." in report
    assert f"cannot tell: {CHECKS['returns']}" in report  # it declares no bounds
    assert "Nothing was compared" in report


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("os.path", "os.path is no module with a PettingZoo env()"),
        ("no.such_module", "no.such_module is no module with a PettingZoo env()"),
        ("rlcard:patience", "RLCard"),
        ("pyspiel:patience", "OpenSpiel"),
    ],
)
def test_a_name_that_nothing_has_is_refused(name: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace("(", "[(]").replace(")", "[)]")):
        audited(name)


def test_openspiel_is_audited() -> None:
    pytest.importorskip("pyspiel")
    assert audited("pyspiel:kuhn_poker", 20, 0).findings == ()
    assert status_of("check pyspiel:colored_trails --games 3") == 1
    with pytest.raises(ValueError, match="draws chance inside itself"):
        audited("pyspiel:tarok", 1, 0)
