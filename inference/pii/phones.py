"""Telephone numbers outside of the Chinese forms: by groups of digits, country code, and what stands around them."""

import re

from inference.pii.number_labels import LABELLED, MEASURED
from inference.pii.rules import DIGIT, Rule, digits_of
from inference.pii.secret_values import FIGURE_WORD

PHONE = "PHONE_NUMBER"

CONTEXT = re.compile(
    r"phone|\btel|mobile|\bcell|\bcall|contact|reach|dial|\btext\b|sms|whatsapp|\bfax\b|hotline"
    r"|\bring\b(?! (?:size|road))"
    r"|\b(?:my|our|his|her|their|new) (?:digits|number(?:['’]s| is| was))"
    r"|\boffice\b|(?:work|home|direct|main|private|support|help) ?line\b|answering|landline|voicemail"
    r"|\bmessages? (?:to|on|from|me|him|her|us)\b|\bbuzz\b|\bph\b|\b(?:hung|hangs?|hanging|pick(?:s|ed)?) up\b"
    r"|\b(?:try|get|catch|find|page)(?: hold of)? (?:me|him|her|us|them|(?:my|our|his|her"
    r"|the) \w{2,15})(?: is)? (?:at|on|under)"
    r" |\b(?:i['’]m|he['’]s|she['’]s|we['’]re|they['’]re) at $|\btheir line\b|\bnumber: $"
    r"|\b(?:he|she|who|owner|driver|nurse|office|doctor|reception|desk|clinic|school)(?:['’]s| is| are) on $"
    r"|\bnumber (?:(?!of\b)[a-z']{1,10} ){0,4}(?:is|was) $"
    r"|\bnumber\b[^.?!\n]{1,30}\b(?:thing|rest|it|that|one)(?:['’]s| is) $"
    r"|电话|手机|致电|拨打|联系|号码|传真|热线|座机|微信|来电|短信",
    re.IGNORECASE,
)
# A run of digit groups: optional country code, optional area in brackets, groups parted by one or two marks.
_PHONE = (
    r"(?<![0-9A-Za-z$€£¥#_])(?<![0-9][.,:/-])(?<![A-Za-z]-)"
    r"(?:\+[0-9]{1,3}[ .-]{0,2}|\(\+[0-9]{1,3}\)[ ]?|00[0-9]{1,3}[ .-]{1,2})?"
    r"(?:\([0-9]{1,5}\)[ .-]{0,2})?"
    r"[0-9]{1,12}(?:(?:[ .·–-]|[ ]-[ ])[0-9]{1,8}|[ ]?\([0-9]{1,5}\)[ ]?[0-9]{1,8}){0,6}"
    r"(?:[ ]?(?:x|ext\.?|转)[ ]?[0-9]{1,6})?"
    r"(?![0-9A-Za-z_%])(?![.,:/][0-9])"
)
# Read out digit by digit, or in twos.
_SPELT = r"(?<![0-9A-Za-z.,:/-])[0-9]{1,2}(?:[ -]{1,2}[0-9]{1,2}){6,12}(?![0-9A-Za-z%])(?![.,:/-][0-9])"
# Seven digits as they are dialled in town, and an area code before a slash.
_LOCAL = r"(?<![0-9A-Za-z$€£¥#_])(?<![0-9][ .,:/-])[2-9][0-9]{2}[ .-][0-9]{4}(?![0-9A-Za-z_%])(?![ .,:/-][0-9])"
_IN_TOWN = re.compile(
    r"\b(?:is|am|are|be|['’](?:s|m|re))[ ](?:on|at)[ ]$|(?:\b(?:my|our|his|her|their|new|work|home"
    r"|whose)[ ](?:number|digits)"
    r"|\bnumbers:|\bask for\b|\b(?:vet|dentist|plumber|clinic|pharmacy|taxi|surgery|florist|nanny|sitter)\b"
    r"|landline|\b(?:cell|mobile|phone|tel|ring|call|dial)\b)",
    re.IGNORECASE,
)
_SLASH = (
    r"(?<![0-9A-Za-z/$€£¥#_.-])(?:\(?0[1-9][0-9]{1,4}\)?[ ]?/[ ]?[0-9]{3,4}[ -]?[0-9]{3,4}"
    r"|[2-9][0-9]{2}/[2-9][0-9]{2}[/-][0-9]{4})"
    r"(?![0-9A-Za-z_%/])(?![.,:-][0-9])"
)
_LETTERS = (
    r"(?<![0-9A-Za-z-])1?[ -]?8(?:00|33|44|55|66|77|88)-(?:[A-Z0-9]{7}"
    r"|[A-Z0-9]{2,4}-[A-Z0-9]{3,5})(?![A-Za-z0-9-])"
)
"""Of service lines: 1-800-GOFEDEX."""
# "three one zero, five five five, double oh eight": figures in words.
_SPOKEN = (
    rf"(?:(?:double|triple)[ -])?{FIGURE_WORD}(?:[ ,.-]{{1,2}}(?:(?:double|triple)[ -])?(?:{FIGURE_WORD}"
    rf"|hundred)){{5,15}}"
)
_FIGURE = re.compile(rf"\b(?:{FIGURE_WORD}|double|hundred)\b|\btriple\b", re.IGNORECASE)
_EXTENSION = re.compile(r"[ ]?(?:x|ext\.?|转)[ ]?[0-9]{1,6}$")
# Dates (with what follows them), ranges of years, decimals and rows of them, IPv4 addresses, social security numbers.
_NO_PHONE = re.compile(
    r"(?:18|19|20)[0-9]{2}[ .-](?:0?[1-9]|1[0-2])[ .-](?:0?[1-9]|[12][0-9]|3[01])(?:[ .-][0-9]{1,6}){0,3}"
    r"|(?:0?[1-9]|[12][0-9]|3[01])[ .-](?:0?[1-9]|[12][0-9]|3[01])[ .-](?:18|19|20)?[0-9]{2}"
    r"|(?:18|19|20)[0-9]{2}[ -](?:18|19|20)[0-9]{2}"
    r"|(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[ .-][0-9]{1,6}"
    r"|[0-9]{1,12}\.[0-9]{1,12}(?:[ ][0-9]{1,12}\.[0-9]{1,12}){0,6}"
    r"|[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
    r"|[0-9]{3}-[0-9]{2}-[0-9]{4}"
)
_GROUP = re.compile(r"[0-9]+")
_CN_MOBILE = re.compile(r"(?:(?:\+|00)?86[ -]?)?1[3-9][0-9][ .-]?[0-9]{4}[ .-]?[0-9]{4}")
_NANP = re.compile(r"(?:1(?P<sep>[ .-]))?[2-9][0-9]{2}(?P<mark>[ .-])[2-9][0-9]{2}[ .-][0-9]{4}")
# Three groups parted by hyphens, as many digits as a national number has.
_IN_THREE = re.compile(r"[1-9][0-9]{1,3}-[0-9]{3,4}-[0-9]{4}")
# Country codes of ITU-T E.164, and a sum written with a plus and parted by thousands.
_COUNTRY = re.compile(
    r"1|7|2[07]|2[1-69][0-9]|3[0-469]|3[578][0-9]|4[013-9]|42[0-9]|5[1-8]|5[09][0-9]|6[0-6]|6[789][0-9]|8[1246]"
    r"|8[0578][0-9]"
    r"|9[0-58]|9[679][0-9]"
)
_SUM = re.compile(r"\+[0-9]{1,3}(?:[ .][0-9]{3}){1,4}")
_UK_MOBILE = re.compile(r"07[3-9][0-9]{8}")
_PLAIN_NANP = re.compile(r"1?[2-9][0-9]{2}[2-9][0-9]{6}")
_LEAST_DISTINCT = 5  # digits, that a row of flags or marks is none
_NORTH_AMERICAN = 11  # digits behind the plus


