"""The cases of personal data: their form, and how a sentence is scored."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from evaluation.pii_cases import (
    CASES,
    KINDS,
    LabelledSpan,
    PiiCase,
    name_table,
    read_cases,
    score_case,
    table,
    total,
)
from inference.protocols import EntitySpan
from schemas.profile.pii_policy import ENTITIES

LANGUAGES = ("en", "zh")
ALL = read_cases()
FIRST = tuple(sorted(set(KINDS) - {"answer"}))
"""The kinds of the first set: answers to a question came with the fourth."""
FOLDERS = (CASES, *(CASES / name for name in ("second", "third", "fourth")))
_CARD_LIKE = re.compile(r"(?<![\d.])\d(?:[ ./\u00b7-]{0,3}\d){12,18}(?![\d])")
_NUMERALS = str.maketrans("零一二三四五六七八九", "0123456789")
_RESIDENT_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def _luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, annex B, from the last digit: every second is doubled, its figures added."""
    doubled = [sum(divmod(int(d) * 2, 10)) if n % 2 else int(d) for n, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


# Written in turns: half a while rules were tuned, half b when they stood.
IN_TURNS = {"everyday-secret": {(True, "a"): 45, (True, "b"): 15, (False, "a"): 45, (False, "b"): 15}}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", FIRST)
def test_a_kind_has_forty_sentences_that_show_it_and_forty_that_do_not_half_of_each_kept_back(
    kind: str, language: str
) -> None:
    cases = read_cases(kind=kind, language=language)
    assert {(c.kind, c.language) for c in cases} == {(kind, language)}
    evenly = dict.fromkeys([(True, "a"), (True, "b"), (False, "a"), (False, "b")], 20)
    assert Counter((c.shows, c.half) for c in cases) == IN_TURNS.get(kind, evenly)


def test_every_file_is_of_a_kind() -> None:
    files = {f"{p.parent.name}/{p.stem}" for p in CASES.glob("*/*.jsonl")}
    assert files == {f"{language}/{kind}" for language in LANGUAGES for kind in FIRST}


def test_ids_and_texts_are_unique() -> None:
    assert len({c.id for c in ALL}) == len(ALL)
    assert len({(c.language, c.text) for c in ALL}) == len(ALL)


def test_halves_are_drawn_by_the_hash_of_the_id_behind_its_language() -> None:
    """A scene told in both languages stands in one half, so that nobody tunes on the other's translation."""
    for language in LANGUAGES:
        for kind in sorted(set(FIRST) - set(IN_TURNS)):
            for shows in (True, False):
                part = [c for c in read_cases(kind=kind, language=language) if c.shows is shows]
                part.sort(key=lambda c: sha256(c.id.split("-", 1)[1].encode()).hexdigest())
                assert [c.half for c in part] == ["a"] * 20 + ["b"] * 20


def test_no_value_stands_in_both_halves() -> None:
    """Names of people, organisations and places may: they are no secret of the other half."""
    values: dict[str, set[str]] = {}
    for case in ALL:
        for span in case.spans:
            if span.entities & {"PERSON", "ORGANIZATION", "LOCATION"} == set():
                values.setdefault(span.text, set()).add(case.half)
    assert {value for value, halves in values.items() if len(halves) > 1} == set()


def test_spans_stand_in_the_text_and_are_entities_of_the_product() -> None:
    for case in ALL:
        end = 0
        for span in case.spans:
            assert case.text[span.start : span.end] == span.text, case.id
            assert span.start >= end, case.id
            end = span.end
            first, last = span.reach
            assert case.text[first:last] == (span.wide or span.text), case.id
            assert first <= span.start, case.id
            assert last >= span.end, case.id
            assert span.entities <= ENTITIES, case.id
        assert any(s.entities & KINDS[case.kind] for s in case.spans) is case.shows, case.id


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_set_is_in_two_halves_and_labels_what_stands_in_its_sentences(folder: Path) -> None:
    cases = read_cases(folder)
    assert len({c.id for c in cases}) == len(cases)
    assert {(c.shows, c.half) for c in cases} == {(True, "a"), (True, "b"), (False, "a"), (False, "b")}
    for case in cases:
        for span in case.spans:
            assert case.text[span.start : span.end] == span.text, case.id
            assert span.entities <= ENTITIES, case.id
        assert any(s.entities & KINDS[case.kind] for s in case.spans) or not case.shows, case.id
        assert (case.before != "") is (case.kind == "answer"), case.id


def test_the_fourth_set_has_forty_sentences_that_show_a_kind_and_forty_that_do_not() -> None:
    for path in (CASES / "fourth").glob("*/*.jsonl"):
        cases = read_cases(CASES / "fourth", path.stem, path.parent.name)
        evenly = dict.fromkeys([(True, "a"), (True, "b"), (False, "a"), (False, "b")], 20)
        assert Counter((c.shows, c.half) for c in cases) == evenly, path


def test_a_sentence_has_three_to_forty_words_and_says_what_it_shows() -> None:
    """A Chinese character counts as half a word."""
    for case in ALL:
        words = len(re.findall(r"[^\s\u3400-\u9fff]+", case.text)) + len(re.findall(r"[\u3400-\u9fff]", case.text)) / 2
        assert 3 <= words <= 42, case.id
        assert case.note, case.id


def test_card_numbers_have_their_check_digit_and_what_looks_like_one_has_not() -> None:
    for case in ALL:
        for span in case.spans:
            if span.entity == "CREDIT_CARD":
                assert _luhn(_digits(span.text)), case.id
        if case.kind == "card" and not case.shows:
            near = [m for m in _CARD_LIKE.findall(case.text) if 13 <= len(_digits(m)) <= 19]
            assert not [m for m in near if _luhn(_digits(m))], case.id


def test_ids_and_accounts_have_their_check_digits() -> None:
    seen = Counter(span.entity for case in ALL for span in case.spans)
    assert seen["CN_RESIDENT_ID"] >= 30
    assert seen["IBAN_CODE"] >= 30
    for case in ALL:
        for span in case.spans:
            if span.entity == "CN_RESIDENT_ID":
                written = span.text.translate(_NUMERALS)
                digits = [int(d) for d in re.sub(r"[\s-]", "", written)[:17]]
                check = "10X98765432"[sum(d * w for d, w in zip(digits, _RESIDENT_WEIGHTS, strict=True)) % 11]
                assert re.sub(r"[\s-]", "", written)[17] == check, case.id
            if span.entity == "IBAN_CODE":
                plain = span.text.replace(" ", "")
                assert int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1, case.id


def _case(text: str, *spans: LabelledSpan, kind: str = "phone", shows: bool = True) -> PiiCase:
    return PiiCase(id="x", language="en", kind=kind, half="a", text=text, spans=spans, shows=shows, note="n")


def _mask(entity: str, start: int, end: int) -> EntitySpan:
    return EntitySpan(entity, start, end, 0.9, "test")


def test_a_mask_of_another_entity_finds_nothing_and_one_that_runs_on_swallows_words() -> None:
    case = _case("call 212-555-0147 before noon", LabelledSpan(start=5, text="212-555-0147", entity="PHONE_NUMBER"))
    missed = score_case(case, [_mask("CREDIT_CARD", 5, 17)])
    assert (missed.gold, missed.found, missed.predicted) == (1, 0, 0)
    wide = score_case(case, [_mask("PHONE_NUMBER", 5, 24)])
    assert (wide.found, wide.right, wide.swallowed) == (1, 1, 1)
    assert score_case(case, [_mask("PHONE_NUMBER", 5, 17)]).swallowed == 0


def test_a_mask_may_cover_what_a_value_is_glued_to_and_be_of_another_entity_that_the_label_names() -> None:
    span = LabelledSpan(start=14, text="s3cr3t", entity="CREDENTIAL", wide="admin:s3cr3t", wide_start=8)
    case = _case("curl -u admin:s3cr3t url", span, kind="command-password")
    assert score_case(case, [_mask("CREDENTIAL", 8, 20)]).swallowed == 0
    assert score_case(case, [_mask("CREDENTIAL", 5, 20)]).swallowed == 1
    card = LabelledSpan(start=0, text="6200000000000005", entity="CREDIT_CARD", also=("BANK_ACCOUNT",))
    assert score_case(_case(card.text, card, kind="bank-account"), [_mask("CREDIT_CARD", 0, 16)]).found == 1


def test_a_false_alarm_is_of_the_kind_or_of_any_that_policy_takes_out() -> None:
    case = _case("the release of 2026-11-08 in Bath", kind="phone", shows=False)
    allowed = score_case(case, [_mask("DATE_TIME", 15, 25), _mask("LOCATION", 29, 33)])
    assert (allowed.false_kind, allowed.false_any) == (0, 0)
    other = score_case(case, [_mask("CREDIT_CARD", 15, 25)])
    assert (other.false_kind, other.false_any) == (0, 1)
    own = score_case(case, [_mask("PHONE_NUMBER", 15, 25)])
    assert (own.false_kind, own.false_any) == (1, 1)
    place = _case("after the bath", kind="location", shows=False)
    assert score_case(place, [_mask("LOCATION", 10, 14)]).false_any == 1


def test_a_label_of_another_entity_in_a_look_alike_is_no_false_alarm() -> None:
    mac = LabelledSpan(start=0, text="00:1B:44:11:3A:B7", entity="MAC_ADDRESS")
    case = _case("00:1B:44:11:3A:B7 is the printer", mac, kind="card", shows=False)
    assert score_case(case, [_mask("MAC_ADDRESS", 0, 17)]).false_any == 0
    assert score_case(case, [_mask("CREDIT_CARD", 0, 17)]).false_kind == 1


def test_shares_are_of_their_half() -> None:
    found = _case("call 212-555-0147", LabelledSpan(start=5, text="212-555-0147", entity="PHONE_NUMBER"))
    missed = found.model_copy(update={"id": "y"})
    false = _case("order 0004417729", shows=False)
    cases = [found, missed, false]
    scores = [
        score_case(found, [_mask("PHONE_NUMBER", 5, 17)]), score_case(missed, []),
        score_case(false, [_mask("PHONE_NUMBER", 6, 16)]),
    ]  # fmt: skip
    whole = total(cases, scores)
    assert (whole.recall, whole.precision, whole.false_alarms) == (0.5, 1.0, 1.0)
    assert list(table(cases, scores))[2] == "| phone | en | a | 0.500 | 1.000 | 0.667 | 1.000 | 1.000 | 0 |"


def test_names_are_scored_over_all_sentences_of_their_kinds() -> None:
    """A firm taken for a person is a miss of the one and a false alarm of the other; a look-alike counts too."""
    firm = _case("Bosch quoted", LabelledSpan(start=0, text="Bosch", entity="ORGANIZATION"), kind="organization")
    bean = _case("Lima beans", kind="location", shows=False)
    ann = _case("Ann left", LabelledSpan(start=0, text="Ann", entity="PERSON"), kind="person")
    masks = [[_mask("PERSON", 0, 5)], [_mask("LOCATION", 0, 4)], [_mask("PERSON", 0, 3)]]
    assert list(name_table([firm, bean, ann], masks))[2:] == [
        "| LOCATION | en | a | 0 | 0.000 | nan | 0.000 |",
        "| ORGANIZATION | en | a | 1 | nan | 0.000 | 0.000 |",
        "| PERSON | en | a | 1 | 0.500 | 1.000 | 0.667 |",
    ]
