"""Secrets by the verb that gives them, in English: what a password was changed to, what is typed when a machine
asks, what a card says on its back, what is put in for a key.

The verb stands between the word for a secret and its value, or takes the place of the word.
"""

import re

from inference.pii.everyday_secrets import COUNTED, OTHER_CODE
from inference.pii.labels import alternatives
from inference.pii.prose_secrets import KEY_EN, OPAQUE, SOMETHING_ELSE, opaque
from inference.pii.rules import Check, Rule
from inference.pii.secret_values import CODE, WORD, capital, code, figured, long_code, mixed, paired, plain_words, word

CREDENTIAL = "CREDENTIAL"

_QUOTE = r"['\"“‘「`]?"
_ANY = r"(?P<value>[!-~]{6,64})"
_NOUN = r"(?<![A-Za-z])(?:pass(?:word|phrase|code)s?|passwd|pwd?)(?![A-Za-z])"
_KEY = (
    rf"(?<![A-Za-z])(?<!public[ ])(?<!primary[ ])(?<!foreign[ ])(?<!shortcut[ ])(?:{KEY_EN}|key)(?![A-Za-z])"
    r"(?![ _-]?(?:id|header|type|endpoint|column|field|format|length|size|algorithm)s?\b)"
)
# What belongs to a password is none: "the password's length".
_OWN = (
    r"(?:hint|length|owner|expiry|strength|age|history|rules?|policy|fields?|hash|salt|format|entropy|turn"
    r"|fault|name)"
)
_END = r"(?=['\"”’]?(?:[,;!)\n]|\.(?:[ \n]|\Z)|\Z))"
_FOUR_FIGURES = r"(?P<value>[0-9](?:[ -][0-9]){3,7})(?![0-9A-Za-z%]|[ -][0-9]|[.,:/][0-9])"
_SAYS = r"(?:says|reads|shows|goes|turns[ ]out[ ]to[ ]be|happens[ ]to[ ]be|ends[ ]up[ ]being|became|becomes)"
_CODE = (
    r"\b(?:cvv2?|cvc2?|cv2|pin(?:[ ](?:code|number))?|pass-?code|puk"
    r"|(?:door|gate|entry|access|alarm|security|unlock)[ ]code|combination)"
)
_MACHINE = r"(?:laptop|computer|tablet|phone|ipad|mac|pc|machine|screen|wi-?fi|router|intercom|voice|guard|porter)"

_NEEDS = ("key", "token", "secret", "credential", "pass", "pat", "code")
_PASS = ("pass", "pw")


def _rule(
    name: str, pattern: str, needs: tuple[str, ...], check: Check, other: re.Pattern[str] | None = SOMETHING_ELSE
) -> Rule:
    compiled = re.compile(pattern, re.IGNORECASE)
    return Rule(name, CREDENTIAL, compiled, 0.8, needs=needs, check=check, unless_after=other)


def _stated(value: str, near: bool) -> float | None:
    """Score what the pattern alone makes a secret."""
    return 0.85


