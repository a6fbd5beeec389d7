"""English statements better than their turn: one thing said, of the speaker, resolved, sayable in a month.

A sentence is read clause by clause. A clause becomes a statement where it stands alone (`standing_en`), with its
reason or what more it says of the thing it names. What fails is not told: it is found as a turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from processors.reader.rules.beginnings_en import CUTS, before_another, beginnings
from processors.reader.rules.clauses_en import ANSWERS_NO, FILLER, Clause, Subject, clauses
from processors.reader.rules.completeness_en import is_of_now, is_whole
from processors.reader.rules.found import Found
from processors.reader.rules.joint_subjects_en import as_one
from processors.reader.rules.people_en import People
from processors.reader.rules.person_en import expand, is_done, is_past
from processors.reader.rules.salience_en import DROPPED, weight
from processors.reader.rules.self_contained_en import (
    FINITE,
    GERUND,
    KIN,
    LONGEST,
    MOMENT,
    SHORTEST,
    YOU,
    is_self_contained,
    resolved,
    tidy,
)
from processors.reader.rules.text import Sentence
from processors.reader.rules.third_person_en import of_a_third, spliced
from processors.reader.rules.whereabouts import is_of_the_speakers
from processors.reader.rules.withdrawals_en import TAKEN_BACK, no_longer_so
from processors.reader.rules.words_en import alternatives
from schemas.events.memory import DropLabel

LONG_TURN = 12
COPIED = 0.75
"""A statement with this share of the words of a turn longer than LONG_TURN says no more than the turn."""
KEPT_WHOLE = 20
"""Words up to which one that repeats its turn is told all the same: one clause, and nothing to leave out."""
KEEP = 4.0
"""Weight from which a statement is worth telling (`salience_en.weight`)."""
KEEP_MORE = 5.0
"""The same for further statements of one turn."""
KEEP_TOLD = 7.5
"""The same for what happened in a turn of more than MUCH words, where it names no day, number or person: a story has
many steps, and they are of the moment."""
MOST = 3
"""Statements of one turn; of one longer than MUCH words, two more."""
MUCH = 60

_WITHOUT_PLACE = 4
"""Words from which a statement says something without its "there": not "I get sick back there"."""

_INTERJECTION = re.compile(
    r"(?:(?:by the way|guess what|oh man|like(?=,? (?:my|I|we)\b)|ye+a+h?|yes|yep|yup|nope|nah|oops|wow+|hm+|u[mh]+"
    r"|er+m?|aw+|ugh+|oo+h|whoa|gosh|damn|dude|oh|ok(?:ay)?|well|right|haha|honestly|actually|unfortunately|anyway"
    r"|also|plus"
    r"|and|but|so|then|now|however|luckily|sadly|basically|obviously|of course|for sure|not really|exactly|true|same"
    rf"|{ANSWERS_NO}"
    r"|thanks|thank you|sorry|sure|cool|great|nice|awesome|absolutely|definitely|totally|hey|hi|hello)\b[\s,.!:;-]*)+",
    re.I,
)
_TRAILING = re.compile(
    r"[\s,]+(?:though|too|as well|either|anyways?|actually|honestly|unfortunately|lol|you know|I guess|I think|haha"
    r"|right|(?:(?:back|over|up|down|out) )?(?:here|there)|(?:right|for|by) now|then|so|and|but|or|because"
    r"|(?<!would )(?<!I'd )like|at all|as always"
    r"|of course|of sorts|if|when|which|by|did(?:n't)?)$",
    re.I,
)
_ATTACHED = re.compile(
    r"(?:because|since|although|though|while|when|as|until|where|which|who|so that|after|before|or|than)\b", re.I
)
_GOES_ON = re.compile(r"(?:and|but|so)? ?(?:it|he|she|they)\b", re.I)
_MEANT = re.compile(
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
_TOLD_TO = re.compile(
rf"(?:(?:just|please|also) )?(?:don't|do not) (?:{alternatives('answers', 'acts')})\b", re.I
)
_OF_ONESELF = re.compile(
    rf"(?:(?:just|also) )?(?:don't|do not) (?:(?:{alternatives('of_oneself', 'habits', 'of_oneself_alone')})\b"
    r"|.*\b(?:I|me|my|mine|we|us|our|any ?more|any longer|these days|nowadays)\b)",
    re.I,
)
"""Don't overmix: a recipe's, or what one passes on; nobody says so of themselves."""
_TOLD_TO_AMONG_PEOPLE = re.compile(
    rf"(?:(?:just|please|also) )?(?:don't|do not) (?!(?:{alternatives('of_oneself')})\b)[a-z]+\b"
    r"|just (?:have|keep|go|be)\b",
    re.I,
)
"""What somebody is not to do, not what the speaker does not."""
_COMPARING = re.compile(r"(?:just )?like [\w' -]{2,40}? (?:I|we) [a-z]", re.I)
"""Just like music we got to see films: nothing is liked."""
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
_HERE = re.compile(r"(?<!been)\s(?:over |right )?here\b(?!')", re.I)
_PARENT = re.compile(r"^(?:mum|mom|mama|dad|papa|grandma|grandpa|granny|nan)\b(?!,)(?='s|\s[a-z])", re.I)
"""A parent needs no "my"."""
_JUST = re.compile(r"\b(?P<who>I|we) just (?=(?P<verb>[a-z]+))", re.I)
"""Of the past it says that it was a moment ago; of the present it says nothing."""
_ADDRESSED = re.compile(r"(?<=[a-z]), (?!(?:I|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)\w*day)[A-Z][a-z]+$")
_NAMING = re.compile(
    rf"(?:\b(?:my|our|an?|one|called|named|is|was|are|in|from|to|at|near|by) [\w-]+(?: [\w-]+)?|,[^,]*|{KIN.pattern}"
    r"|(?-i: [A-Z])[\w'-]*)$",
    re.I,
)
"""What a name behind it may be of: "my dog, Rex", "tea, coffee, Fanta", "Rome, Florence"."""
_BECAUSE = re.compile(
    r"(?:I|we) (?:[a-z]+ly |just |also )*(?:am|was|are|were|feel|felt|have been) [^,;:]{2,60}? because "
    r"(?P<why>(?:I|we|(?:my|our) [\w'-]+) .+)$",
    re.I,
)
"""How somebody feels because of what happened to them: what happened is told where the feeling is not."""
_ANOTHER = re.compile(
    r"(?:it|this|that|there|these|those|he|she|they|every(?:one|body)|some(?:one|body)|people)\b", re.I
)

_SUPPOSING = re.compile(
    r"\b(?:could|might|would(?! (?:like|love|prefer|rather)))(?! have (?:had )?to)\b|\bthat means\b", re.I
)
"""What follows it behind "and" is supposed like it."""

_STEP = re.compile(
    r"(?:I|we|my [\w' -]{1,40}?) (?!(?:have|has|had) got\b|got to\b)"
    r"(?:(?:have|had|then|just|even|also|only|finally) ){0,2}"
    rf"(?:[a-z]+ed|{alternatives('steps')})\b",
    re.I,
)
_DATED = re.compile(
    r"\d|(?<=[a-z,'] )(?!I\b)[A-Z]\w|\b(?:last|next|this|every|since|ago|yesterday|\w+days?|week|month|year|years)\b"
)


_SEES = re.compile(
    r"I (?:only |usually |also )?(?:see|hear from|read|visit) (?:my|the|our) [\w' -]{2,40}? "
    r"(?:every|each|once|twice|on \w+days?|most|\w+ times)\b[\w' -]{0,30}$",
    re.I,
)
_AILS = re.compile(
    rf"I (?:have|have got|get) (?:an? )?(?:{alternatives('how_it_ails')}) "
    rf"(?:{alternatives('my_own', 'ailing')})\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class FreeStatement:
    """A statement at `start:end` of the turn, its words still the speaker's own."""

    start: int
    end: int
    text: str
    weight: float
    dropped: DropLabel | None = None
    of_a_third: bool = False
    """Said of a thing or somebody else: it needs no owner."""


