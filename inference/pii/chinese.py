"""Chinese numbers and codes: mobile, landline, passport and permits, plate, social credit code, accounts."""

import re

from inference.pii.accounts import NOT_A_BANKS
from inference.pii.checksums import social_credit_code
from inference.pii.labels import alternatives
from inference.pii.rules import DIGIT, Rule

_B, _E = r"(?<![0-9A-Za-z])", r"(?![0-9A-Za-z])"

_MOBILE = _B + r"(?:(?:\+|00)?86[ -]?)?1[3-9][0-9][ .·-]?[0-9]{4}[ .·-]?[0-9]{4}" + _E
_LANDLINE = (
    _B
    + r"(?:(?:(?:\+|00)?86[ -]?)?(?:\(0[1-9][0-9]{1,2}\)|0[1-9][0-9]{1,2})[ -]?[2-9][0-9]{2,3}[ -]?[0-9]{4}"
    + r"(?:(?:[ -]|转|分机)[0-9]{1,5})?|[48]00[ -]?[0-9]{3,4}[ -]?[0-9]{3,4})"
    + _E
)
_PROVINCE = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_PLATE = (
    rf"[{_PROVINCE}使领][A-HJ-NP-Z][·•. -]?(?=[A-Z]{{0,5}}[0-9])"
    r"(?:[A-HJ-NP-Z0-9]{6}|[A-HJ-NP-Z0-9]{4}[A-HJ-NP-Z0-9挂学警港澳])" + _E
)
_PASSPORT = (
    _B + r"(?:[EeKk][0-9A-HJ-NP-Za-hj-np-z]?[0-9]{7}|[DdGgSsPpHhCcWwMmTt][0-9]{8,10}|[A-Z][0-9]{7,8}|[0-9]{8,9})" + _E
)
_CREDIT_CODE = _B + r"[1-9ANY][0-9A-HJ-NPQRTUWXY][0-9]{6}[0-9A-HJ-NPQRTUWXY]{10}" + _E

_PASSPORT_CONTEXT = re.compile(r"护照|通行证|台胞证|回乡证|passport|travel document", re.IGNORECASE)
_CREDIT_CONTEXT = re.compile(r"信用代码|统一代码|税号|纳税人识别号|营业执照")
_ACCOUNT_CONTEXT = re.compile(
    r"卡号|账号|帐号|账户|银行卡|储蓄卡|信用卡|工资卡|借记卡|account (?:number|no)|iban", re.IGNORECASE
)
# Directly before a number of a telephone's form, what else has one. A courier or a member has telephones too.
_OF_A_THING = re.compile(
    rf"(?:(?:{alternatives('numbered_thing')})号码?(?:是|为)?[ :]{{0,2}}"
    r"|\b(?:order|tracking|invoice|serial|part|ticket|item|batch|lot)"
    r"(?:[ ](?:no\.?|numbers?|id))?(?:[ ]is)?[ :#]{1,2})$",
    re.IGNORECASE,
)
_OLD_ID_CONTEXT = re.compile(r"身份证|证件号")


def _credit_code(value: str, near: bool) -> float | None:
    if social_credit_code(value):
        # An all-digit code may also be a resident ID; that has a date and its own check.
        return 0.9
    return 0.7 if near else None


def _passport(value: str, near: bool) -> float | None:
    return 0.85 if not value.isdigit() else 0.7


RULES: tuple[Rule, ...] = (
    Rule("cn mobile", "PHONE_NUMBER", re.compile(_MOBILE), 0.9, needs=(DIGIT,), unless_after=_OF_A_THING),
    Rule("cn landline", "PHONE_NUMBER", re.compile(_LANDLINE), 0.8, needs=(DIGIT,), unless_after=_OF_A_THING),
    Rule("cn plate", "CN_LICENSE_PLATE", re.compile(_PLATE), 0.85, needs=(DIGIT,)),
    Rule(
        "passport",
        "PASSPORT",
        re.compile(_PASSPORT),
        0.85,
        needs=("护照", "证", "passport", "travel document"),
        check=_passport,
        context=_PASSPORT_CONTEXT,
        context_required=True,
    ),
    Rule(
        "social credit code",
        "CN_SOCIAL_CREDIT_CODE",
        re.compile(_CREDIT_CODE),
        0.9,
        needs=(DIGIT,),
        check=_credit_code,
        context=_CREDIT_CONTEXT,
    ),
    Rule(
        "bank account",
        "BANK_ACCOUNT",
        re.compile(_B + r"[0-9]{4}(?:[ -]?[0-9]){4,17}" + _E),
        0.7,
        needs=("号", "户", "卡", "account"),
        context=_ACCOUNT_CONTEXT,
        context_required=True,
        unless_after=NOT_A_BANKS,
    ),
    Rule(
        "resident id, stated",
        "CN_RESIDENT_ID",
        re.compile(_B + r"(?:[0-9]{15}|[0-9]{17}[0-9Xx])" + _E),
        0.75,
        needs=("身份证", "证件号"),
        context=_OLD_ID_CONTEXT,
        context_required=True,
    ),
)
