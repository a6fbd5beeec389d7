"""English statements better than their turn: one thing said, of the speaker, resolved, sayable in a month.

A sentence is read clause by clause. A clause becomes a statement where it stands alone (`self_contained_en`), with its
reason or what more it says of the thing it names. What fails is not told: it is found as a turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from processors.reader.rules.antecedents_en import KIN
from processors.reader.rules.beginnings_en import CUTS, before_another, beginnings
from processors.reader.rules.clauses_en import ANSWERS_NO, FILLER, Clause, Subject, clauses
from processors.reader.rules.completeness_en import is_whole
from processors.reader.rules.found import Found
from processors.reader.rules.fronted_en import is_front, with_front
from processors.reader.rules.joint_subjects_en import as_one
from processors.reader.rules.momentary_en import is_of_now
from processors.reader.rules.others import KIN_EN
from processors.reader.rules.people_en import People
from processors.reader.rules.person_en import expand, is_past
from processors.reader.rules.resolved_en import resolved
from processors.reader.rules.salience_en import CONTENT_WORD, is_content, weight
from processors.reader.rules.self_contained_en import (
    GERUND,
    LONGEST,
    MOMENT,
    SHORTEST,
    YOU,
    is_self_contained,
)
from processors.reader.rules.subject_en import with_subject
from processors.reader.rules.text import Sentence
from processors.reader.rules.third_person_en import of_a_third, spliced
from processors.reader.rules.tidied_en import tidy
from processors.reader.rules.topic_en import Topic
from processors.reader.rules.whereabouts import is_of_the_speakers
from processors.reader.rules.withdrawals_en import TAKEN_BACK
from processors.reader.rules.words_en import alternatives
from processors.reader.rules.worth_en import KEEP, KEPT_WHOLE, Alone

_WITHOUT_PLACE = 4
"""Words from which a statement says something without its "there": not "I get sick back there"."""

_OF_A_PLACE = re.compile(
    r"\b(?:from|to|near|of|in|at|by)$|\b(?:went|go(?:es)?|lived?|living|works?|worked|moved|grew up|stud(?:y"
    r"|ied)|stayed)\b"
    r"(?!.* (?:in|near|at) (?-i:[A-Z]))",
    re.I,
)
_INTERJECTION = re.compile(
    r"(?:(?:by the way|guess what|oh man|like(?=,? (?:my|I|we)\b)|ye+a+h?|yes|yep|yup|ya|mhm|omg|welp|meh|nope"
    r"|nah|oops|wow+|hm+|u[mh]+|ha(?: ha)+|(?:but )?then again"
    r"|er+m?|aw+|ugh+|oo+h|whoa|gosh|damn|dude|oh|ok(?:ay)?|well|right|haha|honestly|actually|unfortunately|anyway"
    r"|also|plus|no wonder(?: why)?(?= (?:I|we|my|our)\b)"
    r"|and|but|so|then|now|however|luckily|sadly|basically|obviously|of course|for sure"
    r"|not really(?=\s*(?:[,.!;]|$))|exactly|true|same"
    rf"|{ANSWERS_NO}"
    r"|thanks|thank you|sorry|sure|cool|great|nice|awesome|absolutely|definitely|totally|hey|hi"
    r"|hello)\b[\s,.!:;-]*)+",
    re.I,
)
_TRAILING = re.compile(
    r"[\s,]+(?:though|too|as well|either|anyways?|actually|honestly|unfortunately|lol|you know|I guess|I think|haha"
    r"|right|(?:(?:back|over|up|down|out) )?(?:here|there)|(?:right|for|by) now"
    r"|(?:back |(?<!now and )(?<!once and ))then"
    r"|(?:but|and"
    r"|so) because of(?: [\w'-]+){1,4}|(?:but )?other than that|for (?:instance|example)|so|and|but|or|because"
    r"|(?<!would )(?<!I'd )(?<!might )like|at all|as always"
    r"|of course|of sorts|if|when|which|by|did(?:n't)?)$",
    re.I,
)
_ATTACHED = re.compile(
    r"(?:because|since|although|though|while|when|as|until|where|which|who|so that|after|before|or|than)\b", re.I
)
_SO_THAT = re.compile(r"so (?:that )?(?:I|we) (?:can|could|will|won't|don't have to)\b", re.I)
"""What one does it for."""
_WHY = re.compile(r"^(?:because|cuz|cos|bc) (?=(?:I|we|my|our)\b)", re.I)
"""A reason is stated, whatever it is one for: "It's hard because I teach at night"."""
_SUPPOSED_BEFORE = re.compile(
    r"n't\b|\b(?:not|never|think|thought|guess|maybe|probably|perhaps|feel|feels|suppose|hope|believe|seems?"
    r"|unless|only|just)\b",
    re.I,
)
_GOES_ON = re.compile(r"(?:and|but|so)? ?(?:it|he|she|they)\b", re.I)
_GAVE_UP = re.compile(
    r"(?:and|but)(?: then| finally)? (?:quit|stopped|gave (?:it|them|that) up|gave up|sold (?:it|them)"
    r"|lost (?:it|them))\b"
    r"(?! (?:the|my|our|an?|[a-z]+ing) )",
    re.I,
)
_DONE_SO = re.compile(r"(?:I |we )?(?:used to [a-z]|[a-z]+ed\b|had\b|did\b)", re.I)
"""What one gave up is what the clause before names: "used to smoke but quit in March"."""
_HAD_TO = re.compile(r"(?:I|we) (?:\w+ly |just |also )?had to [a-z]+$", re.I)
"""What came of it belongs to it: "I had to relocate but my partner stayed"."""
_DOES_TO_IT = re.compile(
    r"(?:and|but)(?: (?:then|also|later|finally|eventually|now|still))? (?!(?:so|then|now|for|in|of|with|like)\b)"
    r"[a-z]+ (?:it|them)\b",
    re.I,
)
_HERE = re.compile(
    r"(?<!been)(?<!got)(?<!get)(?<!came)(?<!come)(?<!arrived)(?<!moved)(?<!am)\s(?:over |right )?here\b(?!')", re.I
)
_PARENT = re.compile(r"^(?:mum|mom|mama|dad|papa|grandma|grandpa|granny|nan)\b(?!,)(?='s|\s[a-z])", re.I)
"""A parent needs no "my"."""
_ONE_OF_KIN = re.compile(rf"(?!.*\bfriends$){KIN.pattern}", re.I)
_OWN_THING = re.compile(r"(?<=[a-z] )(?:my|our) (?!friends\b|(?:\w+ )?(?:opinion|mind|point)\b)[a-z]", re.I)
"""It says something of what is one's own: "anxious about my job"."""
_JUST_NEVER = re.compile(r"\b(?P<who>(?:I|we)(?: have| had)?) just (?=never\b)", re.I)
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

