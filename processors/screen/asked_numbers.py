"""Numbers that answer a question: "E12345678" behind "What's your passport number?" is the number of a passport.

The question says what the number is, so the answer needs its shape alone; it must stand at the beginning, behind words
that only lead to it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from inference.protocols import EntitySpan

# No number of a person: a date, a date and hour, an amount, and what goes on as another word or number.
_DATE = re.compile(r"(?:19|20)[0-9]{2}[-/. ]?(?:0?[1-9]|1[0-2])[-/. ]?(?:0?[1-9]|[12][0-9]|3[01])(?![0-9])")
_END = (
    r"(?![A-Za-z0-9_%€$£@/:]|[.,][0-9A-Za-z]|-[A-Za-z0-9])"
    r"(?![ ]?(?:ms|sec|seconds|minutes?|hours?|days?|people|guests?|euros?|dollars?|pounds?|kg|km"
    r"|元|块|人|个|次|毫秒|秒|天|米)(?![a-z]))"
)


class AskedNumber(NamedTuple):
    """What a question asks for, by its noun, and what its answer looks like: `shape` matches the value alone."""

    entity: str
    noun: re.Pattern[str]
    shape: re.Pattern[str]


_NO = r"(?:[ ](?:numbers?|no\b\.?|nr\b\.?|digits|id)|[ ]?\#)"
_NO_ZH = r"(?:上的?|的)?(?:号码?|號碼?|编号|編號|多少)"
# What is asked of a number and is not the number: "the account number's holder", "the ID number of the ticket".
_OF_ANOTHER = (
    r"(?![ ](?:on|of|for)[ ](?:the|this|that)[ ](?:tickets?|orders?|parcels?|packages?|boxe?s?|devices?|sensors?"
    r"|servers?|routers?|printers?|machines?|rows?|records?|tasks?|issues?|bugs?|jobs?)\b)"
)
_OTHER_ACCOUNT = (
    r"(?<!游戏)(?<!微信)(?<!微博)(?<!抖音)(?<!平台)(?<!会员)(?<!用户)(?<!登录)(?<!邮箱)(?<!管理员)(?<!QQ)(?<!AWS)(?<!云)(?<!云服务)"
)


def _kind(entity: str, english: str, chinese: str, shape: str) -> AskedNumber:
    noun = re.compile(rf"\b(?:{english})(?![A-Za-z]){_OF_ANOTHER}|{chinese}", re.IGNORECASE)
    return AskedNumber(entity, noun, re.compile(rf"(?:{shape}){_END}"))


ASKED: tuple[AskedNumber, ...] = (
    _kind(
        "PASSPORT",
        rf"(?:passport{_NO}|(?:number|no\.?)[ ](?:of|on|in)[ ](?:the|your|my|his|her|their)[ ](?:[\w'’]{{1,20}}[ ])?"
        r"passport)",
        rf"护照{_NO_ZH}",
        r"(?=[A-Z0-9 ]{0,10}[0-9][A-Z0-9]{0,9}[0-9])[A-Z0-9]{1,2}[ -]?[A-Z0-9]{5,8}"
        r"|[A-Za-z]{0,2}[ ]?[0-9]{6,9}[A-Za-z]?|[A-Z][ ]?[0-9]{3,4}[ -][0-9]{3,4}|[0-9]{3}(?:[ -][0-9]{3}){2}",
    ),
    _kind(
        "US_DRIVER_LICENSE",
        rf"(?:driver['’]?s?['’]?|driving)?[ ]?licen[cs]e{_NO}",
        rf"(?:驾驶证|驾照){_NO_ZH}",
        r"(?=(?:[A-Z -]{0,12}[0-9]){5})[A-Z0-9](?:[ -]?[A-Z0-9]){6,19}",
    ),
    _kind(
        "US_SSN",
        rf"(?:social[ ]security{_NO}|ssn)",
        r"(?:社会安全|社安)号码?",
        r"[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4}",
    ),
    _kind(
        "PASSPORT",  # also for documents of identity without an entity of their own
        rf"(?:(?:national|personal)[ ])?(?:id|identity|identification|residence[ ]permit|tax|taxpayer"
        rf"|national[ ]insurance|social[ ]insurance|nhs|medicare)(?:[ ](?:card|id|file|document))?{_NO}",
        rf"(?:身份证件?|证件|[通同]行证|台胞证|回乡证|居住证|身份證){_NO_ZH}",
        r"(?=(?:[A-Z -]{0,8}[0-9]){5})[A-Z0-9](?:[ -]?[A-Z0-9]){5,19}",
    ),
    _kind(
        "BANK_ACCOUNT",
        rf"(?:(?:bank|savings|checking|current)[ ]account|account){_NO}|(?:bank|savings|checking)[ ]"
        r"(?:account|details)|(?:which|what)[ ]account",
        rf"{_OTHER_ACCOUNT}(?:账号|帐号|賬號|(?:银行|收款|对公|退款)账户)(?!的?(?:名|余额|密))",
        r"[0-9](?:[ -]?[0-9]){5,21}",
    ),
    _kind(
        "CREDIT_CARD",
        rf"(?:(?:credit|debit|bank)[ ])?card{_NO}|number[ ]on[ ](?:the|your|my)[ ](?:[a-z]{{2,12}}[ ])?card",
        r"(?:(?:银行|信用|储蓄|借记)卡|卡)(?:的)?号码?|哪[个張张]卡",
        r"[0-9](?:[ -]?[0-9]){11,18}",
    ),
    _kind(
        "PHONE_NUMBER",
        r"(?:(?:tele)?phone|mobile|cell(?:phone)?|contact|landline|work|office|home|whats-?app|call-?back)(?:[ ]phone)?"
        r"(?:[ ](?:numbers?|no\.?))|(?:cell|mobile|landline)(?=[ ]?\?)|(?:what['’]?s|what[ ]is"
        r"|tell[ ]me|give[ ]me)[ ](?:your|his|her|their)[ ]number",
        r"(?:手机(?:号码?|號碼?)|联系(?:方式|电话)|电话(?:号码?)?|電話(?:號碼)?|座机(?:号码?)?)(?!费|卡|会|铃|里|亭|簿|本|记)",
        r"(?:\+|00)?[(]?[0-9](?:[ ().-]{0,2}[0-9]){6,13}|[零〇一二两三四五六七八九幺]{7,12}",
    ),
)
# The same asked by what the number is for.
_REACHED = re.compile(
    r"\bwhat(?:['’]?s|[ ]is)?[ ](?:the[ ]|your[ ])?(?:best[ ])?number[ ]"
    r"(?:(?:can|should|do|may)[ ](?:i|we|they|he|she)|to)[^?.\n]{0,20}\b(?:reach|call|ring|text|phone|contact)\b"
    r"|\b(?:on[ ])?(?:which|what)[ ]number[ ](?:can|should|may)[ ](?:i|we|they)\b"
    r"|\bnumber[ ](?:where|on[ ]which|that)?[ ]?(?:they|we|i|he|she|people)[ ](?:can|could|may)"
    r"[^?.\n]{0,10}\b(?:reach|call|ring|text|phone)\b"
    r"|(?:哪[个個]|什么|多少)[号號][码碼]?[^。？?\n]{0,4}(?:找|联系|联络|打)|留[个個下](?:手机|电话|電話|联系方式)",
    re.IGNORECASE,
)
_LEAD_WORDS = (
    r"it|is|that|this|would|be|should|mine|my|his|hers?|our|their|the|sure|yes|yeah|yep|ok(?:ay)?|oh|um|uh|hm{1,5}|well|right"
    r"|here|you|go|put|to|use|try|take|call|ring|text|me|on|at|i|am|i['’]m|think|believe|guess|maybe|probably|one|a|sec"
    r"|second|moment|just|no|problem|of|course|let|see|please|and|now|says|reads|still|currently|new|work|home|mobile"
    r"|cell|office|(?:passport|account|card|phone|id|licen[cs]e)|number|ssn|got|have|found|there|thing|usual|old|latest|full"
)
# A Chinese lead says neither that there is none, nor what else the number is of.
_NO_LEAD_ZH = "不没沒无無非订訂单單件票页頁楼室房座桌航班等改约約第前后後尾末旧舊快递遞型元零〇一二两三四五六七八九幺"
LEAD = re.compile(
    rf"[\s\"'“]{{0,3}}(?:(?:(?:{_LEAD_WORDS})(?:['’](?:s|ll|d))?(?![A-Za-z0-9'’])[ ,.:;!…–—-]{{0,4}}){{1,10}}"
    rf"|(?:一下|稍等|等等|(?![{_NO_LEAD_ZH}])[\u4e00-\u9fff ，。,.:：、！!…]){{0,12}})?"
    r"(?:[\"'“「]|[(](?![0-9]{3}[)]))?",
    re.IGNORECASE,
)
def asked_numbers(request: str) -> tuple[AskedNumber, ...]:
    """What a sentence that asks asks for, in the order of `ASKED`."""
    reached = _REACHED.search(request) is not None
    return tuple(
        asked for asked in ASKED if (reached and asked.entity == "PHONE_NUMBER") or asked.noun.search(request)
    )


def number_answer(asked: tuple[AskedNumber, ...], answer: str) -> list[EntitySpan]:
    """The number that `answer` begins with, as what it was asked for; empty where there is none."""
    lead = LEAD.match(answer)
    start = lead.end() if lead is not None else 0
    for kind in asked:
        value = kind.shape.match(answer, start)
        if value is not None and not _DATE.match(answer, start):
            return [EntitySpan(kind.entity, start, value.end(), 1.0, "answer")]
    return []
