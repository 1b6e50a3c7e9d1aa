"""What networks are shown of President besides the observation: which sets unseen cards can beat.

All of it follows from the observation, but a small network would need many units to find it out.
"""

import numpy as np

from ...envs.core.game import Game
from ...envs.core.jit import rule
from ...envs.core.records import Field
from ...envs.president.rules import NUM_RANKS

NONE = -1  # no set of this rank, no play on the table
SETS_OF = np.array([0, 0x1, 0x11, 0x111, 0x1111])  # four bits a size: sets in so many equal cards
SIZE_BITS = 4
NUMBER = (1 << SIZE_BITS) - 1
STEPS = np.array([0, 1, 2, 3, 4, 4, 5, 5, 5, 5])  # of weakness, by the number of ranks that beat
LEFT_OUT = ("played", "placings", "seat_to_act")  # of the observation: the rest says as much


def input_fields(game: Game) -> tuple[Field, ...]:
    """Return the fields that `derive` writes."""
    largest = next(f.high for f in game.observation_fields if f.name == "hand_sizes")
    i8 = np.int8
    return (
        Field(
            "weakness",
            i8,
            (NUM_RANKS,),
            NONE,
            int(STEPS[-1]),
            "how many ranks may beat your set of each rank, in steps; -1: no such set",
        ),
        Field("num_sets", i8, (), 0, NUM_RANKS, "ranks in your hand"),
        Field("num_weak", i8, (), 0, NUM_RANKS, "those whose set unseen cards can beat"),
        Field("table_weakness", i8, (), NONE, int(STEPS[-1]), "the same of the play to beat"),
        Field("smallest_hand", i8, (), 0, largest, "cards of the other seat with the fewest"),
    )


@rule
def derive(observation):
    """Write the fields of `input_fields` into the record whose other fields they follow from."""
    sets_above = 0  # four bits a size: ranks above in which unseen cards form a set of that size
    num_sets = 0
    num_weak = 0
    observation.table_weakness = NONE
    for rank in range(NUM_RANKS - 1, -1, -1):
        held = np.int64(observation.hand[rank])
        observation.weakness[rank] = NONE
        if held > 0:
            weakness = weakness_of(sets_above, held)
            observation.weakness[rank] = weakness
            num_sets += 1
            num_weak += weakness > 0
        if rank == observation.table_rank:
            count = np.int64(observation.table_count)
            observation.table_weakness = weakness_of(sets_above, count)
        sets_above += SETS_OF[observation.unseen[rank]]
    observation.num_sets = num_sets
    observation.num_weak = num_weak
    observation.smallest_hand = smallest_hand(observation)


@rule
def weakness_of(sets_above, count):
    """How many ranks above hold `count` unseen cards, in steps."""
    return STEPS[sets_above >> (SIZE_BITS * (count - 1)) & NUMBER]


@rule
def smallest_hand(observation):
    """The fewest cards of another seat that is still in; 0 where none is."""
    smallest = np.int64(0)
    for seat in range(1, observation.hand_sizes.shape[0]):
        size = np.int64(observation.hand_sizes[seat])
        if size > 0 and (smallest == 0 or size < smallest):
            smallest = size
    return smallest