_MAIN_FOLLOWS = re.compile(r"\s*,?\s*(?:I|we)\b", re.I)
"""Speaking of cars, I sold mine: said of the clause that follows."""
_OF_A_PERSON = re.compile(
    r"(?:he|she|they)(?:'?s|'?re|'?ve|'?ll|'d)?\b|(?:my|our|his|her|their|your) (?:[\w-]+ )?" + rf"(?:{KIN.pattern})"
    r"|(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?)(?:'s| (?:is|was|has|had|went|[a-z]+(?:s|ed)))\b",
    re.I,
)
_NAMES_ONESELF = re.compile(r"\b(?:I|im|ive|me|my|mine|myself|we|our|us)\b", re.I)
_SUPPOSING = re.compile(
    r"\b(?:worried|afraid|scared|anxious)\b.*\bwill\b"
    r"|\b(?:could|might|would(?! (?:like|love|prefer|rather)))(?! have (?:had )?to)\b|\bthat means\b"
    r"|^(?!I\b).*\b(?:saying|claiming|insisting|telling (?:me|us|everyone|everybody|people)|accusing (?:me|us))\b",
    re.I,
)
"""What follows it behind "and" is supposed, or said by others, like it."""

_NAME = re.compile(
    r"(?<=\bnamed )[A-Z][a-z]+|(?<=\bcalled )[A-Z][a-z]+"
    rf"|(?<=\bmy )(?:{KIN_EN}) [A-Z][a-z]+"
)
"""What somebody or an animal is called: a value without it does not say all."""
_SEES = re.compile(
    r"I (?:only |usually |also )?(?:see|hear from|read|visit) (?:my|the|our) [\w' -]{2,40}? "
    r"(?:every|each|once|twice|on \w+days?|most|\w+ times)\b[\w' -]{0,30}$",
    re.I,
)
_FINDS_IT = re.compile(r"I (?:[a-z]+ly |still |also |always )?(?:find|found) it ", re.I)
"""I find it hard to make friends."""
_AILS = re.compile(
    rf"I (?:have|have got|get) (?:an? )?(?:{alternatives('how_it_ails')}) "
    rf"(?:{alternatives('my_own', 'ailing')})\b",
    re.I,
)


