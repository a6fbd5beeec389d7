"""Secrets by the thing that has one, in English: a network, a door, a locker, a laptop, an account. No word for a
secret stands beside them, so the value must look like nothing else: no price, hour, year, count, product or machine.
"""

import re

from inference.pii.everyday_secrets import COUNTED, OTHER_CODE
from inference.pii.rules import Check, Rule
from inference.pii.secret_values import (
    CODE,
    code,
    joined,
    network_key,
    no_amount,
    no_sum,
    sealed,
    strung,
    symbolic,
    word,
)

CREDENTIAL = "CREDENTIAL"

_QUOTE = r"['\"“‘`]?"
_ANY = r"(?P<value>[!-~]{6,64})"
_NETWORK = r"(?:wi-?fi|wlan|hot-?spot|wireless)"
_DOOR = (
    r"(?:(?:front|back|side|rear|main|street|cellar|basement|garage|roof)[ ](?:door|gate|entrance|keypad)|gate|garage"
    r"|(?:laundry|bike|bin|post|store|boiler|server|mail)[ ](?:room|shed|store)|shed|storage[ ](?:unit|room|locker)"
    r"|key[ ]?(?:safe|box)|lock[ ]?box|keypad|entry|entrance|lobby|alarm|barrier|padlock|gun[ ]safe|pool[ ]gate)"
)
_LOCKED = (
    r"(?:suitcase|luggage|briefcase|locker|safe|padlock|(?:bike|bicycle|cable|chain|number|combination|suitcase"
    r"|parental|child|screen|app|door)[ -]lock|tablet|ipad|phone|diary|strong[ ]?box|cash[ ]?box)"
)
_SHUT = r"(?:lobby|gates?|(?:[a-z]{3,10}[ ])?doors?|garage|building|entrance|barrier|shed|lift|elevator|pool|gym)"
_MACHINE = (
    r"(?:laptop|macbook|computer|desktop|pc|mac|tablet|ipad|phone|router|printer|nas|console|safe|vault|keyring"
    r"|password[ ]manager)"
)
_OPEN = (
    r"(?:open|unlock|(?:dis)?arm|silence|deactivate|turn[ ]off|switch[ ]off|get[ ](?:in|into|through|past|inside)|let"
    r"[ ](?:yourself|yourselves)[ ]in|go[ ](?:in|through)|enter)"
)
_ONLINE = r"(?:get|be|go)[ ](?:online|connected|on[ ]the[ ](?:internet|network|wi-?fi|guest[ ]network))"
_ITS = r"(?:[ ](?:at|in|on|of|for|by|behind|upstairs|downstairs)(?:[ ][\w'’-]{1,15}){1,4}?)?"
_SET = (
    r"(?:,?[ ](?:is|was)(?:[ ](?:still|now|always|set[ ](?:to|on|at)|on|at)){0,2}|['’]s(?:[ ](?:still|now|set[ ]to"
    r"|on)){0,2}|[ ](?:opens?|unlocks?)[ ](?:on|with|at)|[ ](?:takes|wants|needs|asks[ ]for|expects))"
)
_CODE4 = (
    r"(?P<value>[#*]?[0-9]{4,8}[#*]?|[A-Z]{1,2}[0-9]{2,6}[A-Z]{0,2}[#*]?|[0-9]{2,6}[A-Z]{1,2}[#*]?)"
    r"(?![A-Za-z0-9%°]|[.,:/-][0-9])"
)
_STOP = r"(?=['\"”’]?[ ]?(?:[,;.!?)\n]|\Z|(?:then|and|but|so)(?![a-z])))"


def _rule(
    name: str, pattern: str, needs: tuple[str, ...], check: Check = code, other: re.Pattern[str] | None = OTHER_CODE,
    context: re.Pattern[str] | None = None,
) -> Rule:  # fmt: skip
    compiled = re.compile(pattern, re.IGNORECASE)
    return Rule(name, CREDENTIAL, compiled, 0.8, needs, check, context, context is not None, unless_after=other)


