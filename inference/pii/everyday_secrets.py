"""Secrets of every day as people say them in English: what opens a door, a safe, a phone, an account.

A code is known by what it opens, in front of it or behind, in the sentence before or in the question that it answers.
"""

import re

from inference.pii.rules import Check, Rule
from inference.pii.secret_values import (
    CODE,
    DESCRIBED,
    DIAL,
    FIGURE_WORD,
    WORD,
    WORDS,
    code,
    described,
    document,
    everyday_score,
    long_code,
    marked,
    plain_words,
    word,
    words,
    written,
)

CREDENTIAL = "CREDENTIAL"

_LOCKED = (
    r"(?:doors?|gate|entry|entrance|entryphone|intercom|building|garage|lobby|stairwell|alarm|safe|vault|lock|locker"
    r"|padlock"
    r"|suitcase|luggage|keypad|key[ ]?(?:safe|box)|lock[ ]?box|cabinet|drawer|cash[ ]?box|shed|gym|house|flat"
    r"|apartment"
    r"|office|laptop|tablet|ipad|wi-?fi|router|voicemail|sim|parking|app|pool|lift|copier|till|cellar)"
)
_CODE_NOUN = (
    rf"(?:(?:{_LOCKED}|access|security|verification|authentication|authenticator|log[ -]?in|sign[ -]?in"
    rf"|unlock(?:ing)?"
    r"|disarm(?:ing)?|2fa|two-factor|reset|backup|recovery|one[ -]time|front|back|guest|parental[ ]control"
    r"|debit[ ]card"
    r"|bank[ ]card|card|screen)[ -](?:codes?|combination|combo|pin(?:[ ](?:code|number))?|passcode|number[ ]code)"
    r"|keypad|entryphone|pin(?:[ ]?(?:code|number))?|pass[ -]?codes?|puk(?:[ ]?(?:code|number))?|cvv2?|cvc2?|cv2|otp"
    r"|(?:combination|combo|code)[ ](?:of|to|for|on)[ ](?:(?:the|my|our|his|her|their|your|get|open|this)[ ]){1,2}"
    rf"(?:[\w'’-]{{1,20}}[ ]){{0,5}}?{_LOCKED}|(?:combination|combo)(?:[ ]lock)?)"
)
_ITS = (
    r"(?:,?[ ](?:of|for|on|to|at|in|into|from|by|with)(?:[ ][\w'’.&-]{1,20}){1,6}?|[ ](?:upstairs|downstairs|here"
    r"|there|outside|inside|today|again))?"
)
_IS = (
    r"(?:,?[ ](?:which[ ])?(?:is|was|will[ ]be|should[ ]be|stays|remains)(?:[ ](?:now|still|just|simply|again"
    r"|currently"
    r"|set[ ]to|always)){0,2}:?[ ]|['’]s[ ](?:(?:now|still|just|simply|always)[ ])?|[ ]?[:=–][ ]?|[ ]-[ ])['\"“‘]?"
)
_IS_WORD = _IS.replace("|['’]s[ ](?:(?:now|still|just|simply|always)[ ])?", "")
"""Without "'s": "my password's hint"."""
_QUOTED = r"(?<=['\"“‘])(?P<value>[^'\"“”‘’\n]{3,60})(?=['\"”’])"
_MEMORABLE = (
    r"(?:memorable[ ](?:word|place|name|phrase)|secret[ ]answer|safe[ ]?word|security[ ](?:word|answer)"
    r"|answer[ ]to[ ](?:the|my|our|his|her)[ ](?:[\w-]{1,20}[ ]){0,2}(?:security|secret|dog|pet|school|street"
    r"|maiden[ ]name)[ ]question)"
)
_BANK = ("memorable", "secret", "safe", "security", "answer to")
IT_IS = (
    r"(?:(?:oh|ah|um|yes|sure|well|of[ ]course|i[ ](?:think|believe|guess)|pretty[ ]sure|so)[,:]?[ ]){0,2}"
    r"(?:(?:the[ ])?(?:code|combination|combo|pin|password|new[ ]one|old[ ]one|current[ ]one)(?:['’]s|[ ]is)"
    r"|it['’]?s|it[ ]is|that['’]?s|that[ ]is"
    r"|it[ ]was|mine[ ]is|try|use|type|enter|press|still)[ ]"
    r"(?:(?:now|still|just|simply|always|the[ ]same,)[ ])?['\"“‘]?"
)
# A code that opens nothing.
OTHER_CODE = re.compile(
    r"\b(?:error|area|country|dial(?:l?ing)?|dress|post(?:al)?|zip|promo(?:tion)?|discount|voucher|coupon|tax|sort"
    r"|source"
    r"|status|exit|http|product|item|colou?r|hex|course|airport|morse|genetic|bar|qr|currency|language|response"
    r"|return"
    r"|building|unlock fee|booking|order|tracking)[ -]codes?\b[^.?!\n]{0,24}$",
    re.IGNORECASE,
)
# What a number is that stands further from the word for a code.
COUNTED = re.compile(
    OTHER_CODE.pattern + r"|\b(?:in|at|of|by|since|after|until|about|over|under|than|room|flat|order|number|no\.?"
    r"|bus|unit|page"
    r"|line|for|chip|model|board|layout|series|bay|level|platform|call|phone|text(?:ed)?|to|from|around|before"
    r"|via|version|article|clause|ticket"
    r"|report"
    r"|invoice|paid|cost|costs)[ :]{1,2}['\"“]?$",
    re.IGNORECASE,
)
_NEXT = r"['\"”’]?[ \n]{1,2}(?:[A-Za-z]{1,12}:[ ])?['\"“‘]?"
_SPOKEN = r"(?:pass(?:word|phrase|code)s?|passwd|pwd?|(?:wi-?fi|network|wpa2?)[ ]key)"
OPENS = re.compile(
    r"\b(?:disarm|unlock|keypad|alarm|door|gate|garage|safe|padlock|locker|lock[ ]?box|key[ ]?(?:safe|box)|entrance"
    r"|buzz|barrier|turnstile|intercom"
    r"|let yourself in"
    r"|get in|texted|verif|log(?:ging)? in|sign(?:ing)? in)",
    re.IGNORECASE,
)
_AFTER_WORD = r"(?=['\"”’]?(?:[,;.!)\n]|\Z|[ ](?:all|in|with|and|if|so|for|but|-|–)(?![A-Za-z])))"