def free_statements(
    sentence: Sentence, original: str, taken: Sequence[Found], people: People, topic: Topic, *,
    in_group: bool = False, to_keep: bool = False,
) -> list[Alone]:  # fmt: skip
    """Return the statements of a sentence in order; those that do not stand alone are dropped. `original` is the
    sentence with its quotations, `taken` what is found in it already: what that says is not said again. `people` have
    been named before, and hear of those of the sentence; so has the `topic`. `in_group`: it is said among people;
    `to_keep`: an assistant is asked to remember it."""
    if original.isupper() and len(original.split()) >= SHORTEST:
        return []  # shouted
    runs: list[Alone] = []
    about: Subject = "none"
    unreal = False
    after_another = in_group and people.spoken_of_last
    if sentence.asks:
        topic.ask(f"{original}?")
    for clause in _apart(sentence, original, in_group=in_group):
        unnamed = clause.subject == "none" and about == "other"
        known = not in_group or about in {"I", "we", "my"}
        if clause.subject != "none":
            about = clause.subject
        elif _ANOTHER.match(clause.body):
            about = "other"
        phrase = original[clause.start - sentence.start : clause.end - sentence.start].strip()
        bare = phrase if _ATTACHED.match(phrase) else _without(_INTERJECTION, _without(FILLER, phrase))
        named = topic.named(people.named(bare))
        people.hear(phrase)
        topic.hear(bare)
        before = runs[-1] if runs and runs[-1].text and named == bare else None
        if before is not None and _INTERJECTION.fullmatch(before.text):
            before = None
        if before is not None and _goes_on(before.text, phrase, clause):
            between = original[before.end - sentence.start : clause.start - sentence.start].strip()
            runs[-1] = Alone(before.start, clause.end, f"{before.text}{between} {phrase}", 0.0)
            continue
        named = _WHY.sub("", named) if _SUPPOSED_BEFORE.search(clause.before) is None else named
        goes_on = unreal and phrase.startswith("and ")
        unreal = goes_on or _SUPPOSING.search(phrase) is not None
        stated = clause.states and not (goes_on or _SO_THAT.match(phrase) or _told_by(taken, clause))
        usable = stated and not MOMENT.search(expand(phrase)) and not is_of_now(expand(phrase))
        people.spoken_of_last = _OF_A_PERSON.match(bare) is not None or (
            clause.subject == "none" and people.spoken_of_last
        )
        text = expand(_without(_INTERJECTION, tidy(named)))
        whole = "" if (unnamed and named == bare) or not usable else with_subject(text, clause, known=known)
        following = original[clause.end - sentence.start :]
        if GERUND.match(bare) and _MAIN_FOLLOWS.match(following):
            whole = ""
        if (fronted := _fronted(runs, sentence, original, clause, whole, in_group=in_group)) is not None:
            runs[-1] = fronted
            continue
        if after_another and named == bare and not _NAMES_ONESELF.search(bare):
            whole = ""
        runs.append(Alone(clause.start, clause.end, whole, 0.0))
    texts = [_self_contained_part(_shortened(run.text), in_group=in_group) for run in runs]
    found = []
    for run, text in zip(runs, texts, strict=True):
        is_statement = tells(text, in_group=in_group) or (not in_group and _to_an_assistant(text))
        third = None if is_statement or in_group else of_a_third(_shortened(run.text), to_keep=to_keep)
        if third is not None:
            found.append(Alone(run.start, run.end, third, max(KEEP, weight(third) + 1.0), of_a_third=True))
        elif len(text.split()) >= SHORTEST:
            heavy = weight(text) + (1.0 if _ONE_OF_KIN.search(text) or (not in_group and _AILS.match(text)) else 0.0)
            heavy += 1.0 if _FINDS_IT.match(text) else 0.0
            heavy += 0.5 if _OWN_THING.search(text) else 0.0
            heavy = max(KEEP, heavy) if to_keep else heavy
            found.append(Alone(run.start, run.end, text, heavy, None if is_statement else "unresolved"))
    return found


