"""Policy over free JSON: keys, numbers, and values that say little without their key (D5)."""

from __future__ import annotations

from typing import Any

import pytest

from processors.pii.redact import apply
from processors.pii.redaction import replaced, strings
from processors.ports import Models
from schemas.profile.pii_policy import DEFAULT_POLICY


def screened(models: Models, value: Any) -> Any:
    texts = list(dict.fromkeys(strings(value)))
    found = models.analyzer.analyze(texts, [models.language_of(t) for t in texts])
    tokeniser = models.tokeniser("acme")
    return replaced(value, {t: apply(t, s, DEFAULT_POLICY, tokeniser).text for t, s in zip(texts, found, strict=True)})


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"phone": 13812345678}, {"phone": "<PHONE_NUMBER>"}),
        ({"card": 4111111111111111}, {"card": "<CREDIT_CARD>"}),
        ({"password": "hunter2xyz"}, {"password": "<CREDENTIAL>"}),
        ({"shared": {"pin": "4821"}}, {"shared": {"pin": "<CREDENTIAL>"}}),
        ({"deep": [{"db_pw": "Larkspur99z"}]}, {"deep": [{"db_pw": "<CREDENTIAL>"}]}),
        ({"pin": 4821}, {"pin": "<CREDENTIAL>"}),
        ({"mobile": "13812345678"}, {"mobile": "<PHONE_NUMBER>"}),
        ([{"bob@example.com": {"n": 1}}], [{"<EMAIL_ADDRESS>": {"n": 1}}]),
        ({"13912345678": "a", "13812345678": "b"}, {"<PHONE_NUMBER>": "a", "<PHONE_NUMBER>'": "b"}),
    ],
)
def test_d5_what_policy_masks_leaves_keys_and_numbers(models: Models, value: Any, shown: Any) -> None:
    assert screened(models, value) == shown


@pytest.mark.parametrize(
    "value",
    [
        {"age": 82, "weight": 82.5, "smoker": False, "children": 0, "note": None},
        {"ts": 1732300000000, "seq": 9007199254740991, "order": 1234567890, "day": 20240101},
        {"token_count": 1234567, "card_type": "visa", "phone_type": "home", "auth": "password"},
        {"Jordan": 1, "May": ["open", "done"]},
    ],
)
def test_d5_what_is_none_of_anybodys_stays_as_it_is(models: Models, value: Any) -> None:
    assert screened(models, value) == value
