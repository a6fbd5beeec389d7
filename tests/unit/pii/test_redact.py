"""D5: what policy does to a text."""

import pytest
from pydantic import ValidationError

from inference.protocols import EntitySpan
from processors.pii.redact import Tokeniser, apply, refused_for
from schemas.profile.pii_policy import DEFAULT_POLICY, PiiAction, PiiPolicy

KEY = b"0123456789abcdef-test-key"
TOKENS = Tokeniser(KEY, "acme")


def spans(text: str, *found: tuple[str, str]) -> list[EntitySpan]:
    return [EntitySpan(e, text.index(v), text.index(v) + len(v), 0.9, "test") for e, v in found]


def test_d5_default_policy_keeps_people_and_masks_numbers() -> None:
    text = "Anna (王芳) in Leeds: 13812345678, anna@example.com"
    found = spans(
        text,
        ("PERSON", "Anna"),
        ("PERSON", "王芳"),
        ("LOCATION", "Leeds"),
        ("PHONE_NUMBER", "13812345678"),
        ("EMAIL_ADDRESS", "anna@example.com"),
    )
    redaction = apply(text, found, DEFAULT_POLICY, TOKENS)
    assert redaction.text == "Anna (王芳) in Leeds: <PHONE_NUMBER>, <EMAIL_ADDRESS>"
    assert not redaction.refused
    assert redaction.found == {
        "PERSON:allow": 2,
        "LOCATION:allow": 1,
        "PHONE_NUMBER:mask": 1,
        "EMAIL_ADDRESS:mask": 1,
    }
    assert [redaction.text[start:end] for _, start, end in redaction.entities] == ["Anna", "王芳", "Leeds"]


@pytest.mark.parametrize(
    ("found", "rule"),
    [
        ({}, None), ({"IBAN_CODE:mask": 1}, None), ({"IBAN_CODE:refuse": 2, "URL:allow": 1}, "iban_code"),
        ({"IBAN_CODE:refuse": 1, "CREDIT_CARD:refuse": 1}, "credit_card"),
        ({"ADDRESS:refuse": 1, "CREDENTIAL:refuse": 1}, "credential"),
        ({"ADDRESS:refuse": 1, "CREDENTIAL:mask": 1}, "address"),
    ],
)  # fmt: skip
def test_n5_the_rule_of_a_refusal_is_its_entity(found: dict[str, int], rule: str | None) -> None:
    assert refused_for(found) == rule


def test_d5_a_credential_refuses_the_turn_but_keeps_its_text() -> None:
    text = "the key is sk-abc, please rotate it"
    redaction = apply(text, spans(text, ("CREDENTIAL", "sk-abc")), DEFAULT_POLICY, TOKENS)
    assert redaction.refused
    assert redaction.text == "the key is <CREDENTIAL>, please rotate it"


def test_d5_entities_behind_a_replaced_span_keep_their_place() -> None:
    text = "13812345678 is the number of Anna"
    redaction = apply(text, spans(text, ("PHONE_NUMBER", "13812345678"), ("PERSON", "Anna")), DEFAULT_POLICY, TOKENS)
    ((entity, start, end),) = redaction.entities
    assert (entity, redaction.text[start:end]) == ("PERSON", "Anna")


def test_tokens_are_stable_within_a_tenant_and_tell_nothing_without_the_key() -> None:
    policy = DEFAULT_POLICY.overridden({"PHONE_NUMBER": "tokenise"})
    text = "call +86 138-1234-5678 or ＋86 138 1234 5678"
    found = spans(text, ("PHONE_NUMBER", "+86 138-1234-5678"), ("PHONE_NUMBER", "＋86 138 1234 5678"))
    redaction = apply(text, found, policy, TOKENS)
    first, second = (part.strip() for part in redaction.text.removeprefix("call ").split(" or "))
    assert first == second
    assert first.startswith("<PHONE_NUMBER:")
    assert apply(text, found, policy, Tokeniser(KEY, "other")).text != redaction.text
    assert apply(text, found, policy, Tokeniser(b"another key of 16+", "acme")).text != redaction.text


def test_encrypt_leaves_a_token_and_nothing_of_the_value() -> None:
    policy = DEFAULT_POLICY.overridden({"ADDRESS": "encrypt"})
    text = "12 Elm Street, yes, 12 Elm Street"
    first = EntitySpan("ADDRESS", 0, 13, 0.9, "test")
    second = EntitySpan("ADDRESS", 20, 33, 0.9, "test")
    redaction = apply(text, [first, second], policy, TOKENS)
    assert "Elm" not in str(redaction)
    assert redaction.text.count(f"<ADDRESS:{TOKENS.token('ADDRESS', '12 Elm Street')}>") == 2


def test_spans_below_the_policy_score_are_left() -> None:
    weak = EntitySpan("PHONE_NUMBER", 0, 3, 0.3, "test")
    assert apply("123", [weak], DEFAULT_POLICY, TOKENS).text == "123"


@pytest.mark.parametrize("bad", [[(0, 4), (3, 6)], [(2, 99)], [(3, 3)]])
def test_overlapping_or_outside_spans_are_an_error(bad: list[tuple[int, int]]) -> None:
    found = [EntitySpan("PHONE_NUMBER", start, end, 0.9, "test") for start, end in bad]
    with pytest.raises(ValueError, match="overlap"):
        apply("0123456789", found, DEFAULT_POLICY, TOKENS)


def test_d5_policy_leaves_a_credential_no_way_in() -> None:
    for action in (PiiAction.ALLOW, PiiAction.TOKENISE, PiiAction.ENCRYPT):
        with pytest.raises(ValidationError):
            PiiPolicy(actions={"CREDENTIAL": action})
        with pytest.raises(ValidationError):
            DEFAULT_POLICY.overridden({"CREDENTIAL": action})
    assert DEFAULT_POLICY.overridden({"CREDENTIAL": "mask"}).action("CREDENTIAL") is PiiAction.MASK


def test_policy_is_data_and_masks_what_it_does_not_name() -> None:
    assert DEFAULT_POLICY.action("SOMETHING_NEW") is PiiAction.MASK
    assert PiiPolicy.model_validate_json(DEFAULT_POLICY.model_dump_json()) == DEFAULT_POLICY
    with pytest.raises(ValidationError):
        DEFAULT_POLICY.overridden({"PERSON": "shout"})


def test_a_short_key_is_refused() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        Tokeniser(b"short", "acme")
