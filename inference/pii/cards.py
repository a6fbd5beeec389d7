"""Bank cards: issuer prefix, its lengths and Luhn, in one run of digits or in groups parted by any one mark."""

import re
from itertools import pairwise

from inference.pii.checksums import luhn
from inference.pii.number_labels import LABELLED
from inference.pii.rules import DIGIT, Rule, digits_of

CARD = "CREDIT_CARD"

# Length by issuer prefix (ISO/IEC 7812 as published by the networks).
_CARD_LENGTHS: tuple[tuple[str, frozenset[int]], ...] = (
    (r"4", frozenset({13, 16, 19})),
    (r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", frozenset({16})),
    (r"3[47]", frozenset({15})),
    (r"30[0-5]|3095|3[689]", frozenset({14, 16, 19})),
    (r"6011|64[4-9]|65", frozenset({16, 19})),
    (r"35(?:2[89]|[3-8])", frozenset({16, 19})),
    (r"1800|2131", frozenset({15})),
    (r"50|5[6-9]|6", frozenset(range(12, 20))),
    (r"9[4-9]|88|81|86|8[47]|90", frozenset({16, 17, 18, 19})),
)
_CARD_PREFIXES = tuple((re.compile(prefix), lengths) for prefix, lengths in _CARD_LENGTHS)
_CONTEXT = re.compile(
    r"card|credit|debit|visa|master|amex|maestro|discover|diners|payment|pay\b|charge|\bpans?\b"
    r"|卡|账号|帐号|账户|付款|扣款|转账|万事达|银联|运通",
    re.IGNORECASE,
)
_BEFORE, _AFTER = r"(?<![0-9A-Za-z])(?<![0-9][./-])(?<![0-9],)", r"(?![0-9A-Za-z])(?![.-][0-9])"
_RUN = rf"(?<![0-9A-Za-z])(?<![0-9][./-])[1-9][0-9]{{3}}(?:[ -]?[0-9]){{8,15}}{_AFTER}(?!,[0-9]{{3}}(?![0-9]))"
# As printed: four fours (and what nineteen digits leave), or 4-6-5 and 4-6-4. One mark parts all of them.
_MARK = r"(?P<mark>[ \u00a0\u2009\u202f]{0,2}[./·•・‧∙⋅_|~‐‑‒–—-]?[ \u00a0\u2009\u202f]{0,2})"
_NOT_ON = r"(?![0-9A-Za-z])(?!(?P=mark)[0-9]{4}(?![0-9]))"
_FOURS = rf"{_BEFORE}[1-9][0-9]{{3}}{_MARK}(?<![0-9])[0-9]{{4}}(?P=mark)[0-9]{{4}}(?P=mark)[0-9]{{4}}"
_GROUPS = (
    _FOURS + _NOT_ON,
    rf"{_FOURS}(?P=mark)[0-9]{{3}}{_NOT_ON}",
    rf"{_BEFORE}3[0-9]{{3}}{_MARK}(?<![0-9])[0-9]{{6}}(?P=mark)[0-9]{{4,5}}{_NOT_ON}",
)
_RISE = 1_000
_NO_CARD = re.compile(
    # "please block 4012 ...": what is done with a card is no label of a number.
    rf"(?<!please[ ])(?<!to[ ])(?<!you[ ])(?<!and[ ])(?<!just[ ])(?<!we[ ])(?<!they[ ])"
    rf"(?:{LABELLED.pattern})|\b(?:sim|iccid|imei)\b[^.\n]{{0,40}}$|SIM卡[^。\n]{{0,20}}$", re.IGNORECASE | re.ASCII
)


def _are_readings(value: str) -> bool:
    """Do the groups rise by little, as a meter's do ("4021 4044 4102 4131")?"""
    groups = [int(group) for group in re.findall(r"[0-9]+", value)]
    rises = all(first < second for first, second in pairwise(groups))
    return len(groups) > 2 and rises and groups[-1] - groups[0] < _RISE


def _card(value: str, near: bool) -> float | None:
    """Score a bank card: issuer prefix, its lengths and Luhn; only a stated card may fail the first two."""
    digits = digits_of(value)
    if not luhn(digits) or (not near and _are_readings(value)):
        return None
    for prefix, lengths in _CARD_PREFIXES:
        if prefix.match(digits) and len(digits) in lengths:
            return 0.95 if near else 0.8
    return 0.75 if near else None


def _rule(name: str, pattern: str) -> Rule:
    return Rule(name, CARD, re.compile(pattern), 0.8, (DIGIT,), _card, _CONTEXT, unless_after=_NO_CARD)


RULES: tuple[Rule, ...] = (
    _rule("bank card", _RUN),
    _rule("bank card, in one run", rf"(?<![0-9A-Za-z])(?<![0-9][./-])[1-9][0-9]{{11,18}}{_AFTER}"),
    *(_rule("bank card, in groups", pattern) for pattern in _GROUPS),
)
