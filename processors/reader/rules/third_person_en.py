"""English statements that a single user makes to an assistant of a thing or somebody named: "The flat's on the fourth
floor", "Jonas brings the cake on Friday", "my knee is fine now, but stairs make me dizzy".

Among people such sentences are mostly about the talk. Told to an assistant they are there to be known, where they name
a number, a day, somebody, or the speaker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from processors.reader.rules.clauses_en import Clause
from processors.reader.rules.completeness_en import is_whole
from processors.reader.rules.corrections import taken_back_en
from processors.reader.rules.people_en import written_out
from processors.reader.rules.resolved_en import resolved
from processors.reader.rules.self_contained_en import LONGEST, SHORTEST, YOU
from processors.reader.rules.text import QUOTED
from processors.reader.rules.whereabouts import is_of_a_thing
from processors.reader.rules.words_en import alternatives, listed

_NOBODY = rf"(?!(?:{alternatives('opens_no_subject')})\b)"
_WORD = rf"(?!(?:{alternatives('not_within_a_subject')})\b)[\w&./-]+"
_COUNTED = r"(?!(?:\d|[a-z]*(?:teen|ty)\b|(?:one|two|three|four|five|six|seven|eight|nine|ten)\b))"
_ALONE = r"(?!(?:left|right|first|second|third|last|next|other|same|latter|former|new|old|rest|only)(?: (?:is|was)|'s))"
_SUBJECT = rf"{_NOBODY}{_COUNTED}(?P<article>(?:the|both|every|no) {_ALONE})?(?P<noun>(?:{_WORD} ){{0,4}}?{_WORD})"
_NUMBER = r"(?:\d\S*|[a-z]*(?:teen|ty)(?:[- ][a-z]+)?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half)"
_ADVERB = r"(?:(?:always|never|still|also|now|only|just|usually|normally|mostly|already|no longer|not) )?"
_IS = (
    r"(?:(?: (?:is|are|was|were|has|have|had|will|won't|can|can't|cannot|isn't|aren't|wasn't|weren't|hasn't|haven't"
    r"|doesn't|don't|didn't)|'(?:re|ve|ll))\b"
    rf"|'s (?:{_ADVERB}(?:an?|the|in|on|at|off|out|up|over|not|now|been|gone|got|had|around|about|under|between|near"
    rf"|always|due|kept|held|made|sold|left|paid|\w+ing|\w+ed|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    rf"|{_NUMBER})\b))"
)
_DOES = (
    rf" {_ADVERB}(?:[a-z]{{3,}}(?<!s)s (?:\d|(?:the|my|me|us|our|every|about|no|all|at least|half)\b|{_NUMBER}\b)"
    rf"|(?:{alternatives('does_by_itself')})\b|(?:{alternatives('does_to_the_speaker')}) (?:me|us)\b)"
)
_DID = rf" {_ADVERB}(?:{alternatives('did_by_itself')})\b"
_THIRD = rf"{_SUBJECT}(?P<verb>{_IS}|{_DOES}|{_DID})"
_STATES = re.compile(_THIRD, re.I)
_SPLICED = re.compile(
    rf"(?:[,;:]| [-\u2013\u2014]+|\.\.+)(?: (?:and|but|so|also|plus))? (?={_THIRD.replace('?P<', '?P<a_')})"
    rf"| (?:and|but|so) (?={_THIRD.replace('?P<', '?P<b_')})",
    re.I,
)
_VERBED = re.compile(
    r"^(?:(?:and|but|so|also|now|then|currently) )?(?:(?:I|we)(?:'\w+)? |(?:my|our) (?:[\w'-]+ ){0,3}?[\w'-]+"
    rf"(?:{_IS}|{_DOES}|{_DID}| [a-z]+(?:s|ed)\b))",
    re.I,
)
_NONE = re.compile(r"^(?:no|zero) [a-z][\w -]{3,60}$", re.I)
_OPEN = re.compile(
    r"\b(?:if|whether|when|while|until|unless|because|since(?= (?:I|we|my|our|the|he|she|it|they)\b)|that|who|which"
    r"|where|than|between|both|either|says?|said"
    r"|told|thinks?|thought|hope|wish|either|neither|between)\b[^,;]*$",
    re.I,
)
"""What follows belongs to it."""
_PARTICULAR = re.compile(
    rf"(?<![a-z]-)\b(?:{_NUMBER}|(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)(?= [a-z]))\b|\b(?:me"
    rf"|us|my|our|mine|I|we)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|(?<=[a-z,'] )(?-i:(?!I\b)[A-Z])|\b(?:tomorrow|yesterday|daily|weekly|monthly|every (?:day|week|month|year)"
    r"|since|ago"
    r"|(?:next|last) (?:week|month|year|spring|summer|autumn|winter))\b",
    re.I,
)
_SAYING = re.compile(
    r".*\b(?:would|could|should|might|must|maybe|perhaps|probably|apparently|supposedly|as if|if)\b"
    r"|.*\b(?:seems?|looks?|sounds?|feels?|means?|says?|said|thinks?|thought|claims?|told|reckons?|tells?|asks?"
    r"|asked)\b"
    r"|.*[\"\u201c_?]|.*:(?!\d)|.*\bso [a-z]+ (?:[a-z]+ ){0,3}that\b|.*\bthat [a-z]+(?:$|,)"
    r"|.* (?:is|was|'s) (?:it|they|he|she|you)\b"
    r"|.*\b(?:right now|at the moment|today|tonight|this (?:morning|afternoon|evening))\b",
    re.I,
)
"""What is supposed, reported, quoted or of the day."""

_SPEAKERS = re.compile(r"\b(?:me|us|my|our|mine|ours|I|we)\b", re.I)
_CLOCK = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:tomorrow|daily|weekly|(?:next|last|every) (?:week|month))\b"
    r"|\bat (?:\d|half|noon|midnight|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)|\d[ap]m\b"
    r"|\bexpires (?:on )?\d|\b(?:since|until|in|from|by) "
    r"(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\b"
)
_BY_THE_CLOCK = re.compile(rf"\b(?:{_CLOCK})", re.I)
_OF_ONES_LIFE = re.compile(
    rf"\b(?:{_CLOCK})|\bon the [a-z]+ floor\b|\b(?:moved|goes|flies|runs) (?:to|from) (?-i:[A-Z])"
    r"|\b(?:kept|left|parked|stored|held|booked|based) (?:in|at|for) (?-i:[A-Z\d])",
    re.I,
)
"""What is said of a thing or of somebody named that is not of the speaker by its words: a time or a place of a life."""

_ONES_OWN = frozenset(listed("ones_own_affairs"))
"""The commute is one's own, whoever says so."""
_OF_A_TASK = re.compile(rf"(?:.* )?(?:{alternatives('of_a_task')})", re.I)
_CUT_OFF = re.compile(r".* (?:is|are|was|were|always|never|still|also|not)", re.I)
_SECRET = re.compile(rf"\b(?:{alternatives('secrets')})\b", re.I)


