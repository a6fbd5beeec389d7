"""What policy took out of one text of a record goes from its other parts, and nothing else does (D5)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processors.pii.redact import Redaction
from processors.pii.redacted_values import NOTHING, RedactedValues
from processors.pii.redaction import replaced, strings

PLACE, WHO = "<LOCATION>", "<PERSON:0123456789ab>"
REDACTED = RedactedValues(
    [("Ghent", PLACE), ("苏州", PLACE), ("Ann Smith", WHO), ("4821", "<CREDENTIAL>"), ("34", "<AGE>")]
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("Ghent", PLACE),
        (" ghent", PLACE),
        ("苏州", PLACE),
        ("Ann", WHO),  # a part of what was taken
        (4821, "<CREDENTIAL>"),
        (34, "<AGE>"),
        ({"Ghent": 1, "苏州": 2}, {PLACE: 1, f"{PLACE}'": 2}),
        (["near Ghent, Ghentbrugge", ("目前住在苏州市",)], [f"near {PLACE}, Ghentbrugge", [f"目前住在{PLACE}市"]]),
    ],
)
def test_d5_what_was_taken_goes_from_every_part(value: Any, shown: Any) -> None:
    assert replaced(value, {}, REDACTED) == shown


@pytest.mark.parametrize(
    "value",
    [
        {"ghent": 1, "smith": True},  # keys that a program reads
        ["Ghentbrugge", "an", "h", "2026-34-01", "0,4821", "148210", 3, 34.5, None, True],
        ["<PERSON:0123456789ab>", "<LOCATION>"],
    ],
)
def test_d5_what_was_not_taken_stays(value: Any) -> None:
    assert replaced(value, {}, REDACTED) == value


def test_d5_a_value_that_somebody_wrote_like_a_placeholder_goes() -> None:
    assert RedactedValues([("PIN_GHENT", PLACE)]).text("call <PIN_GHENT> or <PERSON>") == f"call <{PLACE}> or <PERSON>"


def test_d5_of_two_readings_the_text_s_own_stands() -> None:
    """The value alone was read as a person; in its text it is a place."""
    assert replaced("Dijon", {"Dijon": WHO}, RedactedValues([("Dijon", PLACE), ("Dijon", WHO)])) == PLACE


def test_d5_allowed_entities_stay_marked_where_they_stand_now() -> None:
    text = "Ghent and Bo met Ghent"
    r = Redaction(text, False, {}, (("LOCATION", 0, 5), ("PERSON", 10, 12)))
    clean = REDACTED.redaction(r)
    assert clean.text == f"{PLACE} and Bo met {PLACE}"
    assert [(e, clean.text[a:b]) for e, a, b in clean.entities] == [("PERSON", "Bo")]
    assert NOTHING.redaction(r) is r


def test_d5_short_strings_of_han_are_looked_at() -> None:
    assert list(strings(["苏州", "张伟", "ab", "了"])) == ["苏州", "张伟"]


names = st.text(st.characters(categories=("Lu", "Lo")), min_size=2, max_size=8)


texts = st.sampled_from(["{}", "in {}.", "({})"])


@given(names, st.recursive(texts, lambda s: st.lists(s) | st.dictionaries(st.just("k"), s)))
def test_d5_no_original_is_left_in_any_shape(name: str, shape: Any) -> None:
    def filled(s: Any) -> Any:
        if isinstance(s, str):
            return s.format(name)
        return [filled(x) for x in s] if isinstance(s, list) else {k: filled(x) for k, x in s.items()}

    assert name not in str(replaced(filled(shape), {}, RedactedValues([(name, "<>")])))
