"""English clauses without their subject: "been in Leeds for years", "work at a bank", "not really into sports"."""

from __future__ import annotations

import re

from processors.reader.rules.clauses_en import Clause
from processors.reader.rules.joint_subjects_en import as_one
from processors.reader.rules.person_en import is_done
from processors.reader.rules.salience_en import DROPPED
from processors.reader.rules.self_contained_en import FINITE, GERUND
from processors.reader.rules.withdrawals_en import no_longer_so
from processors.reader.rules.words_en import alternatives

_INTENDED = re.compile(
    r"(?:trying to|planning (?:to|on|a|my)|hoping to|learning (?:to|how)|thinking (?:of|about)|working on|saving up"
    r"|looking for|training for|studying for|getting ready)\b"
)
_UNDER_WAY = re.compile(
    r"\b(?:am|is|are|was|were|has|have|had|will|would|can|could|makes?|made|helps?|helped|takes?|took|keeps?|gets?)\b"
)
"""Trying to eat healthier these days: what is under way, unless a verb makes it a subject."""
_IS_SUBJECT = re.compile(r" (?:has|have|is|was|helps?|helped|makes?|made|keeps?|kept|gives?|gave|takes?|took) ")
_OWN = re.compile(
    r"\b(?:I|i|me|my|we|our|us|mine|yesterday|today|ago|last|since|\d{4})\b"
    r"|(?<=[a-z,'] )(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)[A-Z][a-z]"
)
"""Without its speaker, a name or a time, what was done ("moved to 4") may have been done by anybody or anything."""
_ADJECTIVE = re.compile(r"[a-z]+ed (?:[\w'-]+ ){1,4}?(?:is|are|was|were|has|have|can|will)\b", re.I)
"""Condensed milk toast is delicious: not what somebody did."""
_BASE = re.compile(
    r"(?:have|need|come|will|can|run|plan|make|play|work|teach|hold|study|own|like|speak|enjoy|visit|was|were)\b"
)
"""Bare forms that may as well ask somebody to do it, and verbs of another subject."""
_TOLD_TO = re.compile(rf"(?:(?:just|please|also) )?(?:don't|do not) (?:{alternatives('answers', 'acts')})\b", re.I)
_OF_ONESELF = re.compile(
    rf"(?:(?:just|also) )?(?:don't|do not) (?:(?:{alternatives('of_oneself', 'habits', 'of_oneself_alone')})\b"
    r"|.*\b(?:I|me|my|mine|we|us|our|any ?more|any longer|these days|nowadays)\b)",
    re.I,
)
"""Don't overmix: a recipe's, or what one passes on; nobody says so of themselves."""
_TOLD_TO_AMONG_PEOPLE = re.compile(
    rf"(?:(?:just|please|also) )?(?:don't|do not) (?!(?:{alternatives('of_oneself')})\b)[a-z]+\b"
    rf"|just (?:{alternatives('told_to_do')})\b",
    re.I,
)
"""What somebody is not to do, not what the speaker does not."""
_COMPARING = re.compile(
    r"(?:just )?like [\w' -]{2,40}? (?:I|we) [a-z]"
    r"|(?:just|much|exactly|almost|kind of|sort of|somewhat|more|nothing|something|a lot) like\b",
    re.I,
)
"""Just like music we got to see films, just like chess: nothing is liked."""
_BEHIND_A_VERB = (
    r"an?|the|my|our|some|any|all|both|it|them|to|for|in|on|at|up|out|off|with|from|back|into|over|about|after"
    r"|around|down|everything|nothing|anything|something"
    r"|through|as|of|last|this|yesterday|today|every|\w+ly|\w+self|\d+|one|two|three|four|five|six|seven|[A-Z]\w*"
)
_STATE = re.compile(
    rf"(?:(?:still|happily|newly|long) )?(?:{alternatives('states')})(?= (?:to|since|for|with|and|but)\b|[,;]|$)", re.I
)
"""What one is, where the verb is left out: "still married"."""
_PARTICIPLE = re.compile(rf"[a-z]+ed\b(?! (?:{_BEHIND_A_VERB})\b)")
"""Overrated soundtrack: a verb has an object with an article or name, a preposition, a time behind it."""
_NOUN = re.compile(rf"[a-z]{{3,}}ing (?!(?:{_BEHIND_A_VERB})\b)")
"""Cycling plan: a doing has an object with an article, or a preposition behind it."""
_BEEN = re.compile(r"(?:never |also |just |only )?been\b")
_INVERTED = re.compile(r"(?:am|was|do|did|have|had|can|could|will|would|should|may) (?:I|we)\b", re.I)
"""A question whose mark was left out."""
_OF_ONES_TASTE = re.compile(
    r"not (?:(?:really|very|too|that|particularly|exactly) )*(?:(?:much|a lot) of an? [\w' -]+ (?:person|fan"
    r"|guy|girl|type|eater"
    r"|reader|cook|drinker)\b|an? (?:\w+ )?(?:fan of (?!it\b|that\b|them\b|this\b)|[a-z]+ person\b)"
    r"|(?:into|big on|keen on|fond of|good at|crazy about) (?!it\b|that\b|them\b|this\b))"
)
"""Not really into sports."""
_BEHIND_ITS_TIME = re.compile(
    r"(?:when|while|since|after|before|until) (?:I"
    r"|we) [^,;]{3,50}?(?<!think)(?<!thought)(?<!know)(?<!knew)(?<!guess)(?<!feel)"
    r"(?<!felt)(?<!that)(?<!what)(?<!which)(?<!who)(?<!and)(?<!but)(?<!how)(?<!where)(?<!because)(?<!if) (?:I"
    r"|we) [a-z]",
    re.I,
)
"""Since I lost my job I have trouble sleeping."""
_CANNOT = re.compile(
    r"(?:can't|cannot|can not|could never|couldn't) (?:stand|bear|eat|drink|live without|drive|swim|cook|afford"
    r"|sing|dance)"
    r" (?!it\b|that\b|them\b|this\b|you)"
)
_WORKS = re.compile(
    r"(?:work|live|study|teach|commute)(?: full[- ]time| part[- ]time| remotely| mostly| nights)? (?:at|as|with|near"
    r"|for|in)(?! (?:it|that|this|what|the (?:moment|present|now))\b)"
)
"""What nobody asks of somebody: "work at a bank"."""


