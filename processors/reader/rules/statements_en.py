"""English episodes told in full sentences, and requests, each standing alone with its owner (D2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from processors.reader.rules.beginnings_en import before_another
from processors.reader.rules.clauses_en import SUPPOSED
from processors.reader.rules.completeness_en import is_whole
from processors.reader.rules.found import Found
from processors.reader.rules.joint_subjects_en import as_one
from processors.reader.rules.person_en import expand
from processors.reader.rules.resolved_en import resolved
from processors.reader.rules.salience_en import CONTENT_WORD, DROPPED, is_content, weight, without_greeting
from processors.reader.rules.self_contained_en import as_owner, asks_for, reports
from processors.reader.rules.text import Sentence
from processors.reader.rules.third_person_en import is_stated, leads_on, starts_a_statement
from processors.reader.rules.tidied_en import tidy
from processors.reader.rules.words_en import alternatives
from processors.reader.rules.worth_en import Alone

_NO_REPORT = re.compile(
    r"(?:who|what|whats|when|where|why|how|which|whose|do|does|did|are|is|can|could|would|will|should|let's|lets|say"
    r"|imagine"
    r"|suppose|please|you|your|i mean (?:it|that)|tell"
    r"|explain|write|give|show|help|make sure|thanks?|thank)\b",
    re.I,
)
"""A question without its mark, a supposition, or what is asked of somebody."""
_WISHES = re.compile(
    r"(?:(?:(?:good )?(?:morning|afternoon|evening)|happy \w+day)(?: all| team| everyone)?(?:[,.!:;] ?|$)){1,3}",
    re.I,
)
_PROJECT = 3.0
"""Weight from which a sentence of a project is kept."""
_PART = 2.0
"""The same of a clause of one."""
LONGEST = 280
"""Characters of a kept sentence; a longer one is cut at a clause."""

QUOTES = re.compile(r"[\"\u201c\u201d]")
_APART = re.compile(
    r"(?:[,;]| [-\u2013\u2014]+)(?: (?:and|but|so))?(?: no)?,? | (?:and|but|so) (?=(?:I|we)\b|the )", re.I
)
_CUT = re.compile(r"[,;] |\s[-\u2013\u2014]\s| (?=(?:and|but|so|because|which)\s)")

# What a request opens with; "your" and "you" beyond it speak of the other person.
_POLITE = re.compile(
    rf"(?:(?:(?:can|could) you|(?:would|will) you(?! (?:{alternatives('asks_the_hearer')}|be [a-z]+ing)\b)) "
    r"(?:please |also |kindly |just |maybe |possibly )?(?:help me (?:to )?|be able to |assist me (?:in|with) )?"
    r"|(?:can|could|may|might) (?:I|we) (?:please |also |just"
r" )?|(?:please|kindly|pls)\s*,?\s*(?:can you |could you )?"
    r"|(?:do|would) you mind |(?:i|we) (?:would|'d) like you to |(?:i"
r"|we) (?:want|need) you to |help me (?:to )?)(?=[a-z])",
    re.I,
)  # fmt: skip
"""Not "would you like" or "will you be watching", which ask about the hearer, nor "shall I", which offers."""
_ASKS_ONE = re.compile(r"(?:would|will) you (?!please\b|kindly\b)|(?:may|might) (?:I|we)\b", re.I)
"""Among people it asks what the hearer would do or allow."""
_IMPERATIVE = re.compile(
    r"(?:find|get|book|reserve|show|search|look|play|set|add|make|buy|send|transfer|tell|give|check|schedule|order|rent"
    r"|recommend|suggest|change|put|cancel|remove|purchase|pay|call|list|pick|choose|start|open|create|update|use"
    r"|locate|provide|arrange|select|help|ask)\b(?! of\b)",
    re.I,
)
_GOAL = re.compile(
    r"\b(?:by|before|until|till|no later than|on|for|from|at|in|this|next|every)"
    r" (?:the )?(?:(?:next |this |coming )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|weekend|month|year)"
    r"|january|february|march|april|(?-i:May)|june|july|august|september|october|november|december"
    r"|\d{1,2}(?:st|nd|rd|th)\b|\d{1,2}(?::\d\d)? ?[ap]m\b|\d{1,2}:\d\d|noon|midnight"
    r"|end of (?:the |this |next )?(?:day|week|month|year))"
    r"|\b(?:tomorrow|tonight|today|asap|deadline|due|apply|application)\b"
    r"|^(?:get|become|find|apply|renew|prepare|train|learn|save|pass|plan|quit|stop|start)\b.*\bmy\b",
    re.I,
)
"""A deadline, an application, or something of one's own to be reached: among people a request names it to be kept."""
_OF_THE_MOMENT = re.compile(
    r"[a-z]+ (?:me |us )?(?:something|anything)\b|(?:practi[sc]e|rehearse|pretend|role-?play)\b|.*\bmore$"
    r"|.*\btell (?:me|us) (?:if|whether)\b|.*\b(?:this|these|following)\b[^:]*:",
    re.I | re.S,
)
"""What is asked names nothing, is played, a question, or to be done with a text that follows."""
_NOW = re.compile(r"\b(?:right now|at the moment|just now)\b", re.I)
_RHETORICAL = re.compile(r"(?:imagine|believe|guess|picture|think of)\b", re.I)
_WANTING = re.compile(
    r"(?!(?:I|we)(?:'d| would) (?:\w+ )?want\b)(?:I|we)(?:'d| would)? (?:(?:also|really|still|just|only|rather"
    r"|actually|currently|now|then|most likely"
    r"|definitely)\s)?(?:want|need|am looking|are looking|am searching|are searching|am trying|am interested in"
    r"|am planning|plan|am going|are going|will|wish|am hoping|hope|travel|start|have to|must(?! have\b)|require|intend"
    r"|am thinking (?:of|about) [a-z]+ing|am saving|am in the mood|feel like [a-z]+ing|am after|am leaving"
    r"|am departing|am traveling|am travelling|am flying"
    r"|(?:would |(?<=would ))(?:[a-z]+ )?(?:like|love|prefer)|like to)\b",
    re.I,
)  # fmt: skip
_HOPED = re.compile(r"(?:I|we) (?:[a-z]+ )?(?:wish|am hoping|hope) (?!to\b)", re.I)
_ADVISES = re.compile(r"(?:I|we) would (?:[a-z]+ly |just |also )?(?:start|travel|plan|have to)\b", re.I)
"""What somebody would do in the place of whom they talk with."""
_MENTIONS = re.compile(r"\b(?:I|we|my|our|me|us|mine|im|ive)\b", re.I)
_ONES_OWN = re.compile(r"\b(?:my|our|me|us)\b", re.I)
"""An order among people with nothing of its speaker's in it may be a piece of advice."""
_SPECIFIC = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|noon|midnight|am|pm|o'clock)\b", re.I)
_GREETING = re.compile(r"(?:hi|hello|hey|bye|goodbye|thanks?|good (?:morning|night|evening|afternoon))\b", re.I)
_SUBJECT = re.compile(r"[a-z]+ [a-z]+ (?:is|are|was|were)\b", re.I)
"""Book club is on Tuesdays: no order."""
_TOLD_ME = re.compile(r"\b[a-z]+ (?:me|us)\b", re.I)
_ME = re.compile(r"^(?P<verb>[a-z]+) (?:me|us)\b ?", re.I)
_ADDRESSED = re.compile(r"\byour?\b|\byou(?:'re|'ve)\b", re.I)


