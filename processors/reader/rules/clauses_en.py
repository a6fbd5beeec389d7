"""English clauses: who each is about, and what it says of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from processors.reader.rules.corrections import replace_corrected_en, taken_back_en, takes_back_en
from processors.reader.rules.filler_words_en import without_leftovers
from processors.reader.rules.joint_subjects_en import as_we, names_another
from processors.reader.rules.person_en import expand
from processors.reader.rules.text import Sentence
from processors.reader.rules.words_en import alternatives

Subject = Literal["I", "we", "my", "other", "none"]

VERB = (
    "am|work|worked|working|live|lived|living|have|had|love|loved|like|hate|enjoy|prefer|speak|study|studied|studying"
    "|graduated|majored|play|moved|grew|come|came|was|own|earn|make|plan|planned|want|wanted|need|got|joined|started"
    "|run|teach|hold|originally|currently|don't|can't|dislike|adopted|bought|went|took|been|decided|married|used|speak"
    "|originally|going|planning|looking|hoping|trying|thinking|born|turned|can|will|visited|finished|quit|lost|won"
)
_STARTS = (
    r"(?:(?:also|now|then|currently|still|just|maybe|even|I think|since|as|because|although|though|while|when|which|if"
    r"|so|but|and|or|yet|plus)\s+){0,3}"
    rf"(?:I|I'm|I've|I'd|I'll|im|ive|we|we're|we've|my|our|one of (?:my|our)"
    rf"|he|she|they|it|it's|you|there|this|that|his|her|their"
    r"|hes|shes|theyre|thats|youre|theres|its"
    r"|(?<=, )(?:back )?(?:in|on|during|by|last|after) (?:the |my )?[\w']{2,12}(?: \w+)? (?:I|we)"
    rf"|(?!(?:like|love|work|play|plan|need|run|own|can|will)\b)(?:{VERB})|work as|work in|work at|work for|own an?)\b"
)
_TO_THE_HEARER = (
    r"(?:(?:does|is|would|will) (?:that|this|it) (?:matter|count|help|ok|okay|a problem|relevant|important|make a"
    r" difference)\b|(?:and |how about |what about )?(?:you|yours|yourself|hbu|wbu|u)\s*\??\s*$|(?:(?:and|but"
    r"|so) )?(?:(?:do|did|have|are|were|can|will|would) (?:you|ya|u)\b"
    r"|(?:what|how) (?:about|bout) (?:you|u)\b"
    r"|(?:(?:what|which|who|where|when|how)(?:'?s| is| are| was| were| do| did| have| would| about)"
    r"|(?:what|which|how) (?:\w+ ){1,2}?(?:is|are|do|did|have|would)) (?:you|your|yours|u|ur|ya)\b))"
)
_BREAK = re.compile(
    (
        r"(?:[,;:]|\s[-\u2013\u2014]+|(?<=[a-z])-(?=\s)|\s?\u2014|\.\.+"
        r"|\s(?=(?:and|but|because|although|though|while|or|since|plus)\s)"
        r"|(?<!\bam)(?<!\bim)(?<!'m)(?<!\bis)(?<!'s)(?<!\bare)(?<!'re)(?<!\bwas)(?<!\bwere)(?<!\bbeen)(?<!\bfeel)"
        rf"(?<!\bnot)\s(?=so\s))\s*(?={_STARTS})"
        r"|(?<! me)(?<! us)(?<!think)(?<!that)\s(?=(?-i:I) also\b)"
        r"|\s(?=(?:and|but|so)\s(?:after|before|during|when|once)\s[^,;.]{2,50},\s(?:I|we|my|he|she|they|it)\b)"
        rf"|(?:[,;]|\s[-\u2013\u2014]+|\.\.+)\s*(?={_TO_THE_HEARER})"
    ),
    re.I,
)
ANSWERS_NO = (
    r"no(?=\s*(?:$|[,.!;:-]|(?:I|we|my|it|he|she|they|this|that|there|the|his|her|their|our|not|no|wait|actually|sorry"
    r"|thanks?)\b))"
)
"""No as an answer: "no rice for me" denies."""
FILLER = re.compile(
    rf"(?:(?:as (?:an? (?:{alternatives('one_may_be', 'not_so')})|{alternatives('by_the_way')}),? ?"
    r"(?=(?:I|we|my)\b(?! (?:think|guess|suppose|believe|mean)\b))"
    r"|well|so|oh|then again|ha(?: ha)+|ye+a+h?|yes|yep|ya|yup|mhm|omg|nah|ugh+|aw+|ah+|ooh+|welp|meh"
    r"|same(?: here)?(?=[\s,.!-]+(?:I|my|we|im)\b)|no wonder(?: why)?(?= (?:I|we|my|our)\b)"
    rf"|no (?:problem|worries|idea|bother)(?=\s*[,.!;:-]|\s(?:I|we)\b)|{ANSWERS_NO}|nope|ok|okay|hi|hey"
    r"|hello|there(?!'s| is| are| was| were)"
    r"|all(?! (?:of )?(?:my|our|the)\b)|everyone(?! (?:in|of|at|on)\b)|actually|and|but|also|um|uh|er|anyway"
    r"|honestly|btw|by the way|plus|because|then|haha|lol|wow|hmm|right|sure|thanks|thank you|sorry|as for me|or"
    r"|personally|in fact|to be honest|tbh|now|currently|at the moment|these days|nowadays|recently|lately|since"
    r"|as(?! (?:of|an?)\b)|first of all|you know|look|see|basically|i mean|for me|fyi|today|this year|correction"
    r"|good morning|though|although|while|for work|at present|right now|just so you know"
    r"|for context|for the record)\b[\s,!:.-]*){1,5}",
    re.I,
)
SUPPOSED = re.compile(
    r"\b(?:if|suppose|supposing|imagine|imagining|pretend|assume|assuming"
    r"|as though|wish(?! to\b)|wishing|unless|hypothetically"
    r"|what if|(?:the )?next time (?:I|we|you|he|she|they|somebody|someone)|(?<![a-z,] )were I to|say I|let's say"
    r"|in case|whether|would I|should I|could I|if only)\b",
    re.I,
)
_SUBJECT = re.compile(r"(?P<who>I|we|my|our|I,? (?:myself|personally),?)\b\s*", re.I)
_OTHER = re.compile(
    r"(?:he|she|they|it|you|hes|shes|theyre|thats|youre|theres|there|this|that|these|those|his|her|their|its|your"
    r"|the|a|an|some|everyone|everybody|people"
    r"|someone|[A-Z][a-z]+'s)\b|[A-Z][a-z]+ (?:is|was|has|said|says|and|will|went|told|thinks)\b"
)
_CORRECTION = re.compile(
    r"\b(?:actually|sorry|correction|i meant|i mean|i misspoke|my mistake|that's wrong|that is wrong|not anymore)\b",
    re.I,
)
_ASKING = re.compile(
    r"(?:who|what|when|where|why|how|which|whose|do|does|did|are|is|am|was|were|can|could|would|will|should|have|has"
    r"|any|may|shall|isn't|aren't|don't|doesn't|wouldn't|won't)\b",
    re.I,
)
_OF_SPEAKER = re.compile(
    r"(?:(?:just|still|really|also) )?(?:(?:love|like|hate|need|want|miss|enjoy|prefer)s? (?:the|my|an?|to|being)\b"
    r"|(?!\w+thing\b)[a-z]{2,}ing (?:my|our|the|an?|for|to|up|with|in|on|at|of|from|about)\b"
    r"(?!.*\b(?:is|are|was|were|has|have|can|will|helps?|makes?)\b))",
    re.I,
)
"""A predicate whose subject, the speaker, was left out: that of the next clause is the same."""
DOUBTING = re.compile(
    r"(?:, (?:am|do|did|have|was|will)|,? shall) I(?: now| then)?$|, (?:didn't|don't) (?:you|ya|u) know\b"
)
"""I'm the king of Spain, am I: said of what is not so."""


