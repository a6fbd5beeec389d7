"""English episodes told in full sentences, and requests, each standing alone with its owner (D2)."""

from __future__ import annotations

import re

from processors.reader.rules.clauses_en import SUPPOSED
from processors.reader.rules.found import Found
from processors.reader.rules.person_en import conjugate, expand
from processors.reader.rules.salience_en import CONTENT_WORD, DROPPED, is_content, without_greeting
from processors.reader.rules.text import Sentence

LONGEST = 280
"""Characters of a kept sentence; a longer one is cut at a clause."""

_GERUND = re.compile(r"(?:(?:just|been|also)\s+)?(?P<verb>[a-z]{3,14}ing)\b", re.I)
_NO_GERUND = re.compile(r"[a-z]+,|(?:some|any|every|no)thing\b|(?:during|morning|evening|according|including)\b", re.I)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|can|could|will|would|has|have|had|makes?"
    r"|helps?|brings?|feels?|gives?|gets?|takes?|keeps?|'s)\b",
    re.I,
)
# "Condensed milk toast is delicious": not what somebody did.
_ADJECTIVE = re.compile(r"[a-z]+ed (?:[\w'-]+ ){1,4}?(?:is|are|was|were|has|have|can|will)\b", re.I)
_SUBJECT = re.compile(r"(?:I|we|my|our|im|ive)\b|I'", re.I)
_MENTIONS = re.compile(r"\b(?:I|we|my|our|me|us|mine|im|ive)\b", re.I)
_CUT = re.compile(r"[,;] |\s[-\u2013\u2014]\s| (?=(?:and|but|so|because|which)\s)")

# What a request opens with; "your" and "you" beyond it speak of the other person.
_POLITE = re.compile(
    r"(?:(?:can|could|would|will) you (?:please |also |kindly |just"
r" |maybe |possibly )?(?:help me (?:to )?|be able to |assist me (?:in|with)"
r" )?"
    r"|(?:can|could|may|might|shall) (?:I|we) (?:please |also |just"
r" )?|(?:please|kindly|pls)\s*,?\s*(?:can you |could you )?"
    r"|(?:do|would) you mind |(?:i|we) (?:would|'d) like you to |(?:i"
r"|we) (?:want|need) you to |help me (?:to )?)(?=[a-z])",
    re.I,
)  # fmt: skip
_IMPERATIVE = re.compile(
    r"(?:find|get|book|reserve|show|search|look|play|set|add|make|buy|send|transfer|tell|give|check|schedule|order|rent"
    r"|recommend|suggest|change|put|cancel|remove|try|purchase|pay|call|list|pick|choose|start|open|create|update|use"
    r"|locate|provide|arrange|select|help|ask)\b",
    re.I,
)
_WANTING = re.compile(
    r"(?:I|we)(?:'d| would)? (?:(?:also|really|still|just|only|rather|actually|currently|now|then|most likely"
    r"|definitely)\s)?(?:want|need|am looking|are looking|am searching|are searching|am trying|am interested in"
    r"|am planning|plan|am going|are going|will|wish|am hoping|hope|travel|start|have to|must|require|intend"
    r"|am in the mood|feel like [a-z]+ing|am after|am leaving|am departing|am traveling|am travelling|am flying"
    r"|(?:would |(?<=would ))(?:[a-z]+ )?(?:like|love|prefer)|like to)\b",
    re.I,
)  # fmt: skip
_SPECIFIC = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|noon|midnight|am|pm|o'clock)\b", re.I)
_ME = re.compile(r"^(?P<verb>[a-z]+) (?:me|us)\b ?", re.I)
_GREETING = re.compile(r"(?:hi|hello|hey|bye|goodbye|thanks?|good (?:morning|night|evening|afternoon))\b", re.I)
_ADDRESSED = re.compile(r"\byour?\b|\byou(?:'re|'ve)\b", re.I)


def episode(sentence: Sentence, original: str) -> Found | None:
    """Return a sentence as an episode about its owner, or None where it supposes or cannot stand alone."""
    said = without_greeting(" ".join(original.split()))
    if match := SUPPOSED.search(said):
        said = said[: match.start()].rstrip(" ,;-") if match.start() > 20 else ""
        said = re.sub(r"\s(?:and|but|so|because|as|even|or|only|see|know|wonder(?:ing)?)$", "", said)
    if len(said) > LONGEST:
        said = _shorter(said)
    if len(said) < 8:
        return None
    if wants(said):
        return Found(sentence.start, sentence.end, "intent", _with_owner(said))
    return Found(sentence.start, sentence.end, "episode", _with_owner(said), episode_type="fact")


