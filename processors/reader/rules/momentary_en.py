"""English statements that are over tomorrow or are of the talk itself: a mood, what one is at this minute, a courtesy.

Sentences are still in the first person here, as in `completeness_en`, which asks this of what is said among people.
"""

from __future__ import annotations

import re

from processors.reader.rules.numbers import ENGLISH_NUMBER
from processors.reader.rules.others import KIN_EN
from processors.reader.rules.words_en import alternatives

_OF_NOW = re.compile(
    r"(?!.*\b(?:work|live|living|stud|job|rent|furlough|pregnan|unemploy|school|college|course)\w*)"
    rf"(?!.*\b(?:{alternatives('goes_on_for_long')})\b)"
    r".*\b(?:right now|at the moment|at this moment|from this week)\b"
    rf"|^(?:I|we) (?:am|are) (?:just |still |also )?(?:{alternatives('of_a_moment')})(?:$| (?:until|till)\b)",
    re.I,
)
_OF_THE_MOMENT = re.compile(
    r"(?:I|we) (?:am|are) (?:\w+ly )?(?:all )?(?:at )?home(?:$|,)"
    r"|(?:I|we) (?:am|was|are|were) (?:just |\w+ly )?(?:talking|speaking|chatting) (?:about|of)\b"
    r"|(?:I|we) (?:am|are) (?:working|off|free|busy|relaxing|staying in)(?: all day)? (?:today|tonight"
    r"|this (?:morning|afternoon|evening|weekend)|on \d{1,2} [A-Z]\w+ \d{4})$"
    rf"|(?:I|we) (?:am|was|are|were) (?:so |just |only |all |very |really "
    rf"|quite )*(?:{alternatives('of_a_reaction')})"
    r"(?:$|,| (?:about|at|by|that|how|regarding) )(?!.*\b(?:my|our|last (?:year|month|week|summer|winter)|ago)\b)"
    r"|(?:I|we) (?:[a-z]+ly |just |also |still )*(?:like|love)d? (?:that|how|the (?:idea|fact|way)) "
    r"(?!.*\b(?:my|our)\b)"
    r"|(?:I|we) (?:[a-z]+ly |just |also )*(?:reali[sz]ed?|noticed)\b"
    r"(?! (?:that )?(?:I|my|our|we) (?:am|was|have|had)\b)(?!.*\b(?:my|our|last (?:year|month|summer|winter))\b)"
    r"|(?:I|we) (?:am|are|was|were) (?:\w+ly )?(?:getting closer|growing up(?! (?:in|on|with|near|without)\b)"
    r"|making progress|figuring)\b"
    r"|(?:I|we) (?:just |[a-z]+ly )*(?:googled|looked (?:it|that|him|her|them) up)\b"
    r"|(?:keep|let) (?:me|us)\b",
    re.I,
)
"""Where one is or how one takes what was said, this hour."""

_HOW = r"(?:(?:[a-z]+ly|so|very|just|also|still|all|quite|pretty|a bit|a little|feeling|being) )*"
_MOOD = rf"(?:{alternatives('moods')})"
_OF_SOMEBODY = rf"(?:my|our) (?:[\w'-]+ ){{0,2}}?(?:{KIN_EN}|{alternatives('he', 'she', 'either')})s?"
_TODAY = r"(?:today|tonight|right now|at the moment|this (?:morning|afternoon|evening)|on \d{1,2} [A-Z]\w+ \d{4})"

