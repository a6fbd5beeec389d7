"""Codes by what is done with them, in both languages: what opens a gate, what is punched into a keypad, what an alarm
was changed to, a code that was corrected, and a message that is nothing but a code with its hash key.
"""

import re

from inference.pii.everyday_secrets import COUNTED, CREDENTIAL, IT_IS, OPENS, OTHER_CODE
from inference.pii.everyday_secrets_zh import CODE as CODE_ZH
from inference.pii.rules import Check, Rule
from inference.pii.secret_values import CODE, code, no_time

_LOCKED_THING = (
    r"(?:doors?|gate|garage|lobby|alarm|safe|locks?|lockers?|padlock|suitcase|keypad|cabinet|shed|building|entrance"
    r"|phone|tablet|laptop|barrier|car[ ]park|key[ ]?(?:box|safe)|lock[ ]?box)"
)
_FIGURES = r"(?P<value>[#*]?[A-Z]?[0-9]{3,8}[A-Z]?[#*]?)"
_ALONE = r"(?<![\w.,:#*/-])"
_SOMEBODY = r"(?:you|her|him|them|me|us|anyone|everybody|people)"
_WORDS = r"(?:[a-z'’]{2,15}[ ]){0,2}"
_DOOR_ZH = r"(?:报警器?|警报|门锁?|密码锁|车库门?|闸机?|保险[柜箱]|锁|柜子?|信箱)"
_NO_MODEL = r"(?!款|型|号|系|分贝|瓦|伏)"


def _rule(
    name: str, pattern: str, needs: tuple[str, ...], check: Check = code, context: re.Pattern[str] | None = None,
    other: re.Pattern[str] = OTHER_CODE,
) -> Rule:  # fmt: skip
    compiled = re.compile(pattern, re.IGNORECASE)
    return Rule(name, CREDENTIAL, compiled, 0.85, needs, check, context, context is not None, unless_after=other)


_OF_A_THING = re.compile(COUNTED.pattern + r"|\b(?:key|card|fob|badge|remote|chapter|year)[ ](?:no\.?[ ]|number[ ])?$",
                         re.IGNORECASE)

