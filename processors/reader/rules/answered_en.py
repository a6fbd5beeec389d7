"""What a short answer to an open question of the assistant says as a whole sentence: "What do you teach?" - "physics",
"How long have you been in Leeds?" - "nine years" (B1).

The words are the question's, turned to the speaker, with the answer where the question asks. Questions that a field
stands for are `answers`' and `asked`'s.
"""

from __future__ import annotations

import re

from processors.reader.rules.common_en import FUNCTION
from processors.reader.rules.numbers import ENGLISH_NUMBER
from processors.reader.rules.words_en import listed
from processors.reader.wording.inflect import inflected
from processors.reader.wording.tables import tables

_LEAD = re.compile(r"^(?:(?:and|so|ok(?:ay)?|great|thanks|by the way|also|then|one more thing)\b[,:]? ?){1,3}", re.I)
_MINE = re.compile(r"(?:what|who|when|where)(?P<is>'s| is| are| was| were) your (?P<what>[a-z][\w' -]{2,60})$", re.I)
_COUNT = re.compile(
    r"how many (?P<what>[\w' -]{3,40}?) (?P<aux>do|did|are|have) you (?P<verb>[a-z]+)(?P<rest> [\w' -]+)?$", re.I
)
_LONG = re.compile(r"how long have you (?P<rest>(?:been|had|known|kept|\w+ed) [\w' -]{1,60})$", re.I)
_OPEN = re.compile(
    r"(?:(?P<where>where)|when|how often|what time|(?P<what>what|which|(?:which|what) [\w' -]{3,30}?))"
    r" (?P<aux>do|did|are|have|will) you (?:(?:usually|normally|currently"
    r"|mainly) )?(?P<verb>[a-z]+)(?P<rest> [\w' -]+)?$",
    re.I,
)
_FOR_NOW = frozenset(listed("for_now"))
_OF_THE_TALK = frozenset(listed("of_the_talk"))
_YES_OR_NO = re.compile(
    r"(?P<aux>are|do|have|will|can) you (?P<still>(?:still|currently|usually"
    r"|already) )?(?P<rest>[a-z][\w' ,-]{3,90})$", re.I
)
_AGREED = re.compile(
    r"(?:(?P<yes>yes|yeah|yep|yup)|(?P<no>no|nope|nah))\b"
    r"(?P<tail>,? (?:once|when|from|until|till|since|after|before|in|on|at|every|as soon as)\b[^,.;!?\n]*)?(?=$"
    r"|[,.;!\n])",
    re.I,
)
_FIRST = re.compile(
    r"^(?:(?:oh|um+|er+|well|hm+|just|mostly|mainly|it's|that's|i'd say)\b[, ]+){0,2}(?P<said>[^.;!?\n(]+?)"
    r"(?=$|[.;!?\n(]|,? (?:and (?:I|it|he|she|they|we|the|my|that|then|you|for|no|yes)\b|so|but|because|since|though"
    r"|which|if)\b| [-\u2013\u2014]"
    r"|, (?!\w+(?:$|,| and\b| or\b)))",
    re.I,
)
_NO_ANSWER = re.compile(
    r"(?:yes|yeah|yep|no|nope|none|not|never|nothing|nobody|nowhere|neither|n/a|depends|it depends|dunno|idk|sorry"
    r"|why|what|who|how"
    r"|when|where|ok(?:ay)?|sure|maybe|perhaps|probably|possibly|i|i'm|i've|we|you|he|she|they|it|that|this|those"
    r"|thanks?"
    r"|please|either|both|any\w*|all|some\w*|every\w*|same|whatever|guess|good|great|hard|no idea|ha\w*|lol|skip"
    r"|same|here|there)\b"
    r"|.*(?:\b(?:is|are|was|were|am|do|did|does|don't|didn't|can|can't|think|guess|maybe|probably|not|you|it|them"
    r"|ones?|hopefully)\b|\?)",
    re.I,
)
_LIMITED = re.compile(
    r",? (?:from|until|till|once|if|unless|but|not|next|only|when|except|soon|or|though|depending|used to)\b", re.I
)
"""What follows an answer that is not so without it."""
_PLACE = re.compile(
    r"(?:in|at|on|near|by|from|under|behind|over|with|to|around|outside|next|between|above|below|round)\b", re.I
)
_AT_ITS_END = re.compile(r" (?:for|at|in|on|with|to|about|from|into|of)")
_LONGEST = 9
"""Words of an answer."""
_IS = {"'s": "is", "is": "is", "are": "are", "was": "was", "were": "were"}
_NOT = {"do": "don't", "are": "am not", "have": "have not", "will": "will not", "can": "can not"}
_AUX = {"do": "", "did": "", "are": "am ", "have": "have ", "will": "will ", "can": "can "}