def spliced(clause: Clause, text: str) -> Iterator[Clause]:
    """The clause, and behind it those of another subject that `text`, its words, string to it."""
    start = 0
    if clause.states:
        for cut in _SPLICED.finditer(text):
            head = text[start : cut.start()]
            joined = cut.group().strip() in {"and", "but", "so"}
            if _OPEN.search(head) or taken_back_en(text[cut.end() :]) or not _states(text[cut.end() :]):
                continue
            own = start == 0 and clause.subject in {"I", "we"} and " " in head.strip()
            verbed = own or _VERBED.match(head.strip()) or _STATES.match(head.strip())
            if not verbed and (joined or start == 0):
                continue
            yield _part(clause, text, start, cut.start())
            start = cut.end()
    yield _part(clause, text, start, len(text))


def _part(clause: Clause, text: str, start: int, end: int) -> Clause:
    if start == 0 and end == len(text):
        return clause
    if start == 0:
        left = clause.body[: len(clause.body) - (len(text) - end)] if clause.body.endswith(text[end:]) else text[:end]
        return replace(clause, body=left, end=clause.start + end)
    return replace(clause, subject="other", body=text[start:end], start=clause.start + start, end=clause.start + end)


_OWN = re.compile(
    r"(?:I|we)(?:'(?:m|ve|re|ll|d))? (?!(?:think|guess|hope|mean|know|say|said|suppose|believe|reckon)\b)[a-z]|(?:my"
    r"|our) [a-z]",
    re.I,
)


_ANYBODY = re.compile(
    rf"(?:(?:nobody|everyone|everybody|no one)(?: but [\w-]+)?|{_SUBJECT})"
    rf"(?:{_IS}|{_DOES}|{_DID}| {_ADVERB}(?:[a-z]{{3,}}(?<!s)s (?:the|an?)|said|[a-z]{{2,}}ed (?:the|an?|my|our|us|to"
    rf"|that|\d))\b)"
    r"|(?:no|zero) [a-z]+ (?:in|since|for|after) ",
    re.I,
)


def starts_a_statement(text: str) -> bool:
    """Does a clause with a subject of its own begin here?"""
    return _OWN.match(text) is not None or _ANYBODY.match(text) is not None


def is_stated(statement: str) -> bool:
    """Is this a clause with its verb?"""
    text = statement.strip()
    return any(p.search(text) for p in (_VERBED, _NONE)) or _ANYBODY.search(text) is not None


def leads_on(text: str) -> bool:
    """Does what follows belong to this?"""
    return _OPEN.search(text) is not None


def _states(text: str) -> bool:
    return _STATES.match(text) is not None and _PARTICULAR.search(text) is not None


def of_a_third(statement: str, *, to_keep: bool = False) -> str | None:
    """The statement that `statement` makes of a thing or somebody named, in the first person where it names the
    speaker; None where it makes none, or where it points outside. `to_keep`: it is asked to be remembered, so it need
    not be of a time or a place of a life."""
    match = _STATES.match(statement)
    if match is None or _CUT_OFF.fullmatch(statement) or (to_keep and _OF_A_TASK.fullmatch(match["noun"])):
        return None
    known = to_keep or is_of_a_thing(statement)
    if not (known or _PARTICULAR.search(statement)):
        return None
    if _SAYING.match(statement) or YOU.search(statement) or statement.isupper():
        return None
    if _SECRET.search(statement) and not is_of_a_thing(statement):
        return None
    of_a_life = _OF_ONES_LIFE if match["article"] else _BY_THE_CLOCK
    own = match["article"] and match["noun"].lower() in _ONES_OWN
    if not (known or own or _SPEAKERS.search(statement) or of_a_life.search(statement)):
        return None
    if match["noun"].lower().startswith(("a ", "an ")) and not _SPEAKERS.search(statement):
        return None
    text = written_out(statement, match.start("verb"))
    text = f"{text[0].upper()}{text[1:]}"
    size = len(QUOTED.sub("“”", text).split())
    whole = known or is_whole(text)
    return text if SHORTEST <= size <= LONGEST and resolved(text) and whole else None
