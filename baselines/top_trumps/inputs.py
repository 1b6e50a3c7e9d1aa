"""What networks are shown of Top Trumps besides the observation, and what they are not.

Numbers of cards and values say little: decks differ from deal to deal. What counts is how many of
the cards that may be the opponent's top card each field beats.
"""

from ...envs.core.bits import WORD_BITS, lowest_bit
from ...envs.core.compile import rule
from ...envs.core.fields import Field
from ...envs.core.game import Game
from ...envs.top_trumps.rules import NO_CARD

STEPS = 64  # of a fraction, from 0 to 1
LEFT_OUT = (
    "starter", "num_tricks", "top", "top_values", "last_starter", "last_field", "last_values",
    "last_cards", "last_winner", "pile", "places", "means", "deviations", "values", "own_cards",
    "opponent_cards", "opponent_top",
)  # fmt: skip


def input_fields(game: Game) -> tuple[Field, ...]:
    """Return the fields that `derive` writes."""
    f, of = game.num_actions, f"of the opponent's possible top cards, in {STEPS}ths"
    number = game.layout.plain_dtype.type
    return (
        Field("beaten", number, (f,), 0, STEPS, f"share {of}, that yours beats in each field"),
        Field("tied", number, (f,), 0, STEPS, f"share {of}, that yours ties with in each field"),
    )


@rule
def derive(observation):
    """Write the fields of `input_fields` into the record whose other fields they follow from."""
    for field in range(observation.top_values.shape[0]):
        num_lower, num_equal, num_cards = compared(observation, observation.opponent_top, field)
        is_known = observation.top != NO_CARD and num_cards > 0
        observation.beaten[field] = in_steps(num_lower, num_cards) if is_known else 0
        observation.tied[field] = in_steps(num_equal, num_cards) if is_known else 0


@rule
def compared(observation, cards, field):
    """Count these cards: those below your top card in a field, as high as it, and all."""
    own = observation.top_values[field]
    num_lower = num_equal = num_cards = 0
    for index in range(cards.shape[0]):
        rest = cards[index]
        while rest != 0:
            value = observation.values[index * WORD_BITS + lowest_bit(rest), field]
            rest &= rest - 1
            num_lower += value < own
            num_equal += value == own
            num_cards += 1
    return num_lower, num_equal, num_cards


@rule
def in_steps(part, whole):
    """Return part / whole in STEPS, rounded to the nearest."""
    return (2 * STEPS * part + whole) // (2 * whole)
