"""What a short answer to an open question of the assistant says as a whole sentence: "What do you teach?" - "physics",
"How long have you been in Leeds?" - "nine years" (B1).

The words are the question's, turned to the speaker, with the answer where the question asks. Questions that a field
stands for are `answers`' and `asked`'s.
"""

from __future__ import annotations

import re

from processors.reader.rules.common_en import FUNCTION
from processors.reader.rules.numbers import ENGLISH_NUMBER
from processors.reader.rules.words_en import alternatives, listed
from processors.reader.wording.inflect import inflected
from processors.reader.wording.tables import tables

_LEAD = re.compile(
    r"^(?:(?:and|so|well|cool|nice|if not [\w' -]{2,40}(?=,)|ok(?:ay)?|great|thanks|by the way|also|then"
    r"|one more thing)\b[,:]? ?){1,3}",
    re.I,
)
_MINE = re.compile(
    r"(?:what|who|when|where)(?P<is>'s| is| are| was| were) (?P<whose>your|the) (?P<what>[a-z][\w' -]{2,60})$", re.I
)
_OF_ANYTHING = re.compile(
    r"\b(?:of|like|for|about|time|date|day|answer|result|sum|score|difference|odds|year)\b(?! (?:setting|number))", re.I
)
_NUMBERED = re.compile(rf"\d|(?<![\w-]){ENGLISH_NUMBER}(?![\w-])", re.I)
"""Of a thing of one's own the number is told; the rest is talk."""
_ANY = re.compile(
    r"(?:(?:do|did) you have |have you (?:got |had )?)?any "
    rf"(?!of\b|other\b|idea\b|news\b|luck\b|(?:more )?(?:{alternatives('of_an_exchange')})\b)"
    r"(?P<what>[a-z][\w' -]{2,60}s)$",
    re.I,
)
_HAVE_ANY = re.compile(r"have you (?P<verb>[a-z]+(?:ed|t|d|n)) any (?P<what>[a-z][\w' -]{2,60})$", re.I)
_NO_ANY = re.compile(
    r"(?:no|none|nope|nothing|nah)(?: at all| whatsoever| so far| yet)?(?: that (?:I(?:'ve| have)? (?:noticed|know of"
    r"|seen)"
    r"|I can think of))?(?=\s*(?:$|[.;!\n]))",
    re.I,
)
_TAKEN_BACK = re.compile(r"\b(?:actually|well|but|then|except|until|although|only)\b", re.I)
"""The answer goes on to something else than its first word says."""
_HABIT = re.compile(rf"do you (?P<verb>{alternatives('habits')})(?P<rest> [\w' -]{{2,40}})?$", re.I)
_GAVE_UP = re.compile(
    r"(?:no,? )?(?:i )?(?:(?:gave|have given|'ve given) (?:it )?up|stopped|quit|packed it in|kicked it)"
    r"(?P<when> (?:in )?(?P<year>\d{4})| [\w ]{1,20} ago| last [a-z]+)(?=\s*(?:$|[.,;!\n]))",
    re.I,
)
_MAY_I = re.compile(
    r"(?:(?:is it|would it be) (?:ok(?:ay)?|all right|alright|fine) (?:if I|for me to|with you if I)|(?:may|can) I)"
    r" (?P<do>(?:share|give|show|send|mention|forward|pass)\b(?![\w' -]*\b(?:you|we|us|I)\b)[\w' -]{1,40}\byour"
    r" [\w' -]{3,60})$",
    re.I,
)
"""Something of the speaker's own is passed on."""
_REFUSED = re.compile(
    r"(?:no|nope|nah)(?:,? (?:thanks?|thank you|please|absolutely not|never|don't|I'd rather (?:you didn't|not)))?"
    r"(?=\s*(?:$|[.;!\n]))",
    re.I,
)
_EITHER = re.compile(
    r"(?:[^:]{1,80}: ?)?(?P<first>[\w' -]{2,50}?)(?P<more>(?:, [\w' -]{2,40}?){0,3}),? or (?P<last>[\w' -]{2,60})$",
    re.I,
)
_ASKS_WHETHER = re.compile(
    r"\b(?:you|I|yes|no)\b|^(?:is|are|was|were|do|does|did|will|can|should|which|what|who)\b", re.I
)
_OF_A_LIST = re.compile(r"(?P<asks>[^:]{6,80}): ?(?P<items>[\w' -]{2,40}(?:, (?:or )?[\w' -]{2,40}){1,4})$")
_ORDINAL = re.compile(
    r"(?:oh |um+,? |i'd say |i'll (?:take|have|go with) |let's (?:go with|do|take) )?(?:the )?(?P<which>first|second"
    r"|third"
    r"|middle|last|former|latter)(?: one| option)?(?:,? (?:please|thanks|then))?\W*$",
    re.I,
)
_COUNT = re.compile(
    r"how many (?P<what>[\w' -]{3,40}?) (?P<aux>do|did|are|have) you (?P<verb>[a-z]+)(?P<rest> [\w' -]+)?$", re.I
)
_LONG = re.compile(r"how long have you (?P<rest>(?:been|had|known|kept|\w+ed) [\w' -]{1,60})$", re.I)
_ANY_OF = re.compile(r"(?:do you have|have you got|got) (?:any|an?|some) [\w' -]{3,40}$|any [\w' -]{3,30}s$", re.I)
_SOME = re.compile(
    r"(?:(?:yes|yeah|yep|yup|ya|sure|oh|i do|we do)[,!.:-]* ?){1,3}(?:just )?(?:(?:I|we)(?:'ve| have)? (?:have|got) )?"
    r"(?P<what>(?:an?|one|two|three|four|five|six|\d{1,2}) (?!(?:lot|bit|few|of)\b)[a-z][\w' -]{1,60}?"
    r"(?:(?:,|,? and) (?:an?|one|two|three|four|five|six|\d{1,2}) [a-z][\w' -]{1,40}?){0,3})(?=\s*(?:$|[.;!\n]))",
    re.I,
)
"""What somebody has of what was asked about: "yep, a cat and two rats"."""
_BESIDES = re.compile(r"\b(?:also|even) |,? (?:as well|too|either)(?: as [\w' -]{2,40})?$", re.I)
"""Beside something that was said before."""
_OF_ONES_LIKES = re.compile(
    r"\b(?:hobb(?:y|ies)|interests?|do you (?:like|enjoy|love)|for fun|(?:spare|free) time)\b", re.I
)
_LIKED = re.compile(
    r"(?:(?:well|oh|um+|i|we|just|mostly|yeah)[, ]+){0,2}(?P<said>(?:like|love|enjoy) (?:to [a-z]+|[a-z]+ing)\b"
    r"(?! (?:it|that|this|them)\b)[\w' ,-]{0,60}?)(?=\s*(?:$|[.;!?\n]))",
    re.I,
)
_OPEN = re.compile(
    r"(?:(?P<where>where)|when|how often|what time|(?P<what>what|which|(?:which|what) [\w' -]{3,30}?))"
    r" (?P<aux>do|did|are|have|will) you (?:(?:usually|normally|currently"
    r"|mainly) )?(?P<verb>[a-z]+)(?P<rest> [\w' -]+)?$",
    re.I,
)
_INTERESTED = re.compile(r"(?:what|which)(?: [a-z]+)? are you (?P<how>interested|enrolled|based|registered) in$", re.I)
_FOR_NOW = frozenset(listed("for_now"))
_OF_THE_TALK = frozenset(listed("of_the_talk"))
_YES_OR_NO = re.compile(
    r"(?P<aux>are|do|have|will|can) you (?P<still>(?:still|currently|usually"
    r"|already) )?(?P<rest>[a-z][\w' ,-]{3,90})$",
    re.I,
)
_AT_ALL = re.compile(r"^ever |,? (?:at all|by (?:any )?chance|in general)$")
_BY_NOW = re.compile(r"\b(?:already|yet|recently|lately)\b")
_TURNED_ROUND = re.compile(r"\b(?:but|well|not (?:really|saying|exactly|always|much)|sort of|kind of|no)\b", re.I)
"""Behind a yes it takes it back."""
_AGREED = re.compile(
    r"(?:(?P<yes>(?:yes|yeah|yep|yup)(?:,? (?:I|we) (?:do|am|are|can|will|have))?)"
    r"|(?P<no>(?:no|nope|nah)(?:,? (?:I|we) (?:do|am|are|ca|can|will|wo|have)(?:n't| ?not))?))\b"
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
    r"(?:yes|yeah|yep|wow|oh|well|hm+|um+|ah+|yay|hey|hi|(?:cool|nice)(?! (?-i:[A-Z]))|absolutely"
    r"|definitely|totally|exactly|honestly"
    r"|no|nope|none|not|never|nothing|nobody|nowhere|neither|n/a|depends|it depends|dunno|idk|sorry"
    r"|why|what|who|how"
    r"|when|where|ok(?:ay)?|sure|maybe|perhaps|probably|possibly|i|i'm|i've|we|you|he|she|they|it|that|this|those"
    r"|thanks?"
    r"|please|either|both|any\w*|all|some\w*|every\w*|same|whatever|guess|good|great|hard|no idea|ha\w*|lol|skip"
    r"|same|here|there)\b"
    r"|.*(?:\b(?:is|are|was|were|am|do|did|does|don't|didn't|can|can't|think|guess|maybe|probably|not|you|it|them"
    r"|(?<!to )ones?|hopefully)\b|\?)",
    re.I,
)
_LIMITED = re.compile(
    r",? (?:from|until|till|once|if|unless|but|not(?! (?:counting|including))|next|only|when|except|soon|or|though"
    r"|depending|used to)\b",
    re.I,
)
"""What follows an answer that is not so without it."""
_PLACE = re.compile(
    r"(?:in|at|on|near|by|from|under|behind|over|with|to|around|outside|next|between|above|below|round)\b", re.I
)
_AT_ITS_END = re.compile(r" (?:for|at|in|on|with|to|about|from|into|of)")
_SOON = 60
"""Characters behind a yes in which it is taken back."""
_LONGEST = 9
"""Words of an answer."""
_IS = {"'s": "is", "is": "is", "are": "are", "was": "was", "were": "were"}
_NOT = {"do": "don't", "are": "am not", "have": "have not", "will": "will not", "can": "can not"}
_AUX = {"do": "", "did": "", "are": "am ", "have": "have ", "will": "will ", "can": "can "}