def _fronted(
    runs: Sequence[Alone], sentence: Sentence, original: str, clause: Clause, whole: str, *, in_group: bool
) -> Alone | None:
    """The statement of a clause with the time or the reason that the run before it is."""
    if not runs or not whole:
        return None
    phrase = original[runs[-1].start - sentence.start : clause.start - sentence.start].strip()
    phrase = phrase if is_front(phrase) else _without(_INTERJECTION, _without(FILLER, phrase))
    joined = with_front(phrase, whole)
    if joined is None or len(joined.split()) > KEPT_WHOLE or not tells(_shortened(joined), in_group=in_group):
        return None
    return Alone(runs[-1].start, clause.end, joined, 0.0)


def _apart(sentence: Sentence, original: str, *, in_group: bool) -> Iterator[Clause]:
    """The clauses of a sentence; a single user's also where another subject follows."""
    for clause in clauses(sentence):
        phrase = original[clause.start - sentence.start : clause.end - sentence.start]
        if in_group or phrase != sentence.text[clause.start - sentence.start : clause.end - sentence.start]:
            yield clause
        else:
            yield from spliced(clause, phrase)


def _told_by(taken: Sequence[Found], clause: Clause) -> bool:
    here = [f for f in taken if f.overlaps(clause.start, clause.end) and not _follows_from(f, clause)]
    if any(not any(name in f.text for f in here) for name in _NAME.findall(clause.body)):
        return False
    return sum(len(f.text) for f in here) >= 0.5 * (clause.end - clause.start)


def _follows_from(found: Found, clause: Clause) -> bool:
    """Does a value follow from whom a clause is about, and tell nothing of what it says: "my wife is from Oban"?"""
    if clause.subject != "my" or not found.slots or not found.text.startswith("{owner} "):
        return False
    words = {w.lower() for w in CONTENT_WORD.findall(found.text.removeprefix("{owner} ")) if is_content(w)}
    return words.isdisjoint(w.lower() for w in CONTENT_WORD.findall(clause.body))


def _goes_on(before: str, text: str, clause: Clause) -> bool:
    """Does a clause belong to the statement before it: its reason, its time, or more of what was named there?"""
    together = f"{before}, {text}"
    if not clause.states or len(together.split()) > LONGEST or YOU.search(text) or not resolved(together):
        return False
    if _ATTACHED.match(text) is not None or (_GAVE_UP.match(text) and _DONE_SO.search(before)):
        return True
    if _HAD_TO.match(before) or (_DOES_TO_IT.match(text) and not resolved(text)):
        return True
    return not before.startswith(TAKEN_BACK) and _GOES_ON.match(text) is not None and not resolved(text)


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


def _self_contained_part(statement: str, *, in_group: bool) -> str:
    """The statement; where it does not stand or is long, the longest part of it from its beginning that does."""
    is_statement = partial(tells, in_group=in_group)
    statement = _unaddressed(statement) if in_group else statement
    heads = (_TRAILING.sub("", head) for head in before_another(statement, in_group=in_group))
    text = next((head for head in heads if is_statement(head)), statement)
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
    text = _JUST.sub(_without_just, _JUST_NEVER.sub(r"\g<who> ", text))
    for _ in range(3):
        ends = _TRAILING.search(text)
        text = _TRAILING.sub("", text)
        if (
            ends
            and ends.group().strip(" ,").lower().endswith("there")
            and (len(text.split()) < _WITHOUT_PLACE or _OF_A_PLACE.search(text))
        ):
            return ""
    if len(text.split()) <= LONGEST:
        return text
    fitting = [m.start() for m in CUTS.finditer(text) if 5 <= len(text[: m.start()].split()) <= LONGEST]
    return _TRAILING.sub("", text[: fitting[-1]].rstrip(" ,;")) if fitting else ""


def _without_just(match: re.Match[str]) -> str:
    return match.group() if is_past(match["verb"]) else f"{match['who']} "
