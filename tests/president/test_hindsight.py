"""The bound on first places, against trying everything and against games that were won."""

import json

from docs.studies.president_hindsight import RECORD, load, page


def test_the_page_of_the_study_is_that_of_its_record() -> None:
    record = json.loads(RECORD.read_text())
    assert RECORD.with_suffix(".md").read_text() == page(record)
    assert all(len(seats) >= 1000 for seats in record["seats"].values())
    assert record == load()  # of the present rules and scripts
