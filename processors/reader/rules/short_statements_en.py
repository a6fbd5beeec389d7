"""What English talk says of its speaker in a word: where one lives ("Bengaluru has been home since 2016", "we're
Margate people now"), what one speaks, weighs or is not ("English is my third language", "92 kilos", "not married"),
what "mine" is, and who somebody is ("if I mention Dev, that's my brother-in-law").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from processors.reader.rules.jobs_en import is_job
from processors.reader.rules.life_en import TONGUES
from processors.reader.rules.numbers import ENGLISH_NUMBER
from processors.reader.rules.others import KIN_EN
from processors.reader.rules.possessions_en import had_en
from processors.reader.rules.words_en import alternatives, listed

_NAME = r"(?-i:[A-Z][\w'-]{1,20}(?: [A-Z][\w'-]{1,20}){0,2})"
_END = r"(?=\s*(?:$|[,;.!)]|[-\u2013\u2014] | (?:and|but|so|because|though|where|with)\b))"
_BEGIN = r"(?:^|[,;] (?:(?:and|but|so) )?|\b(?:and|but|so) |[-\u2013\u2014] )"
_HOW_LONG = (
    r"(?:(?:about|over|nearly|almost|the last|the past) )?"
    rf"(?:{ENGLISH_NUMBER}|an?|many|some|ages|years) ?[\w ]{{0,12}}?"
)
_MOVED = re.compile(r"\b(?:mov(?:e|ed|ing)|house|flat|home|keys|relocat\w+|settled|live|living)\b", re.I)
"""Who has not moved is no Morning person, nor Apple people, of a place."""
_NOT_ONES_OWN = re.compile(rf"\b(?:he|she|they|his|her|their|{KIN_EN})\b", re.I)
_HOMES = (
    re.compile(
        rf"{_BEGIN}(?P<said>(?P<place>{_NAME}) (?:has been|is|'s been|became) (?:my |our )?home"
        rf"(?P<when> (?:now|for good|since [\w ]{{2,20}}?|for {_HOW_LONG}))?){_END}",
        re.I,
    ),
    re.compile(
        rf"{_BEGIN}(?P<said>home(?: is|'s) (?:now )?(?:in )?(?P<place>{_NAME})(?P<when> now| these days)?){_END}",
        re.I,
    ),
    re.compile(
        rf"{_BEGIN}(?P<said>(?:I'm|I am|we're|we are) (?:an? )?(?P<place>{_NAME}) "
        r"(?:people|folks?|residents?|person) now(?P<when>))",
        re.I,
    ),
)  # fmt: skip
_TONGUE = re.compile(
    rf"(?:^|[,;] |\band )(?P<said>(?P<tongue>{_NAME}) is (?:my|our)"
    r" (?:(?P<born_to>native|mother)|first|second|third|fourth|best|main)"
    rf" (?:language|tongue)(?:,? after (?P<more>{_NAME}(?:(?:,| and) {_NAME}){{0,3}}))?)",
    re.I,
)
_TONGUES = frozenset(TONGUES.split("|"))
"""Python is the first language of a programmer."""
_NEXT = re.compile(r",? and |, ")
_OWN = re.compile(rf"(?:I'm|I am|im) (?:an? )?{ENGLISH_NUMBER}(?: years old)?, (?=\S)", re.I)
_PART = re.compile(
    r"(?P<sex>(?:fe)?male|a (?:man|woman))"
    r"|(?P<weight>\d{2,3}(?:\.\d)? ?(?:kg|kgs|kilos?|pounds|lbs?|stone))"
    r"|(?P<height>1[.,]\d{2} ?m(?:etres|eters)?|1\d{2} ?cm|\d'\d{1,2}\"?)",
    re.I,
)  # fmt: skip
_COMMA = re.compile(r",? and |, ")
_STATE = re.compile(rf"(?:{alternatives('states')}|single)$", re.I)

_MINE = re.compile(
    r"(?:\b(?:has|have|had|holds?|owns?|drives?|keeps?|got|bought|uses?|rides?|plays?|takes?) (?:an?|the) "
    r"(?:(?!(?:and|but|while)\b)[\w-]+ )?(?P<noun>(?!(?:and|but|while)\b)[a-z]{3,})"
    r"|\b(?i:his|her|their|[\w-]+'s) (?P<whose>[a-z]{3,})"
    r" (?:is|was|are)\b[^,;]{0,40}?)(?:,|;)?(?: (?:and|but|while))? (?P<said>mine(?P<is>'s| is| are| was) "
    r"(?P<what>(?!(?:an?|the) )[^,;.!?]{2,60}))"
)
"""What of another kind is "a cat" may be no dog."""
_MENTIONED = re.compile(
    rf"(?:if|when|whenever) I (?:ever )?(?:mention|say|write|talk about|refer to) (?P<name>{_NAME}),? "
    rf"(?:(?:that|it|he|she)(?:'s| is)|I mean) my (?P<who>(?:[\w-]+ )?(?:{KIN_EN})(?:-in-law)?)(?![\w-])",
    re.I,
)
_NOT = re.compile(
    rf"(?:I'm |I am |am )?not (?P<what>(?:an? )?(?:{alternatives('not_so')})(?: (?:to|in"
    rf"|at(?! all\b)) [\w' -]{{2,30}}?)?){_END}",
    re.I,
)
_AS_A = re.compile(
    r"as (?P<what>an? [a-z][\w-]+(?: [a-z][\w-]+){0,2}),? "
    r"(?=I (?!(?:was|were|had|used|did|went|got|lived|loved|could|would|never|always|[a-z]+ed)\b))",
    re.I,
)
"""Not what one was as a child."""
_MAY_BE = re.compile(rf"an? (?:{alternatives('one_may_be', 'not_so')})", re.I)
_PET = re.compile(
    r"(?:^|(?<=[.!?,\n] )|(?<=and )|(?<=so ))"
    r"(?:(?:(?:I|we)(?:'ve| have)? )?(?:(?:just|finally|recently|also) )?"
    r"(?:adopted|got|have|had|own|bought|rescued|keep|fostered) an?"
    rf"|(?:(?:I|we) )?[a-z ]{{0,20}}?\b(?:my|our)) (?:(?!(?:{KIN_EN})s?\b)[a-z-]+ ){{0,2}}?"
    rf"(?P<pet>{alternatives('animals_kept')})\b"
    rf"(?! (?:lover|owner|walker|trainer|sitter|groomer|show|person|club|shelter|food)\b)(?!.*\b(?:{KIN_EN}"
    rf"|{alternatives('animals_kept', 'roles')}|girl|boy|man|woman|lady|someone|somebody)\b)[^.!?\n]*[.!?]?\s*$",
    re.I,
)
"""What is one's own and is spoken of last."""
_LOOKED_BACK = 200
"""Characters of the turn before."""
_PETS_NAME = re.compile(
    rf"(?:(?:his|her|its) name(?:'s| is)|(?:he|she|it)(?:'s| is) called) (?P<name>{_NAME}){_END}", re.I
)