def answered(asked: str, content: str) -> tuple[str, int] | None:
    """Return the sentence of the first person that an answer makes of its question, and where the answer ends."""
    question = _LEAD.sub("", asked.strip(), count=1)
    if (agreed := _AGREED.match(content)) and (match := _YES_OR_NO.match(question)):
        said = None if _LIMITED.match(content[agreed.end() :]) else _agreed(match, agreed)
        return None if said is None else (said, agreed.end())
    first = _FIRST.match(content)
    if first is None or content[first.end() :].startswith("?") or _LIMITED.match(content[first.end() :]):
        return None
    said = first["said"].strip(" ,")
    if not said or len(said.split()) > _LONGEST or _NO_ANSWER.match(said):
        return None
    word = said.split()[0].lower()
    if word in FUNCTION or re.match(rf"{ENGLISH_NUMBER}(?![\w-])", word):
        said = f"{said[0].lower()}{said[1:]}"
    statement = _stated(re.sub(r"\byou're\b", "you are", question), said)
    return None if statement is None else (statement, first.end())


def _agreed(match: re.Match[str], agreed: re.Match[str]) -> str | None:
    """What a yes or no makes of its question, with the time that it names."""
    rest = re.sub(r"^ever |\botherwise ", "", match["rest"])
    if rest.split()[0].lower() in _OF_THE_TALK | _FOR_NOW or re.search(r"\b(?:or|me|us|please)\b", rest):
        return None
    aux, tail = match["aux"].lower(), (agreed["tail"] or "").removeprefix(",")
    if aux != "have" and tail.strip().startswith("since"):
        tail = ""
    if agreed["no"]:
        never = aux == "have" and rest != match["rest"]
        return f"I {'have never' if never else _NOT[aux]} {_own(rest)}{tail}"
    if aux == "have" and not re.search(r"\b(?:since|for)\b", f"{rest}{tail}"):
        return None  # "Have you ever worked as a nurse?": what was is not so today
    rest = re.sub(r"\bany (?=\w+s\b)", "", rest)
    return None if re.search(r"\bany\b", rest) else f"I {_AUX[aux]}{match['still'] or ''}{_own(rest)}{tail}"


def _stated(question: str, said: str) -> str | None:
    if match := _MINE.match(question):
        return f"my {_own(match['what'])} {_IS[match['is'].strip().lower()]} {said}"
    if match := _LONG.match(question):
        since = re.match(r"(?:for|since|all)\b", said, re.I)
        return f"I have {_own(match['rest']).strip()} {said if since else f'for {said}'}"
    if match := _COUNT.match(question):
        return f"{_predicate(match)} {said} {match['what']}{_own(match['rest'] or '')}"
    match = _OPEN.match(question)
    if match is None or match["verb"].lower() in _OF_THE_TALK or (match["where"] and not _PLACE.match(said)):
        return None
    if match["what"] and match["rest"] and not _AT_ITS_END.fullmatch(match["rest"]):
        return None  # the answer stands within the question: "which day do you see her"
    return f"{_predicate(match)}{_own(match['rest'] or '')} {said}"


def _predicate(match: re.Match[str]) -> str:
    """I with the verb of the question in its form."""
    aux, verb = match["aux"].lower(), match["verb"].lower()
    return f"I {_AUX[aux]}{inflected(verb, 'past', tables('en')) if aux == 'did' else verb}"


def _own(words: str) -> str:
    return re.sub(r"\byou\b", "I", re.sub(r"\byour\b", "my", words))
