"""Verify a store: play its deals again, all or a random sample, and compare the returns."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ....envs.core.catalogue import game_within
from ....envs.core.play.legal import PlayerError
from ...players.making import make_policy
from ..play.batches import BATCH_DEALS, play_deals
from ..play.entrants import check_files
from ..play.playing import PlayedMatch, read_matches
from .identity import identity_of
from .store import Setting, Store

_ERROR = 1e-9  # of a return, by rounding
DealSeed = Callable[[Setting, int], int]


class Checked(NamedTuple):
    """What became of the deals of a match."""

    game: str
    players: str
    num_deals: int  # stored
    num_replayed: int
    num_different: int
    note: str  # the first difference, why it was not played, or what has changed since


def verify_store(
    store: Store,
    sample: int | None = None,
    deal_seed: DealSeed = lambda setting, deal: deal,
    is_trusted: bool = False,
    on_progress: Callable[[int], None] = lambda done: None,
) -> list[Checked]:
    """Replay a random `sample` of the stored deals, or all, from every seat; one row for a match.

    `deal_seed` gives the seed of a deal under a control. Only an `is_trusted` store may name files
    that then run here. Games that were lost by a fault are not compared. `on_progress` is called
    with the number of deals done. Raises StoreError for a return outside -1 .. 1.
    """
    pairs = [(s, played) for s in store.settings() for played in read_matches(store, s)]
    rows = np.repeat(np.arange(len(pairs)), [len(played.seeds) for _, played in pairs])
    rng = np.random.default_rng()
    if sample is not None:
        rows = rng.permutation(rows)[:sample]
    result, done = [], 0
    for row, (setting, played) in enumerate(pairs):
        size = int((rows == row).sum())
        chosen = np.sort(rng.permutation(len(played.seeds))[:size])
        result.append(_checked(setting, played, chosen, deal_seed, is_trusted))
        done += size
        on_progress(done)
    return result


def _checked(
    setting: Setting,
    played: PlayedMatch,
    chosen: np.ndarray,
    deal_seed: DealSeed,
    is_trusted: bool,
) -> Checked:
    entrants = played.match.entrants
    head = setting.game, " v ".join(entrant.name for entrant in entrants), len(played.seeds)
    try:
        game = game_within(setting.game, setting.config)
        if game.version != setting.version:
            raise ValueError(f"played under version {setting.version} of the rules")
        check_files(entrants, game, is_trusted)
        policies = tuple(make_policy(entrant.spec, game) for entrant in entrants)
        returns = np.full((len(chosen), *played.returns.shape[1:]), np.nan)
        for start in range(0, len(chosen), BATCH_DEALS):
            part = played.seeds[chosen[start : start + BATCH_DEALS]]
            seeds = np.array([deal_seed(setting, int(deal)) for deal in part])
            seated = played.match.seated(game.num_seats, part)
            returns[start : start + len(part)] = play_deals(game, policies, seeds, seated)
    except (ValueError, PlayerError) as error:
        return Checked(*head, 0, 0, f"not played: {error}")
    differs = _differences(played, chosen, returns)
    changed = [e.name for e in entrants if identity_of(e.spec, game) != e.identity]
    note = _first_difference(played, chosen, returns, differs)
    if changed and not note:
        note = f"the code of {' and '.join(changed)} has changed since"
    return Checked(*head, len(chosen), int(differs.any(axis=(1, 2)).sum()), note)


def _differences(played: PlayedMatch, chosen: np.ndarray, returns: np.ndarray) -> np.ndarray:
    """Return which returns differ [deals, sittings, seats], apart from games lost by a fault."""
    differs = ~(np.abs(returns - played.returns[chosen]) <= _ERROR)
    place = {int(seed): index for index, seed in enumerate(played.seeds[chosen])}
    for fault in played.faults:
        if fault.seed in place:
            differs[place[fault.seed], fault.sitting] = False
    return differs


def _first_difference(
    played: PlayedMatch, chosen: np.ndarray, returns: np.ndarray, differs: np.ndarray
) -> str:
    if not differs.any():
        return ""
    deal, sitting, seat = np.argwhere(differs)[0]
    stored = played.returns[chosen[deal], sitting, seat]
    return (
        f"deal {played.seeds[chosen[deal]]}, sitting {sitting}, seat {seat}: "
        f"stored {stored:+g}, now {returns[deal, sitting, seat]:+g}"
    )


def is_verified(rows: Sequence[Checked], breaks: Sequence[str]) -> bool:
    """Return whether nothing differs, nothing was left out, and the hash chain is whole."""
    return not breaks and not any(
        row.num_different or row.note.startswith("not played") for row in rows
    )
