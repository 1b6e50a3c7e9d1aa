"""What networks are shown of President besides the observation: which plays the others can beat.

All of it follows from the cards in your hand and those unseen, but a small network would need many
units to compare each rank of its hand with all higher ones.
"""

from ...envs.core.compile import rule
from ...envs.core.fields import Field
from ...envs.core.game import Game
from ...envs.president.rules import NO_RANK, NUM_RANKS, TOP_RANK

LEFT_OUT = ("played", "seat_to_act")  # 4 - hand - unseen; always the observer


def input_fields(game: Game) -> tuple[Field, ...]:
    """Return the fields that `derive` writes."""
    number = game.layout.plain_dtype.type
    (sizes,) = (field for field in game.observation_fields if field.name == "hand_sizes")
    return (
        Field("answers", number, (NUM_RANKS,), 0, TOP_RANK, "ranks that may beat all of yours"),
        Field("num_sets", number, (), 0, NUM_RANKS, "ranks in your hand"),
        Field("num_sure", number, (), 0, NUM_RANKS, "those of them that no other seat can beat"),
        Field("table_answers", number, (), 0, TOP_RANK, "others' ranks that may beat the table"),
        Field("own_answers", number, (), 0, NUM_RANKS, "your ranks that beat the table"),
        Field("fewest_cards", number, (), 0, sizes.high, "fewest cards of another seat"),
    )


@rule
def derive(observation):
    """Write the fields of `input_fields` into the record whose other fields they follow from."""
    observation.num_sets = observation.num_sure = 0
    for rank in range(NUM_RANKS):
        size = observation.hand[rank]
        answers = ranks_with(observation.unseen, size, rank) if size > 0 else 0
        observation.answers[rank] = answers
        observation.num_sets += size > 0
        observation.num_sure += size > 0 and answers == 0
    observation.table_answers = observation.own_answers = 0
    if observation.table_rank != NO_RANK:
        count, rank = observation.table_count, observation.table_rank
        observation.table_answers = ranks_with(observation.unseen, count, rank)
        observation.own_answers = ranks_with(observation.hand, count, rank)
    observation.fewest_cards = fewest_cards(observation)


@rule
def ranks_with(cards, count, above):
    """The number of ranks higher than `above` of which there are at least `count` cards."""
    num_ranks = 0
    for rank in range(above + 1, NUM_RANKS):
        num_ranks += cards[rank] >= count
    return num_ranks


@rule
def fewest_cards(observation):
    """The fewest cards of another seat that still has some."""
    fewest = 0
    for seat in range(1, observation.hand_sizes.shape[0]):
        size = observation.hand_sizes[seat]
        if size > 0 and (fewest == 0 or size < fewest):
            fewest = size
    return fewest