def answered(question_text: str, content: str) -> tuple[str, int] | None:
    """Return the sentence that an answer makes of its question, of the first person or of the thing asked about, and
    where the answer ends."""
    question = _LEAD.sub("", question_text.strip(), count=1)
    if (answer := by_kind(question_text, content)) is not None:
        return answer
    if (some := _SOME.match(content)) and _ANY_OF.match(question):
        return f"I have {_own(some['what'])}", some.end()
    if (liked := _LIKED.match(content)) and _OF_ONES_LIKES.search(question):
        return f"I {liked['said']}", liked.end()
    if (agreed := _AGREED.match(content)) and (match := _YES_OR_NO.match(question)):
        rest = content[agreed.end() :]
        doubted = _LIMITED.match(rest) or (agreed["yes"] and _TURNED_ROUND.search(rest[:_SOON]))
        phrase = None if doubted else _agreed(match, agreed)
        return None if phrase is None else (phrase, agreed.end())
    first = _FIRST.match(content)
    if first is None or content[first.end() :].startswith("?") or _LIMITED.match(content[first.end() :]):
        return None
    phrase = first["said"].strip(" ,")
    if not phrase or len(phrase.split()) > _LONGEST or _NO_ANSWER.match(phrase):
        return None
    word = phrase.split()[0].lower()
    if word in FUNCTION or re.match(rf"{ENGLISH_NUMBER}(?![\w-])", word):
        phrase = f"{phrase[0].lower()}{phrase[1:]}"
    statement = _stated(re.sub(r"\byou're\b", "you are", question), phrase)
    return None if statement is None else (statement, first.end())