_ENGLISH: tuple[Rule, ...] = (
    _rule(
        "punched into",
        r"\b(?:punch|key|type|enter|put|tap|dial|press)(?:[ ]in)?[ ](?P<value>[#*]?[0-9]{3,10}[#*]?)[ ](?:into"
        r"|in|on|at)"
        rf"[ ](?:the|my|our|that|your)[ ]{_WORDS}(?:keypad|lock|gate|door|intercom|alarm|safe|padlock|entryphone)\b",
        ("punch", "key", "type", "enter", "put", "tap", "dial", "press"),
    ),
    _rule(
        "opens it",
        rf"{_ALONE}{_FIGURES}[ ](?:(?:will|should|also|still|just|now|always)[ ]){{0,2}}(?:(?:opens?|unlocks?|disarms?"
        rf"|works[ ](?:for|on|at))[ ](?:the|my|our|both|that|all)[ ]{_WORDS}{_LOCKED_THING}\b(?![ ](?:to|for|up)\b)"
        rf"|(?:gets?|lets?)[ ]{_SOMEBODY}[ ](?:in|through|into)\b)",
        ("open", "unlock", "disarm", "works", "gets", "lets", "get ", "let "),
        other=_OF_A_THING,
    ),
    _rule(
        "what you enter",
        rf"{_ALONE}{_FIGURES}[ ](?:is|was)[ ]what[ ](?:you|i|we|they|he|she)[ ](?:have[ ]to[ ]|need[ ]to[ ]|should[ ]"
        rf"|must[ ])?(?:enter|press|type|key[ ]in|punch|dial|use|put)\b[^.?!\n]{{0,30}}\b{_LOCKED_THING}\b",
        ("what",),
        other=_OF_A_THING,
    ),
    _rule(
        "number of a lock",
        r"\b(?:numbers?|combination|digits|figures)[ ](?:for|on|of|to)[ ](?:the|my|our|your|his|her)[ ]"
        r"(?:[\w'’-]{1,15}[ ]){0,3}(?:lock|padlock|safe|keypad|alarm|suitcase|key[ ]?(?:box|safe))[ ]?(?:is|are|was|:)"
        rf"[ ]{CODE}",
        ("number", "combination", "digits", "figures"),
    ),
    _rule(
        "lock is turned to",
        r"\block\b[^.?!;,\n]{0,30}?(?:[ ]is|['’]s)[ ](?:(?:now|still)[ ])?(?P<value>[0-9]{1,2}(?:-[0-9]{1,2}){2,3})"
        r"(?![0-9-])",
        ("lock",),
    ),
    _rule(
        "lock is on",
        r"\b(?:suitcase|luggage|bag|bike|cable|combination|locker)(?:['’]s)?[ ]lock\b[^.?!;\n]{0,30}?[ ](?:on|at|to)[ ]"
        rf"{CODE}",
        ("lock",),
    ),
    _rule(
        "lock changed to",
        r"\b(?:chang|set|reset|switch|updat)[a-z]{0,4}[ ](?:the|my|our|their)[ ](?:[a-z]{2,15}[ ]){0,2}?(?:alarm|gate"
        rf"|keypad|lock|padlock|safe|door|garage|intercom|locker)(?:[ ][a-z]{{2,15}}){{0,2}}?[ ]to[ ]{CODE}",
        ("chang", "set", "switch", "updat"),
        no_time,
    ),
    _rule(
        "given for a door",
        r"\b(?:gave|given|got|told|texted|sent|tells|gives)[ ](?:me|us|her|him|them|you)[ ]['\"“]?(?=0"
        r"|[0-9]{1,8}[A-Z#*])"
        r"(?P<value>[0-9]{3,8}[A-Z#*]?)[ ](?:for|to[ ]get[ ]in(?:to)?|to[ ]open)[ ](?:the|my|our)[ ]"
        rf"{_WORDS}{_LOCKED_THING}\b",
        ("gave", "given", "got", "told", "texted", "sent", "tells", "gives"),
    ),
    _rule(
        "keyed in",
        r"\b(?:alarm|safe|keypad|padlock|gate|door)\b[^.?!\n]{0,90}?\b(?:key|punch|type|tap|put)[ ]in[ ]"
        rf"(?:the[ ](?:code|number)[ ])?{CODE}",
        ("key in", "punch in", "type in", "tap in", "put in"),
    ),
    _rule(
        "code corrected",
        r"(?<=[0-9#*]),?[ ](?:no|i[ ]mean|sorry|wait|or[ ]rather|make[ ]that)[ ,]{1,2}(?:it['’]s[ ])?"
        rf"{_FIGURES}(?![0-9A-Za-z%:/]|[.,][0-9])",
        ("no", "i mean", "sorry", "wait", "rather", "make that"),
        code,
        re.compile(OPENS.pattern + r"|\b(?:codes?|pin|combination|combo|passcode|lock)\b", re.IGNORECASE),
    ),
    # "Gate code 5519, alarm ..."
    _rule(
        "code of the next door",
        r"(?<=[0-9#*]),?[ ](?:and[ ])?(?:the[ ])?(?:(?:front|back|side)[ ]door|alarm|gate|safe|garage|door"
        r"|locker|padlock"
        rf"|shed)(?:[ ]is|:)?[ ]{CODE}",
        ("alarm", "gate", "safe", "garage", "door", "lock", "shed"),
        code,
        re.compile(r"\b(?:codes?|pin|combination|combo|passcode)\b", re.IGNORECASE),
    ),
    # A message that is nothing else: what a keypad is given, with its hash or star.
    _rule(
        "code alone",
        rf"\A[ \"'“]{{0,3}}(?:{IT_IS})?(?P<value>[#*]?[0-9]{{3,10}}[#*])[ .!\"'”]{{0,3}}\Z",
        ("#", "*"),
    ),
)

_CHINESE: tuple[Rule, ...] = (
    _rule("door and code zh", rf"门禁(?:是|:)?[ ]?{CODE_ZH}{_NO_MODEL}", ("门禁",), no_time),
    _rule(
        "opens it zh",
        rf"(?<![0-9A-Za-z-]){CODE_ZH}(?:就|也|都)?(?:能|可以)?(?:打?开|解除?|解锁)[\u4e00-\u9fff]{{0,4}}"
        r"(?:门|锁|闸|柜|箱|警报|报警)",
        ("开", "解"),
        no_time,
    ),
    _rule(
        "opens zh",
        rf"(?:锁|闸|柜|箱|门)[^。!?\n]{{0,12}}?[,、]?{CODE_ZH}(?:就|才|便)(?:能|可以)?(?:打?开|进)",
        ("锁", "闸", "柜", "箱", "门"),
        no_time,
    ),
    _rule("number of a lock zh", rf"锁(?:的)?(?:号码?|数字|组合)(?:是|:|为)[ ]?{CODE_ZH}", ("锁",)),
    _rule(
        "lock changed to zh",
        rf"{_DOOR_ZH}[^。!?\n,]{{0,4}}?(?:改|换|设|调)(?:成|为|到)了?[ ]?{CODE_ZH}{_NO_MODEL}",
        ("改", "换", "设", "调"),
        no_time,
    ),
    _rule(
        "pressed to zh",
        r"(?:撤防|布防|解防|消警|解警|开锁|开门|进门|进楼)(?:的时候|时|要|就|的话)?,?(?:按|输入?|揿|拨)[ ]?"
        rf"{CODE_ZH}",
        ("按", "输", "揿", "拨"),
    ),
    _rule(
        "code alone zh",
        r"\A[ \"“「]{0,3}(?:(?:应该|好像|就|还)?是)(?P<value>[#*]?[0-9]{3,10}[#*])[ 。.!\"”」]{0,3}\Z",
        ("#", "*"),
    ),
)

RULES: tuple[Rule, ...] = (*_ENGLISH, *_CHINESE)