def free_statements(
    sentence: Sentence, original: str, taken: Sequence[Found], people: People, *, in_group: bool = False,
    to_keep: bool = False,
) -> list[FreeStatement]:  # fmt: skip
    """Return the statements of a sentence in order; those that do not stand alone are dropped. `original` is the
    sentence with its quotations, `taken` what is found in it already: what that says is not said again. `people` have
    been named before, and hear of those of the sentence. `in_group`: it is said among people; `to_keep`: an assistant
    is asked to remember it."""
    runs: list[FreeStatement] = []
    about: Subject = "none"
    unreal = False
    for clause in _apart(sentence, original, in_group=in_group):
        unnamed = clause.subject == "none" and about == "other"
        known = not in_group or about in {"I", "we", "my"}
        if clause.subject != "none":
            about = clause.subject
        elif _ANOTHER.match(clause.body):
            about = "other"
        phrase = original[clause.start - sentence.start : clause.end - sentence.start].strip()
        bare = phrase if _ATTACHED.match(phrase) else _without(_INTERJECTION, _without(FILLER, phrase))
        named = people.named(bare)
        people.hear(phrase)
        before = runs[-1] if runs and runs[-1].text and named == bare else None
        if before is not None and _goes_on(before.text, phrase, clause):
            between = original[before.end - sentence.start : clause.start - sentence.start].strip()
            runs[-1] = FreeStatement(before.start, clause.end, f"{before.text}{between} {phrase}", 0.0)
            continue
        goes_on = unreal and phrase.startswith("and ")
        unreal = goes_on or _SUPPOSING.search(phrase) is not None
        stated = clause.states and not goes_on and not _told_by(taken, clause)
        usable = stated and not MOMENT.search(expand(phrase)) and not is_of_now(expand(phrase))
        whole = "" if (unnamed and named == bare) or not usable else _with_subject(tidy(named), clause, known=known)
        runs.append(FreeStatement(clause.start, clause.end, whole, 0.0))
    texts = [_standing(_shortened(run.text), in_group=in_group) for run in runs]
    found = []
    for run, text in zip(runs, texts, strict=True):
        is_statement = tells(text, in_group=in_group) or (not in_group and _to_an_assistant(text))
        third = None if is_statement or in_group else of_a_third(_shortened(run.text), to_keep=to_keep)
        if third is not None:
            found.append(FreeStatement(run.start, run.end, third, max(KEEP, weight(third) + 1.0), of_a_third=True))
        elif len(text.split()) >= SHORTEST:
            heavy = weight(text) + (1.0 if KIN.search(text) or (not in_group and _AILS.match(text)) else 0.0)
            heavy = max(KEEP, heavy) if to_keep else heavy
            found.append(FreeStatement(run.start, run.end, text, heavy, None if is_statement else "unresolved"))
    return found


