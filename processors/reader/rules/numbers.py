"""Numbers as people write them: digits, English and Chinese numerals, amounts with 万, k, million, and decades."""

from __future__ import annotations

import re

_ONES = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH = {word: value for value, word in enumerate(_ONES.split())} | {
    word: (at + 2) * 10 for at, word in enumerate(_TENS.split())
}
_HAN_DIGIT = {c: v for v, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0, "俩": 2, "仨": 3}
_HAN_UNIT = {"十": 10, "百": 100, "千": 1_000}
_HAN_BIG = {"万": 10_000, "亿": 100_000_000}
_UNITS = _HAN_UNIT | _HAN_BIG
_SCALE = {
    "k": 1_000, "thousand": 1_000, "grand": 1_000, "m": 1_000_000, "mn": 1_000_000, "million": 1_000_000,
    "b": 1_000_000_000, "bn": 1_000_000_000, "billion": 1_000_000_000, "lakh": 100_000, "crore": 10_000_000,
    "十": 10, "百": 100, "千": 1_000, "万": 10_000, "百万": 1_000_000, "千万": 10_000_000,
    "亿": 100_000_000, "w": 10_000,
}  # fmt: skip
_AMOUNT = re.compile(
    r"(?P<digits>\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,4})?|\d{1,15}(?:\.\d{1,4})?)\s?"
    r"(?P<scale>thousand|grand|million|billion|lakh|crore|百万|千万|[kKmMbBwW](?![A-Za-z])|[mb]n(?![a-z])|[千万亿])?"
    r"(?P<short>(?<=\d[千万亿])[1-9](?![\d.,百十万]))?"
)

ENGLISH_NUMBER = (
    r"(?:\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven"
    r"|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen)"
)
HAN_NUMBER = r"(?:\d{1,9}(?:\.\d{1,3})?|[零〇一二两三四五六七八九十百千]{1,9})"


def english_integer(text: str) -> int | None:
    """Return 32 for "32", "thirty-two" and "thirty two"; None for what is no number below 1,000."""
    low = text.strip().lower()
    if low.isdecimal():
        return int(low)
    total = 0
    for part in re.split(r"[- ]", low):
        if part not in _ENGLISH:
            return None
        total += _ENGLISH[part]
    return total


def han_number(text: str) -> int | None:
    """Return 32 for "三十二", 20000 for "两万", 15000 for "一万五"; decimal digits too; None for what is no number."""
    if text.isdecimal():
        return int(text)
    total = section = digit = 0
    for character in text:
        if character in _HAN_DIGIT:
            digit = digit * 10 + _HAN_DIGIT[character] if digit and character == "〇" else _HAN_DIGIT[character]
        elif character in _HAN_UNIT:
            section += (digit or 1) * _HAN_UNIT[character]
            digit = 0
        elif character in _HAN_BIG:
            total = (total + section + digit) * _HAN_BIG[character]
            section = digit = 0
        else:
            return None
    # Said short, the last digit is of the next lower unit: 一万五, 两千三; 一万零五 is not.
    short = _UNITS.get(text[-2:-1], 10) // 10 if digit else 1
    return total + section + digit * short


def amount(text: str) -> int | float | None:
    """Return the first amount in `text`: 800000 for "80万", 120000 for "$120k", 1500000 for "1.5 million" and
    "一百五十万"; None without one."""
    if match := _AMOUNT.search(text):
        number = float(match.group("digits").replace(",", ""))
        if scale := match.group("scale"):
            number = round((number + int(match.group("short") or 0) / 10) * _SCALE.get(scale.lower(), 1), 4)
        return whole(number)
    if match := re.search(r"[零〇一二两三四五六七八九十百千万亿]{1,12}", text):
        return han_number(match.group())
    return None


def whole(number: float) -> int | float:
    """Return an int where nothing is lost."""
    return int(number) if number == int(number) else number