_BEFORE_ITS_MAIN = re.compile(
    r"(?:since|while|because|although|as) (?:my|our) (?:[\w-]+ )?[\w-]+ [^,;]{2,40}? (?:I|we) [a-z]", re.I
)
"""Since my dad died I can't sleep: of the speaker, not of the dad alone."""
_ASKED = re.compile(r"\bask(?:s|ed|ing)?(?: (?:me|us|him|her|them|you|(?:my|our) [\w-]+))?$", re.I)
"""My son asked me, do you like Leeds?"""
_QUESTION = re.compile(_TO_THE_HEARER, re.I)


@dataclass(frozen=True, slots=True)
class Clause:
    """`body` is the predicate where the subject is the speaker ("am 32"), the whole clause where it is not."""

    subject: Subject
    body: str
    start: int
    end: int
    asks: bool
    supposed: bool
    correcting: bool
    cased: bool = True
    """Does the writer use capitals? Then a name has one."""
    before: str = ""
    """What its sentence says before."""

    @property
    def states(self) -> bool:
        return not (self.asks or self.supposed)


def clauses(sentence: Sentence) -> list[Clause]:
    """Split one sentence into clauses; a predicate without a subject takes that of the clause before."""
    text = replace_corrected_en(sentence.text)
    breaks = _breaks(text)
    cuts = [0, *(m.end() for m in breaks), len(text)]
    ends = [*(m.start() for m in breaks), len(text)]
    found: list[Clause] = []
    before: Subject = "I"
    supposed = False
    correcting = _CORRECTION.search(sentence.text) is not None
    asking = sentence.asks and _ASKING.match(FILLER.sub("", text, count=1)) is not None
    doubting = DOUBTING.search(text) is not None
    for at, (begin, end) in enumerate(zip(cuts, ends, strict=False)):
        raw = text[begin:end].strip()
        supposed = supposed or SUPPOSED.search(raw) is not None
        following = text[cuts[at + 1] : ends[at + 1]].strip() if at + 1 < len(ends) else ""
        unreal = taken_back_en(raw) or takes_back_en(following)
        asks = doubting or (sentence.asks and (asking or at == len(ends) - 1))
        subject, body = _subject(raw, before, first=at == 0)
        own = subject == "none" and at == 0 and _OF_SPEAKER.match(body) is not None
        before = subject if subject != "none" else "I" if own else "other" if at == 0 else before
        found.append(
            Clause(
                subject,
                body,
                sentence.start + begin,
                sentence.start + end,
                asks,
                supposed or unreal,
                correcting,
                raw != raw.lower(),
                text[:begin],
            )
        )
    return found


