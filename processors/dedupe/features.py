"""What the gate keeps of a text to recognise it again within 7 days (D3). Pure and deterministic."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

import Stemmer

from processors.dedupe.lexicon import (
    COORDINATORS,
    EN_ADVERBS,
    EN_ATTRIBUTION,
    EN_FUNCTION,
    EN_NEGATORS,
    EN_TITLES,
    PHRASE_STARTS,
    POLES,
    ZH_FUNCTION,
    ZH_NEGATORS,
    ZH_NOT_NEGATING,
)
from processors.dedupe.numerals import canonical_numbers

MAX_TOKENS = 256
"""Longer texts are compared by their first 256 tokens and by the digest of the whole."""

HAN = "\u3400"
"""Tokens that begin here or above are Han."""

NAME = 1
BREAK = 2
LISTED = 4
"""Flags of a token: part of a name; first after punctuation; first after a comma that may part a list's items."""

_CONTRACTED = re.compile(
    r"\b(did|does|do|is|was|are|were|could|would|should|has|have|had|must|need)n[' ]?t\b"
    r"|\b(ca|wo)n[' ]?t\b|\b(can)not\b"
)
_TOKEN = re.compile(r"(#-?\d[\d.:]*|@[mw]\d+)|([^\W\d_\u3400-\u9fff]+)|([\u3400-\u9fff]+)|([^\s\w#@'-]+)|(\d+)")
_CURRENCY = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yuan", "₹": "rupee"}
_AMOUNT = re.compile(r"([$€£¥₹])\s?(\d[\d,.]*\d|\d)(\s?(?:k\b|hundred\b|thousand\b|million\b|billion\b|万|亿))?")
_COMPARED = re.compile(r"([<>]=?|≤|≥)\s?(?=[-−$€£¥]?\d)")
_BOUND = {"<": "lessthan", ">": "morethan", "<=": "atmost", ">=": "atleast", "≤": "atmost", "≥": "atleast"}
_SUFFIXED = re.compile(r"(?<![a-z])([a-z]{1,3})(\+\+|#)(?![\w+#])|(?<![a-z])(ab|[a-fo])([+-])(?![\w+-])")
_SUFFIX = {"++": "plusplus", "#": "sharp", "+": "plus", "-": "minus"}
_NEGATIVE = re.compile(r"(?<![\w.)\]%-])[-−](?=\d)")
_PERCENT = re.compile(r"(?<=\d)\s?%")
_MINUS = re.compile(r"\bminus\s+#(?=\d)")
_LETTERS = re.compile(r"[^\W\d_]+")
_CAPITAL = re.compile(r"[A-Z]")
_LEXICON = frozenset(
    w for w in [*POLES, *ZH_NEGATORS, *ZH_NOT_NEGATING, *COORDINATORS, *PHRASE_STARTS] if len(w) > 1 and w[0] >= HAN
)
_LONGEST = max(map(len, _LEXICON))
_NOT_NAMES = EN_FUNCTION | EN_NEGATORS | EN_ATTRIBUTION | EN_TITLES | EN_ADVERBS | PHRASE_STARTS
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Features:
    """One text, ready to be compared: about 6 bytes a token as JSON. Holds words, so it is sealed like the text.

    digest: 16 hex digits over the letters and digits alone; tokens: lower case, canonical numbers, Han characters one
    by one; flags: NAME and BREAK bits, one a token; negations: how many negators.
    """

    digest: str
    tokens: tuple[str, ...]
    flags: tuple[int, ...]
    negations: int

    def to_json(self) -> str:
        """A compact value for the state row."""
        row = [_VERSION, self.digest, " ".join(self.tokens), "".join(map(str, self.flags)), self.negations]
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, value: str) -> "Features":
        """The inverse of `to_json`; ValueError for another version, so the caller extracts again from the text."""
        version, digest, tokens, flags, negations = json.loads(value)
        if version != _VERSION:
            raise ValueError(f"features of version {version}, expected {_VERSION}")
        return cls(digest, tuple(tokens.split()), tuple(map(int, flags)), negations)


def extract_features(text: str, names: Sequence[str] = ()) -> Features:
    """Features of `text`; `names` are entity strings found in it by a recogniser (needed for Chinese names)."""
    folded = _fold(text)
    lower = _spelled(folded.lower())
    named = _names(folded) | {part for name in names for part in _words(name)}
    plain = canonical_numbers(_CONTRACTED.sub(_expand, lower)).replace("'s ", " ")
    plain = _MINUS.sub("#-", plain)
    tokens: list[str] = []
    flags: list[int] = []
    broken = BREAK
    for match in _TOKEN.finditer(re.sub(r"'s\b", "", plain)):
        if match[4]:
            broken |= _break(match[4], tokens)
            continue
        if match[3]:
            parts = _segment(match[3], named)
        else:
            parts = [match[1].rstrip(".:") if match[1] else match[2] or f"#{match[5]}"]
        for part in parts:
            tokens.append(part)
            flags.append(broken | (NAME if part in named else 0))
            broken = 0
    return Features(_digest(lower), tuple(tokens[:MAX_TOKENS]), tuple(flags[:MAX_TOKENS]), _negations(tokens))