RULES: tuple[Rule, ...] = (
    # "the wifi is bluekettle42", "we changed the wifi to saffron_road_3"; a network that is called so is its name.
    _rule(
        "network is",
        rf"\b{_NETWORK}\b(?![ ](?:name|network[ ]is[ ]called))(?:[ ](?:at|in|for|on|here|there|upstairs)"
        r"(?:[ ][\w'’-]{1,15}){0,4}?)?"
        rf"(?:[ ]is(?:[ ](?:now|still|just)){{0,1}}|['’]s|[ ]?[:=]|[ ]to|[ ]with|[ ]using)[ ]{_QUOTE}{_ANY}",
        ("wifi", "wi-fi", "wlan", "hotspot", "hot-spot", "wireless"),
        network_key,
        None,
    ),
    _rule(
        "online with",
        rf"\b{_ONLINE}[^.?!\n]{{0,20}}?[ ](?:with|using|by[ ]typing)[ ]{_QUOTE}{_ANY}",
        ("online", "connected", "internet", "network", "wifi", "wi-fi"),
        network_key,
        None,
    ),
    _rule(
        "written on it",
        r"\b(?:sticker|label|back|bottom|underside|card|post-?it|note)\b[^.?!\n]{0,30}?[ ](?:says|reads|shows"
        rf"|has)[ ]{_QUOTE}{_ANY}",
        ("says", "reads", "shows", "has"),
        network_key,
        None,
        re.compile(rf"\b(?:router|modem|box|{_NETWORK})\b", re.IGNORECASE),
    ),
    # "Laundry room: 3390. Bike shed: 3391." A round number would be a price.
    _rule("code of a room", rf"\b{_DOOR}{_ITS}(?:[ ]code)?[ ]?[:=][ ]?{_QUOTE}{_CODE4}{_STOP}", (":", "="), no_amount),
    # "storage unit, 90210, then pull the handle"
    _rule(
        "code in apposition",
        rf"\b{_DOOR}{_ITS},[ ]{_CODE4}(?=,?[ ](?:then|and[ ]then|twice|followed)\b|[.!]?\Z)",
        (",",),
        no_amount,
    ),
    # "Gate's 2468*": the hash or star of a keypad, or a letter among figures.
    _rule(
        "door is",
        rf"\b{_DOOR}{_ITS}{_SET}[ ](?:the[ ]code[ ])?{_QUOTE}(?P<value>[#*][0-9]{{3,8}}|[0-9]{{3,8}}[#*]"
        rf"|0[0-9]{{3,7}}"
        rf"|[A-Z][0-9]{{2,5}}[A-Z])(?![A-Za-z0-9%°]|[.,:/-][0-9])",
        ("gate", "garage", "door", "room", "shed", "storage", "key", "lock", "entr", "lobby", "alarm", "barrier",
         "safe"),
        no_amount,
    ),
    # "the locker I rented is set to 6164", "the kids' iPad is still 112233", "I put the suitcase on 419"
    _rule(
        "lock is set",
        rf"\b{_LOCKED}(?!['’]s[ ](?!set))\b[^.?!;\n]{{0,40}}?(?:[ ](?:is|was)[ ]|['’]s[ ]|[ ])(?:still[ ]|now[ ]"
        rf"|always[ ]){{0,2}}set[ ](?:to|on|at)[ ]{_QUOTE}{CODE}",
        ("set",),
        no_sum,
    ),
    _rule(
        "lock put on",
        rf"\b(?:put|set|left|keep|have|reset|dial(?:l?ed)?)[ ](?:the|my|our|his|her)[ ](?:[\w'’-]{{1,15}}[ ]){{0,2}}?"
        rf"(?:{_LOCKED}|lock)[ ](?:on|to|at)[ ]{CODE}",
        ("lock", "case", "safe", "luggage", "tablet", "ipad", "phone", "diary", "box"),
        no_sum,
    ),
    _rule(
        "lock, it's",
        rf"\b(?:{_LOCKED}|{_DOOR}){_ITS},[ ](?:it['’]s|it[ ]is|that['’]s)[ ](?:still[ ]|now[ ]|just[ ]){{0,2}}{CODE}",
        ("it's", "it’s", "it is", "that's", "that’s"),
        no_amount,
    ),
    _rule(
        "lock is",
        rf"\b(?:(?:bike|bicycle|cable|chain|number|combination|parental|child|screen|app)[ -]lock|padlock|keypad)\b"
        rf"[^.?!;,\n]{{0,30}}?(?:,?[ ]it['’]s|{_SET})[ ]{_QUOTE}{CODE}",
        ("lock", "keypad"),
        no_sum,
    ),
    # "to unlock with 161803", "you can disarm it with 7741", "it opens on 0347"
    _rule(
        "opened with",
        rf"\b(?:{_OPEN}(?:s|ed|ing)?|tak(?:es|ing)|off)[ ](?:(?:it|this|them|the[ ][a-z]{{3,12}}"
        rf"|my[ ][a-z]{{3,12}})[ ])?"
        rf"(?:with|by[ ](?:pressing|typing|entering)|using|on)[ ]{_QUOTE}{_CODE4}{_STOP}",
        ("open", "unlock", "disarm", "silence", "deactivate", "off", "get ", "let ", "go ", "enter"),
        no_amount,
        COUNTED,
    ),
    _rule(
        "needed to open",
        rf"\b(?:needs?|wants?|uses?|takes|key[ ]in|press|type|enter|punch[ ]in|dial)[ ]{_QUOTE}{_CODE4}"
        rf"(?:,?[ ](?:then|followed)\b[^.?!\n]{{1,30}}?)?[ ](?:to|and[ ](?:it|that|you)(?:['’]ll)?)[ ]{_OPEN}s?\b",
        ("need", "want", "use", "takes", "key in", "press", "type", "enter", "punch", "dial"),
        no_amount,
    ),
    # "Tell the courier #4471 for the lobby"
    _rule(
        "told for a door",
        r"\b(?:tell|told|gave|give|text|texted|send|sent)[ ](?:(?:the|my|our)[ ](?:[\w'’-]{2,15}[ ]){1,2}"
        r"|[\w'’-]{2,15}[ ])(?P<value>[#*][0-9]{3,8}|[0-9]{3,8}[#*]|0[0-9]{3,7}|[0-9]{3,6}[A-Z]|[A-Z][0-9]{3,6})"
        rf"(?:,|[ ]at|[ ]for|[ ]to[ ](?:get[ ](?:in|through)|open))[ ](?:the|our"
        rf"|my)[ ](?:[a-z]{{2,12}}[ ])?{_SHUT}\b",
        ("tell", "told", "gave", "give", "text", "send", "sent"),
        no_amount,
        None,
    ),
    # "My laptop wants glacier.Spoon when it wakes up"
    _rule(
        "machine wants",
        rf"\b{_MACHINE}\b[^.?!,\n]{{0,20}}?[ ](?:wants|takes|asks[ ]for|opens[ ]with|unlocks[ ]with"
        rf"|wake.[ ](?:up[ ])?with"
        rf"|logs[ ]in[ ]with|unlocks[ ]by)[ ]{_QUOTE}{_ANY}",
        ("wants", "takes", "asks", "opens", "unlocks", "wake", "logs"),
        sealed,
        None,
    ),
    # "Our streaming login is popcorn-Tuesday"
    _rule(
        "login is",
        r"\b(?:log[ -]?in|sign[ -]?in|account|log[ -]?on)(?:[ ](?:for|to|at|on)(?:[ ][\w'’.-]{1,20}){1,5}?)?"
        rf"(?:[ ](?:is|was)(?:[ ](?:now|still|just))?|['’]s|[ ]?:)[ ]{_QUOTE}{_ANY}",
        ("login", "log in", "log-in", "sign", "account", "logon", "log-on", "log on"),
        joined,
        re.compile(OTHER_CODE.pattern + r"|(?:error|event|id|type|number|status)[ :]{0,2}$", re.IGNORECASE),
    ),
    # "I use Winterfell!9 for pretty much everything"
    _rule(
        "used everywhere",
        rf"\b(?:use|used|using|typed?|have|pick(?:ed)?|chose)[ ]{_QUOTE}(?P<value>[!-~]{{6,64}}?)['\"”’]?[ ](?:for|on"
        r"|everywhere)(?:[ ]pretty[ ]much|[ ]almost|[ ]basically|[ ]nearly)?(?:[ ](?:everything|every[ ](?:login"
        r"|account|app"
        r"|service|website|login)|all(?:[ ](?:of|my|our|the|these|other|those)){1,3}[ ](?:sites|accounts|logins|apps"
        r"|websites|services|things|devices)|both[ ](?:sites|accounts|logins)))",
        ("use", "using", "type", "have", "pick", "chose"),
        symbolic,
        None,
    ),
    _rule(
        "typed for opening",
        rf"\bto[ ]{_OPEN}\b[^.?!\n]{{0,25}}?[ ,](?:press|type|enter|use|punch[ ]in|key[ ]in|dial)[ ]{_QUOTE}{_CODE4}",
        ("press", "type", "enter", "use", "punch", "key in", "dial"),
        no_amount,
    ),
    # "8264 for the locker", "then 9917 for the inner door"
    _rule(
        "for a lock",
        rf"(?:\A|(?<=[.!?;,\n]))[ ]?(?:(?:and|then|it['’]s|use)[ ]){{0,2}}{_CODE4}[ ](?:is[ ])?for[ ](?:the|my"
        rf"|our)[ ]"
        rf"(?:[a-z]{{3,10}}[ ])?(?:{_SHUT}|{_LOCKED}|{_DOOR}s?)\b",
        ("for the", "for my", "for our"),
        no_amount,
    ),
    _rule(
        "its owner's code",
        rf"\b(?:mine|hers|his|ours|theirs|yours)[ ]is[ ]{CODE}",
        ("mine", "hers", "his", "ours", "theirs", "yours"),
        no_amount,
        context=re.compile(r"\b(?:lock|locker|door|gate|code|pin|passcode|keypad)", re.IGNORECASE),
    ),
    # "Side door 7731, alarm 9942."
    _rule(
        "codes of two doors",
        rf"\b{_DOOR}[ :]{{1,2}}{_CODE4}(?=[,;]?[ ](?:and[ ])?(?:the[ ])?{_DOOR}[ :]{{1,2}}[0-9]{{4}})",
        ("door", "gate", "garage", "alarm", "shed", "key", "lock", "lobby", "entr", "room"),
        no_amount,
    ),
    _rule(
        "code of the second door",
        rf"(?<=[0-9#*])[,;]?[ ](?:and[ ])?(?:the[ ])?{_DOOR}[ :]{{1,2}}{_CODE4}{_STOP}",
        ("door", "gate", "garage", "alarm", "shed", "key", "lock", "lobby", "entr", "room"),
        no_amount,
        context=re.compile(rf"\b{_DOOR}[ :]{{1,2}}[0-9]{{4}}", re.IGNORECASE),
    ),
    # "The safe in the bedroom: 71-33-08", "the trunk has a lock, 586"
    _rule("lock and code", rf"\b(?:{_LOCKED}|lock){_ITS}(?:[ ]?:|,)[ ]{_QUOTE}(?P<value>[0-9]{{3,6}}"
        rf"|[0-9]{{1,2}}(?:-[0-9]{{1,2}}){{2,3}})"
          r"(?![0-9A-Za-z%°]|[.,:/-][0-9])(?=['\"”]?(?:[.!]?\Z|[.!;\n]|,?[ ](?:then"
          r"|and[ ]then)))", (":", ","), no_amount),
    # "his app needs a PIN and he picked 1944": behind a word for a code a year will do
    _rule(
        "code chosen",
        r"\b(?:pin(?:[ ](?:code|number))?|pass[ -]?code|(?:unlock|door|gate|alarm|entry|lock)[ ]code|combination)\b"
        r"[^.?!\n]{0,30}?[ ](?:picked|chose|went[ ]with|settled[ ]on|made[ ]it|uses|types?|dials?|enters?|keeps)[ ]"
        r"(?P<value>[0-9](?:[ -]?[0-9]){3,7})(?![0-9A-Za-z%°]|[.,:/-][0-9]|[ ](?:times|of|times)\b)",
        ("pin", "code", "combination"),
        lambda value, near: 0.8,
    ),
    # "it was 1212, now it's 8391"
    _rule(
        "code by now",
        rf"(?<=[0-9#*])[,;]?[ ](?:but[ ]|and[ ])?(?:now|currently|these[ ]days)[ ](?:it['’]s[ ]|it[ ]is[ ]"
        rf"|is[ ])?{CODE}",
        ("now", "currently", "these days"),
        context=re.compile(r"\b(?:codes?|pin|passcode|combination|combo|lock|keypad)\b", re.IGNORECASE),
    ),
    _rule(
        "password by now",
        r"(?<![A-Za-z])(?:pass(?:word|phrase|code)|pwd?)\b[^\n]{0,80}?\b(?:now|currently)[ ](?:it['’]s|it[ ]is|is)[ ]"
        rf"{_QUOTE}{_ANY}",
        ("pass", "pw"),
        strung,
    ),
    # "the alarm company will ask for the password, it's marigold"
    _rule(
        "asked for a word",
        r"\bask(?:s|ed)?[ ](?:you[ ]|me[ ]|us[ ])?for[ ](?:the|a|your|my|our)[ ](?:pass[ -]?(?:word|phrase)"
        r"|code[ -]?word)"
        r"(?:,[ ](?:and[ ])?(?:it['’]s|it[ ]is|that['’]s|say|just[ ]say|tell[ ]them)"
        r"|:)[ ]['\"“]?(?P<value>[A-Za-z]{4,20})"
        r"(?=['\"”]?(?:[,;.!\n]|\Z))",
        ("ask",),
        word,
    ),
)
