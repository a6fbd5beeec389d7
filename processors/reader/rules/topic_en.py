"""What English talk leaves to the question before it: "Do you watch football?" - "I used to watch it a lot", "Are you a
jazz fan?" - "I'm a big fan", "Who's your favorite singer? Mine is Adele" (B1).

The thing is the question's, or what the speaker has just said they like.
"""

from __future__ import annotations

import re

from processors.reader.rules.text import sentences
from processors.reader.rules.words_en import alternatives

_DOING = alternatives("done_for_pleasure")
_NO_THING = (
    r"(?!(?:it|that|this|them|those|these|any|anything|something|one|some|to|many|much|more|most|him|her|me|us|you|how"
    r"|what|when|all|both|other|others|so|every|each)\b|the (?!(?:bible|koran|torah|news|paper|radio|guitar|piano"
    r"|violin|drums)\b)(?-i:[a-z]))"
)
_WORD = (
    r"(?!(?:or|and|at|too|much|often|as|by|when|because|if|that|which|but|so|since|though|from|with|on|for|either"
    r"|yourself|myself|personally|now|lol|growing)\b)[\w'&-]+"
)
_SOME = (
    r"(?:(?:(?:any|many|some|a lot of|lots of|much)(?: other| of)?|(?:any|some) more) "
    r"|the (?:movie|film|show|book|series|song|band|game|musical) (?=(?-i:[A-Z])))?"
)
"""What is asked of is named behind them."""
_THING = rf"{_SOME}(?P<what>{_NO_THING}(?:the )?{_WORD}(?: {_WORD}){{0,3}})"
_HOW = r"(?:(?:ever|also|even|still|really|too|just|do|\w+ly) ){0,2}"
_TAIL = (
    r"(?: (?:at all|much|too|as well|a lot|often|by any chance|yourself|personally|in general|by the way"
    r"|these days|growing up|either|or [^?]{2,40}))?"
)
_ASKS = (
    re.compile(
        rf"\b(?:do|did|have) you {_HOW}(?:{_DOING}|seen|see|tried|try|been to) {_THING}(?: yet)?{_TAIL}\s*\?", re.I
    ),
    re.compile(
        rf"\bare you {_HOW}(?:an? )?(?:(?:big|huge) )?(?:much of an? )?"
        rf"(?:fan of|into|familiar with|interested in|afraid of|scared of|fond of) {_THING}{_TAIL}\s*\?",
        re.I,
    ),
    re.compile(
        rf"\bare you {_HOW}(?:much of )?an? (?:(?:big|huge) )?(?P<what>{_NO_THING}{_WORD}(?: {_WORD}){{0,2}}) fan"
        rf"{_TAIL}\s*\?",
        re.I,
    ),
)  # fmt: skip
_FAVOURITE = re.compile(
    r"\b(?:(?:who|what|which)(?:'?s| is| are| was| were)(?P<one> one of)? your|(?:do you |did you )?have an?|any) "
    r"(?:all[- ]time )?(?P<favourite>favou?rite)s? (?P<noun>(?!(?:one|of|for|to|ever)\b)[a-z]+"
    r"(?: (?!(?:of|in|from|that|or|and|for|at|to|by|right|ever|these)\b)[a-z]+){0,2})\b",
    re.I,
)
_LIKED = re.compile(
    rf"(?:(?:yes|yeah|yep|oh|well|and|but|so|haha|lol),? ){{0,2}}(?:I|we) {_HOW}(?:(?:{_DOING})|am into|am a fan of) "
    rf"{_THING}(?:{_TAIL}|,? (?:and|but|so|because|since|though) .*)$",
    re.I,
)
_MANNER = (
    r"(?:(?:\w+ly|do|did|don't|didn't|not|have|had|haven't|never|always|still|just|also|only|really|used to|use to"
    r"|would|can|can't|could|couldn't|cannot|get to|got to|learned to|learnt to|try to|tried to|like to|love to|want to"
    r"|wanted to|started|kept|keep|grew up|am|was|are|were|been|too|very|that|so|a little|a bit|much|big|huge"
    r"|an?) ){0,6}?"
)
_NAMED_ALONE = re.compile(
    r"(?:(?:[Dd]efinitely|[Pp]robably|[Mm]ostly),? )?(?:(?P<article>[Tt]he )(?P<name>[A-Z]\w+(?: [A-Z]\w+){0,2})"
    r"|(?P<full>[A-Z][a-z]+(?: [A-Z][a-z]+){1,2}))[ .!]*$"
)
"""An answer that is a name."""
_POINTS = re.compile(
    rf"(?P<head>(?:I|we)(?:'\w+)? {_MANNER}"
    rf"(?:(?:{_DOING})(?:d|ed|ing)?(?: [a-z]{{2,12}}ing)?|watching|(?:get |got |getting )?into|fan of|familiar with"
    r"|interested in|good at|bad at|tired of|hooked on|neutral (?:towards?|about)|indifferent to|don't mind)) "
    r"(?P<it>it|them)\b(?! (?:is|was|are|were|to|on|off|up|out|like|that|when it|how|if|so)\b)",
    re.I,
)
_OF_A_CLAUSE = re.compile(r"(?:like|love|hate|enjoy|prefer)d? it when\b", re.I)
"""I hate it when they bark: no thing that was named."""
_FINDS = re.compile(
    rf"(?P<head>(?:I|we)(?:'ve| have)? {_MANNER}(?:find|found)) (?P<it>it|them)"
    r"(?= (?:to be )?(?:(?:so|very|really|quite|pretty|rather|a bit|too|\w+ly) )?(?!(?:to|out|in|on|at|that|hard"
    r"|difficult|easy|impossible)\b)[a-z]+(?: [a-z]+s)?(?:\s*$|[,;.!]| (?:and|but|too|though|myself)\b))",
    re.I,
)
"""I find it boring; not "I find it hard to sleep"."""
_TO_ONESELF = re.compile(
    r"(?P<it>it|that|they|those)(?P<is>'s| is| was|'re| are| were) "
    r"(?P<how>(?:(?:so|very|really|quite|pretty|rather|a bit|too|just|\w+ly) ){0,2}(?!up\b|down\b|new\b)[a-z]+)"
    r" (?:to|for) me\b(?! to\b)",
    re.I,
)
"""It is rather boring to me."""
_POSSESSIVE = re.compile(
    rf"(?P<head>(?:I|we) {_MANNER}(?:{_DOING})(?:d|ed)?) (?P<whose>his|her|their) (?=[a-z])",
    re.I,
)
"""I like his earlier work, of whom one was asked by name."""
_RETURNED = re.compile(
    r"\b(?:(?:do|did|have|are|were|would) (?:you|u)(?: too| ever)?|(?:what|how) (?:about|bout) (?:you|u)"
    r"|and (?:you|yourself))"
    r"\s*(?:\?|$)|\b(?:do|did|have) (?:you|u) (?:ever |also |even )?(?:like|see|seen|watch|watched|read|play|played"
    r"|know|enjoy|love|follow|collect|tried|try) (?:it|them|that|him|her|one)\b[^?.!]{0,12}\?"
    r"|\bare (?:you|u) (?:an? )?(?:(?:big|huge) )?fan\s*\?",
    re.I,
)
"""Do you? What was asked or said before it is asked again."""
_A_FAN = re.compile(
    r"(?P<head>(?:I|we)(?:'m| am|'re| are| was| were|'ve been| have been)(?: (?:not|\w+ly|also|still|just|kind of|much"
    r" of|always))* an? (?:(?:big|huge|massive|real|great|major|lifelong|casual|avid|die-?hard) )?fan)"
    r"(?=\s*(?:$|[,;.!]|(?:and|but|though|too|as well|myself|now|because|since)\b))",
    re.I,
)
_OF_NOTHING = re.compile(
    rf"(?P<head>(?:I|we) {_MANNER}(?:watch|play|follow|collect|read)(?:ed)?)"
    rf"(?= (?:{alternatives('of_no_object')}|(?:every|each) [a-z]+|all the time|[a-z]+ly\b"
    r"|when (?:I|we) (?:was|were|am|can)\b"
    r"|as an? (?:kid|child|teen|boy|girl))|$)",
    re.I,
)
_MINE = re.compile(
    r"(?:I (?:think|guess|would say|would have to say|have to say|believe)(?: that)? )?"
    r"(?P<of>one of )?(?:mine|my (?:(?:all[- ]time|personal|absolute|current) )?favou?rites?(?: one)?(?: of all time)?)"
    r"(?P<is>'s| is| was| are| were| would (?:have to )?be| has to be)(?: probably)? (?=[\w\"])",
    re.I,
)
_CLASS = (
    r"(?:sport|game|show|movie|film|series|book|song|album|band|comics?|team|instrument|food|dish|drink|language|genre"
    r"|app|place|country|city)"
)
_CLASSED = re.compile(
    rf"(?P<head>(?:I|we)(?:'\w+)? {_MANNER}(?:(?:{_DOING})(?:d|ed|ing|n)?|see|seen|saw|tried|try|read|heard of|been to"
    rf"|into|fan of|familiar with|interested in|good at|bad at)) (?:the|that|this) {_CLASS}\b"
    r"(?! (?:of|that|about|with|called|named|in which|where|who|which|by|from)\b)",
    re.I,
)
"""I never played the sport: what was asked of is of that kind."""
_IS_ONES = re.compile(
    r"(?:(?:and|but|so|yes|yeah|yep|oh|well|of course|haha|lol|actually),? ){0,3}"
    r"(?:(?P<one>it|that|this)(?P<is>'?s| is| was| has (?:always )?been)|(?P<many>they|those|these)"
    r"(?P<are>'?re| are| were)) (?P<how>(?:(?:definitely|probably|still|actually|also|always|just|by far|easily"
    r"|totally|certainly|one of|among|some of) ){0,3})(?=my (?:[\w-]+ ){0,3}favou?rites?\b)",
    re.I,
)
"""It's one of my favourites: what was asked of."""
_TURNS_TO = re.compile(
    rf"\b(?:play|watch|read|see)(?:ed|ing)? {_NO_THING}(?!(?:with|in|on|at|for|a lot|often|too|and|or|but|as"
    rf"|when)\b)[a-z]", re.I
)
"""What is spoken of from now on: "I remember playing chess"."""
_NOT_SEVERAL = re.compile(r"(?:ss|us|is|tics|sics)$")
"""Tennis, physics: one."""


