"""N7: the measure itself, on cases counted by hand."""

import json

import pytest

from inference.protocols import EntitySpan
from processors.pii.evaluate import Example, GoldSpan, evaluate, load_examples, rows


def predicted(*spans: tuple[str, int, int]) -> list[EntitySpan]:
    return [EntitySpan(entity, start, end, 0.9, "test") for entity, start, end in spans]


def test_n7_overlap_and_exact_counts() -> None:
    gold = (GoldSpan("PERSON", 0, 10), GoldSpan("PERSON", 20, 30), GoldSpan("ADDRESS", 40, 50))
    example = Example("x" * 50, "en", gold)
    result = evaluate([example], [predicted(("PERSON", 0, 4), ("PERSON", 20, 30), ("PERSON", 32, 35))])
    person = result.overlap["PERSON"]
    assert (person.precision, person.recall) == (2 / 3, 1.0)
    assert result.exact["PERSON"].recall == 0.5
    assert result.overlap["ADDRESS"].f1 == 0.0
    assert result.overlap["ADDRESS"].precision is None


def test_n7_a_town_inside_an_address_is_neither_right_nor_wrong() -> None:
    example = Example("x" * 50, "en", (GoldSpan("ADDRESS", 0, 30), GoldSpan("LOCATION", 40, 45)))
    result = evaluate([example], [predicted(("LOCATION", 20, 25), ("ADDRESS", 38, 50))])
    assert result.overlap["LOCATION"].predicted == 0
    assert result.overlap["LOCATION"].recall == 0.0
    assert result.overlap["ADDRESS"].predicted == 0
    assert result.overlap["ADDRESS"].recall == 0.0


def test_n7_entities_the_gold_never_has_are_not_judged() -> None:
    example = Example("x" * 9, "en", (GoldSpan("PERSON", 0, 3),))
    assert set(evaluate([example], [predicted(("URL", 4, 8))]).overlap) == {"PERSON"}


def test_n7_names_are_mapped_on_both_sides() -> None:
    line = json.dumps({"text": "id 1", "lang": "zh", "spans": [{"start": 3, "end": 4, "type": "ID_NUMBER"}]})
    examples = load_examples([line, "", "\n"])
    result = evaluate(examples, [predicted(("CN_RESIDENT_ID", 3, 4))])
    assert result.exact["ID_NUMBER"].f1 == 1.0
    (row,) = rows(result, result)
    assert (row["f1"], row["stock_f1"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    "line",
    [
        "not json with a secret",
        '{"text": "a"}',
        '{"text": "a", "lang": "fr", "spans": []}',
        '{"text": "a", "lang": "en", "spans": [{"start": 0, "end": 9, "type": "PERSON"}]}',
    ],
)
def test_bad_rows_name_their_line_and_no_content(line: str) -> None:
    with pytest.raises(ValueError, match="line 2") as error:
        load_examples(['{"text": "a", "lang": "en", "spans": []}', line])
    assert "secret" not in str(error.value)
