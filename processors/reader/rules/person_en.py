"""English: a first-person predicate told about its owner ("I've lived here" -> "Ann has lived here")."""

from __future__ import annotations

import re

from processors.reader.rules.joint_subjects_en import both
from processors.reader.rules.others import KIN_EN
from processors.reader.rules.text import QUOTED
from processors.reader.rules.typed_en import spelled
from processors.reader.rules.words_en import alternatives
from processors.reader.wording.inflect import inflected
from processors.reader.wording.tables import tables

# Past forms that are not -ed; -s is not added to them. Those equal to their base form stay as they are.
_PAST_WORDS = """
    ate beat became began bent bet bit blew bought bound bred broke brought built burnt burst came cast caught chose
    clung cost crept cut dealt did dove drank dreamt drew drove dug fed fell felt fit flew fled forgave forgot
    fought found froze gave got grew ground had heard held hid hit hung hurt kept knew knit laid lay leant leapt
    learnt led left lent let lit lost made meant met mistook mowed outgrew overcame paid put quit ran rang read
    rebuilt redid rode rose said sang sank sat saw sent set sewed shook shot showed shrank shut slept slid sold
    sought spent spilt split spoke spread spun stole stood struck stuck stung swam swept swore swung taught thought
    threw told took tore understood undertook upset wed went wept woke won wore wound wove wrote was were withdrew
    been gone done seen
"""
_PAST = frozenset(_PAST_WORDS.split())
_FIXED_WORDS = """
    was cannot and or as who to of in on at for that which but if a an the not with than too
    will would can could should shall may might must ought used gonna wanna gotta never's is has does am've 'd 'll
    not never always often was also still just only even really finally recently currently usually sometimes definitely
    probably actually already soon once first now then mostly mainly originally basically truly totally absolutely
    especially generally rarely hardly certainly simply
"""
_FIXED = frozenset(_FIXED_WORDS.split())
_ADVERB_WORDS = """
    also still just only even really finally recently currently usually sometimes definitely probably actually
    already soon once now then mostly mainly originally basically truly totally absolutely especially generally
    rarely hardly never no longer always often certainly simply not both all ever kinda almost nearly first last
    rather either re officially personally honestly sort-of deeply greatly highly strongly fully quite long
"""
_ADVERB = frozenset(_ADVERB_WORDS.split())
_IRREGULAR = {
    "am": "is", "are": "are", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't", "go": "goes",
}  # fmt: skip
_PLURAL = {"am": "are", "is": "are", "was": "were"}
_SOMEBODY = rf"(?:{KIN_EN}|{alternatives('he', 'she', 'either', 'roles')})"
_OF_SOMEBODY = rf"\b(?P<of>(?:my|our) (?:[a-z-]+ ){{0,2}}?{_SOMEBODY})'s"
_HOW = r"(?:(?:not|so|very|really|too|quite|pretty|always|still|just|now|also|only|never|even|already|[a-z]+ly) )"
_CONTRACTED = (
    (
        re.compile(
            rf"{_OF_SOMEBODY} (?=(?:been|got|gone|had|done|always been|never been"
            r"|(?:worked|lived|moved|stopped|started|decided|asked|passed|lost|left) (?:my|the|an?|to|in|at|as|for|away"
            r"|out|from|us|me)) )",
            re.I,
        ),
        r"\g<of> has ",
    ),
    (
        re.compile(
            rf"{_OF_SOMEBODY} (?={_HOW}{{0,3}}(?:an? [a-z]|not |(?:from|in|at|into|off to|on) |\d+\b"
            rf"|(?:{alternatives('said_of_somebody')})(?=$|[,;.!]| (?:on|about|in|at|of|to|with|for|that|from|by|but|so"
            r"|because|since|when|now|too|again|as|than|today|this|these|lately|right now)\b"
            r"| and (?!(?:[a-z]+ ){1,2}(?:is|was|has)\b))"
            r"|[a-z]{2,}ing (?:to|for|at|in|on|with|my|our|the|an?|me|us|out|up|off|his|her)\b))",
            re.I,
        ),
        r"\g<of> is ",
    ),
    (
        re.compile(r"\b(?P<verb>do|does|did|ca|could|would|should|have|has|had|is|are|was|were)nt\b", re.I),
        r"\g<verb>n't",
    ),
    (re.compile(r"\bI'm\b", re.I), "I am"),
    (re.compile(r"\bI've\b", re.I), "I have"),
    (re.compile(r"\bI'll\b", re.I), "I will"),
    (re.compile(r"\bI'd (?=been|had|gone|done|seen|never been|always wanted|lost|got|\w{2,12}ed\b)", re.I), "I had "),
    (re.compile(r"\bI'd\b|\bI d\b", re.I), "I would"),
    (
        re.compile(
            r"\b(?P<who>I|we) rather (?!(?:like|love|enjoy|hope|think|fancy|dislike|hate|need|want|doubt|admire"
            r"|[a-z]+ed)\b)(?=[a-z])",
            re.I,
        ),
        r"\g<who> would rather ",
    ),
    (
        re.compile(r"\b(?P<who>I|we)(?:'d| would) sooner (?=(?:have|be|go|stay|keep|not)\b|.*\bthan\b)", re.I),
        r"\g<who> would rather ",
    ),
    (re.compile(r"\bwe're\b", re.I), "we are"),
    (re.compile(r"\bwe've\b", re.I), "we have"),
    (re.compile(r"\bwe'll\b", re.I), "we will"),
    (re.compile(r"\bwe'd\b", re.I), "we would"),
    (
        re.compile(r"\b(?P<who>I|we) (?P<how>(?:never|just|only|also|always|already) )?been\b", re.I),
        r"\g<who> have \g<how>been",
    ),
    (re.compile(r"\b(?:[Ii]m)\b"), "I am"),
    (re.compile(r"\b(?:[Ii]ve)\b"), "I have"),
    (re.compile(r"\bI am gonna\b", re.I), "I am going to"),
    (re.compile(r"\bgonna\b", re.I), "going to"),
    (re.compile(r"\bwanna\b", re.I), "want to"),
    (re.compile(r"\bgotta\b", re.I), "have to"),
    (re.compile(r"\bain't\b", re.I), "am not"),
    (re.compile(rf"\b(?P<m>[Mm])e (?=(?:{alternatives('my_own')})\b)"), r"\g<m>y "),
    (re.compile(r"\b[Cc]uz\b|'[Cc]ause\b|\bbc\b|\bb/c\b"), "because"),
    (re.compile(r"\bw(?:/|(?= (?:the|an?|my|our|his|her|their|some\w*)\b))", re.I), "with"),
    (re.compile(r"\btmrw\b", re.I), "tomorrow"),
)
_ONES_OWN = re.compile(r"\b(on|of|by) my own$|\b(on) my own(?= )", re.I)
_EMPHATIC = re.compile(
    rf"\b(?P<who>I|we) (?P<how>(?:(?:also|really|still|sure|certainly|actually) )?)(?P<did>do|did) "
    rf"(?P<often>(?:(?:often|usually|sometimes|also|really"
    rf"|still) )?)(?P<verb>{alternatives('emphasised')})\b(?! (?:it|that|this|so)$)",
    re.I,
)
"""I do love tennis, I did go to Leeds."""
_PRONOUN = re.compile(
    r"(?<!-)\b(?P<subject>I|we)\b(?P<gap>\s+)(?P<rest>(?!(?:I|we)\b)[A-Za-z']+"
    r"(?:\s+(?!(?:I|we|my|me|our|us)\b)[A-Za-z']+){0,2})"
    r"|\b(?P<my>my)\b|\b(?P<mine>mine)\b|\b(?P<me>(?-i:[mM]e))\b|\b(?P<self>myself)\b|\b(?P<our>our)\b|\b(?P<us>(?-i:[uU]s))\b"
    r"|\b(?P<ourselves>ourselves)\b|(?<!-)\b(?P<loneI>I|we)\b",
    re.I,
)
_AUXILIARY_BEFORE = re.compile(r"\b(?:did|do|will|would|could|should|can|may|might|must|shall|had|have)\s$", re.I)


