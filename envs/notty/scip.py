"""The best discard as an integer programme, solved by SCIP: a reference that shares only the cards.

The programme is that of the original's document, except that a group may be discarded twice: there
are two copies of every card. It is slow (milliseconds) and meant for checking, not for playing.
"""

from collections.abc import Sequence

from pyscipopt import Expr, Model, Variable, quicksum

from .cards import GROUPS, NUM_COLOURS, NUM_COPIES, NUM_NUMBERS

Group = tuple[int, ...]

# The discarded counts of a colour, read as one number in base 3, order as the counts themselves do.
_WEIGHTS = [(NUM_COPIES + 1) ** (NUM_NUMBERS - 1 - number) for number in range(NUM_NUMBERS)]


def best_discard(hand: Sequence[int]) -> list[Group]:
    """The groups of a best discard, each as its kinds in ascending order; one may be there twice.

    `hand` [40] is how many cards it has of each kind, 0 to 2. As many cards as possible go; of
    several such discards it is one that leaves the lexicographically smallest counts. (Where the
    same cards can be grouped in several ways, any of them.)
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
    """How many cards go of every kind that is in a group."""
    kinds = sorted({kind for group in uses for kind in group})
    return {kind: quicksum(uses[group] for group in uses if kind in group) for kind in kinds}


def _maximise(model: Model, amount: Expr, uses: dict[Group, Variable]) -> list[Group]:
    """Groups for the largest amount, a whole number, which the model keeps from now on."""
    model.setObjective(amount, sense="maximize")
    model.optimize()
    most = round(model.getObjVal())
    groups = [group for group, use in uses.items() for _ in range(round(model.getVal(use)))]
    model.freeTransform()
    model.addCons(amount == most)
    return groups