def with_subject(text: str, clause: Clause, *, known: bool) -> str:
    """The clause with its subject, which a predicate may leave out; empty where that is not the speaker. `known`: the
    clause before it is of the speaker, or only one speaks."""
    if (over := no_longer_so(text)) is not None:
        return over
    named = re.match(r"(?:I|we|my|our|there)\b", text, re.I) or as_one(text) != text
    if not text or named or clause.subject not in {"I", "we", "none"} or _BEHIND_ITS_TIME.match(text):
        return text
    if text.isupper() or any(p.match(text) for p in (_INVERTED, _COMPARING, _TOLD_TO)) or _told_to_no_one(text):
        return ""
    if not known and _TOLD_TO_AMONG_PEOPLE.match(text):
        return ""
    lowered = f"{text[0].lower()}{text[1:]}"
    if _BEEN.match(lowered):
        return f"I have {lowered}"
    if _OF_ONES_TASTE.match(lowered):
        return f"I am {lowered}"
    if _CANNOT.match(lowered) or _WORKS.match(lowered):
        return f"I {lowered}"
    if lowered.startswith(("born in ", "born on ", "born and ")):
        return f"I was {lowered}"
    if re.match(r"did (?:my|an?) [A-Za-z]", lowered):
        return f"I {lowered}"
    if _STATE.match(lowered):
        return f"I am {lowered}"
    if lowered.startswith(("going to ", "want to ")) and not _IS_SUBJECT.search(lowered):
        return f"I {'am ' if lowered[0] == 'g' else ''}{lowered}"
    doing = re.sub(r"^(?:just|also|still|really|currently|only) ", "", lowered)
    habit = lowered.startswith("used to ")
    if not (known or habit) and not _OWN.search(text) and (is_done(doing.split(" ")[0]) or _NOUN.match(doing)):
        return ""
    if GERUND.match(doing):
        of_it = _UNDER_WAY if _INTENDED.match(doing) else FINITE
        noun = " " not in doing or of_it.search(lowered) or lowered.startswith("starting ")
        return text if noun else f"I am {lowered}"
    if DROPPED.match(text) is None or _ADJECTIVE.match(text) or _PARTICIPLE.match(lowered) or _BASE.match(lowered):
        return text if clause.subject == "none" else ""
    return f"{'we' if clause.subject == 'we' else 'I'} {lowered}"


def _told_to_no_one(text: str) -> bool:
    """Is somebody not to do what people seldom say of themselves?"""
    denied = re.match(r"(?:(?:just|also) )?(?:don't|do not) [a-z]", text, re.I)
    return denied is not None and not _OF_ONESELF.match(text)
