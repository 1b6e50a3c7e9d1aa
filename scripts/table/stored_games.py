"""Games of stores as transcripts: of matches and tournaments, and of the tables of `parlour play`.

The store of an arena keeps results and no moves: its games are played again from their seeds.
"""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...baselines import make_policy
from ...baselines.advice.judgements import judge_move
from ...baselines.arena import Store
from ...baselines.arena.contest.time_control import TimeControl
from ...baselines.arena.play.entrants import check_files
from ...baselines.arena.results.store import Setting, cause_of
from ...envs.core.catalogue import game_within
from ...envs.core.played.page.replay import PlyJudgements
from ...envs.core.played.transcript import Transcript, action_of, record, replay
from ...envs.core.positions import position_data
from ...envs.core.rng import SEED_LIMIT
from ..words import player_label, seat_names
from .protocol import sent_exactly
from .store import StoredTable
from .table import HERE
from .views import judged_data


def transcript_of(stored: StoredTable) -> tuple[Transcript, list[str]]:
    """Return the game of a table so far, with the names. Raises ValueError for other rules."""
    setup = stored.setup
    game = game_within(setup.game, setup.settings)
    if game.version != stored.version:
        raise ValueError(f"the rules of {setup.game} have changed since this table was opened")
    transcript = record(game, setup.seed, deal=setup.start(game), actions=stored.actions)
    here = [seat for seat, who in enumerate(setup.seats) if who.kind == HERE]
    return transcript, seat_names(setup.seats, here[0] if here else None)


def arena_game(
    path: Path, number: int, deal: int | None, sitting: int, is_trusted: bool = False
) -> tuple[Transcript, list[str]]:
    """Replay a game of the match `number`, from 1; check that its returns are those stored.

    Raises ValueError where there is no such game, where it ends otherwise, and where a player is a
    file: unless the store `is_trusted` and the file is as it was.
    """
    try:
        with Store(path, to_read=True) as store:
            matches = [(s, c) for s in store.settings() for c in store.matches(s)]
            if not 1 <= number <= len(matches):
                raise ValueError(f"{path} has matches 1 .. {len(matches)}, not {number}")
            setting, match = matches[number - 1]
            seeds = range(SEED_LIMIT) if deal is None else range(deal, deal + 1)
            first_seed, outcomes = next(store.read(setting, match, seeds), (0, None))
    except (sqlite3.Error, OSError) as error:
        cause = cause_of(error) if isinstance(error, sqlite3.Error) else error
        raise ValueError(f"cannot read {path}: {cause}") from error
    if outcomes is None:
        raise ValueError(f"{path} has no game of deal {deal}")
    dealt = first_seed if deal is None else deal
    sittings = outcomes.returns[dealt - first_seed]
    if not 0 <= sitting < len(sittings):
        raise ValueError(f"sitting must be in 0 .. {len(sittings) - 1}, not {sitting}")
    faults = [f for f in outcomes.faults if (f.seed, f.sitting) == (dealt, sitting)]
    if faults:
        raise ValueError(f"{faults[0].player} lost this game by a fault: {faults[0].detail}")
    game = game_within(setting.game, setting.config)
    seated = match.seated(game.num_seats, np.array([dealt]))[0, sitting]
    entrants = [match.entrants[index] for index in seated]
    check_files(entrants, game, is_trusted)
    made = {entrant.spec: make_policy(entrant.spec, game) for entrant in entrants}
    seed = deal_seed(setting, dealt)
    policies = [made[entrant.spec] for entrant in entrants]
    transcript = record(game, seed, policies=policies, sitting=sitting)
    if not np.allclose(transcript.returns, sittings[sitting]):
        raise ValueError(
            f"deal {dealt} ended otherwise when it was stored: the rules or a player have changed, "
            "or a player depends on the clock"
        )
    return transcript, [player_label(entrant.name) for entrant in entrants]


def deal_seed(setting: Setting, deal: int) -> int:
    """Return the seed that dealt a stored deal: under contest time it may come from a secret."""
    return deal if setting.control is None else TimeControl(**setting.control).deal_seed(deal)


def shared_game(transcript: Transcript) -> dict[str, Any]:
    """Return what a game is made of as plain data, as `GameTable.as_shared` does."""
    game = transcript.game
    made = {"game": game.name, "settings": game.config_dict(), "seed": transcript.seed}
    if transcript.deal is not None:
        is_position = isinstance(transcript.deal, np.void)
        made["deal"] = position_data(game, transcript.deal) if is_position else transcript.deal
    return sent_exactly({**made, "actions": [ply.action for ply in transcript.plies]})


def judged_plies(
    transcript: Transcript,
    think: float,
    on_ply: Callable[[int], None] = lambda done: None,
    names: Sequence[str] = (),
) -> PlyJudgements:
    """Judge every choice by a search of `think` seconds, or exactly where the game is solved.

    Each seat's moves are judged from what that seat knew. `on_ply` is called with the number of
    plies looked at so far.
    """
    game = transcript.game
    judgements: list[dict[str, Any] | None] = []
    for state, ply in zip(replay(transcript), transcript.plies, strict=False):
        on_ply(len(judgements))
        action = action_of(game, ply, len(judgements) + 1)
        has_choice = len(game.legal_action_list(state)) > 1
        judged = judge_move(game, state, action, think) if has_choice else None
        judgements.append(None if judged is None else judged_data(game, judged, state, names))
    return judgements
