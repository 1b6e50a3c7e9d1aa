"""Fields and the flat vector made of them: nothing is lost on the way there and back."""

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.fields import (
    Field,
    FlatLayout,
    check_fields,
)

pytestmark = pytest.mark.plain

COLOURS = Field("colours", np.int64, (2,), 0, 7, "sets of three", num_bits=3)
WHOLE = Field("whole", np.int64, (1,), 0, 0, "a full word", num_bits=64)
FIELDS = (
    Field("height", np.int8, (), -1, 4, "one number"),
    Field("table", np.int8, (2, 3), 0, 9, "six numbers"),
    Field("debt", np.int8, (), -8, 2, "mostly negative"),
    Field("nothing", np.int8, (), 0, 0, "always nought"),
    COLOURS,
    WHOLE,
)
LAYOUT = FlatLayout(FIELDS)


def records(count: int) -> np.ndarray:
    """Random records inside the declared ranges."""
    rng = np.random.default_rng(count)
    out = np.zeros(count, LAYOUT.dtype)
    for field in FIELDS[:4]:
        out[field.name] = rng.integers(field.low, field.high + 1, (count, *field.shape))
    out["colours"] = rng.integers(0, 8, (count, 2))
    out["whole"] = rng.integers(-(2**63), 2**63 - 1, (count, 1), endpoint=True)
    return out


def test_integers_list_the_fields_in_order_and_bits_from_the_lowest() -> None:
    one = np.zeros(1, LAYOUT.dtype)
    one["height"], one["debt"], one["table"] = 3, -8, [[1, 2, 3], [4, 5, 6]]
    one["colours"] = [[0b001, 0b110]]
    one["whole"] = -(2**63)
    vector = LAYOUT.integers(one)[0].tolist()
    assert vector[:9] == [3, 1, 2, 3, 4, 5, 6, -8, 0]
    assert vector[9:15] == [1, 0, 0, 0, 1, 1]
    assert vector[15:] == [0] * 63 + [1]


def test_scaled_numbers_are_divided_by_their_largest_magnitude() -> None:
    one = np.zeros(1, LAYOUT.dtype)
    one["height"], one["debt"], one["table"] = -1, -8, 9
    vector = LAYOUT.scaled(one)[0]
    assert vector.dtype == np.float32
    assert vector[:9].tolist() == [-0.25, *[1.0] * 6, -1.0, 0.0]
    vectors = LAYOUT.scaled(records(500))
    assert np.abs(vectors).max() <= 1


@pytest.mark.parametrize("num_plain", [0, 4])
@pytest.mark.parametrize("sizes", [[1], [2] * 9, [63, 64, 1], [50, 3, 31, 33]])
def test_sets_of_any_sizes_are_written_one_after_the_other(
    sizes: list[int], num_plain: int
) -> None:
    plain = Field("plain", np.int8, (num_plain,), 0, 9, "before the sets")
    layout = FlatLayout(
        (plain, *(Field(f"set{k}", np.int64, (), 0, 0, "", size) for k, size in enumerate(sizes)))
    )
    rng = np.random.default_rng(len(sizes))
    bits = [rng.integers(0, 2, (3, size)) for size in sizes]
    records = np.zeros(3, layout.dtype)
    for k, chosen in enumerate(bits):
        words = [sum(int(bit) << place for place, bit in enumerate(row)) for row in chosen]
        records[f"set{k}"] = np.array(words, np.uint64).astype(np.int64)
    numbers = layout.integers(records)
    assert numbers[:, num_plain:].tolist() == np.hstack(bits).tolist()
    assert (numbers[:, :num_plain] == 0).all()


def test_hidden_fields_are_left_out_and_named_when_missed() -> None:
    layout = FlatLayout((FIELDS[0], WHOLE._replace(hidden=True), COLOURS))
    one = np.zeros(1, layout.dtype)
    one["whole"], one["colours"] = -1, [[5, 2]]
    vectors = layout.integers(one)
    assert vectors.tolist() == [[0, 1, 0, 1, 0, 1, 0]]
    with pytest.raises(ValueError, match="leaves out whole"):
        layout.records(vectors)


@pytest.mark.parametrize("shape", [(1, 78), (79,), (1, 1, 79)])
def test_vectors_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"expected vectors \[B, 79\]"):
        LAYOUT.records(np.zeros(shape, np.int8))


def test_a_single_record_is_refused_and_the_batch_of_it_is_not() -> None:
    record = records(3)[1]
    for vectors in (LAYOUT.scaled, LAYOUT.integers):
        with pytest.raises(
            ValueError, match=r"expected records \[B\], got shape \(\); record.resh"
        ):
            vectors(record)
        assert (vectors(record.reshape(1))[0] == vectors(records(3))[1]).all()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ((COLOURS, FIELDS[0]), "plain fields before the packed"),
        (
            (FIELDS[0], FIELDS[1]._replace(dtype=np.int16)),
            "one integer type; got height int8, table int16",
        ),
        ((FIELDS[0], COLOURS._replace(dtype=np.int32)), "must be made of int64 words"),
    ],
)
def test_fields_that_make_no_vector_are_refused(fields: tuple[Field, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        FlatLayout(fields)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"dtype": np.float32}, "'height' holds whole numbers, in a type such as np.int8; got flo"),
        ({"dtype": bool}, "got bool"),
        ({"shape": 2}, r"a tuple: \(\) for one number, \(n,\) for n; got 2"),
        ({"low": 1, "high": 0}, "got 1 .. 0"),
        ({"high": 128}, "'height' lies in -128 .. 127, .* as it is int8; got -1 .. 128"),
        ({"name": "num cards"}, "'num cards' needs a name as Python's variables have"),
        ({"name": "round"}, "'round' needs another name, because each NumPy record has"),
    ],
)
def test_a_field_that_no_record_can_have_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        check_fields((COLOURS, FIELDS[0]._replace(**changes)))


def test_each_number_is_named_by_the_place_that_it_changes() -> None:
    for index in range(LAYOUT.num_inputs):
        vector = np.zeros((1, LAYOUT.num_inputs), np.int64)
        vector[0, index] = 1
        record = LAYOUT.records(vector)[0]
        (field,) = [field for field in FIELDS if record[field.name].any()]
        place = tuple(int(axis[0]) for axis in np.nonzero(np.atleast_1d(record[field.name])))
        shown = f"{field.name}{list(place)}" if field.shape else field.name
        if field.num_bits:
            word = int(record[field.name][place]) % 2**64
            shown = f"member {word.bit_length() - 1} of {shown}"
        divisor = round(1 / float(LAYOUT.scale[index]))
        scaled = f", divided by {divisor}" if divisor > 1 else ""
        assert LAYOUT.name(index) == f"{shown}{scaled}: {field.meaning}"


@pytest.mark.parametrize("index", [-1, LAYOUT.num_inputs, 1.5, "table"])
def test_a_number_that_is_not_there_has_no_name(index: Any) -> None:
    with pytest.raises(IndexError, match=f"no number {index!r}; it has 0 .. 78$"):
        LAYOUT.name(index)
