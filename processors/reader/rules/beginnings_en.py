"""Where the first thing that an English sentence says is at its end: people string several together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from processors.reader.rules.others import KIN_EN

CUTS = re.compile(r"[,;(] | [-\u2013\u2014]+ | (?=(?:because|cuz|so|but|which|when|while|and) )")
_BOUND = re.compile(
    r"(?:but(?! (?:none|nobody|no one|because of|not (?:many|much|a lot))\b)"
    r"|not|never|nor|or|if|unless|except|until|till?|when|while|whenever|before|after|since|though|although|only"
    r"|instead|just|at (?:least|most)|that|than|as|to|of|who|whom|whose|with|without|in|on|at|for|from|by|like"
    r"|let alone"
    r"|especially|mostly|mainly|which|and (?:not|never|then)|\w+ing)\b",
    re.I,
)
"""What limits or ends what it follows: without it a statement may not be true, or not be whole."""
_OPEN = re.compile(
    r"\b(?:told|tell|asked?|said|says?|thinks?|thought|whether|if|unless)(?: \S+){0,2}$"
    r"|\b(?:not|never|but|so|because|that|who|where|which|how|what|am|is|are|was|were|be|have|has|had|of|to|the|an?"
    r"|my|our|and|or|for|with|in|on|at)$"
    r"|\b(?:between|both|either|neither|not only)\b",
    re.I,
)
"""What is not at its end after the next words."""
_NEXT_SUBJECT = (
    r"(?: (?![a-z]+ing (?:is|was)\b)"
    r"(?!(?:who|which|that|what|where|when|if|because|as|since|while|until|unless|not|than|to|or|and|it|it's)\b)"
    r"(?:(?:the|an?|my|our|his|her|their|no|every|some|any|all|both|one|two|three) )?"
    r"(?:(?!(?:I|we)\b)[\w'-]+ )?(?!(?:I|we)\b)[\w-]+"
    r"(?: (?:is|are|was|were|has|have|had|will|won't|can|can't|isn't|aren't|wasn't|does|did|doesn't|don't|didn't|hasn't"
    r"|haven't)\b|'(?:re|ve|ll)\b|'s (?:an?|the|not|in|at|on|off|out|been|got|gone|always|\w+ing|\w+ed|\w+en)\b)"
    r"|(?: \w+days?)? (?:he|she|they) [a-z]"
    rf"|(?: (?:my|our)(?: [\w-]+)? (?:{KIN_EN}) (?!is\b|was\b)[a-z]+(?:ed|s|ught|ent)\b))"
)
_SPLICED = re.compile(
    rf"(?:[,;:]| [-\u2013\u2014]+)(?: (?:and|but|so|yet|just|only))?{_NEXT_SUBJECT}| (?:and|but|so|yet){_NEXT_SUBJECT}"
    r"|, so (?!(?:that|far|much|many|long|I|we|my|our)\b)| so (?=(?:an?|the|any\w*|no|nothing|that's|please|don't|if"
    r"|when|whenever|you|keep|put|leave|make|stop"
    r"|guess|think|find|add|count|book|give|tell|plan|mind|ask|send|ring|text|nag|remind|expect|bear)\b)",
    re.I,
)
"""Where a clause begins that is somebody else's, or asks for something."""
_JUDGED = re.compile(
    r", (?:(?:and|but) )?(?!during\b)[a-z]{2,}ing (?:[\w'-]+ ){1,5}?(?:would|will|won't|wouldn't|is|was)\b"
    r"|, (?!(?:and|but|so|then|also|who|which|I|we|he|she|they|that|as)\b)(?:[a-z]+ )?[a-z]+"
    r" (?:said|says|reckons?|reckoned|thinks?|thought) ",
    re.I,
)
"""Where another tells, or it is told why: ", ops said they'd rather sleep", ", moving him would upset him"."""
_LEAST = 5
"""Words that stand before it."""
_THOUGHT = re.compile(
    r"(?<!\bthat)(?<!\bwhat)(?<!\bhow)(?<!\bwhich)(?<!\bwho)(?<!\bas)(?<!\bthan)(?<!\bif)(?<!\bbecause)"
    r"(?<!\bwhen)"
    r" (?=(?:I|they) (?:think|thought|guess|believe(?! in)|mean)\b)"
    r"|,? (?:and|so) it (?:looks|seems|sounds|feels) like\b"
    r"| (?=I do (?!(?:in|for|at|on|with|is|and|every|as|to|now|when|best|most|not)\b)[a-z])"
    r"|(?:(?<=\ba lot)|(?<=\btoo)|(?<=\bnow)|(?<=\boften)) (?:it's|its|it is|that's|thats|that is) "
    r"(?:probably|definitely|my|one of my|the)\b"
    r"|,?(?: (?:and|but|so))? (?:it's|its|that's|thats) (?:an?|so|really|very|just|pretty|not|such|sad|too|kind|all)\b"
    r"|, (?:(?:great|good|nice|fun|crazy|awesome|lovely|bad|sad|tough) (?:game|movie|film|show|time|day|night"
    r"|thing|stuff"
    r"|place|book|song|one)\b|so (?:disappointing|sad|good|fun|cool|weird|crazy|much fun)\b|a lot of|(?:more"
    r"|mostly) (?:in|of|like)|like (?:right now|today|he|she|they|it|when)\b|maybe|perhaps|hopefully|nice to"
    r"|much (?:cheaper|better|easier|more)|very|(?:have|do|did|are|what about"
    r"|how about|what do|how do) (?:you|ya)|mind (?:the|your)|she's|he's|they're)\b",
    re.I,
)
"""A judgement, a question or another person's state, joined by a comma or by nothing."""
_INTENDED = re.compile(
    r"\b(?:(?:was|were) (?:to|going to|supposed to|meant to|due to|about to)|had (?:planned|hoped|booked|arranged))\b",
    re.I,
)
_FAILED = re.compile(r"n't\b|\b(?:not|never|cancelled|fell through|called off|pulled out|fallen through)\b", re.I)
"""What was meant to be is not told without what says that it was not."""
_PAIRED = re.compile(
    r"(?!.{0,40}?\b(?:I|we|he|she|they|it)(?:'\w+)? )(?!(?:[\w'-]+ ){1,4}?(?:is|are|was|were|has"
    r"|have|had|can|will|won't|can't|isn't|doesn't|didn't)\b)"
    r"(?!(?:the|an?|my|our|no|now|hence|then) )(?![a-z]+(?:ed|s) )"
    r"(?!(?:got|had|has|was|is|am|are|have|went|took|made|came|said|told|gave|kept|put|will|can|do|does|did|don't)\b)",
    re.I,
)
"""What "and" adds to the last word before it: "I run hot and cold"."""
_SAID_MORE = re.compile(r", (?:and |but )?it(?:'s| is| was| has| had)\b", re.I)
_SHORT = 14
"""Words."""