_COUPLE = re.compile(rf"(?:(?:have|had|just|also|finally|recently) )*(?:{alternatives('of_a_couple')})\b", re.I)
_AS_TWO = re.compile(r"\bas a couple\b", re.I)
_GOING_ON = re.compile(
    rf"\b(?P<join>and|but|or) (?:(?:also|then|just|usually|sometimes|really) )?(?P<verb>{alternatives('going_on')})"
    r"(?= (?:the|an?|my|their|our|his|her|it|them|some|any|every|all|no|after|[A-Z]\w+|to [a-z]+)\b)"
)
_PRESENT = re.compile(r" (?:[a-z]+ly |also |still |always |never |often |sometimes )*(?!was\b)[a-z]+s\b")
_NOT_FINITE = re.compile(r"\b(?:to [a-z]+|does|did|is going|let|lets|help|helps|make|makes|and)\b")
_DENIED = re.compile(r" (?:doesn't|does not|isn't|is not|is an?)\b")


# The owner was named before, and since then nobody whom "they" could be.
_AGAIN = re.compile(r"\b(?:I|we|my|our|me)\b", re.I)
_BETWEEN = re.compile(
    rf"\b(?:{KIN_EN})s?\b|\b(?:they|them|their|people|we|us|our)\b|(?<=[a-z,'] )[A-Z][a-z]+\b(?! [A-Z])"
    r"|\b(?:my|the) [a-z]+s\b"
)


def _plural(rest: str) -> str:
    """The verb behind "they"."""
    verb, _, more = rest.partition(" ")
    return f"{_PLURAL_OF.get(verb.lower(), verb)} {more}".rstrip()


_PLURAL_OF = {"am": "are", "was": "were", "is": "are"}