def _phone(value: str, near: bool) -> float | None:
    """Score a telephone number by its shape: digits, groups, country code; context carries the doubtful ones."""
    if not near and (" - " in value or "–" in value):
        return None  # a sum, a range
    value = value.replace(" - ", "-").replace("–", "-").replace("·", ".")
    if _CN_MOBILE.fullmatch(value):
        return 0.9
    number = _EXTENSION.sub("", value)
    groups = _GROUP.findall(number)
    count = sum(map(len, groups))
    if not 6 <= count <= 15 or _NO_PHONE.fullmatch(number):
        return None
    if number.startswith(("+", "00", "(+")):
        return _international(number, count, near)
    if number != value:
        return 0.85 if count >= 8 else None
    if len(groups) == 1:
        return 0.7 if (near and count >= 7) or _UK_MOBILE.fullmatch(number) else None
    if max(map(len, groups)) > 9:
        return None
    if _is_row(groups) or (count < 7 and not number.startswith("0") and "(" not in number):
        return None
    if near or number.startswith("("):
        return 0.8 if count >= 7 or near else None
    if number.startswith("0"):
        return 0.8 if count >= 9 else None  # behind a trunk zero no plan has fewer
    if _NANP.fullmatch(number):
        return 0.7
    return 0.6 if _IN_THREE.fullmatch(number) else None