def before_another(text: str, *, in_group: bool = False) -> Iterator[str]:
    """The text up to each place where somebody else's clause begins, the shortest first. What is said more of a thing
    ("I have a spaniel, it's called Rex") stays with a short statement. `in_group`: among people,
    who judge and ask behind what they say."""
    marks = [_SPLICED] if len(text.split()) <= _SHORT else [_SPLICED, _SAID_MORE]
    marks = [_THOUGHT, *marks] if in_group else marks
    cuts = [each for mark in marks for each in mark.finditer(text)]
    cuts += [each for each in _JUDGED.finditer(text) if len(text[: each.start()].split()) >= _LEAST]
    heads = (text[: each.start()].rstrip(" ,;:-") for each in sorted(cuts, key=lambda cut: cut.start()))
    return (head for head in heads if _OPEN.search(head) is None and not _failed(text, head))


def beginnings(text: str) -> Iterator[str]:
    """The beginnings that are true without the rest, the longest first."""
    for cut in reversed(list(CUTS.finditer(text))):
        head = text[: cut.start()].rstrip(" ,;-")
        rest = text[cut.end() :]
        if _OPEN.search(head) or _BOUND.match(rest) or _failed(text, head):
            continue
        if cut.group() == " " and rest.startswith("and ") and _PAIRED.match(rest[4:]):
            continue
        yield head


def _failed(text: str, head: str) -> bool:
    return _INTENDED.search(head) is not None and _FAILED.search(text, len(head)) is not None