def shortly_en(text: str, before: str) -> Iterator[tuple[str, int, int]]:
    """Yield what a sentence says in that way, in the first person, with the place of its words. `before`: the turn up
    to it, which may name a pet."""
    for pattern in _HOMES:
        match = pattern.search(text)
        if match is None or _NOT_ONES_OWN.search(text, 0, match.end()):
            continue
        if pattern is not _HOMES[-1] or _MOVED.search(f"{before[-_LOOKED_BACK:]} {text}"):
            yield f"I live in {match['place']}{match['when'] or ''}", match.start("said"), match.end("said")
            break
    if (match := _TONGUE.search(text)) and (match["born_to"] or match["tongue"] in _TONGUES):
        for tongue in [match["tongue"], *(_NEXT.split(match["more"]) if match["more"] else [])]:
            yield f"I speak {tongue}", match.start("said"), match.end("said")
    if match := _MINE.search(text):
        noun, verb = match["noun"] or match["whose"], "is" if match["is"] == "'s" else match["is"].strip()
        yield f"my {noun} {verb} {match['what']}", match.start("said"), match.end("said")
    if match := _MENTIONED.match(text):
        yield f"my {match['who']} is called {match['name']}", 0, match.end()
    if match := _NOT.match(text):
        yield f"I am not {match['what']}", 0, match.end()
        begin = match.end() + len(text[match.end() :]) - len(text[match.end() :].lstrip(" ,"))
        for more, start, end in had_en(text[begin:], in_group=False):
            yield more, begin + start, begin + end
    if (match := _AS_A.match(text)) and (is_job(match["what"].split(" ", 1)[1]) or _MAY_BE.fullmatch(match["what"])):
        yield f"I am {match['what']}", 0, match.end()
        if "," not in text[match.end() :]:
            yield text[match.end() :], match.end(), len(text)
    if (match := _PETS_NAME.match(text)) and (pet := _PET.search(before[-_LOOKED_BACK:])):
        yield f"my {pet['pet'].lower()} is called {match['name']}", 0, match.end()
    yield from _measures(text)


def _measures(text: str) -> Iterator[tuple[str, int, int]]:
    """What is listed behind an age: "I'm 63, male, 92 kilos, 1.78 m"."""
    age = _OWN.match(text)
    at = age.end() if age else len(text)
    while at < len(text):
        comma = _COMMA.search(text, at)
        end = comma.start() if comma else len(text)
        part = text[at:end].strip()
        match = _PART.fullmatch(part)
        if match is None and not _STATE.fullmatch(part):
            return
        kind = match.lastgroup if match else None
        said_so = listed(f"of_{kind}")[0] if kind in {"weight", "height"} else "I am {}"
        yield said_so.format(part), at, end
        at = comma.end() if comma else end
