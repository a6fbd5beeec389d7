"""Personal numbers and addresses of the net that look alike in every language."""

import re

from inference.pii.checksums import is_date, luhn, resident_id
from inference.pii.rules import DIGIT, Rule, digits_of

EMAIL, URL, PHONE, CARD, RESIDENT_ID = "EMAIL_ADDRESS", "URL", "PHONE_NUMBER", "CREDIT_CARD", "CN_RESIDENT_ID"

_LETTER = r"A-Za-z\u00c0-\u024f"

_EMAIL = (
    rf"[{_LETTER}0-9_](?:[{_LETTER}0-9._%+'-]{{0,62}}[{_LETTER}0-9_%+-])?"
    rf"@(?:[{_LETTER}0-9](?:[{_LETTER}0-9-]{{0,61}}[{_LETTER}0-9])?\.){{1,6}}[{_LETTER}]{{2,24}}(?![{_LETTER}])"
)
_URL = (
    r"(?<![A-Za-z0-9])(?:https?://|ftp://|www\.(?=[A-Za-z0-9]))"
    r"[A-Za-z0-9\[\]._~:/?#@!$&*+,;=%-]{1,2000}[A-Za-z0-9/#=_&-]"
)

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
_CARD_CONTEXT = re.compile(
    r"card|credit|debit|visa|master|amex|maestro|discover|diners|payment|pay\b|charge"
    r"|卡|账号|帐号|账户|付款|扣款|转账",
    re.IGNORECASE,
)
_CARD = r"(?<![0-9A-Za-z])(?<![0-9][.,/-])[1-9][0-9]{3}(?:[ -]?[0-9]){8,15}(?![0-9A-Za-z])(?![.,/-][0-9])"

_RESIDENT = (
    r"(?<![0-9A-Za-z])[1-9][0-9]{5}[ -]?(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
    r"[ -]?[0-9]{3}[0-9Xx](?![0-9A-Za-z])"
)
_ID_CONTEXT = re.compile(r"身份证|证件|\bid\b|identity|identification|resident", re.IGNORECASE)

_PHONE_CONTEXT = re.compile(
    r"phone|\btel|mobile|\bcell|\bcall|contact|reach|dial|\btext\b|sms|whatsapp|\bfax\b|hotline|ring me"
    r"|\boffice\b|answering"
    r"|电话|手机|致电|拨打|联系|号码|传真|热线|座机|微信|来电|短信",
    re.IGNORECASE,
)
# A run of digit groups: optional country code, optional area in brackets, groups parted by one or two marks.
_PHONE = (
    r"(?<![0-9A-Za-z$€£¥#_])(?<![0-9][.,:/-])(?<![A-Za-z]-)"
    r"(?:\+[0-9]{1,3}[ .-]{0,2}|00[0-9]{1,3}[ .-]{1,2})?"
    r"(?:\([0-9]{1,5}\)[ .-]{0,2})?"
    r"[0-9]{1,12}(?:[ .-][0-9]{1,8}|[ ]?\([0-9]{1,5}\)[ ]?[0-9]{1,8}){0,6}"
    r"(?:[ ]?(?:x|ext\.?|转)[ ]?[0-9]{1,6})?"
    r"(?![0-9A-Za-z_%])(?![.,:/][0-9])"
)
_EXTENSION = re.compile(r"[ ]?(?:x|ext\.?|转)[ ]?[0-9]{1,6}$")
# Dates, ranges of years, decimals, IPv4 addresses, social security numbers.
_NO_PHONE = re.compile(
    r"(?:18|19|20)[0-9]{2}[ .-](?:0?[1-9]|1[0-2])[ .-](?:0?[1-9]|[12][0-9]|3[01])"
    r"|(?:0?[1-9]|[12][0-9]|3[01])[ .-](?:0?[1-9]|[12][0-9]|3[01])[ .-](?:18|19|20)?[0-9]{2}"
    r"|(?:18|19|20)[0-9]{2}[ -](?:18|19|20)[0-9]{2}"
    r"|[0-9]{1,12}\.[0-9]{1,12}"
    r"|[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
    r"|[0-9]{3}-[0-9]{2}-[0-9]{4}"
)
_GROUP = re.compile(r"[0-9]+")
_CN_MOBILE = re.compile(r"(?:(?:\+|00)?86[ -]?)?1[3-9][0-9][ -]?[0-9]{4}[ -]?[0-9]{4}")


def _card(value: str, near: bool) -> float | None:
    """Score a bank card: issuer prefix, its lengths and Luhn; only a stated card may fail the first two."""
    digits = digits_of(value)
    if not luhn(digits):
        return None
    for prefix, lengths in _CARD_PREFIXES:
        if prefix.match(digits) and len(digits) in lengths:
            return 0.95 if near else 0.8
    return 0.75 if near else None


def _resident(value: str, near: bool) -> float | None:
    """Score a resident ID: its date must exist; without the check digit it counts, but less."""
    number = value.replace(" ", "").replace("-", "")
    if not is_date(number[6:14]):
        return None
    if resident_id(number):
        return 0.99
    return 0.97 if near else 0.85


def _phone(value: str, near: bool) -> float | None:
    """Score a telephone number by its shape: digits, groups, country code; context carries the doubtful ones."""
    if _CN_MOBILE.fullmatch(value):
        return 0.9
    number = _EXTENSION.sub("", value)
    groups = _GROUP.findall(number)
    count = sum(map(len, groups))
    if not 6 <= count <= 15 or _NO_PHONE.fullmatch(number):
        return None
    if number.startswith(("+", "00")) or number != value:
        return 0.85 if count >= 8 else None
    if len(groups) == 1:
        return 0.7 if near and count >= 7 else None
    if max(map(len, groups)) > 9:
        return None
    if near or number.startswith(("(", "0")):
        return 0.8 if count >= 7 or near else None
    return 0.6 if count >= 8 and len(groups) >= 3 and min(map(len, groups)) >= 2 else None


RULES: tuple[Rule, ...] = (
    Rule("email", EMAIL, re.compile(_EMAIL), 0.95, needs=("@",)),
    Rule("url", URL, re.compile(_URL, re.IGNORECASE), 0.8, needs=("http", "ftp:", "www.")),
    Rule("bank card", CARD, re.compile(_CARD), 0.8, needs=(DIGIT,), check=_card, context=_CARD_CONTEXT),
    Rule("resident id", RESIDENT_ID, re.compile(_RESIDENT), 0.7, needs=(DIGIT,), check=_resident, context=_ID_CONTEXT),
    Rule(
        "phone",
        PHONE,
        re.compile(_PHONE, re.IGNORECASE),
        0.8,
        needs=(DIGIT,),
        check=_phone,
        context=_PHONE_CONTEXT,
    ),
)
