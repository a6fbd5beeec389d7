"""Numbers that their own label states: bank accounts and passports, in both languages."""

import re

from inference.pii.rules import DIGIT, Rule, digits_of

_LABEL_EN = (
    r"(?:bank[ _-]?accounts?|(?:account|acct\.?|a/c)[ _-]?(?:numbers?|num|no\.?|nr\.?|#)|bank a/c|a/c|acct\.?"
    r"|account_number|account_no)"
)
_LABEL_ZH = (
    r"(?:银行卡号?|(?:银行|收款|对公|对私|付款|打款|汇款|转账|结算|退款|工资)?(?:账号|帐号|账户|帐户)|存折号?|卡号)"
)
_JOIN_EN = (
    r"['\"]?(?:[ ](?:no\.?|number|nr\.?|#|for|is|was|of|to|it['’]s|now)){0,3}[ ]?[:=#,;(–-]{0,2}[ ]?['\"]?"
    r"(?:it['’]s[ ])?"
)
_JOIN_ZH = r"(?:号码?)?(?:就?是|为|写的是|改成了?|换成了?)?[ ]?[:=,]{0,2}[ ]?['\"「“]?"
_NUMBER = r"(?P<value>[0-9](?:[ -]?[0-9]){5,21})(?![0-9A-Za-z])(?![.,][0-9])"
NOT_A_BANKS = re.compile(
    r"(?:\b(?:aws|gcp|azure|cloud|github|gitlab|google|steam|game|gaming|customer|user|service|test|twitter|instagram"
    r"|utility|email"
    r"|mail|loyalty|frequent flyer|library|member|ledger|gl)[ ](?:bank[ ])?(?:account|acct)[^.\n]{0,24}"
    r"|(?:云|游戏|微信|微博|抖音|QQ|服务|测试|子|主|系统|用户|管理员|平台|会员|科目)(?:账号|帐号|账户|帐户)[^。\n]{0,8}"
    r"|(?:账号|帐号|账户|帐户)[ ]?(?:id|uid)[^。\n]{0,4})$",
    re.IGNORECASE | re.ASCII,
)
_AT_BANK = re.compile(
    r"\bbank|sort code|routing|\bbsb\b|ifsc|swift|\bbic\b|direct deposit|wire|transfer|payroll|payee|remit|landlord"
    r"|rent\b|refund|salary"
    r"|deposit|branch|chequ?e|checking|savings",
    re.IGNORECASE | re.ASCII,
)
# Length of an IBAN by country, of the registry of ISO 13616.
_IBAN_LENGTHS = re.findall(
    "[A-Z]{2}[0-9]{2}",
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 "
    "ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 "
    "LB28 LC32 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 "
    "RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 TN24 TR26 UA29 VA22 XK20 ",
)
_IBAN = (
    r"(?<![A-Za-z0-9])(?=[A-Z]{2}[0-9]{2}[ -]?[A-Z0-9])(?:"
    + "|".join(rf"{known[:2]}[0-9]{{2}}(?:[ -]?[A-Z0-9]){{{int(known[2:]) - 4}}}" for known in _IBAN_LENGTHS)
    + r")(?![A-Za-z0-9])"
)
_PASSPORT = (
    r"(?:\b(?:[Pp]assport|PASSPORT)[ _-]?(?:numbers?|[Nn]o\.?|[Nn]r\.?|#|num)?(?:[ ](?:is|was)|['’]s)?"
    r"|护照(?:号码?)?(?:是|为)?)[ ]?[:=#,(]{0,1}[ ]?['\"]?"
    r"(?P<value>(?=[A-Z0-9]{0,9}[0-9][A-Z0-9]{0,9}[0-9])[A-Z0-9]{7,10})(?![0-9A-Za-z-])"
)


def _account(value: str, near: bool) -> float | None:
    """Score a stated account: 6 to 22 digits; one whose label says "number" alone too."""
    return 0.85 if 6 <= len(digits_of(value)) <= 22 else None


def _iban(value: str, near: bool) -> float | None:
    """Score an IBAN of its country's length by its check digits."""
    plain = re.sub("[ -]", "", value)
    return 0.95 if int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1 else None


def _short_label(value: str, near: bool) -> float | None:
    return 0.8 if near and 6 <= len(digits_of(value)) <= 18 else None


RULES: tuple[Rule, ...] = (
    Rule(
        "bank account, labelled",
        "BANK_ACCOUNT",
        re.compile(rf"(?<![A-Za-z])(?:{_LABEL_EN}){_JOIN_EN}{_NUMBER}", re.IGNORECASE),
        0.85,
        needs=("acc", "a/c"),
        check=_account,
        unless_after=NOT_A_BANKS,
    ),
    Rule(
        "bank account, at a bank",
        "BANK_ACCOUNT",
        re.compile(rf"(?<![A-Za-z])(?:account|acct\.?|checking|savings){_JOIN_EN}{_NUMBER}", re.IGNORECASE),
        0.8,
        needs=("acc", "checking", "savings"),
        check=_short_label,
        context=_AT_BANK,
        unless_after=NOT_A_BANKS,
    ),
    Rule(
        "bank account, labelled zh",
        "BANK_ACCOUNT",
        re.compile(rf"{_LABEL_ZH}{_JOIN_ZH}{_NUMBER}", re.IGNORECASE),
        0.85,
        needs=("账", "帐", "卡", "存折"),
        check=_account,
        unless_after=NOT_A_BANKS,
    ),
    # Presidio's pattern takes a short word behind the number for a part of it.
    Rule("iban", "IBAN_CODE", re.compile(_IBAN), 0.95, needs=(DIGIT,), check=_iban),
    Rule("passport, labelled", "PASSPORT", re.compile(_PASSPORT), 0.85, needs=("passport", "护照")),
)