class Topic:
    """What a clause of the speaker's may point at. One for each reading of a turn."""

    def __init__(self, question: str = "", before: str = "") -> None:
        """`question`: what the speaker answers; `before`: their turn before it, which it may answer and ask back."""
        self._thing = ""
        self._asked = False
        self._favourite = ""
        returned = _RETURNED.search(question) is not None
        if returned:
            self.ask(before)
        for sentence in [s for s in sentences(question) if not s.asks]:
            self.hear(sentence.text)
        self._asked = returned and bool(self._thing)
        self.ask(question)

    def ask(self, text: str) -> None:
        """Take in a question of the turn before, or of this one."""
        found = [match for pattern in _ASKS for match in pattern.finditer(text)]
        if found:
            self._thing, self._asked = max(found, key=lambda match: match.start())["what"], True
        if (match := next(iter(reversed(list(_FAVOURITE.finditer(text)))), None)) is not None:
            noun = match["noun"]
            noun = noun[:-1] if match["one"] and noun.endswith("s") else noun
            self._favourite = f"{match['favourite'].lower()} {noun}"

    def hear(self, clause: str) -> None:
        """Take in what the speaker said: what they say they like, later clauses may point at."""
        if match := _LIKED.match(clause):
            self._thing, self._asked = match["what"], False
        elif match := _NAMED_ALONE.match(clause):
            self._thing, self._asked = f"the {match['name']}" if match["name"] else match["full"], False
        elif (match := _TURNS_TO.search(clause)) and self._thing.lower() not in clause.lower():
            self._thing, self._asked = "", False

    def named(self, clause: str) -> str:
        """The clause with the thing that it leaves out; unchanged where none is known."""
        if self._favourite and (match := _MINE.match(clause)):
            favourite = f"one of my {self._favourite}s" if match["of"] else f"my {self._favourite}"
            return f"{favourite} {_is(match['is'])} {clause[match.end() :]}"
        if not self._thing:
            return clause
        if (match := _IS_ONES.match(clause)) and (match["one"] or _is_several(self._thing)):
            return f"{self._as_subject()} {_be(match['is'] or match['are'])} {match['how']}{clause[match.end() :]}"
        if (match := _TO_ONESELF.match(clause)) and (match["it"].lower() in _MANY) == _is_several(self._thing):
            verb = "found" if _be(match["is"]) in {"was", "were"} else "find"
            return f"I {verb} {self._thing} {match['how']}{clause[match.end() :]}"
        if (match := _POSSESSIVE.match(clause)) and (match["whose"].lower() == "their" or self._thing[0].isupper()):
            return f"{match['head']} {self._thing}'s {clause[match.end() :]}"
        match = None if _OF_A_CLAUSE.search(clause) else _POINTS.match(clause) or _FINDS.match(clause)
        if match and (match["it"].lower() == "them") == _is_several(self._thing):
            return f"{match['head']} {self._thing}{clause[match.end() :]}"
        if not self._asked:
            return clause
        if (match := _CLASSED.match(clause)) and not _is_several(self._thing):
            return f"{match['head']} {self._thing}{clause[match.end() :]}"
        if match := _A_FAN.match(clause):
            return f"{match['head']} of {self._thing}{clause[match.end() :]}"
        if match := _OF_NOTHING.match(clause):
            return f"{match['head']} {self._thing}{clause[match.end() :]}"
        return clause

    def _as_subject(self) -> str:
        return f"{self._thing[0].upper()}{self._thing[1:]}"


_MANY = frozenset({"they", "those", "these"})


def _be(verb: str) -> str:
    word = verb.strip(" '").lower()
    return {"s": "is", "re": "are"}.get(word, word)


def _is(verb: str) -> str:
    word = verb.strip().lower()
    return word if word in {"was", "are", "were"} else "is"


def _is_several(thing: str) -> bool:
    last = thing.split()[-1].lower()
    return last.endswith("s") and _NOT_SEVERAL.search(last) is None
