"""The golden transcripts are what the rules still play, ply by ply."""

from pathlib import Path

import pytest

from parlour.envs import GAMES
from parlour.envs.core.played import transcript
from tests.golden.write import FOLDER, GOLDEN, choices, fields, played, texts

pytestmark = pytest.mark.plain

FILES = sorted(FOLDER.glob("*/*.txt"))


@pytest.mark.parametrize("name", GAMES)
def test_every_registered_game_has_golden_transcripts(name: str) -> None:
    assert list((FOLDER / name).glob("*.txt")), "python -m tests.golden.write writes them"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_golden_transcript_is_what_the_rules_play(path: Path) -> None:
    golden = transcript.load(path)
    assert all(ply.legal and ply.shown for ply in golden.plies)
    transcript.verify(golden)
    assert transcript.to_text(golden) == path.read_text(encoding="utf-8")
    assert list(transcript.replay(golden))[-1].tobytes() == final_state(golden)


@pytest.mark.parametrize(
    ("name", "title"), [(name, title) for name, games in GOLDEN.items() for title in games]
)
def test_the_players_of_a_golden_game_choose_as_before(name: str, title: str) -> None:
    path = FOLDER / name / f"{title}.txt"
    game = played(name, GOLDEN[name][title])
    assert transcript.to_text(game) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_positions_of_a_golden_game_read_as_before(path: Path) -> None:
    assert texts(transcript.load(path)) == path.with_suffix(".text").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_scripts_choose_as_before_at_each_ply_of_a_golden_game(path: Path) -> None:
    golden = transcript.load(path)
    assert choices(golden) == path.with_suffix(".choices").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_fields_have_the_types_shapes_and_ranges_that_they_had(name: str) -> None:
    """Read against the rulebook: no wider and no narrower."""
    assert fields(name) == (FOLDER / name / "fields.text").read_text(encoding="utf-8")


def final_state(golden: transcript.Transcript) -> bytes:
    """The last position when the actions alone are played."""
    actions = [ply.action for ply in golden.plies]
    again = transcript.record(golden.game, golden.seed, deal=golden.deal, actions=actions)
    assert again.returns == golden.returns
    return list(transcript.replay(again))[-1].tobytes()