def by_kind(question_text: str, content: str) -> tuple[str, int] | None:
    """What a question of a kind makes of an answer that takes none of its words: "any?" - "none", "do you?" - "gave
    up in 2010", "may I?" - "no", "this or that?" - "the second"."""
    question = _LEAD.sub("", question_text.strip(), count=1)
    if _TAKEN_BACK.search(content):
        return None
    if (none := _NO_ANY.match(content)) and (match := _HAVE_ANY.match(question)):
        return f"I have {match['verb']} no {_own(match['what'])}", none.end()
    if (none := _NO_ANY.match(content)) and (match := _ANY.match(question)):
        return f"I have no {_own(match['what'])}", none.end()
    if (over := _GAVE_UP.match(content)) and (match := _HABIT.match(question)):
        when = f" in {over['year']}" if over["year"] else over["when"]
        doing = inflected(match["verb"].lower(), "ing", tables("en"))
        return f"I stopped {doing}{_own(match['rest'] or '')}{when}", over.end()
    if (no := _REFUSED.match(content)) and (match := _MAY_I.match(question)):
        return f"I do not want the assistant to {_own(match['do'])}", no.end()
    if ordinal := _ORDINAL.match(content):
        return _of_several(question, ordinal["which"].lower(), ordinal.end())
    return None


