"""English turns in parts, each with whose it is and whether what it says is so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from processors.reader.rules.clauses_en import SUPPOSED
from processors.reader.rules.ironic_en import is_ironic, sounds_ironic
from processors.reader.rules.others import KIN_EN
from processors.reader.rules.others_words_en import quotes_a_text
from processors.reader.rules.text import sentences
from processors.reader.rules.wording_guards import leads_to_another
from processors.reader.values.lists_en import LISTS, WORDS

_BREAK = re.compile(
    r"(?:(?<!\d),|,(?!\d)|[;:]|\s[-\u2013\u2014]+(?=\s)|\s\+(?=\s)|\s?\u2014|\.\.+|\s\(|\))\s*"
    rf"|\s(?:and|but|so|because|cause|cos|while|though)\s(?=(?:{WORDS.own}|{WORDS.others}|(?:my|our) )\b)",
    re.I,
)
_KIN = rf"(?:{KIN_EN}|{WORDS.people})"
_HEARER = re.compile(rf"\b(?:{WORDS.hearer})(?:'s|'re|'ve|'d|'ll)?(?![\w-])", re.I)
_SOMEBODY = re.compile(
    rf"\b(?:{WORDS.others}(?:'s|'re|'ve|'d|'ll)?|{WORDS.relatives}s?(?:'s)?"
    rf"|(?:my|our|the|this|that|another|some|one of (?:my|our|the)|his|her) (?:[\w-]+ )?{_KIN}s?(?:'s)?)"
    r"(?![\w-])",
    re.I,
)
_OWN = re.compile(rf"(?<![\w'])(?:(?:my|our)(?! (?:[\w-]+ )?{_KIN}s?\b)|(?!my|our){WORDS.own})(?![\w'-])", re.I)
_BESIDE = re.compile(
    rf"\b{WORDS.beside}(?: all)?(?: (?:my|our|the|an?|some|both|no|two|three|four))? (?:[\w-]+ )?{_KIN}s?\b(?!')",
    re.I,
)
_COUNTED = re.compile(WORDS.counted, re.I)
_OTHERS_SUBJECT = re.compile(rf"^(?:{WORDS.things}|{WORDS.named}|{WORDS.third})", re.I)
_PAST = re.compile(WORDS.past, re.I)
_OVER = re.compile(WORDS.over, re.I)
_UNREAL = re.compile(WORDS.unreal, re.I)
_SUPPOSED = re.compile(WORDS.supposed, re.I)
_DENIED = re.compile(WORDS.denied, re.I)
_DENIED_BEHIND = re.compile(WORDS.denied_behind, re.I)
_ASKING = re.compile(
    r"(?:and |but |so |ok |okay |well )*"
    r"(?:who|what|when|where|why|how|which|whose|do|does|did|are|is|am|was|were|can|could|would|will|should|have|has|any|may|shall)\b",
    re.I,
)
_TAG = re.compile(
    r"\s*(?:right|correct|yes|yeah|no|ok|okay|true|(?:do|did|does|am|are|is|was|have|has|ca|wo)n'?t (?:i|we|it|that)"
    r"|(?:do|did|am|have) i)\s*\?*\s*",
    re.I,
)
"""Behind a comma, what makes a question of the part before: "I live in Leeds now, right?"."""
_REQUEST = re.compile(r"(?:(?:and|so|ok|okay|hey|please|pls)[, ]+)*(?:can|could|would|will|may) (?:you|u|we|i)\b", re.I)
_WITHDRAWS = re.compile(WORDS.withdraws, re.I)
_INTRODUCES = re.compile(WORDS.introduces.format(jobs=LISTS["job_heads"]), re.I)
_PERSONS = re.compile(WORDS.persons, re.I)
_AGO = re.compile(WORDS.ago, re.I)
_ITSELF = re.compile(WORDS.itself, re.I)
_SPEAKS = re.compile(WORDS.speaks, re.I)
_NO_CONDITION: re.Pattern[str] = re.compile(WORDS.no_condition, re.I)
_THEY = re.compile(r"\bthey\b", re.I)
_OF_ANOTHER = re.compile(rf"\byour (?:[\w-]+ )?{_KIN}s?\b|\b(?:he|she|they|his|her|their)\b", re.I)


@dataclass(frozen=True, slots=True)
class Part:
    """What stands between two commas, stops or joins. `sentence` is whole, `at` the part's place in it; `before`: the
    turn before the part; `own`: of the speaker; `named`: it names the speaker itself."""

    text: str
    start: int
    end: int
    sentence: str
    at: int
    before: str
    own: bool
    named: bool
    asks: bool
    of_hearer: bool = False
    opens: bool = False
    """Is it the first of the turn?"""
    first: bool = False
    """Is it of the first sentence?"""
    spoken: bool = True
    """Was what stands before it the speaker's?"""

    def holds(
        self, begin: int, end: int, *, of_once: bool = False, planned: bool = False, to_hearer: bool = False
    ) -> bool:
        """Is what stands at `begin:end` of the part said as so, apart from a denial? `of_once`: what was stays so;
        `planned`: what one wants counts; `to_hearer`: what the hearer is to do."""
        if self.asks and not (to_hearer and _REQUEST.match(self.sentence)):
            return False
        if not (self.own or (to_hearer and self.of_hearer)):
            return False
        if not self.is_so(begin, end, of_once=of_once, planned=planned, to_hearer=to_hearer):
            return False
        return of_once or planned or not self.was_before(begin)

    def was_before(self, begin: int) -> bool:
        """Does what leads to `begin` tell of the past?"""
        return _PAST.search(self.text[:begin]) is not None

    def is_so(
        self, begin: int, end: int, *, of_once: bool = False, planned: bool = False, to_hearer: bool = False
    ) -> bool:
        """Is what stands there said as so, of whom it may be?"""
        if _SUPPOSED.search(self.sentence[: self.at + begin]) or (
            not planned and SUPPOSED.search(self.sentence[: self.at + len(self.text)])
        ):
            return False
        if planned or to_hearer:
            return True
        rest = self.text[end:]
        over = _OVER.match(rest) is not None and not (of_once and _AGO.match(rest))
        return not (over or _UNREAL.search(self.text[:begin]))

    def begins_with(self, begin: int) -> bool:
        """Is what stands at `begin` the subject itself, where the speaker speaks of their own: "the fever is ..."?"""
        return self.spoken and _ITSELF.fullmatch(self.text[:begin]) is not None

    def lead(self, begin: int) -> str:
        """What leads to what stands at `begin` of the part, with the heading before a colon."""
        head = self.sentence[: self.at].rstrip()
        return f"{head} {self.text[:begin]}" if head.endswith(":") else self.text[:begin]

    def denies(self, begin: int, end: int) -> bool:
        """Is what stands there denied?"""
        rest = self.sentence[self.at + end :]
        return _DENIED.search(self.text[:begin]) is not None or _DENIED_BEHIND.match(rest) is not None