def _with_owner(said: str) -> str:
    """Name the owner: as the subject where it was dropped, as the speaker where the sentence is about others."""
    said = said.rstrip(" ,;:-")
    if _SUBJECT.match(said):
        return said[0].upper() + said[1:]
    if re.match(r"(?:gonna|wanna)\b", said, re.I):
        return f"{{owner}} {'is going to' if said[0] in 'gG' else 'wants to'} {said[6:]}"
    if (match := DROPPED.match(said)) and not match["verb"].lower().endswith("ing") and not _ADJECTIVE.match(said):
        return f"{{owner}} {conjugate(_lower(expand(said)))}"
    if _GERUND.match(said) and not _FINITE.search(said) and not _NO_GERUND.match(said):
        return (
            f"{{owner}} has been {_lower(said)}" if said.lower().startswith("been") else f"{{owner}} is {_lower(said)}"
        )
    if _MENTIONS.search(said):
        return said[0].upper() + said[1:]
    return f"{{owner}} said: {said[0].upper() + said[1:]}"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _shorter(said: str) -> str:
    cut = [m.start() for m in _CUT.finditer(said, 0, LONGEST)]
    return said[: cut[-1]] if cut and cut[-1] > 40 else said[:LONGEST].rsplit(" ", 1)[0]


def specifics(text: str) -> int:
    """Count what a request is specific about: names, numbers and words beyond chat."""
    words = CONTENT_WORD.findall(text)
    content = sum(1 for w in words if is_content(w))
    numbers = len(_SPECIFIC.findall(text))
    return content + numbers


def wants(text: str) -> bool:
    """Does an English sentence say what its speaker wants or means to do?"""
    return _WANTING.match(expand(without_greeting(text))) is not None


def wish(sentence: Sentence, original: str) -> Found | None:
    """Return what the owner tells an assistant they want or plan, where it names any particular."""
    said = without_greeting(" ".join(original.split())).rstrip(" ,;:-")
    match = _WANTING.match(expand(said))
    if match is None or specifics(expand(said)[match.end() :]) < 1 or len(said) > LONGEST:
        return None
    if SUPPOSED.search(said[: match.end() + 8]) is not None:
        return None
    return Found(sentence.start, sentence.end, "intent", _with_owner(said))


def request(sentence: Sentence, original: str) -> Found | None:
    """Return what the owner asks to be done, with its particulars, as an intent; None for one without any."""
    said = without_greeting(" ".join(original.split())).rstrip(" ,;:-")
    polite = _POLITE.match(said)
    if not (polite or _IMPERATIVE.match(said)):
        return None
    rest = said[polite.end() :] if polite else said
    if specifics(rest) < 2 or len(said) > LONGEST or _ADDRESSED.search(rest):
        return None
    rest = _ME.sub(lambda m: f"{m['verb']} ", rest) if not re.match(r"(?:tell|ask|let)\b", rest, re.I) else rest
    return Found(sentence.start, sentence.end, "intent", f"{{owner}} asked to {_lower(rest)}")


def inquiry(sentence: Sentence, original: str) -> Found | None:
    """Return a question about something named or dated; questions about the other person's life are chat."""
    said = without_greeting(" ".join(original.split())).rstrip(" ,;:-")
    named = any(w[0].isupper() for w in CONTENT_WORD.findall(said)[1:] if is_content(w)) or _SPECIFIC.search(said)
    if not named or _ADDRESSED.search(said) or len(said) > LONGEST or SUPPOSED.search(said):
        return None
    return Found(sentence.start, sentence.end, "episode", f"{{owner}} asked: {said}?", episode_type="qa")


def fragment(sentence: Sentence, original: str, asked: str | None) -> Found | None:
    """Return a short answer that names something ("In Portland, OR."), beside the question it answers."""
    if _GREETING.match(original):
        return None
    said = without_greeting(" ".join(original.split())).rstrip(" ,;:-")
    words = CONTENT_WORD.findall(said)
    if (
        _MENTIONS.search(said)
        or _ADDRESSED.search(said)
        or not 1 <= len(words) <= 12
        or not (_SPECIFIC.search(said) or any(w[0].isupper() and is_content(w) for w in words))
    ):
        return None
    if not asked and DROPPED.match(said):
        return Found(sentence.start, sentence.end, "intent", _with_owner(said))
    text = f"{{owner}} answered “{asked}”: {said}" if asked else f"{{owner}} said: {said}"
    return Found(sentence.start, sentence.end, "intent", text)