def _apart(sentence: Sentence, original: str, *, in_group: bool) -> Iterator[Clause]:
    """The clauses of a sentence; a single user's also where another subject follows."""
    for clause in clauses(sentence):
        phrase = original[clause.start - sentence.start : clause.end - sentence.start]
        if in_group or phrase != sentence.text[clause.start - sentence.start : clause.end - sentence.start]:
            yield clause
        else:
            yield from spliced(clause, phrase)


def _told_by(taken: Sequence[Found], clause: Clause) -> bool:
    held = sum(len(f.text) for f in taken if f.overlaps(clause.start, clause.end))
    return held >= 0.5 * (clause.end - clause.start)


def _goes_on(before: str, text: str, clause: Clause) -> bool:
    """Does a clause belong to the statement before it: its reason, its time, or more of what was named there?"""
    together = f"{before}, {text}"
    if not clause.states or len(together.split()) > LONGEST or YOU.search(text) or not resolved(together):
        return False
    if _ATTACHED.match(text) is not None:
        return True
    return not before.startswith(TAKEN_BACK) and _GOES_ON.match(text) is not None and not resolved(text)


def _with_subject(bare: str, clause: Clause, *, known: bool) -> str:
    """The clause with its subject, which a predicate may leave out; empty where that is not the speaker. `known`: the
    clause before it is of the speaker, or only one speaks."""
    text = expand(_without(_INTERJECTION, bare))
    if (over := no_longer_so(text)) is not None:
        return over
    named = re.match(r"(?:I|we|my|our|there)\b", text, re.I) or as_one(text) != text
    if not text or named or clause.subject not in {"I", "we", "none"}:
        return text
    if text.isupper() or any(p.match(text) for p in (_COMPARING, _TOLD_TO)) or _is_unaddressed(text):
        return ""
    if not known and _TOLD_TO_AMONG_PEOPLE.match(text):
        return ""
    lowered = f"{text[0].lower()}{text[1:]}"
    if _BEEN.match(lowered):
        return f"I have {lowered}"
    if lowered.startswith(("born in ", "born on ", "born and ")):
        return f"I was {lowered}"
    if re.match(r"did (?:my|an?) [A-Za-z]", lowered):
        return f"I {lowered}"
    if _STATE.match(lowered):
        return f"I am {lowered}"
    if lowered.startswith(("going to ", "want to ")) and not _IS_SUBJECT.search(lowered):
        return f"I {'am ' if lowered[0] == 'g' else ''}{lowered}"
    doing = re.sub(r"^(?:just|also|still|really|currently|only) ", "", lowered)
    if not known and not _OWN.search(text) and (is_done(doing.split(" ")[0]) or _NOUN.match(doing)):
        return ""
    if GERUND.match(doing):
        of_it = _UNDER_WAY if _MEANT.match(doing) else FINITE
        noun = " " not in doing or of_it.search(lowered) or lowered.startswith("starting ")
        return text if noun else f"I am {lowered}"
    if DROPPED.match(text) is None or _ADJECTIVE.match(text) or _PARTICIPLE.match(lowered) or _BASE.match(lowered):
        return text if clause.subject == "none" else ""
    return f"{'we' if clause.subject == 'we' else 'I'} {lowered}"