def episode(statement: Alone) -> Found:
    """Return a statement that stands alone as an episode of its owner, an intent where it says what they want. What
    does not stand alone names no owner."""
    named = statement.dropped == "unresolved" or statement.of_a_third
    text = statement.text if named else as_owner(statement.text)
    if wants(as_one(statement.text)):
        return Found(statement.start, statement.end, "intent", text, dropped=statement.dropped)
    return Found(
        statement.start, statement.end, "episode", text, episode_type="fact", dropped=statement.dropped
    )  # fmt: skip


def of_project(sentence: Sentence, original: str) -> Iterator[Found]:
    """Yield what a sentence of a project says, as it was said: its figures, problems and solutions are nobody's own,
    and its report reads them. Clauses of subjects of their own are a statement each. Nothing of one that supposes,
    asks or only chats."""
    whole = _of_project(original) if not sentence.asks else None
    if whole is None:
        return
    parts = _parts_of_project(original)
    if len(parts) == 1:
        yield _project_finding(sentence.start, sentence.end, whole)
    for start, end in parts if len(parts) > 1 else []:
        phrase = _project_part(original[start:end]) or whole
        yield _project_finding(sentence.start + start, sentence.start + end, phrase)


def _parts_of_project(original: str) -> list[tuple[int, int]]:
    """Where the clauses of a sentence that have subjects of their own stand; one that points at another stays with
    it."""
    starts = [0]
    ends = []
    for cut in _APART.finditer("" if QUOTES.search(original) else original):
        before = original[starts[-1] : cut.start()]
        following = _APART.split(original[cut.end() :], maxsplit=1)[0]
        if not starts_a_statement(original[cut.end() :]) or not is_stated(before) or leads_on(before):
            continue
        if _project_part(before) and _project_part(following):
            ends.append(cut.start())
            starts.append(cut.end())
    return list(zip(starts, [*ends, len(original)], strict=True))