def _is_row(groups: list[str]) -> bool:
    """Are the groups readings in a row ("12 14 16 18 20 24", "1200 1500 2000"): all alike, no trunk zero?"""
    length = len(groups[0])
    alike = all(len(group) == length for group in groups) and not groups[0].startswith("0")
    return alike and ((length <= 2 and len(groups) > 4) or (length == 1) or (length == 4 and len(groups) > 2))


def _international(number: str, count: int, near: bool) -> float | None:
    """Score what begins with a plus or two zeros: the code must be a country's, the rest as long as numbers are."""
    digits = digits_of(number).removeprefix("00") if number.startswith("00") else digits_of(number)
    if _COUNTRY.match(digits) is None:
        return None
    if number.startswith("00"):
        return 0.85 if len(digits) >= (8 if near else 10) else None
    if not near and (_SUM.fullmatch(number) and digits.endswith("000")):
        return None
    if digits.startswith("1") and not near and count != _NORTH_AMERICAN:
        return None
    return 0.85 if count >= 8 else None


def _spelt(value: str, near: bool) -> float | None:
    """Score a number read out in ones and twos: as many digits as a telephone number has, and said to be one."""
    digits = digits_of(value)
    if near:
        return 0.75 if 9 <= len(digits) <= 13 and not _NO_PHONE.fullmatch(value) else None
    plain = _PLAIN_NANP.fullmatch(digits) is not None and len(digits) * 2 - 1 == len(value)
    return 0.6 if plain and len(set(digits)) >= _LEAST_DISTINCT else None


def _local(value: str, near: bool) -> float | None:
    """Score seven digits that something beside them calls a number; parted by a dot or blank they may be a reading."""
    return 0.7 if "-" in value or len(set(digits_of(value))) >= _LEAST_DISTINCT - 1 else None


def _spoken(value: str, near: bool) -> float | None:
    """Score figures in words: as many as a number in town has."""
    return 0.75 if 7 <= len(_FIGURE.findall(value)) <= 14 else None


RULES: tuple[Rule, ...] = (
    Rule(
        "phone",
        PHONE,
        re.compile(_PHONE, re.IGNORECASE),
        0.8,
        needs=(DIGIT,),
        check=_phone,
        context=CONTEXT,
        unless_after=LABELLED,
        unless_before=MEASURED,
    ),
    Rule(
        "phone, read out",
        PHONE,
        re.compile(_SPELT),
        0.75,
        needs=(DIGIT,),
        check=_spelt,
        context=re.compile(r"\b(?:phone|cell|mobile|dial)|电话|手机|号码", re.IGNORECASE),
        unless_after=LABELLED,
        unless_before=MEASURED,
    ),
    Rule(
        "phone, in town",
        PHONE,
        re.compile(_LOCAL),
        0.7,
        needs=(DIGIT,),
        check=_local,
        context=_IN_TOWN,
        context_required=True,
        unless_after=LABELLED,
        unless_before=MEASURED,
    ),
    Rule(
        "phone, told behind",
        PHONE,
        re.compile(
            rf"(?:{_LOCAL}|{_PHONE})(?=[ ](?:is|was)[ ][^.!?\n]{{0,30}}\b(?:landline|mobile|cell|phone|number(?! of)"
            r"|line|fax)\b)"
        ),
        0.75,
        needs=("landline", "mobile", "cell", "phone", "number", "line", "fax"),
        check=lambda value, near: _phone(value, True),
        unless_after=LABELLED,
    ),
    Rule("phone, letters", PHONE, re.compile(_LETTERS), 0.7, needs=("8",)),
    Rule("phone, link", PHONE, re.compile(r"\bwa\.me/\+?(?P<value>[0-9]{8,15})(?![0-9])"), 0.85, needs=("wa.me",)),
    Rule(
        "phone, slash", PHONE, re.compile(_SLASH), 0.7, needs=("/",), unless_after=LABELLED, unless_before=MEASURED
    ),
    Rule(
        "phone, in words",
        PHONE,
        re.compile(rf"\b{_SPOKEN}(?![A-Za-z])", re.IGNORECASE),
        0.75,
        needs=("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "zero", "oh"),
        check=_spoken,
        context=re.compile(
            r"\b(?:phone|cell|mobile|dial|call|ring|text|tel|landline|fax|number|digits|area code"
            r"|plus)\b", re.IGNORECASE
        ),
        context_required=True,
    ),
)
