"""The best discard as an integer programme for SCIP: a reference that shares only the cards.

The programme is that of the original's document, except that a group may be discarded twice,
because there are two copies of every card. It is slow (milliseconds) and meant for checks, not for
play.
"""

from collections.abc import Sequence

from pyscipopt import Expr, Model, Variable, quicksum

from .cards import GROUPS, NUM_COLOURS, NUM_COPIES, NUM_NUMBERS

Group = tuple[int, ...]

# The discarded counts of a colour, read as a number in base 3, compare as the counts do.
_WEIGHTS = [(NUM_COPIES + 1) ** (NUM_NUMBERS - 1 - number) for number in range(NUM_NUMBERS)]


def best_discard(hand: Sequence[int]) -> list[Group]:
    """Return the groups of a best discard as kinds in ascending order; one may appear twice.

    `hand` [40] has the number of cards of each kind, 0 to 2. The discard has as many cards as
    possible; of several such discards it leaves the lexicographically smallest counts. (If the same
    cards can be grouped in several ways, it may be any of them.)
    """
    fitting = [group for group in GROUPS if all(hand[kind] for kind in group)]
    if not fitting:
        return []
    model = Model("best discard")
    model.hideOutput()
    uses = {group: model.addVar(vtype="I", lb=0, ub=NUM_COPIES) for group in fitting}
    discarded = _discarded_counts(uses)
    for kind, count in discarded.items():
        model.addCons(count <= hand[kind])
    groups = _maximise(model, quicksum(discarded.values()), uses)
    for colour in range(NUM_COLOURS):
        of_colour = [kind for kind in discarded if kind // NUM_NUMBERS == colour]
        if of_colour:
            weighted = (_WEIGHTS[kind % NUM_NUMBERS] * discarded[kind] for kind in of_colour)
            groups = _maximise(model, quicksum(weighted), uses)
    return groups


def _discarded_counts(uses: dict[Group, Variable]) -> dict[int, Expr]:
    """The number of discarded cards of every kind that is in a group."""
    kinds = sorted({kind for group in uses for kind in group})
    return {kind: quicksum(uses[group] for group in uses if kind in group) for kind in kinds}


def _maximise(model: Model, amount: Expr, uses: dict[Group, Variable]) -> list[Group]:
    """Return groups that maximise a whole number, and fix it in the model from now on."""
    model.setObjective(amount, sense="maximize")
    model.optimize()
    most = round(model.getObjVal())
    groups = [group for group, use in uses.items() for _ in range(round(model.getVal(use)))]
    model.freeTransform()
    model.addCons(amount == most)
    return groups