_PART_ALONE = re.compile(
    r"^(?:once|after|as|before|given|since|if|when|while|until|unless|because|although|though|provided|assuming)\b"
    r"|\b(?:(?:is|are|was|were|do|does|did|has|have|had|ca|wo|would|should)(?:n't| not)?|can|will|says?|said|told"
    r"|thinks?|believes?)\s*[.!]*$",
    re.I,
)
"""A condition, or what is only whole with the clause beside it: "my son is", "my boss says"."""


def _project_part(original: str) -> str | None:
    phrase = _of_project(original, least=_PART)
    return phrase if phrase is not None and resolved(phrase) and not _PART_ALONE.search(phrase) else None


def _of_project(original: str, *, least: float = _PROJECT) -> str | None:
    phrase = tidy(original)
    if (wished := _WISHES.match(phrase)) is not None:
        phrase = phrase[wished.end() :]
        if not is_stated(phrase):
            return None
    phrase = without_greeting(phrase)
    if match := SUPPOSED.search(phrase):
        phrase = phrase[: match.start()].rstrip(" ,;-") if match.start() > 20 else ""
        phrase = re.sub(r"\s(?:and|but|so|because|as|even|or|only|see|know|wonder(?:ing)?)$", "", phrase)
    phrase = _shorter(phrase) if len(phrase) > LONGEST else phrase
    if _NO_REPORT.match(phrase) or _ADDRESSED.search(phrase) or len(phrase) < 8 or weight(phrase) < least:
        return None
    return phrase


def _project_finding(start: int, end: int, statement: str) -> Found:
    text = as_owner(statement) if DROPPED.match(statement) else statement[0].upper() + statement[1:]
    if wants(statement):
        return Found(start, end, "intent", text)
    return Found(start, end, "episode", text, episode_type="fact")


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _shorter(text: str) -> str:
    cut = [m.start() for m in _CUT.finditer(text, 0, LONGEST)]
    return text[: cut[-1]] if cut and cut[-1] > 40 else text[:LONGEST].rsplit(" ", 1)[0]


def specifics(text: str) -> int:
    """Count what a request is specific about: names, numbers and words beyond chat."""
    words = CONTENT_WORD.findall(text)
    content = sum(1 for w in words if is_content(w))
    numbers = len(_SPECIFIC.findall(text))
    return content + numbers


def wants(text: str) -> bool:
    """Does an English sentence say what its speaker wants or means to do?"""
    phrase = without_greeting(text)
    return _WANTING.match(expand(phrase if "?" in text else _with_i(phrase))) is not None


_PLANNING = re.compile(
    r"(?:(?:still|also|just|now) )?(?:thinking (?:of|about) [a-z]+ing|hoping to|planning (?:to|on)|looking to"
    r"|aiming to)\b"
    r"(?!.*\b(?:is|are|was|were) )",
    re.I,
)


def _with_i(text: str) -> str:
    """A plan with its subject, which may be left out: "thinking of selling the van"."""
    return f"I am {text[0].lower()}{text[1:]}" if _PLANNING.match(text) else text


