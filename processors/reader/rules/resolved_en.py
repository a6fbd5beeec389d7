"""What an English sentence points at, and whether it stands in the sentence before it."""

from __future__ import annotations

import re

from processors.reader.rules.antecedents_en import earlier, names_person, names_several, names_thing
from processors.reader.rules.others import KIN_EN
from processors.reader.rules.words_en import alternatives

# What points outside of the statement, and what it may point at within.
_PERSON = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.I)
_THING = re.compile(r"\b(?!(?<=[a-z] )(?-i:I)t)(?:it|its|itself|it's)\b", re.I)
_SEVERAL = re.compile(r"\b(?:they|them|their|theirs|themselves|they're|they've|they'd)\b", re.I)
_OBJECT = re.compile(r"\b(?!(?<=[a-z] )(?-i:I)t)(?:it|them|him)\b", re.I)
"""It within a title has a capital: "Wreck It Ralph"."""
_BEFORE_THAT = (
    "did|do|does|done|doing|of|for|like|about|with|after|before|by|from|at|in|on|to|than|love|loved|hate|hated|try|tried"
    "|had|have|get|got|keep|kept|take|took|saw|seen|watch|watched|read|use|used|need|want|remember|said"
)
_SHOWN = re.compile(
    r"\b(?:this|these|those)\b(?! (?:year|month|week|weekend|morning|afternoon|evening|summer|winter|spring|fall|autumn"
    r"|christmas|monday|tuesday|wednesday|thursday|friday|saturday|sunday|days)\b)"
    r"|\b(?:that|which)\s*$"
    r"|\bthat(?:'s| (?:is|was|were|would|will|can|could|did|does|has|had|one|way|kind|sort|much|part))\b"
    rf"|\b(?:{_BEFORE_THAT}) that\b(?! (?:I|my|we|the|he|she|it|they)\b)"
    r"|\b(?:when|if|because|since|after|before|while|and|but|so|how \w+) that (?:came|happen\w*|ha[sd]|must|should"
    r"|might|makes?|made|means?|sounds?|looks?|seems?)\b"
    r"|\b\w+ that (?:in|out|up|on|off|over|down|back)\b(?=\s*(?:$|[,;]))"
    r"|\b(?:[a-z]+ed|began|begun|took|made) that (?:about|in|on|at|with|last|for|when|because|and|but|\d)\b"
    r"|\b(?:has|have|had|own|owns|found) that (?=[a-z]+ (?:in|on|at|by|near|with|from|of)\b)"
    r"|(?<!since )(?<!by )(?<!until )(?<!just )(?<!now and )(?<!once and )\bthen(?=\s*(?:[,;]|$))"
    r"|\b[a-z]+ing that [a-z]+(?:$|,)"
    r"|(?<!s )\bthat (?!(?:much|way|far|long|bad|good|often|well|one|I|we|he|she|they|it)\b)[a-z]+(?<!s)(?<!ed)$"
    r"|\b(?:am|is|are|was|were|at|see|find|read|hear|open|watch) that [a-z]+$|\bthat sooner\b"
    r"|\b(?:the|this|that|a similar) (?:same )?(?:situation|position|boat)"
    r"(?:$| (?:head on|as|now|myself|before|too|once|last|where|and|when)\b)"
    r"|\bthe (?:most|least) [a-z]+ ones?\b|\bthe same way\b(?! (?:as|that|my|I|we)\b)"
    r"|\bsome (?:locally|nearby|online|soon)\s*$"
    r"|\bone of (?:mine|ours)\b|\b(?:my|our) (?!(?:loved|little|dear|young)\b)(?:[a-z]+ )?ones?\b"
    r"|(?<!of )(?<!is )(?<!was )(?<!are )(?<!were )(?<!the )(?<!stays )(?<!stay )(?<!coal )(?<!gold )(?<!a )\bmine\b"
    r"|\b(?:(?:an)?other|that|which|the|next|last|a \w+|\w+er) ones?\b|\b(?:the|an)other\s*$"
    r"|\bthe (?:same|latter|former)(?:\s*$|\s*[,;]| (?:with|for|as|here|goes)\b)"
    r"|\bbetween\b(?!.*\band\b)|\b(?:too|so|such)\s*$|\bthe choice\b|\bsome\s*$|\bdo(?:es)? so\b"
    r"|\bthat (?:before|either|yet)$|\bthat lot\b|\band something\s*$|\bit(?:'s| is) (?:him|her|them)\b"
    r"|(?<!'s )(?<!is )(?<!are )(?<!was )(?<!were )(?<!of )\b(?:hers|theirs)\b"
    r"|\bthere\b(?!(?:'s| is| are| was| were|fore|'re)\b)|\bhere\b",
    re.I,
)
_ONE = re.compile(
    r"\b(?:the (?!only one (?:in|at|on|with|who|of|[a-z]+ing)\b)[\w'-]+|lost|had|have|has|got|gets?|bought|needs?"
    r"|wants?|saw|made|found|took|takes?|used?|ordered|sold"
    r"|gave|keeps?|kept|owns?|tried|broke) ones?\b(?= *(?:$|[,;.]|(?:in|on|at|for|from|before|after|last|this"
    r"|ever|since"
    r"|when|because|and|but|so|too|by|until|again|already|now|yet)\b))",
    re.I,
)
"""One of what was named before: "we lost one in March"."""
_OF_A_KIND = re.compile(r"\bthe (?!only\b|number\b)[\w'-]+ one\b(?! (?:of|in|to|who|that|among)\b)", re.I)
"""Which of those that were named: "the red one"."""
_OF_BEFORE = re.compile(
    r"^(?:that|those) (?!(?:is|was|said|way|being)\b)[a-z]"
    r"|\b(?:the|that) (?:show|movie|film|book|song|album|game|series|episode|story|article|video|clip|photo|picture"
    r"|sport|restaurant|hotel|event|guy|girl|lady|thing|one|idea|joke|trailer|ending|plot|sequel|actor|actress|character)"
    r"(?= *(?:$|[,;.]|\b(?:at|a|once|twice|several|many|and|but|so|too|again|yet|lately|either|anyway"
    r"|because|when|is|are|was|were|has|had|can|could)\b))",
    re.I,
)
"""A thing that was named in the talk before, not in the statement."""
_OF_KIN = re.compile(rf"\b(?:my|our|an?|the) (?:[\w-]+ )?(?:{KIN_EN})s?\b", re.I)
_SUBJECT_THAT = re.compile(
    r"\b(?P<what>(?:an?|my|our|the|some|any|two|three|several|many|other|one|no) "
    r"(?!(?:thing|point|fact|idea|problem|issue|way|opinion|reason)\b)"
    rf"(?:(?!(?:{alternatives('ends_a_noun_phrase', 'says_that')})\b)[\w'-]+ ){{1,2}}"
    r"|\b(?:someone|somebody|something|people|anyone|everyone|everything) )that "
    r"(?=(?:is|was|were|are|has|had|have|will|would|can|could|did|does|do)\b)",
    re.I,
)
"""A friend that is a lawyer."""
_HARD = rf"(?:{alternatives('how_it_is_to_do')})"
_HOW = r"(?:(?:so|very|really|too|quite|pretty|rather|not|always|still|just|also|more|[a-z]+ly|a bit|a little) )*"
_FOR_WHOM = r"(?:(?:for|of|on) (?:me|us|him|her|them|everyone|people|(?:my|our) (?:[\w-]+ )?[\w-]+) )?"
_TO_DO = rf"to (?:[a-z]+ [a-z]|(?:{alternatives('done_by_itself')})\b)"
_EMPTY_IT = re.compile(
    rf"\b(?P<verb>finds?|found|finding|makes?|made|making|thinks?|thought|considers?|considered) it "
    rf"(?={_HOW}{_HARD} {_FOR_WHOM}(?:{_TO_DO}|that\b|when\b))"
    rf"|\bit(?: (?:is|was|has been|had been|will be|would be|can be|could be|gets?|got|became|becomes|feels?|felt"
    rf"|seems?|seemed|isn't|wasn't)|'s) (?={_HOW}{_HARD} {_FOR_WHOM}(?:{_TO_DO}|that\b|when\b|living\b|being\b"
    rf"|without (?:my|our)\b))"
    r"|\bit (?:takes?|took|costs?|has been|had been|is|was) (?:(?:me|us|(?:my|our) [\w-]+) )?(?=(?:(?:about|over"
    r"|almost|nearly"
    r"|only|at least|just) )?(?:an?|half|\d\S*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|years"
    r"|months|weeks"
    r"|hours|ages|so long|too long|a long|forever|a lot of \w+|several|many) ?(?:[\w-]+ ){0,3}(?:to|since"
    r"|for me to) [a-z])"
    rf"|\bit (?:always |usually |often |sometimes |never |hardly )?(?:rains|snows|rained|snowed|is raining"
    rf"|is snowing|was"
    rf" raining|was snowing|gets (?:{_HOW})(?:hot|cold|dark|humid|windy)|is (?:{_HOW})(?:hot|cold|humid|windy|dark"
    rf"|sunny"
    rf"|snowing) (?:in|at|during|where)\b)"
    r"|\bwhen it comes to\b|\bit (?:turns|turned) out\b"
    r"|\b(?:make|makes|made) it (?=(?:to|through|home|back|clear|big|work)\b(?! (?:me|us)\b))"
    r"|\b(?:like|love|hate|enjoy|prefer)s? it (?=when (?:my|our|people|someone)\b)",
    re.I,
)
"""It is hard for me to sleep, it takes an hour to get to work: nothing is pointed at."""


