"""Checks of `deal_from`: a start position that the game cannot have raises ValueError."""

import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..rng import streams
from .report import CheckError
from .situation import Sample, Situation

_NUM_DEALS = 30  # from which it is learned what a deal looks like
_SURE = 4  # so many times fewer repeated cards than chance would give mean that there are none
_NO_NUMBER = (-1, 1_000_000)
_NO_NAME = ("no such card",)
Place = tuple[Any, ...]  # the keys and indices that lead to a list in a deal


def check_bad_deals(sample: Sample) -> None:
    """An invalid start position raises ValueError."""
    bad_deals: Sequence[Any] = ({}, {"no such part": 1}, [])
    for data in bad_deals:
        _check_deal(sample, data, f"deal_from takes {data!r} as a start position")


def check_wrong_cards(sample: Sample) -> str | None:
    """A start position with cards doubled, missing or impossible raises ValueError."""
    deals = _deals(sample)
    if not deals:
        return "No start position is known, in which they could be changed: a referee gives some."
    for label, data in _wrong_deals(deals):
        _check_deal(sample, data, f"deal_from takes {label}: {data!r}")
    return None


def _check_deal(sample: Sample, data: Any, problem: str) -> None:
    state, rng = sample.game.new_states()[0], streams([0])[0]
    check_refused("bad_deals", problem, sample.game.deal_from, state, data, rng)


def check_refused(check_name: str, problem: str, call: Callable[..., Any], *arguments: Any) -> None:
    """Raise CheckError unless a call raises ValueError; `what` says that it did not."""
    try:
        call(*arguments)
    except ValueError:
        return
    except Exception as error:
        raise CheckError(
            check_name, f"expected a ValueError, got {type(error).__name__}: {error}"
        ) from error
    raise CheckError(check_name, problem)


def _deals(sample: Sample) -> list[Any]:
    """Return deals as plain data: the referee's, or parts named as the fields of a position."""
    game, referee, first = sample.game, sample.trial.referee, sample.trial.seeds.start
    seeds = range(first, first + _NUM_DEALS)
    if referee is not None:
        return [referee(seed)[0] for seed in seeds]
    starts = [Situation.new(game, seed).deal().states[0] for seed in seeds]
    parts = {}
    for field in game.state_fields:
        for read in (np.ndarray.tolist, _members):
            try:
                values = [read(np.asarray(start[field.name])) for start in starts]
                for value in values:
                    game.deal_from(game.new_states()[0], {field.name: value}, streams([0])[0])
            except Exception:
                continue  # no part of a deal
            parts[field.name] = values
            break
    return [{name: parts[name][k] for name in parts} for k in range(_NUM_DEALS)] if parts else []


def _members(sets: np.ndarray) -> Any:
    """Return the members of sets of bits, as lists."""
    if sets.ndim:
        return [_members(each) for each in sets]
    return [bit for bit in range(63) if int(sets) >> bit & 1]


def _lists(data: Any, place: Place = ()) -> Iterator[tuple[Place, list[Any]]]:
    """Yield the lists of numbers or names in a deal, with their places."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, item in items:
        if isinstance(item, dict) or (isinstance(item, list) and item):
            if isinstance(item, list) and not any(isinstance(one, list | dict) for one in item):
                yield (*place, key), item
            else:
                yield from _lists(item, (*place, key))


def _wrong_deals(deals: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield wrong deals made from a right one, each with what is wrong."""
    groups: dict[Place, list[Place]] = {}  # lists that share out the same cards
    for place, _ in _lists(deals[0]):
        groups.setdefault(place[:-1] or place, []).append(place)
    for name, places in groups.items():
        if name == () or len(places) == 1:
            name = places[0]
        cards = [[_at(deal, place) for place in places] for deal in deals]
        about = ".".join(map(str, name))
        impossible = _NO_NAME if isinstance(cards[0][0][0], str) else _NO_NUMBER
        lowest = min((one for lists in cards for one in itertools.chain(*lists)), default=0)
        for value in impossible:
            if isinstance(value, str) or lowest >= 0:
                yield f"{value!r} in {about}", _changed(deals[0], places[0], 0, value)
        if not _are_unique(cards):
            continue
        other = cards[0][-1][-1]
        if other != cards[0][0][0]:
            yield f"a doubled {other!r} in {about}", _changed(deals[0], places[0], 0, other)
        sizes = {tuple(map(len, lists)) for lists in cards}
        if len(places) > 1 and len(sizes) == 1:
            fewer, more = copy.deepcopy(deals[0]), copy.deepcopy(deals[0])
            _at(fewer, places[0]).pop()
            yield f"a missing card in {about}", fewer
            _at(more, places[1]).append(_at(more, places[0]).pop())
            yield f"a card too many in {about}", more


def _are_unique(deals: Sequence[Sequence[Sequence[Any]]]) -> bool:
    """Return whether no card is ever repeated in a deal, and this is no coincidence."""
    cards = {tuple(itertools.chain(*lists)) for lists in deals}
    pairs = sum(len(each) * (len(each) - 1) / 2 for each in cards)
    distinct = len(set(itertools.chain(*cards)))
    return pairs > _SURE * distinct and all(len(set(each)) == len(each) for each in cards)


def _at(data: Any, place: Place) -> Any:
    for key in place:
        data = data[key]
    return data


def _changed(data: Any, place: Place, index: int, value: Any) -> Any:
    changed = copy.deepcopy(data)
    _at(changed, place)[index] = value
    return changed