def wish(sentence: Sentence, original: str, *, in_group: bool = False) -> Found | None:
    """Return what the owner tells an assistant they want or plan, where it names any particular. `in_group`: it is
    said among people, who hope and wish what is no plan."""
    phrase = without_greeting(tidy(original)).rstrip(" ,;:-")
    phrase = phrase if in_group or sentence.asks or "?" in original else _with_i(phrase)
    match = _WANTING.match(expand(phrase))
    if match is None or specifics(expand(phrase)[match.end() :]) < 1 or len(phrase) > LONGEST:
        return None
    advises = in_group and _ADVISES.match(expand(phrase))
    if advises or SUPPOSED.search(phrase[: match.end() + 8]) is not None or (in_group and _HOPED.match(expand(phrase))):
        return None
    def whole(text: str) -> bool:
        return (reports if in_group else asks_for)(text) and is_whole(expand(text), in_group=in_group)

    if in_group or not whole(phrase):
        phrase = next((head for head in before_another(phrase, in_group=True) if whole(head)), phrase)
    alone = whole(phrase)
    return Found(sentence.start, sentence.end, "intent", as_owner(phrase), dangling=not alone)


def request(
    sentence: Sentence, original: str, names_application: Callable[[str], bool], *, in_group: bool = False
) -> Found | None:
    """Return what the owner asks to be done, with its particulars, as an intent; None for one without any (B1).

    A question for the hearer's wish and an offer are none. `in_group`: among people, who also advise each other, it
    has to name a goal, a deadline or an application, and an order something of its speaker's.
    """
    phrase = without_greeting(tidy(original)).rstrip(" ,;:-")
    polite = _POLITE.match(phrase)
    if not (polite or _IMPERATIVE.match(phrase)):
        return None
    if in_group and (_ASKS_ONE.match(phrase) if polite else not _ONES_OWN.search(phrase)):
        return None
    rest = phrase[polite.end() :] if polite else phrase
    if _RHETORICAL.match(rest) or (in_group and not (_GOAL.search(rest) or names_application(rest))):
        return None
    if specifics(rest) < 2 or len(phrase) > LONGEST or _ADDRESSED.search(rest) or _SUBJECT.match(rest):
        return None
    if _OF_THE_MOMENT.match(rest) and not (_GOAL.search(rest) or _ONES_OWN.search(_TOLD_ME.sub("", rest))):
        return None
    rest = _ME.sub(lambda m: f"{m['verb']} ", rest) if not re.match(r"(?:tell|ask|let)\b", rest, re.I) else rest
    text = f"{{owner}} asked to {_lower(rest)}"
    return Found(sentence.start, sentence.end, "intent", text, dangling=not asks_for(rest))


def inquiry(sentence: Sentence, original: str) -> Found | None:
    """Return a question about something named or dated; questions about the other person's life are chat."""
    phrase = without_greeting(tidy(original)).rstrip(" ,;:-")
    named = any(w[0].isupper() for w in CONTENT_WORD.findall(phrase)[1:] if is_content(w)) or _SPECIFIC.search(phrase)
    if not named or _ADDRESSED.search(phrase) or len(phrase) > LONGEST or SUPPOSED.search(phrase):
        return None
    if "_" in sentence.text or _NOW.search(phrase):
        return None
    return Found(
        sentence.start, sentence.end, "episode", f"{{owner}} asked “{phrase}?”", dangling=True, episode_type="qa"
    )


def fragment(sentence: Sentence, original: str, question: str | None) -> Found | None:
    """Return a short answer that names something ("In Portland, OR."), beside the question it answers."""
    if _GREETING.match(original):
        return None
    phrase = without_greeting(tidy(original)).rstrip(" ,;:-")
    words = CONTENT_WORD.findall(phrase)
    if (
        _MENTIONS.search(phrase)
        or _ADDRESSED.search(phrase)
        or not 1 <= len(words) <= 12
        or not (_SPECIFIC.search(phrase) or any(w[0].isupper() and is_content(w) for w in words))
    ):
        return None
    if not question and DROPPED.match(phrase):
        return Found(sentence.start, sentence.end, "intent", as_owner(phrase), dangling=True)
    text = f"Asked “{question}?”, {{owner}} answered “{phrase}”" if question else f"{{owner}} said “{phrase}”"
    return Found(sentence.start, sentence.end, "intent", text, dangling=True)