_SUBJECT_WORDS = re.compile(r"^(?!(?:[Ii]|[Ww]e) )\S+ \S+ ")
"""Not the subject of its own verb: "my cats love chasing them"."""


def resolved(text: str) -> bool:
    """Does everything that the text points at stand in the text before it?"""
    text = _EMPTY_IT.sub("", _SUBJECT_THAT.sub(r"\g<what>who ", text))
    if _SHOWN.search(text) or named_before(text):
        return False
    if (object_match := _OBJECT.search(text)) is not None:
        names = names_thing if object_match.group().lower() == "it" else names_several
        if not names(earlier(_SUBJECT_WORDS.sub("x x ", text[: object_match.start()]))):
            return False
    if (one := _ONE.search(text)) is not None:
        behind = earlier(text[: one.start()])
        if not (names_thing(behind) or names_several(behind)):
            return False
    if (one := _OF_A_KIND.search(text)) is not None and not names_thing(text[: one.start()]):
        return False
    for pointing, names in ((_PERSON, names_person), (_THING, names_thing), (_SEVERAL, names_several)):
        match = pointing.search(text)
        if match is not None and not names(text[: match.start()]):
            return False
    return True


def named_before(text: str) -> bool:
    """Does the text speak of "the show" or "that book", which the talk before it named?"""
    known = _OF_BEFORE.search(text)
    return known is not None and not names_thing(_OF_KIN.sub("", text[: known.start()]))