def _breaks(text: str) -> list[re.Match[str]]:
    """Where clauses end; a subject of two is not parted, nor is a question from who asked it."""
    found: list[re.Match[str]] = []
    for each in _BREAK.finditer(text):
        begin = found[-1].end() if found else 0
        question_match = _ASKED.search(text, max(begin, each.start() - 60), each.start()) and _QUESTION.match(
            text, each.end()
        )
        if text[: each.start()].lower().endswith(("every now", "every once")):
            continue
        if not question_match and not names_another(text, begin, each.start()):
            found.append(each)
    return found


def _subject(raw: str, before: Subject, *, first: bool) -> tuple[Subject, str]:
    text = expand(raw)
    if _BEFORE_ITS_MAIN.match(text):
        return "none", text
    filler = FILLER.match(text)
    body = without_leftovers(text[filler.end() :] if filler else text)
    if (both := as_we(body)) != body:
        return "we", both.removeprefix("we ")
    if match := _SUBJECT.match(body):
        who = match.group("who").lower()
        if who in {"my", "our"}:
            return "my", body
        return ("we" if who == "we" else "I"), body[match.end() :]
    if _OTHER.match(body):
        return "other", body
    if re.match(rf"(?!(?:like|love|plan|need|can|will|run)\b)(?:{VERB}|not|never|both(?! of))\b", body, re.I):
        if body.lower().startswith("born "):
            body = f"was {body[0].lower()}{body[1:]}"
        return ("I" if first else before), body
    return "none", body