RULES: tuple[Rule, ...] = (
    # "The password to the mailbox got changed to ... last night", "the token is set to ..."
    _rule(
        "secret changed to",
        rf"(?:{_NOUN}|{_KEY})[^.?!\n]{{0,50}}?\b(?:changed|reset|switched|updated|rotated|set|moved|renamed|reverted)"
        rf"(?:[ ](?:it|them|back|yesterday|today|now|again)){{0,2}}[ ]to[ ]{_QUOTE}{_ANY}",
        _NEEDS,
        figured,
    ),
    # "If the VPN wants a pre-shared key, give it ..."
    _rule(
        "secret given to",
        rf"(?:{_NOUN}|{_KEY})[^.?!\n]{{0,50}}?(?:[,;:–-][ ](?:then[ ]|just[ ]|please[ ]){{0,2}}"
        rf"|[ ](?:then|just|simply|please)[ ])(?:give|hand|enter|type|use"
        rf"|paste|put|try|supply|take|send|pass)(?:[ ](?:it|in|them|him|her|this|back|over)){{0,2}}[ :]{{1,2}}"
        rf"{_QUOTE}{_ANY}",
        _NEEDS,
        figured,
    ),
    # "use ... for the api", "put ... into the header": only what a generator makes needs no word for it.
    _rule(
        "put in for",
        r"\b(?:use|using|used|put|paste|pasted|set|supply|send|try|take|pull(?:ed)?[ ](?:it|them)?[ ]?with)[ ]"
        rf"{_QUOTE}(?P<value>[A-Za-z0-9][A-Za-z0-9_+=.-]{{9,128}})['\"”’`]?"
        r"[ ](?:for|in|into|as|on|with|at|here|there)\b",
        ("use", "using", "put", "paste", "set", "supply", "send", "try", "take", "pull"),
        mixed,
    ),
    # "the passphrase otter-gravel-seventeen-moss"
    _rule(
        "passphrase beside",
        rf"{_NOUN}[ ,:]{{1,2}}(?:is[ ]|was[ ])?{_QUOTE}(?P<value>[a-z]{{3,20}}(?:-[a-z]{{3,20}}){{2,7}})(?![A-Za-z-])",
        ("pass",),
        plain_words,
    ),
    # "They rotated the licence key; now it's HX7K2-PP9QV-..."
    _rule(
        "groups of a licence",
        r"\b(?:(?:licen[cs]e|activation|upgrade|cd)(?:[ -](?:keys?|codes?|numbers?))?"
        r"|(?:product|serial|registration)[ -](?:keys?|codes?))\b"
        r"[^.!\n]{0,60}?[ :=]['\"“]?(?P<value>(?-i:(?=[A-Z-]{0,20}[0-9])(?=[0-9-]{0,20}[A-Z])[A-Z0-9]{4,6}"
        r"(?:-[A-Z0-9]{4,6}){3,7}))(?![A-Za-z0-9-])",
        ("licen", "product", "activation", "serial", "registration", "upgrade", "cd"),
        _stated,
        None,
    ),
    # "logged in as root with Sardine-Opal-4"
    _rule(
        "login of somebody",
        r"\b(?:log(?:ged|s)?[ -]?(?:in|on)|sign(?:ed|s)?[ -]?in|get[ ]in|got[ ]in|connect(?:ed)?|ssh)[ ](?:[a-z-]{1,12}"
        rf"[ ]){{0,3}}?as[ ][\w.@-]{{2,40}}[ ](?:with|using|and)[ ]{_QUOTE}{_ANY}",
        ("log", "sign", "get in", "got in", "connect", "ssh"),
        capital,
    ),
    # "CVV on the back says 614"
    _rule(
        "code says",
        rf"{_CODE}(?![ ]headers?\b)(?:[ ][\w'’-]{{1,15}}){{0,6}}?[ ]{_SAYS}[ ]['\"“]?(?P<value>[#*]?[0-9]{{3,10}}[#*]?)"
        r"(?![0-9A-Za-z%]|[.,:/][0-9]|[ ](?!plus|this|was)[a-z][a-z-]{1,12}s\b)",
        ("cv", "pin", "pass", "puk", "code", "combination"),
        code,
        OTHER_CODE,
    ),
    _rule(
        "figures on the back",
        r"\b(?:three|four|3|4|last)[ -](?:digits?|numbers?|figures)[ ](?:on|at)[ ]the[ ]back[^.?!\n]{0,25}?"
        r"(?:[ ](?:are|is|say|says|read|reads)|[ ]?:)[ ](?P<value>[0-9]{3,4})(?![0-9A-Za-z%]|[.,:/-][0-9])",
        ("the back",),
        code,
        None,
    ),
    # "the alarm is 2 8 8 5 and then hash": figures one by one are a keypad's.
    _rule(
        "figures of a door",
        r"\b(?:alarm|gate|garage|safe|door|keypad|padlock|lock(?:er)?|shed|entrance|lift)(?:['’]s|[ ](?:is|was|wants"
        rf"|takes))(?:[ ](?:now|still|just|always))?[ ]{_FOUR_FIGURES}"
        r"(?![ ](?:[cmk]?m|met(?:er|re)s?|inch(?:es)?|dollars?|euros?|pounds?|kg)\b)",
        ("alarm", "gate", "garage", "safe", "door", "keypad", "lock", "shed", "entrance", "lift"),
        code,
        OTHER_CODE,
    ),
    # "our entry code changed to 1946# last week": a hash key ends it, whatever goes on behind.
    _rule(
        "code with its key",
        rf"{_CODE}\b[^.?!\n]{{0,40}}?[ :](?P<value>[0-9]{{3,10}}[#*]|[#*][0-9]{{3,10}}[#*]?)(?![0-9A-Za-z])",
        ("cv", "pin", "pass", "puk", "code", "combination"),
        code,
        OTHER_CODE,
    ),
    # "the wifi is called Nest and the password's purplekayak, no capitals"
    _rule(
        "password's a word",
        rf"{_NOUN}['’]s[ ](?:(?:now|still|just|simply)[ ])?{_QUOTE}(?!{_OWN}(?![A-Za-z])){WORD}{_END}",
        _PASS,
        word,
        None,
    ),
    # "Type moonraker when the laptop asks who you are."
    _rule(
        "typed when asked",
        rf"\b(?:type|enter|key[ ]in|tell[ ]it)[ ]{_QUOTE}{WORD}['\"”’]?[ ](?:when|if|once|as[ ]soon[ ]as)[ ](?:the|my"
        rf"|our|your|that)[ ](?:[a-z]{{2,12}}[ ])?{_MACHINE}[ ](?:asks|prompts|wants[ ]to[ ]know)[ ](?:who|you[ ]who"
        r"|for[ ](?:it|a[ ]word)|to[ ](?:log|unlock|sign))",
        ("asks", "prompts", "wants to know"),
        word,
        None,
    ),
    # "We swap the access key, the current one being ..."
    _rule(
        "key that one is",
        rf"{_KEY}[^.?!\n]{{0,60}}?\b(?:one|it|that|value)[ ](?:being|is|was|will[ ]be|becomes|became)[ ]"
        rf"(?:now[ ]|still[ ])?{OPAQUE}",
        _NEEDS,
        opaque,
    ),
    # "SMTP: mailer / ..., port 587"
    _rule(
        "login of a service",
        r"\b(?:smtp|imap|pop3|s?ftp|ssh|vpn|rdp|vnc|database|db|admin|router|nas|portal|dashboard|panel|console|registry"
        r"|log[- ]?in|account)\b[^.?!:\n]{0,20}:[ ](?:user[ ])?"
        r"(?!(?:asus|netgear|tp-?link|linksys|cisco|synology|qnap|nintendo|sony|xbox|postgres(?:ql)?|mysql|netflix|spotify"
        r"|mullvad)\b)[A-Za-z][\w.@-]{1,40}(?:[ ]?[/|][ ]?|,[ ])"
        rf"{_QUOTE}(?P<value>[A-Za-z0-9!@#$][!-~]{{5,63}})",
        (":",),
        paired,
    ),
    # "by dialling 491 on the padlock", "she pressed 4417 at the gate"
    _rule(
        "typing it",
        r"\b(?:dial|press|punch|type|enter|key|tap|input)(?:l?ing|ping|s|es|led|ed|d)?(?:[ ](?:in|the[ ]code)){0,2}[ ]"
        r"(?P<value>[#*]?[0-9](?:[ -]?[0-9]){2,9}[#*]?)(?![0-9A-Za-z%]|[.,:/-][0-9])"
        r"(?<!\b911)(?<!\b112)(?<!\b999)(?=,?[ ](?:(?:and|then|followed|by|hash|star|pound|key|twice|again),?[ ]){0,5}"
        r"(?:on|at|in|into|to|for)[ ][^.?!\n]{0,25}?\b(?:keypad|lock"
        r"|gate|door|intercom|alarm|safe|padlock|locker|entryphone|barrier|lift|shed|garage|entrance|turnstile)\b)",
        ("dial", "press", "punch", "typ", "enter", "key", "tap", "input"),
        code,
        OTHER_CODE,
    ),
    # "The bank texted me the code 482913", "a code came by SMS: 730 551"
    _rule(
        "code that was sent",
        r"\b(?:text(?:ed|s)?|sms|sent|sends?|messaged|emailed|mailed|came|arrived|got|received)\b[^.?!\n]{0,40}?\bcode"
        rf"\b(?![ ](?:{alternatives('no_secret_code')}))[^.?!\n]{{0,25}}?[ :][ ]?{CODE}",
        ("code",),
        long_code,
        COUNTED,
    ),
    # "What's the admin password?" "Adm1n#Home": a figure and a mark, and nothing behind.
    _rule(
        "password answered, marked",
        rf"(?:\bwhat(?:['’]?s|[ ]is|[ ]was)[^?\n]{{0,40}}{_NOUN}[^?\n]{{0,40}}|(?:密码|口令)(?:是|为)?(?:什么|多少|啥))"
        r"\?[ \n]{0,2}(?:(?:it['’]?s|是)[ ]?)?(?P<value>(?!\^)(?=[!-~]{0,40}[0-9])(?=[!-~]{0,40}[!#$%^&*+~])"
        r"[!-~]{6,40})[.!]?"
        r"(?=\Z|\n)",
        ("pass", "pw", "密码", "口令"),
        figured,
        None,
    ),
    # "My mum's maiden name, which the bank always asks for, is ..."
    _rule(
        "answer to a bank",
        r"\b(?:maiden[ ]name|first[ ](?:pet|school|car|teacher|job)|street[ ](?:i|we)[ ]grew[ ]up[ ]on"
        r"|favou?rite[ ](?:film|book|teacher|food))\b"
        r"(?:(?<=maiden[ ]name)(?=[^.?!\n]{0,80}\b(?:asks?|question)\b)"
        r"|(?=[^.?!\n]{0,80}\b(?:(?:the|my|our|your)[ ]bank|security|verif(?:y|ication)|reset)\b))"
        r"[^.?!\n]{0,70}?[ ](?:is|was)[ ](?P<value>[A-Za-z][A-Za-z'’-]{2,40})(?![A-Za-z])",
        ("maiden", "first", "street", "favo"),
        word,
        None,
    ),
)