def _is_unaddressed(text: str) -> bool:
    """Is somebody not to do what people seldom say of themselves?"""
    denied = re.match(r"(?:(?:just|also) )?(?:don't|do not) [a-z]", text, re.I)
    return denied is not None and not _OF_ONESELF.match(text)


def _without(opening: re.Pattern[str], text: str) -> str:
    match = opening.match(text)
    return (text[match.end() :] or text) if match else text


def tells(text: str, *, in_group: bool = False) -> bool:
    """Does a statement stand alone, and is it whole?"""
    phrase = as_one(text)
    return is_self_contained(phrase, in_group=in_group) and is_whole(phrase, in_group=in_group)


def _to_an_assistant(text: str) -> bool:
    """Is it there to be known, though among people it would be about the talk: whom one sees how often, where one's
    things are?"""
    return resolved(text) and (is_of_the_speakers(text) or _SEES.match(text) is not None)


def _standing(statement: str, *, in_group: bool) -> str:
    """The statement; where it does not stand or is long, the longest part of it from its beginning that does."""
    is_statement = partial(tells, in_group=in_group)
    statement = _unaddressed(statement) if in_group else statement
    text = next((head for head in before_another(statement, in_group=in_group) if is_statement(head)), statement)
    if not is_statement(text) and (felt := _BECAUSE.match(text)) and is_statement(felt["why"]):
        return felt["why"]
    if len(text.split()) <= KEPT_WHOLE and is_statement(text):
        return text
    heads = (_TRAILING.sub("", head) for head in beginnings(text))
    return next((head for head in heads if SHORTEST < len(head.split()) <= KEPT_WHOLE and is_statement(head)), text)


def _unaddressed(text: str) -> str:
    """The statement without the name of whom it is said to: "I love the view, Sam"."""
    match = _ADDRESSED.search(text)
    return text if match is None or _NAMING.search(text, 0, match.start()) else text[: match.start()]


def _shortened(statement: str) -> str:
    """The statement without what trails behind it, cut at a clause where it is too long."""
    text = _PARENT.sub(lambda m: f"my {m.group().lower()}", _HERE.sub("", tidy(statement)), count=1)
    text = _JUST.sub(_without_just, text)
    for _ in range(3):
        ends = _TRAILING.search(text)
        text = _TRAILING.sub("", text)
        if ends and ends.group().strip(" ,").lower().endswith("there") and len(text.split()) < _WITHOUT_PLACE:
            return ""
    if len(text.split()) <= LONGEST:
        return text
    fitting = [m.start() for m in CUTS.finditer(text) if 5 <= len(text[: m.start()].split()) <= LONGEST]
    return _TRAILING.sub("", text[: fitting[-1]].rstrip(" ,;")) if fitting else ""


def _without_just(match: re.Match[str]) -> str:
    return match.group() if is_past(match["verb"]) else f"{match['who']} "


def worth(statements: Sequence[FreeStatement], turn: str) -> list[FreeStatement]:
    """Return those of a turn in the order of the text, all but the kept ones dropped: at most MOST are kept, the
    weightiest, and none that repeats a long turn."""
    size = len(turn.split())

    def copies(text: str) -> bool:
        held = len(text.split())
        return size > LONG_TURN and held > KEPT_WHOLE and held >= COPIED * size

    def light(a: FreeStatement) -> bool:
        return a.weight < (KEEP_TOLD if size > MUCH and _STEP.match(a.text) and not _DATED.search(a.text) else KEEP)

    fit = [a for a in statements if a.dropped is None and not light(a) and not copies(a.text)]
    most = MOST if size <= MUCH else MOST + 2
    best = sorted(fit, key=lambda a: (a.of_a_third, a.text.startswith("No "), -a.weight))[:most]
    best = [a for n, a in enumerate(best) if n == 0 or a.of_a_third or a.weight >= KEEP_MORE]

    def label(a: FreeStatement) -> DropLabel | None:
        if a.dropped is not None or a in best:
            return a.dropped
        return "light" if light(a) else "copy" if copies(a.text) else "too_many"

    return [replace(a, dropped=label(a)) for a in statements]
