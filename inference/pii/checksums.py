"""Check digits of the numbers that carry one. Input is the bare number, ASCII, no separators."""

from datetime import date
from itertools import cycle

# GB 11643-1999 (ISO 7064 MOD 11-2): weight of the i-th digit and the check character by remainder.
_RESIDENT_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_RESIDENT_CHECKS = "10X98765432"
# GB 32100-2015: 31 characters, no I, O, S, V, Z; the weight of the i-th is 3^i mod 31.
_CREDIT_CODE_ALPHABET = "0123456789ABCDEFGHJKLMNPQRTUWXY"
_CREDIT_CODE_WEIGHTS = tuple(pow(3, i, 31) for i in range(17))


def luhn(digits: str) -> bool:
    """Is `digits` valid under ISO/IEC 7812-1 annex B (bank cards)? A run of one digit is not."""
    if len(set(digits)) < 2:
        return False
    total = 0
    for digit, double in zip(reversed(digits), cycle((False, True))):
        value = int(digit) * (2 if double else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def resident_id(number: str) -> bool:
    """Is the 18-character `number` valid under GB 11643-1999, check character included?"""
    total = sum(int(digit) * weight for digit, weight in zip(number[:17], _RESIDENT_WEIGHTS, strict=True))
    return _RESIDENT_CHECKS[total % 11] == number[17].upper()


def is_date(digits: str) -> bool:
    """Is YYYYMMDD a day of the calendar?"""
    try:
        date(int(digits[:4]), int(digits[4:6]), int(digits[6:8]))
    except ValueError:
        return False
    return True


def social_credit_code(code: str) -> bool:
    """Is the 18-character upper-case `code` valid under GB 32100-2015?"""
    values = [_CREDIT_CODE_ALPHABET.find(character) for character in code]
    if min(values) < 0:
        return False
    total = sum(value * weight for value, weight in zip(values[:17], _CREDIT_CODE_WEIGHTS, strict=True))
    return (31 - total % 31) % 31 == values[17]