def digest(text: str) -> str:
    """16 hex digits over the letters and digits alone, as `Features.digest`."""
    return _digest(_spelled(_fold(text).lower()))


def _fold(text: str) -> str:
    """NFKC, one apostrophe, Latin letters without their marks (Martínez, Martinez)."""
    folded = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    if folded.isascii():
        return folded
    bare = (c for c in unicodedata.normalize("NFD", folded) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", "".join(bare))


def _break(marks: str, before: list[str]) -> int:
    if not marks.strip("·•"):
        return 0
    # In Chinese "、" parts items and "," parts clauses.
    listed = "、" in marks or ("," in marks and bool(before) and before[-1][0] < HAN)
    return BREAK | (LISTED if listed else 0)


def _expand(match: re.Match[str]) -> str:
    verb = match[1] or {"ca": "can", "wo": "will"}.get(match[2] or "", "can")
    return f"{verb} not"


def _spelled(lower: str) -> str:
    """Signs that say something as words, where punctuation is passed over: "$500" is not "€500", "> 80" not "< 80",
    "-5" not "5", "5%" not "5", "C++" not "C"."""
    if lower.isalnum():
        return lower
    phrase = _COMPARED.sub(lambda m: f" {_BOUND[m[1]]} ", lower)
    phrase = _AMOUNT.sub(lambda m: f"{m[2]}{m[3] or ''} {_CURRENCY[m[1]]} ", phrase)
    phrase = _SUFFIXED.sub(lambda m: (m[1] or m[3]) + _SUFFIX[m[2] or m[4]], phrase)
    phrase = _PERCENT.sub(" percent", phrase)
    return _NEGATIVE.sub("minus ", phrase)


def _digest(spelled: str) -> str:
    # Separators go, but "5.5" and "55" stay different, and so do "9-5" and "95"; "1,000" is "1000".
    parted = re.sub(r"(?<=\d)(?:[.:/-]|,(?!\d{3}(?!\d)))(?=\d)", "p", spelled)
    kept = re.sub(r"[\W_]+", "", parted)
    return hashlib.blake2b(kept.encode(), digest_size=8).hexdigest()


def _names(text: str) -> set[str]:
    """Lower-cased words written with a capital. An upper-case text tells nothing; a function word is never a name."""
    letters = [c for c in text if c.isalpha() and c.isascii()]
    if not letters or sum(c.isupper() for c in letters) > 0.7 * len(letters):
        return set()
    words = {m[0].lower() for m in _LETTERS.finditer(text) if _CAPITAL.search(m[0])}
    words -= _NOT_NAMES
    # At the start of a sentence every word has a capital: adverbs and participles there are no names.
    words = {w for w in words if not w.endswith(("ing", "ly"))}
    # Names in Chinese transliteration are joined by a middle dot.
    words.update(part for run in re.findall(r"[\u3400-\u9fff]+(?:[·•][\u3400-\u9fff]+)+", text) for part in run[1:-1])
    return {w for w in words if len(w) > 1}


def _words(name: str) -> list[str]:
    return [m[2] or m[3] for m in _TOKEN.finditer(unicodedata.normalize("NFKC", name).lower()) if m[2] or m[3]]


def _segment(run: str, named: set[str]) -> list[str]:
    """Names and lexicon words whole, every other Han character by itself."""
    out: list[str] = []
    i = 0
    longest = max(_LONGEST, max((len(n) for n in named), default=0))
    while i < len(run):
        sizes = range(min(longest, len(run) - i), 1, -1)
        size = next((n for n in sizes if run[i : i + n] in _LEXICON or run[i : i + n] in named), 1)
        out.append(run[i : i + size])
        i += size
    return out


def _negations(tokens: list[str]) -> int:
    """How many negators; "neither .. nor" and "not .. nor" deny once, "no. 2" and "not only" not at all."""
    count = 0
    for word, following in zip_longest(tokens, tokens[1:], fillvalue=""):
        if word == "nor" or (word == "no" and following.startswith("#")) or (word == "not" and following == "only"):
            continue
        count += word in EN_NEGATORS or word in ZH_NEGATORS
    return count


def is_number(token: str) -> bool:
    """A canonical number, clock time, month or weekday."""
    return token[0] in "#@"


def is_function(token: str) -> bool:
    """A word of grammar in either language."""
    return token in EN_FUNCTION or token in ZH_FUNCTION


@lru_cache(maxsize=65536)
def stem(token: str) -> str:
    """The English stem; numbers and Han tokens unchanged."""
    if token[0] in "#@" or token[0] > "\u02ff":
        return token
    return str(_STEMMER.stemWord(token))


_STEMMER = Stemmer.Stemmer("english")


def shingles(features: Features) -> list[str]:
    """Character n-grams for MinHash: 3 letters in words, 2 in Han runs, blind to the order of words."""
    out: set[str] = set()
    run = ""
    for token in (*features.tokens, ""):
        if token and token[0] >= HAN:
            run += token
            continue
        out.update(run[i : i + 2] for i in range(max(1, len(run) - 1)) if run)
        run = ""
        if token:
            padded = f" {token} "
            out.update(padded[i : i + 3] for i in range(max(1, len(padded) - 2)))
    return sorted(out)
