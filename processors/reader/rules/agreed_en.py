"""What somebody says who agrees in a word with what they were told: "I love tennis." - "Me too!" (B1).

Only what is said of oneself and lasts is shared so; what one thinks of the matter is talk.
"""

from __future__ import annotations

import re

from processors.reader.rules.clauses_en import FILLER
from processors.reader.rules.person_en import expand
from processors.reader.rules.text import sentences
from processors.reader.rules.tidied_en import tidy
from processors.reader.rules.words_en import alternatives

_AGREES = re.compile(
    r"(?:(?:nice|oh|yes|yeah|yep|wow|haha|lol|cool|awesome|great|aw+|hi|hey|well|really|ok|okay)[,.! ]+){0,3}"
    r"(?:(?P<too>me,? too|same here|so do I|I do,? (?:too|as well)|likewise)"
    r"|(?P<are>so am I|I am,? (?:too|as well))"
    r"|(?P<neither>me,? (?:neither|either)|neither do I|nor do I|I don't,? either))"
    r"(?=\s*(?:$|[,.!;?]|(?:and|but|I|my|we|do|what)\b))",
    re.I,
)
_SHARED = re.compile(
    rf"I (?:(?:\w+ly|also|still|always|just) ){{0,2}}(?:{alternatives('shared_by_agreeing')})\b"
    r"(?! (?:that|how|what|it|this|them|those|these|when|why|to (?:see|say|think|know|hear)|the (?:idea|fact|way))\b)",
    re.I,
)
_ARE = re.compile(r"I am (?:\w+ly |also |still )?(?:an? |from |into |in )", re.I)
_NEVER = re.compile(
    rf"I (?:(?:\w+ly|also|still|just) ){{0,2}}(?:don't|do not|never|have never|haven't)(?: (?:\w+ly|ever|even))? "
    rf"(?:{alternatives('shared_by_agreeing')}|[a-z]+ed|been|eaten|seen)\b"
    r"(?! (?:that|how|what|it|this|them|those|these|when|why|to (?:see|say|think|know|hear)|either)\b)",
    re.I,
)
_OF_ONE = re.compile(r"\b(?:my|our|me|us|mine|you|your|yours)\b|\d", re.I)
"""What is the other's own is not shared, nor what they count."""
_LONGEST = 12
"""Words of what is agreed with."""


def agreed_with(statement: str, text: str) -> tuple[str, int] | None:
    """Return what the speaker of `text` shares with `statement`, in the first person, and where they say so."""
    match = _AGREES.match(text)
    stated = [s for s in sentences(statement) if not s.asks] if match else []
    if match is None or not stated:
        return None
    last = stated[-1].text
    opens = FILLER.match(last)
    phrase = expand(tidy(last[opens.end() :] if opens else last))
    pattern = _NEVER if match["neither"] else _ARE if match["are"] else _SHARED
    is_state = pattern is _SHARED and match["too"].lower().startswith(("me", "same", "like")) and _ARE.match(phrase)
    if not (pattern.match(phrase) or is_state) or _OF_ONE.search(phrase) or len(phrase.split()) > _LONGEST:
        return None
    return phrase, match.end()
