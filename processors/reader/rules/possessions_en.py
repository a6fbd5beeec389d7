"""What one has or has not, said without a verb: "No kids, no pets", "Two cats, Sooty and Ink", "Wife and two boys"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from processors.reader.rules.numbers import ENGLISH_NUMBER
from processors.reader.rules.words_en import alternatives

_HAD = alternatives("had")
_NONE = re.compile(
    rf"no (?:more )?(?P<none>(?:[a-z]+ )?(?:{_HAD}))(?: (?:yet|at all|either))?(?=$|[,;.]| (?:and|or|but"
    rf"|though)\b)",
    re.I,
)
_NAME = r"(?-i:[A-Z])[a-z]+"
_SOME = re.compile(
    rf"(?:just |only |a )?(?P<with>(?:wife|husband|partner) and )?(?P<count>{ENGLISH_NUMBER})"
    rf" (?P<kind>(?:(?!and\b)[a-z]+ )?(?:{_HAD}))(?P<names>,? (?:called |named )?{_NAME}(?:(?:,"
    rf"|,? and) {_NAME}){{0,4}})?"
    r"(?= *(?:$|[,;(]| (?:at all|though|yet|either|but|and (?:they|he|she|it|I|we|no))\b))",
    re.I,
)
_NO_MORE = re.compile(
    r"no (?P<what>(?!(?:one|more|longer|idea|news|word|reply|answer|luck|sign|need|way|point|reason)\b)[a-z][\w-]*"
    r"(?: (?!(?:since|for|in|on|at|so)\b)[a-z][\w-]*){0,3}?) (?P<when>since [^,.;!?]{2,60}|for (?:about |over "
    r"|nearly )?"
    r"(?:\d+|an?|two|three|four|five|six|seven|eight|nine|ten) (?:day|week|month|year)s?(?: now)?|so far)"
    r"(?=\s*(?:$|[,.;!]))",
    re.I,
)
"""What one has been without, since when."""
_NEXT = re.compile(r",? (?:and |or )?")


def had_en(text: str, *, in_group: bool) -> Iterator[tuple[str, int, int]]:
    """Yield what the beginning of a sentence says that its speaker has or has not, in the first person, with the place
    of its words."""
    if match := _SOME.match(text):
        who = f"a {match['with'].lower()}" if match["with"] else ""
        names = re.sub(r"^,? (?:called |named )?", " called ", match["names"] or "")
        yield f"I have {who}{match['count'].lower()} {match['kind'].lower()}{names}", 0, match.end()
        return
    if not in_group and (match := _NO_MORE.match(text)):
        yield f"I have had no {match['what']} {match['when']}", 0, match.end()
        return
    at = 0
    while match := _NONE.match(text, at):
        yield f"I have no {match['none'].lower()}", at, match.end()
        following = _NEXT.match(text, match.end())
        at = following.end() if following else len(text)
