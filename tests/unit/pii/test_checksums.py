"""D5: check digits, against published examples."""

import pytest

from inference.pii.checksums import is_date, luhn, resident_id, social_credit_code


@pytest.mark.parametrize("number", ["11010519491231002X", "440524188001010014", "11010519491231002x"])
def test_resident_ids_of_the_standard(number: str) -> None:
    assert resident_id(number)  # GB 11643-1999, annex


def test_a_wrong_digit_is_noticed() -> None:
    assert not resident_id("110105194912310021")
    assert not resident_id("110105194912310120")


@pytest.mark.parametrize(
    ("digits", "valid"), [("4111111111111111", True), ("4111111111111112", False), ("0" * 16, False)]
)
def test_luhn(digits: str, valid: bool) -> None:
    assert luhn(digits) is valid


@pytest.mark.parametrize(("digits", "valid"), [("20240229", True), ("20230229", False), ("19991301", False)])
def test_dates_exist(digits: str, valid: bool) -> None:
    assert is_date(digits) is valid


@pytest.mark.parametrize(
    ("code", "valid"),
    [("91350100M000100Y43", True), ("91350100M000100Y44", False), ("91350100I000100Y43", False)],
)
def test_social_credit_codes(code: str, valid: bool) -> None:
    assert social_credit_code(code) is valid  # the example of GB 32100-2015