def _rule(
    name: str, pattern: str, needs: tuple[str, ...], check: Check = code, context: re.Pattern[str] | None = None,
    entity: str = CREDENTIAL, other: re.Pattern[str] = OTHER_CODE,
) -> Rule:  # fmt: skip
    compiled = re.compile(pattern, re.IGNORECASE)
    required = context is not None
    return Rule(name, entity, compiled, 0.85, needs, check, context, required, unless_after=other)


_CODES = ("code", "pin", "keypad", "entryphone", "combination", "combo", "puk", "cvv", "cvc", "cv2", "otp")
_PASS = ("pass", "pw", "key")
_ASKED = rf"(?:{_CODE_NOUN}|{_SPOKEN})\b[^?\n]{{0,60}}\?{_NEXT}"
_SAID_BEFORE = rf"(?:{_CODE_NOUN}|{_SPOKEN})\b[^.?!\n]{{0,80}}[.!]{_NEXT}"

RULES: tuple[Rule, ...] = (
    # "the code to get into the building is four two nine one", "locker combination 17-32-08"
    _rule("code said", rf"\b{_CODE_NOUN}(?:{_ITS}{_IS}|,?[ ]['\"“]?){CODE}", _CODES),
    _rule(
        "code changed from",
        rf"\b(?:{_CODE_NOUN}"
        rf"|{_SPOKEN})\b[^.?!\n]{{0,20}}?[ ]from[ ]{CODE}",
        (*_CODES, *_PASS),
    ),
    _rule(
        "code changed to",
        rf"\b(?:{_CODE_NOUN}|{_SPOKEN})\b[^.?!\n]{{0,40}}?[ ](?:to|into)[ ]['\"“]?{CODE}",
        (*_CODES, *_PASS),
        long_code,
    ),
    _rule(
        "code further on",
        rf"\b{_CODE_NOUN}\b[^.?!\n]{{0,50}}?(?:[ ]|[ ]?[(:,][ ]?){CODE}",
        _CODES,
        long_code,
        other=COUNTED,
    ),
    _rule(
        "its code is",
        rf"\b(?:{_LOCKED}|panel)\b[^\n]{{0,80}}?\b(?:code|combination|combo)(?:['’]s|[ ](?:is|was)"
        rf"|[ ]?:)[ ]['\"“]?{CODE}",
        ("code", "combination", "combo"),
    ),
    _rule("password in figures", rf"\b{_SPOKEN}{_ITS}{_IS}{CODE}", _PASS),
    _rule("code answered", rf"\b{_ASKED}(?:{IT_IS})?{CODE}", (*_CODES, *_PASS)),
    _rule("code in the next sentence", rf"\b{_SAID_BEFORE}{IT_IS}{CODE}", (*_CODES, *_PASS)),
    _rule(
        "is a code",
        rf"(?<![\w.,:#*-])(?P<quote>['\"“])?{CODE}['\"”]?,?[ ](?:is|as|was|being)[ ](?:still[ ]|now[ ])?"
        rf"(?:the|my|our|your|his|her|their|a)[ ](?:(?:new|old|front|back|side|main|current|usual|temporary"
        rf"|guest|same"
        rf"|right|correct)[ ]){{0,2}}{_CODE_NOUN}(?![A-Za-z])",
        _CODES,
    ),
    _rule("the code is", rf"\b(?:the|my|our|your|a|new)[ ]codes?{_ITS}(?:{_IS}|[ ]){CODE}", ("code",), code, OPENS),
    _rule(
        "is the code",
        rf"(?<![\w.,:#*-])(?P<quote>['\"“])?{CODE}['\"”]?,?[ ](?:is|as|was)[ ](?:the|my|our|its)[ ](?:code"
        rf"|combination|combo)"
        r"(?![A-Za-z]|[ ](?:of|re[a-z]{1,12}|for[ ]th))",
        ("code", "combination", "combo"),
        code,
        OPENS,
    ),
    _rule(
        "lock asked for",
        r"\bwhat(?:['’]?s|[ ]is|[ ]was)(?![^?\n]{0,60}\b(?:number|price|cost|size|height|wide|width|weight|year"
        r"|time)\b)"
        rf"[^?\n]{{0,20}}\b(?:padlock|lock|safe|keypad|alarm|gate|door)\b[^?\n]{{0,40}}\?{_NEXT}(?:{IT_IS})?{CODE}",
        ("what",),
    ),
    # "the safe opens with ...", "the keypad wants ...", "to disarm it, press ..."
    _rule(
        "opens with",
        rf"\b(?:(?:{_LOCKED}|phone)\b[^.?!;\n]{{0,40}}?\b(?:(?:opens?|unlocks?|works)[ ](?:with|by|on"
        r"|at(?![ ](?:[01][0-9]|2[0-3])[0-5][0-9]\b))"
        r"|(?:is[ ]off|disarmed)[ ](?:with|by))"
        rf"|(?:keypad|lock|padlock|door|gate|alarm|safe|key[ ]?(?:safe|box))[ ](?:wants|takes|needs|asks[ ]for"
        rf"|expects))"
        rf"[ ](?:the[ ]code[ ])?['\"“]?{CODE}(?![ ]for\b)",
        ("open", "unlock", "works", "disarmed", "off", "wants", "takes", "needs", "asks", "expects"),
    ),
    _rule(
        "pressed",
        rf"\b(?:press|punch|key|tap|type|enter|hit|put|use)[ ](?:in[ ])?(?:the[ ]code[ ])?['\"“]?{CODE}",
        ("press", "punch", "key", "tap", "type", "enter", "hit", "put", "use"),
        code,
        OPENS,
    ),
    _rule(
        "lock is",
        r"\b(?:(?:bike|bicycle|cable|combination|screen)[ ]lock|padlock|key[ ]?(?:safe|box)"
        r"|lock[ ]?box)\b[^.?!;,\n]{0,40}?"
        rf"(?:[ ]is|['’]s|[ ]?[:=])(?:[ ](?:now|set[ ]to|still)){{0,2}}[ ]['\"“]?{CODE}",
        ("lock", "key"),
    ),
    Rule(
        "dial",
        CREDENTIAL,
        re.compile(rf"\b(?:{_LOCKED}|combination|combo|dial)\b[^.?!\n]{{0,40}}?(?P<value>{DIAL})", re.IGNORECASE),
        0.85,
        needs=("left", "right", "clockwise"),
    ),
    # "My PIN's the year I was born plus seven"
    _rule(
        "described secret",
        rf"\b(?:{_CODE_NOUN}|{_SPOKEN}){_ITS}(?:{_IS}){DESCRIBED}",
        (*_CODES, *_PASS),
        described,
    ),
    # A word: "the wifi password at our place is bluecheese, ..."
    _rule("password word", rf"\b{_SPOKEN}{_ITS}{_IS_WORD}{WORD}{_AFTER_WORD}", _PASS, word),
    _rule(
        "quoted secret",
        rf"\b(?:{_CODE_NOUN}|{_SPOKEN}|{_MEMORABLE}){_ITS}{_IS}{_QUOTED}",
        (*_CODES, *_PASS, *_BANK),
        everyday_score,
    ),
    _rule(
        "password beside a network",
        rf"\b(?:network|ssid|wi-?fi|user(?:[ ]?name)?|log[ -]?in|e?-?mail|guest|host|admin|address"
        rf"|account)\b[^.?!\n]{{0,50}}[, ]{_SPOKEN}[ ]['\"“]?"
        rf"{WORDS}(?=['\"”]?(?:[ ](?:please|thanks))?(?:[.,;!\n]|\Z))",
        _PASS,
        words,
    ),
    _rule("password beside, marked", rf"\b{_SPOKEN}[ ]['\"“]?(?P<value>[A-Za-z0-9][!-~]{{4,64}})", _PASS, written),
    _rule(
        "password answered",
        rf"\b{_SPOKEN}\b[^?\n]{{0,60}}\?{_NEXT}{IT_IS}{WORD}{_AFTER_WORD}",
        _PASS,
        word,
    ),
    _rule(
        "password answered alone",
        rf"\bwhat(?:['’]?s|[ ]is|[ ]was)[^?\n]{{0,40}}{_SPOKEN}\b[^?\n]{{0,60}}\?{_NEXT}{WORD}"
        r"['\"”]?[.!]?['\"”]?(?=\Z|\n)",
        _PASS,
        word,
    ),
    _rule(
        "password in the next sentence",
        rf"\b{_SPOKEN}\b[^.?!\n]{{0,80}}[.!?]{_NEXT}{IT_IS}(?P<value>[!-~]{{5,64}})",
        _PASS,
        marked,
    ),
    _rule(
        "when asked",
        r"\b(?:use|type|enter|put(?:[ ]in)?|try|give(?:[ ]it)?)[ ]['\"“]?(?P<value>[!-~]{5,64}?)['\"”]?"
        rf"(?=[ ,][^.!?\n]{{0,70}}\b(?:asks?|asked|prompts?|prompted|wants)\b[^.!?\n]{{0,20}}"
        rf"\b(?:{_SPOKEN}|pin|code)\b)",
        ("ask", "prompt", "want"),
        marked,
    ),
    _rule(
        "spelled out word",
        rf"\b{_SPOKEN}\b[^.?!\n]{{0,50}}?[,:][ ]['\"“]?{WORD}['\"”]?,?[ ](?=(?:all[ ])?(?:in[ ])?(?:one[ ]word"
        r"|lower[ -]?case|upper[ -]?case|small[ ]letters|capitals?|no[ ]spaces|with[ ](?:a|an|no)[ ](?:capital|big"
        r"|small"
        r"|zero|exclamation|space)))",
        _PASS,
        word,
    ),
    # What a bank asks for.
    _rule(
        "memorable word",
        rf"\b{_MEMORABLE}{_ITS}{_IS}{WORD}(?![A-Za-z])",
        _BANK,
        word,
    ),
    _rule(
        "security question",
        rf"\b(?:security|secret)[ ]question[^.?!\n]{{0,60}}\banswer(?:[ ](?:is|was)|['’]s|[ ]?:)[ ]['\"“]?{WORDS}",
        ("question",),
        word,
    ),
    _rule(
        "identity document",
        r"\b(?:(?:national[ ])?id(?:entity)?[ ]card|national[ ]id|residence[ ]permit)"
        rf"(?:[ ](?:number|no\.?))?{_ITS}(?:{_IS}|[ ])(?P<value>[A-Z0-9]{{6,14}})(?![A-Za-z0-9-])",
        ("id", "permit"),
        document,
        entity="PASSPORT",
    ),
    Rule(
        "card in words",
        "CREDIT_CARD",
        re.compile(
            r"\bcard(?:[ ](?:number|no\.?))?\b[^.?!\n]{0,30}?(?P<value>(?:(?:double|triple)[ ])?"
            + FIGURE_WORD
            + r"(?:[ ,-]{1,2}(?:(?:double|triple)[ ])?"
            + FIGURE_WORD
            + r"){9,18})(?![A-Za-z])",
            re.IGNORECASE,
        ),
        0.85,
        needs=("card",),
    ),
    Rule(
        "recovery words",
        CREDENTIAL,
        re.compile(
            r"\b(?:recovery|seed|backup|wallet|mnemonic|secret)[ ](?:words?|phrase)\b[^\n:]{0,40}?[:,][ ]?\n?['\"“]?"
            r"(?P<value>[a-z]{3,8}(?:[ ,\n]{1,2}[a-z]{3,8}){7,23})",
            re.IGNORECASE,
        ),
        0.85,
        needs=("recovery", "seed", "backup", "wallet", "mnemonic", "secret"),
    ),
    _rule(
        "recovery words are",
        r"\b(?:recovery|seed|backup|wallet|mnemonic|secret)[ ](?:words?|phrase)(?:[ ](?:is|are)|[ ]?:)[ ]['\"“]?"
        r"(?P<value>[a-z]{3,10}(?:[ ,]{1,2}[a-z]{3,10}){4,23})(?=['\"”]?(?:[.;!\n]|\Z))",
        ("recovery", "seed", "backup", "wallet", "mnemonic", "secret"),
        plain_words,
    ),
)