def _of_several(question: str, which: str, end: int) -> tuple[str, int] | None:
    """What a question that names several things says of the one that is meant by its place."""
    if listed := _OF_A_LIST.match(question):
        items = re.split(r", (?:or )?| or ", listed["items"])
        phrase = _at(items, which)
        stated = _stated(listed["asks"], phrase) if phrase else None
        return None if stated is None else (stated, end)
    either = _EITHER.match(question)
    if either is None or _ASKS_WHETHER.search(either["first"]):
        return None
    items = [either["first"], *filter(None, either["more"].split(", ")), either["last"]]
    phrase = _at(items, which)
    return None if phrase is None else (f"I chose the {_own(re.sub('^the ', '', phrase.strip()))}", end)


def _at(items: list[str], which: str) -> str | None:
    if which == "middle":
        return items[len(items) // 2] if len(items) % 2 else None
    at = {"first": 0, "former": 0, "second": 1, "third": 2, "last": len(items) - 1, "latter": 1}[which]
    return items[at] if at < len(items) and (which not in {"former", "latter"} or len(items) == 2) else None


def _agreed(match: re.Match[str], agreed: re.Match[str]) -> str | None:
    """What a yes or no makes of its question, with the time that it names."""
    rest = _AT_ALL.sub("", re.sub(r"^ever |\botherwise ", "", match["rest"]))
    if agreed["no"] and _BY_NOW.search(rest):
        return None  # what one has not done yet one may have done tomorrow
    if rest.split()[0].lower() in _OF_THE_TALK | _FOR_NOW or re.search(r"\b(?:or|me|us|please)\b", rest):
        return None
    if _BESIDES.search(rest):
        if agreed["no"]:
            return None
        rest = _BESIDES.sub("", rest)
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


def _stated(question: str, statement: str) -> str | None:
    if match := _MINE.match(question):
        determiner = "my" if match["whose"].lower() == "your" else "the"
        if determiner == "the" and (_OF_ANYTHING.search(match["what"]) or not _NUMBERED.search(statement)):
            return None
        return f"{determiner} {_own(match['what'])} {_IS[match['is'].strip().lower()]} {statement}"
    if match := _LONG.match(question):
        since = re.match(r"(?:for|since|all)\b", statement, re.I)
        statement = re.sub(r"\byrs?\b", "years", statement, flags=re.I)
        return f"I have {_own(match['rest']).strip()} {statement if since else f'for {statement}'}"
    if match := _COUNT.match(question):
        return f"{_predicate(match)} {statement} {match['what']}{_own(match['rest'] or '')}"
    if match := _INTERESTED.match(question):
        return f"I am {match['how']} in {statement}"
    if (match := _ANY.match(question)) and question.lower().startswith("any "):
        return f"my {_own(match['what'])} include {statement}"
    match = _OPEN.match(question)
    if match is None or match["verb"].lower() in _OF_THE_TALK or (match["where"] and not _PLACE.match(statement)):
        return None
    if match["what"] and match["rest"] and not _AT_ITS_END.fullmatch(match["rest"]):
        return None  # the answer stands within the question: "which day do you see her"
    return f"{_predicate(match)}{_own(match['rest'] or '')} {statement}"


def _predicate(match: re.Match[str]) -> str:
    """I with the verb of the question in its form."""
    aux, verb = match["aux"].lower(), match["verb"].lower()
    return f"I {_AUX[aux]}{inflected(verb, 'past', tables('en')) if aux == 'did' else verb}"


def _own(words: str) -> str:
    return re.sub(r"\byou\b", "I", re.sub(r"\byour\b", "my", words))