def expand(text: str) -> str:
    """Return `text` with first-person contractions written out ("I'm" -> "I am")."""
    text = spelled(text)
    for pattern, full in _CONTRACTED:
        text = pattern.sub(full, text)
    return _EMPHATIC.sub(_plainly, text)


def _plainly(match: re.Match[str]) -> str:
    verb = match["verb"] if match["did"].lower() == "do" else inflected(match["verb"], "past", tables("en"))
    how = "" if match["how"].lower().startswith("sure") else match["how"]
    return f"{match['who']} {how}{match['often']}{verb}"


def conjugate(words: str) -> str:
    """Return a predicate in the third person singular ("really love tea" -> "really loves tea")."""
    parts = words.split(" ")
    for at, word in enumerate(parts[:4]):
        low = word.lower().strip(",")
        if low in _ADVERB or (low.endswith("ly") and low not in _VERBS_IN_LY):
            continue
        parts[at] = _third(word)
        break
    return " ".join(parts)


def is_past(verb: str) -> bool:
    """Is this form of a verb one of the past, or an auxiliary, which say when?"""
    low = verb.lower()
    return low in _PAST or low in _FIXED or low in {"am", "have", "had", "did"} or low.endswith("ed")


def is_done(verb: str) -> bool:
    """Is this a form of the past of a verb that says what somebody did?"""
    low = verb.lower()
    return low not in {"had", "was", "were", "been"} and (low in _PAST or (low.endswith("ed") and low not in _BASE_ED))


_VERBS_IN_LY = frozenset(
    {"fly", "apply", "reply", "rely", "supply", "comply", "imply", "multiply", "bully", "rally", "tally"}
)
_BASE_ED = frozenset({"need", "feed", "heed", "bleed", "breed", "speed", "exceed", "succeed"})


def _third(verb: str) -> str:
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _PAST or low in _FIXED or low.endswith(("n't", "nae")) or not low.isalpha():
        return verb
    if low.endswith("ed") and low not in _BASE_ED:
        return verb
    if low.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def about(text: str, owner: str) -> str:
    """Return an English statement of the first person with `owner` in place of every pronoun.

    "I went there with my sister" -> "Ann went there with Ann's sister"; "we" becomes "Ann and
    others", the only reading that a sentence alone allows.
    """
    text = _ONES_OWN.sub(lambda m: f"{m[1] or m[2]} their own", both(text, owner))
    group = f"{owner} and others"
    opened = text.startswith(owner)
    several = re.match(r"we\b", text, re.I) is not None and _BETWEEN.search(text[2:].split(" our ")[0]) is None

    couple = f"{owner} and their partner"

    def reworded(match: re.Match[str]) -> str:
        kind = match.lastgroup
        before = match.string[: match.start()]
        again = _AGAIN.search(before) if before.strip() else None
        named_once = (opened or again is not None) and not _BETWEEN.search(before.removeprefix(owner))
        if match.group("subject"):
            rest = match.group("rest")
            is_inverted = _AUXILIARY_BEFORE.search(before[-8:]) is not None
            if match.group("subject").lower() == "we":
                as_two = _COUPLE.match(match.string, match.start("rest")) or _AS_TWO.search(match.string)
                whom = couple if as_two else group
                return f"{whom}{match.group('gap')}{_PRONOUN.sub(reworded, rest)}"
            if named_once:
                return f"they{match.group('gap')}{_plural(_PRONOUN.sub(reworded, rest))}"
            return f"{owner}{match.group('gap')}{_PRONOUN.sub(reworded, rest if is_inverted else conjugate(rest))}"
        plain = {"my": f"{owner}'s", "mine": f"{owner}'s", "me": owner, "self": "themself", "our": f"{owner}'s"}
        later = {"my": "their", "mine": "theirs", "me": "them", "our": "their"}
        if kind == "our" and several:
            return "their"
        if kind == "loneI":
            return group if match.group().lower() == "we" else owner
        if named_once and kind in later:
            return later[kind]
        return "themselves" if kind == "ourselves" else plain.get(kind or "", group)

    pieces = []
    end = 0
    for quoted in QUOTED.finditer(text):  # "I" in a quotation is somebody else
        pieces.append(_PRONOUN.sub(reworded, expand(text[end : quoted.start()])) + quoted.group())
        end = quoted.end()
    return _going_on("".join(pieces) + _PRONOUN.sub(reworded, expand(text[end:])), owner)


def _going_on(text: str, owner: str) -> str:
    """The same with the verb behind "and" or "but" in the form of the first: "Ann goes on Mondays and runs a club"."""
    if not text.startswith(f"{owner} "):
        return text
    head = _GOING_ON.search(text)
    if head is None:
        return text
    before = text[len(owner) : head.start()]
    plain = _PRESENT.match(before) is not None and _NOT_FINITE.search(before) is None
    denied = head["join"] == "but" and _DENIED.match(before) is not None
    if not (plain or denied):
        return text
    return f"{text[: head.start('verb')]}{_third(head['verb'])}{text[head.end('verb') :]}"