_PATTERNS = (
    # I am so sad and confused.
    r"(?:I|we) (?:am|are) (?:doing|feeling) (?:ok|okay|alright|all right|fine|well|good|great|better)\b",
    rf"(?:I|we|{_OF_SOMEBODY}) (?:(?:just|also|still|really|now|only) )*(?:am|are|is|was|were|feel|felt"
    rf"|got) {_HOW}{_MOOD}"
    rf"(?:,? (?:and|but|or) {_HOW}{_MOOD})?(?: (?:about|by|at|with|over) (?:it|that|this|everything|all|things"
    rf"|the whole thing))?"
    rf"(?: {_TODAY})?$",
    rf"(?:I|we) (?:am|are) being {_HOW}(?:the (?:most|least) )?[a-z]+$",
    # My dog is staring at me; something bothers me today.
    rf"{_OF_SOMEBODY} (?:is|are) (?:just |still |always )?(?:{alternatives('done_for_a_moment')})\b"
    r"(?!.*\b(?:every|each|always|since)\b)",
    rf"(?:(?:I|we)|{_OF_SOMEBODY}|something|somebody|someone)(?: (?:[a-z]+ly|just|also|still))* (?:am|is|are|can"
    rf"|cannot|can't|want"
    rf"|wants|need|needs|feel|feels|do|does|don't|have|has)\b(?! (?:been|had)\b)(?!.*\b(?:since|until"
    rf"|every)\b).* {_TODAY}$",
    # What one wants of the talk, and says in it out of courtesy.
    rf"(?:I|we) (?:just |only |really |also )*(?:want|wanted|need|needed"
    rf"|would (?:really |just |also )?(?:like|love)|came(?: here)?) to "
    rf"(?:{alternatives('wants_of_the_talk')})\b(?! (?:(?:to|with) )?(?:my|an?|our)\b)",
    rf"(?:I|we) (?:am|are) {_HOW}(?:more than )?(?:{alternatives('courtesies')})\b",
    r"(?:I|we) (?:have|had|were|was|are|am) (?:been |just |just been )?(?:talking|chatting"
    r"|discussing)\b(?!.*\b(?:my|our)\b)",
    # What one asks oneself, and what one begins to feel by what was said.
    r"(?:I|we) (?:[a-z]+ly |just |always |often )*(?:ask|asked|tell|told|remind|reminded) (?:myself|ourselves)\b",
    r"(?:I|we) (?:am|are|was|were) (?:just |[a-z]+ly )*(?:starting|beginning|trying) to (?:feel|see|think"
    r"|reali[sz]e|understand"
    r"|believe|accept|remember|figure|make sense|stay positive|be positive|get there)\b",
    r"(?:I|we) (?:[a-z]+ly |just |also )*(?:want|try|would like|hope) to be (?:a )?(?:better|happy|happier|good"
    r"|strong|stronger|positive|kind)\b",
    # My kids are my life.
    rf"(?:my|our) [\w' -]{{2,30}} (?:is|are|was|were|means?|meant) (?:like )?(?:my|our|the|me|everything|a lot"
    rf"|so much)(?: whole| entire| only)?"
    rf"(?: (?:{alternatives('what_one_lives_for')}|to me))?$",
    # Looked for something, no word of what.
    r"(?:I|we) (?:have |had )?(?:been )?(?:looked|looking|researched|researching|searched|searching|googled|googling)"
    r"(?: (?:on(?:line)?|a lot|around|websites?|the internet|it|them|up|everywhere|already))*$",
    # Nothing of a kind, age without a when, predicate elsewhere.
    rf".*\b(?:various|certain|some|a few|many|several|different) (?:{alternatives('of_no_kind')})$",
    rf"(?:I|we) (?:was|were) (?:(?:like|about|only|just|around|maybe|really) )*(?:{ENGLISH_NUMBER}|young|younger"
    rf"|little)"
    r"(?: years? old| y/?o)?(?: back| then| back then)?$",
    r"(?:I|we|my [\w'-]+|our [\w'-]+) (?:has|have|had|am|is|are|was|were|can|could)(?:n't| not) (?:in|for|since"
    r"|at|on) ",
    r"we (?:[a-z]+ly |just |also |still )*(?:did|played|won|lost|beat|suck|sucked) (?:so |very |pretty |really )?"
    rf"(?:{alternatives('how_it_went')})\b",
    rf"{_OF_SOMEBODY}(?:, [\w' -]+)? (?:(?:never|just|also|already|finally) )?(?:knows?|found out|knew|did|does"
    rf"|has to|used to)$",
    rf"{_OF_SOMEBODY} (?:[\w']+ ){{0,3}}(?:gave|gives?|told|asked|sent|bought|paid|made|let|helped|lent|showed"
    rf"|offered"
    r"|got|wants?|took) (?:her|him)\b",
    r"(?:I|we) .*\bthe (?:thought|idea|feeling|fact|look|sound)$",
    r"in my (?:area|case|country|opinion|situation|experience)\b,? (?:yes|no)$",
    rf"{_OF_SOMEBODY} (?:is|are|was|were)(?: not"
    rf"|n't)? (?:an? )?(?:{alternatives('how_much')} )?(?:{alternatives('of_what')})s?$",
)
_ALL = tuple(re.compile(pattern, re.I) for pattern in _PATTERNS)


def is_of_the_talk(text: str) -> bool:
    """Does a statement made among people hold for the moment or the talk only?"""
    return _OF_THE_MOMENT.match(text) is not None or any(pattern.match(text) for pattern in _ALL)


def is_of_now(text: str) -> bool:
    """Does it hold for a moment only? Work, a home and the like last."""
    return _OF_NOW.match(text) is not None
