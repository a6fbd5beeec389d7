"""English statements that are over tomorrow or are of the talk itself: a mood, what one is at this minute, a courtesy.

Sentences are still in the first person here, as in `whole_en`, which asks this of what is said among people.
"""

from __future__ import annotations

import re

from processors.reader.rules.numbers import ENGLISH_NUMBER
from processors.reader.rules.others import KIN_EN
from processors.reader.rules.words_en import alternatives

_HOW = r"(?:(?:[a-z]+ly|so|very|just|also|still|all|quite|pretty|a bit|a little|feeling|being) )*"
_MOOD = rf"(?:{alternatives('moods')})"
_OF_SOMEBODY = rf"(?:my|our) (?:[\w'-]+ ){{0,2}}?(?:{KIN_EN}|dog|cat|puppy|kitten)s?"
_TODAY = r"(?:today|tonight|right now|at the moment|this (?:morning|afternoon|evening)|on \d{1,2} [A-Z]\w+ \d{4})"

_PATTERNS = (
    # I am so sad and confused.
    r"(?:I|we) (?:am|are) (?:doing|feeling) (?:ok|okay|alright|all right|fine|well|good|great|better)\b",
    rf"(?:I|we) (?:(?:just|also|still|really|now) )*(?:am|are|was|were|feel|felt|got) {_HOW}{_MOOD}"
    rf"(?:,? (?:and|but|or) {_HOW}{_MOOD})?(?: (?:about|by|at|with|over) (?:it|that|this|everything|all|things))?"
    rf"(?: {_TODAY})?$",
    rf"(?:I|we) (?:am|are) being {_HOW}(?:the (?:most|least) )?[a-z]+$",
    # My dog is staring at me; something bothers me today.
    rf"{_OF_SOMEBODY} (?:is|are) (?:just |still |always )?(?:{alternatives('done_for_a_moment')})\b"
    r"(?!.*\b(?:every|each|always|since)\b)",
    rf"(?:(?:I|we)|{_OF_SOMEBODY}|something|somebody|someone)(?: (?:[a-z]+ly|just|also|still))* (?:am|is|are|can|cannot|can't|want"
    rf"|wants|need|needs|feel|feels|do|does|don't|have|has)\b(?! (?:been|had)\b)(?!.*\b(?:since|until|every)\b).* {_TODAY}$",
    # What one wants of the talk, and says in it out of courtesy.
    r"(?:I|we) (?:just |only |really |also )*(?:want|wanted|need|needed|would like|came(?: here)?) to "
    r"(?:talk|vent|chat|share|rant|get (?:it|this) off my chest|be alone)\b(?! (?:to|with) (?:my|an?|our)\b)",
    rf"(?:I|we) (?:am|are) {_HOW}(?:more than )?(?:{alternatives('courtesies')})\b",
    r"(?:I|we) (?:have|had|were|was|are|am) (?:been |just |just been )?(?:talking|chatting|discussing)\b(?!.*\b(?:my|our)\b)",
    # Looked for something, no word of what.
    r"(?:I|we) (?:have |had )?(?:been )?(?:looked|looking|researched|researching|searched|searching|googled|googling)"
    r"(?: (?:on(?:line)?|a lot|around|websites?|the internet|it|them|up|everywhere|already))*$",
    # Nothing of a kind, age without a when, predicate elsewhere.
    rf".*\b(?:various|certain|some|a few|many|several|different) (?:{alternatives('of_no_kind')})$",
    rf"(?:I|we) (?:was|were) (?:(?:like|about|only|just|around|maybe|really) )*(?:{ENGLISH_NUMBER}|young|younger|little)"
    r"(?: years? old| y/?o)?(?: back| then| back then)?$",
    r"(?:I|we|my [\w'-]+|our [\w'-]+) (?:has|have|had|am|is|are|was|were|can|could)(?:n't| not) (?:in|for|since|at|on) ",
    r"we (?:[a-z]+ly |just |also |still )*(?:did|played|won|lost|beat|suck|sucked) (?:so |very |pretty |really )?"
    r"(?:well|badly|bad|good|okay|ok|great|terribl[ey]|poorly|better|worse|last|by)\b",
    rf"{_OF_SOMEBODY}(?:, [\w' -]+)? (?:(?:never|just|also|already|finally) )?(?:knows?|found out|knew|did|does|has to|used to)$",
    r"(?:I|we) .*\bthe (?:thought|idea|feeling|fact|look|sound)$",
    r"in my (?:area|case|country|opinion|situation|experience)\b,? (?:yes|no)$",
    rf"{_OF_SOMEBODY} (?:is|are|was|were)(?: not|n't)? (?:an? )?(?:{alternatives('how_much')} )?(?:{alternatives('of_what')})s?$",
)
_ALL = tuple(re.compile(pattern, re.I) for pattern in _PATTERNS)


def is_of_the_talk(text: str) -> bool:
    """Does a statement made among people hold for the moment or the talk only?"""
    return any(pattern.match(text) for pattern in _ALL)