def without_conditions(text: str) -> str:
    """The text, of the same length, without conditions that suppose nothing: "if you must know"."""
    return _NO_CONDITION.sub(lambda m: " " * len(m.group()), text)


def parts(text: str, question: str = "") -> list[Part]:
    """The parts of a turn. `question`: what was asked just before."""
    own = _OF_ANOTHER.search(question) is None or re.search(r"\byou\b", question, re.I) is not None
    found: list[Part] = []
    text = without_conditions(text)
    ironic = sounds_ironic(text)
    for sentence in sentences(text):
        if is_ironic(sentence.text, among=ironic) or quotes_a_text(sentence.text) or _WITHDRAWS.match(sentence.text):
            continue
        spans = list(_spans(sentence.text))
        tagged = _TAG.fullmatch(sentence.text[spans[-1][0] : spans[-1][1]]) is not None if spans else False
        asking = sentence.asks and _ASKING.match(sentence.text) is not None
        for n, (begin, end) in enumerate(spans):
            part = sentence.text[begin:end]
            speaks = n == 0 and _SPEAKS.match(part) is not None and not leads_to_another(text[: sentence.start], "en")
            mine, named = _owner_of_part(part, own or speaks)
            hearer = not mine and not named and _of_hearer(part)
            asks = asking or (sentence.asks and (n == len(spans) - 1 or (n == len(spans) - 2 and tagged)))
            start = sentence.start + begin
            found.append(
                Part(
                    part, start, start + len(part), sentence.text, begin, text[:start], mine, named, asks, hearer,
                    opens=not found, first=not found or (found[-1].first and found[-1].sentence == sentence.text),
                    spoken=own,
                )
            )  # fmt: skip
            if _INTRODUCES.search(part):
                own = False
            elif not (hearer or (asks and not mine and _THEY.search(part))):
                own = mine
    return found


def _spans(sentence: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for each in [*_BREAK.finditer(sentence), None]:
        end = len(sentence) if each is None else each.start()
        if sentence[begin:end].strip():
            yield begin, end
        begin = end if each is None else each.end()


def _owner_of_part(part: str, own: bool) -> tuple[bool, bool]:
    """Is a part the speaker's, and does it name them? One that names nobody is whose the part before is."""
    beside = part
    for pattern in (_COUNTED, _BESIDE):
        beside = pattern.sub(lambda m: "_" * len(m.group()), beside)
    mine = _OWN.search(beside)
    others = [m for m in (_SOMEBODY.search(beside), _HEARER.search(beside), _PERSONS.match(beside)) if m]
    theirs = min(others, key=lambda m: m.start(), default=None)
    if mine and (theirs is None or mine.start() < theirs.start()):
        return True, True
    if theirs or _OTHERS_SUBJECT.match(part.strip()):
        return False, False
    return own, False


def _of_hearer(part: str) -> bool:
    """Is it the hearer alone whom a part is about?"""
    return _SOMEBODY.search(part) is None and _HEARER.search(part) is not None
