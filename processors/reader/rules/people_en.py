"""Whom an English clause is about, where the speaker has said so before: "Freya" is my daughter Freya, "she" my aunt.

A name is known by its relation ("my daughter Freya", "Freya's my daughter"). A pronoun is resolved where the turn has
named one person so far, and that one is the speaker's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from processors.reader.rules.others import KIN_EN
from processors.reader.rules.words_en import alternatives

_HE, _SHE = alternatives("he"), alternatives("she")
_WHO = rf"(?:{KIN_EN}|{alternatives('he', 'she', 'either')})"
_OF_THEM = r" (?:members?|friends?|home|house|business|doctor|dentist|history|name|life|holiday|trip)\b"
"""A family doctor is no family."""
_ROLE = rf"(?:{alternatives('roles')})"
_TITLED = r"(?-i:(?:Mr|Mrs|Ms|Dr|Miss|Prof)\.? [A-Z][a-z]{1,20})"
_NAME = rf"(?!(?:{alternatives('no_names')})\b)(?-i:[A-Z][a-z]{{1,20}}(?: [A-Z][a-z]{{1,20}})?)"
_MINE = re.compile(
    rf"\b(?:my|our) (?P<role>{_ROLE})(?:,| is) (?P<title>{_TITLED})\b"
    rf"|\b(?:my|our) (?P<is>(?:[\w-]+ ){{0,2}}?{_WHO})(?!'s\b|-|{_OF_THEM})\b(?:(?:,? (?:called|named)"
    rf"|,)? (?P<name>{_NAME})\b(?!'s [a-z]))?"
    rf"|\b(?P<named>{_NAME})(?:'s| is|,) (?:my|our) (?P<as>(?:[\w-]+ ){{0,1}}?{_WHO})\b(?!'s\b)"
    rf"|\b(?:I|we)(?:'ve| have)?(?: (?:also|just|now|recently|actually|finally))?"
    rf" (?:have|had|got|adopted|bought|rescued|own|keep)(?: got)? (?:an?|one) (?P<had>(?:(?!and\b)[\w-]+ ){{0,2}}?"
    rf"(?:{alternatives('animals_kept')}|son|daughter|brother|sister|boyfriend|girlfriend|nephew|niece|cousin"
    rf"|roommate))\b"
    rf"(?!'s|-| (?:of|from)\b)(?:,? (?:called|named) (?P<petname>{_NAME}))?"
    rf"|\b(?:my|our) (?P<of>(?:[\w-]+ ){{0,2}}?{_WHO})'s name(?: is|'s) (?P<called>{_NAME})\b",
    re.I,
)
_SOMEBODY = re.compile(
    rf"\b{_WHO}s?\b|(?:Mr|Mrs|Ms|Dr|Miss)\.? [A-Z]\w+"
    r"|(?<=[a-z,';] )(?<!\bin )(?<!\bat )(?<!\bto )(?<!\bfrom )(?<!\bnear )(?<!\bthe )"
    r"(?!I\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May\b|June|July|August|September"
    r"|October|November|December|Christmas|Easter)[A-Z][a-z]+(?: [A-Z][a-z]+)?"
    r"|\b(?:someone|somebody|people|everyone|guy|girl|boy|man|woman|lady|bloke|doctor|teacher|they)\b"
    rf"|\b{_ROLE}s?\b",
)
_IS = (
    r"(?:'s|'ll| (?:is|was|has|had|will|would|can|can't|could|couldn't|does|doesn't|did|didn't|won't|isn't|wasn't"
    r"|hasn't"
    r"|never|always|still|just|now|also|only|(?:[a-z]+ly )?\w+(?:s|ed)|(?:[a-z]+ly )?(?:went|got|made|came|took"
    r"|left|lost|gave|said|told|began|bought"
    r"|broke|found|won|kept|ran|sold|wrote|fell|felt|taught|thinks|used)))\b"
)
_PRONOUN = re.compile(rf"(?P<who>he|she)(?={_IS})|(?P<whose>his|her)(?= [a-z'-]+(?: [a-z'-]+)?{_IS})", re.I)
_PAIR = re.compile(
    rf"\b(?:my|our) (?P<who>(?:[\w-]+ )?{_WHO}) and (?:I|me|myself)\b"
    rf"|\b(?:me|I) and my (?P<with>(?:[\w-]+ )?{_WHO})(?= [a-z])",
    re.I,
)
_WE = re.compile(r"we(?P<short>'re|'ve|'ll)?(?= [a-z])", re.I)
"""Whom "we" means where the speaker has said whom they do it with: "my brother and I are fine, we are tired"."""
_OF_SPEAKER = re.compile(r"(?:I|we)\b", re.I)
_OBJECT = re.compile(
    r"\b(?:him|her)(?=\s*(?:$|[,;.]|(?:in|on|at|for|from|since|because|when|to|about|after|before|so|and|but"
    r"|last|every"
    r"|yesterday|today|twice|once|again|so much|very much|a lot)\b))"
    r"(?!.*\b(?:him|her|he|she|his|hers)\b)",
    re.I,
)
_OWNED_BY = re.compile(
    r"(?P<lead>(?:'m|\b(?:am|was|to|at|of|in|for|with|on|from|like|love|miss)) )(?:his|her) (?=[a-z])"
    r"(?!.*\b(?:him|her|he|she|his|hers)\b)",
    re.I,
)
"""I am her bridesmaid."""
_OWN_SEVERAL = re.compile(
    rf"\b(?:my|our) (?:[\w-]+ ){{0,2}}?(?P<many>{alternatives('several_of_ones_own')})\b(?!'|-| (?:and|or)\b)"
    rf"|\b(?:I|we)(?:'ve)?(?: have| had| own| adopted| got)+ (?:{alternatives('counts')}|several|a few|some)"
    rf" (?:[\w-]+ ){{0,2}}?(?P<had>{alternatives('several_of_ones_own')})\b",
    re.I,
)
_SEVERAL_OTHERS = re.compile(
    r"\b(?:people|everyone|everybody|they|(?:the|some|those|these|their|his|her|many|most|all|other|several|few|two|three|four|five)"
    rf" (?:[\w-]+ )?(?!(?:{alternatives('nothing_to_come_back_to')})\b)[a-z]+[^s\W]s)\b",
    re.I,
)
_THEY = re.compile(r"they(?P<short>'re|'ve|'ll)?(?= [a-z])(?!.*\b(?:they|them|themselves)\b.*\b(?:my|our)\b)", re.I)
_KNOWN = re.compile(rf"(?P<name>{_NAME})(?={_IS})")
_BARE = re.compile(
    rf"(?:the )?(?P<who>{alternatives('ones_own')})(?= (?:are|have|were|love|like|go|get|want)\b|{_IS})"
    r"|(?P<child>(?:youngest|eldest|oldest|older|younger|middle) (?:daughter|son|boy|girl)|daughter|son|brother"
    r"|sister)"
    r"(?= (?:is|was|has|had|will|can|can't|does|doesn't|won't)\b|'s (?:an?|the|not|in|at|on|off|been|got|gone"
    r"|\w+ing)\b)",
    re.I,
)
_NEW = re.compile(r"^(?:(?:new|little|small|big|older|younger|old|young|cute|sweet|rescue|beautiful) )+", re.I)
"""My dog, of "a new dog"."""
_YOURS = re.compile(rf"\byour (?P<yours>(?:ex[- ])?{_WHO})\b(?!'s\b|s\b)", re.I)
_IS_ONE = re.compile(r"(?:'s| is| was) an? (?:[\w-]+ )?[\w-]+")
"""What somebody is names nobody else: "my wife is a vet"."""
_ANIMAL = re.compile(rf"\b(?:{alternatives('animals_kept')})s?\b", re.I)
_OF_ANIMALS = re.compile(rf"\b(?:{alternatives('animals_kept', 'of_animals')})s?\b", re.I)
_NOBODY = frozenset({"they", "people", "everyone"})
"""Whom "he" and "she" do not mean."""
_SHORT_IS = re.compile(
    r"^'s (?:(?:never|always|already|just|also|only) )?"
    r"(?P<next>(?:an?|the|not|in|on|at|off|out|up|into|been|gone|got)\b"
    r"|[\w-]+\b(?! (?:[\w-]+ )?(?:is|was|has|had|will|can|are|(?!this|his)\w{2,}[^s\W]s)\b))"
)
"""What is short for "is" or "has", not what somebody has."""
_ADVERB_HAS = re.compile(
    r"^'s (?:never|always|already|just|also|only) (?:been|got|gone|had|done|taken|given)\b"
    r"|^'s (?:never|already) (?!bored|tired|scared|interested|excited|worried|retired|engaged|married|divorced"
    r"|disabled)[a-z]+ed\b"
)
_HAS = re.compile(r"(?:been|got|gone|had|done|\w+ed|taken|given|moved)$", re.I)
_NO_PARTICIPLE = re.compile(
    r"(?:bored|tired|scared|interested|excited|worried|retired|engaged|married|divorced|disabled)$", re.I
)


def written_out(text: str, verb: int) -> str:
    """The sentence with the verb that begins at `verb` in full: "Jo's at work" -> "Jo is at work"."""
    return f"{text[:verb]}{_in_full(text[verb:])}"


def _in_full(rest: str) -> str:
    if rest.startswith("'ll "):
        return f" will{rest[3:]}"
    if rest.startswith("'re "):
        return f" are{rest[3:]}"
    if match := _ADVERB_HAS.match(rest):
        return f" has {rest[3:]}"
    if match := _SHORT_IS.match(rest):
        has = _HAS.match(match["next"]) and not _NO_PARTICIPLE.match(match["next"])
        return f" {'has' if has else 'is'} {rest[3:]}"
    return rest


def _own_people(text: str) -> list[tuple[str, str]]:
    """The speaker's people of one text: names, empty where none is said, with relations."""
    found = []
    for match in _MINE.finditer(text):
        name = match["name"] or match["named"] or match["called"] or match["petname"] or match["title"] or ""
        had = _NEW.sub("", match["had"]) if match["had"] else None
        relation = (match["is"] or match["as"] or match["of"] or had or match["role"]).lower()
        found.append((name, relation))
    return found


_SEVERAL = re.compile(r"\b(?:family|parents|in-laws|kids|children|siblings|grandparents|grandkids)\b(?! member)")
"""Whom neither "he" nor "she" means."""


def _may_be(who: str, he: bool) -> bool:
    return _SEVERAL.search(who) is None and re.search(rf"\b(?:{_SHE if he else _HE})\b", who) is None


def _spoken_of(before: str, heard: str) -> list[str]:
    """Everybody whom the last turn of the speaker and what they answer name, each once, the speaker's by relation."""
    own = [f"{relation} {name}".strip() for name, relation in _own_people(before)]
    own += [match["yours"].lower() for match in _YOURS.finditer(heard)]
    own = [who for who in dict.fromkeys(own) if not any(who in other and who != other for other in own)]
    rest = _IS_ONE.sub(" ", f"{_MINE.sub(' ', before)}. {_YOURS.sub(' ', heard)}")
    others = {other.lower() for other in _SOMEBODY.findall(rest) if other not in _NOBODY}
    named = [f"?{other}" for other in others if not any(other in who for who in own)]
    return [*own, *named]


class People:
    """The people of the speaker whom the turn, or one before it, has named. One for each reading of a turn."""

    def __init__(self, before: Sequence[str] = (), heard: str = "") -> None:
        """`before`: turns of the speaker; `heard`: what they answer, where somebody told it to them."""
        self._relation: dict[str, str] = {}
        self._of_before = _spoken_of(before[-1] if before else "", heard)
        self._pair = ""
        """With whom the speaker has said "I": the one, nobody, or ? for several."""
        self.spoken_of_last = False
        """Was what the last clause said somebody else's, so that one without a subject may be theirs?"""
        self._named: list[str] = []
        """Everybody of this turn, each once, as the speaker's where they are."""
        self._several: list[str] = []
        """Whom "they" may mean, ? for others than the speaker's."""
        for text in before:
            self._learn(text)

    def hear(self, text: str) -> None:
        """Take in what was said: later clauses may point at it."""
        if (pair := _PAIR.search(text)) is not None:
            who = (pair["who"] or pair["with"]).lower()
            self._pair = who if self._pair in {"", who} else "?"
        self._several += [(match["many"] or match["had"]).lower() for match in _OWN_SEVERAL.finditer(text)]
        self._several += ["?"] * (_SEVERAL_OTHERS.search(_OWN_SEVERAL.sub(" ", text)) is not None)
        rest = _IS_ONE.sub(" ", _MINE.sub(" ", text))
        for name, relation in self._learn(text):
            self._mention(f"{relation} {name}".strip())
        for other in _SOMEBODY.findall(rest):
            known = self._relation.get(other)
            self._mention(f"{known} {other}" if known else f"?{other.lower()}")

    def named(self, clause: str) -> str:
        """The clause with its subject as the speaker's own, where that is known; unchanged where not."""
        if self._pair not in {"", "?"} and (match := _WE.match(clause)):
            verb = {"'re": " are", "'ve": " have", "'ll": " will"}.get(match["short"] or "", "")
            return f"my {self._pair} and I{verb}{clause[match.end() :]}"
        if match := _BARE.match(clause):
            return self._written(f"my {(match['who'] or match['child']).lower()}", clause[match.end() :])
        if (match := _KNOWN.match(clause)) and (relation := self._relation.get(match["name"])):
            return self._written(f"my {relation} {match['name']}", clause[match.end() :])
        if (match := _THEY.match(clause)) and len(several := set(self._several)) == 1 and "?" not in several:
            verb = {"'re": " are", "'ve": " have", "'ll": " will"}.get(match["short"] or "", "")
            return f"my {several.pop()}{verb}{clause[match.end() :]}"
        match = _PRONOUN.match(clause)
        if match is None:
            return self._object_named(clause)
        who = self._meant((match["who"] or match["whose"]).lower() in {"he", "his"}, clause)
        if who is None:
            return clause
        rest = clause[match.end() :]
        return f"my {who}'s{rest}" if match["whose"] else self._written(f"my {who}", rest)

    def _object_named(self, clause: str) -> str:
        """The speaker's clause with "him" or "her" as the one person named: "I broke up with him"."""
        match, owner_of = _OBJECT.search(clause), _OWNED_BY.search(clause)
        pointing = match or owner_of
        if pointing is None or not _OF_SPEAKER.match(clause) or re.search(rf"\b{_WHO}s?\b", clause, re.I):
            return clause
        who = self._meant(pointing.group().lower().split()[-1] in {"him", "his"}, clause)
        if who is None:
            return clause
        if match is None and owner_of is not None:
            return f"{clause[: owner_of.start()]}{owner_of['lead']}my {who}'s {clause[owner_of.end() :]}"
        return f"{clause[: pointing.start()]}my {who}{clause[pointing.end() :]}"

    def _meant(self, he: bool, clause: str) -> str | None:
        """The one person of the speaker's whom "he" or "she" can mean: of this turn, else of those just before it.
        Of an animal named before only what is said of animals is told."""
        one_of = [who for who in self._named if _SEVERAL.search(who) is None]
        named = [who for who in one_of if who.removeprefix("?") not in _NOBODY]
        named = named or [who for who in self._of_before if _may_be(who, he)]
        if named and named[0] not in self._named and _ANIMAL.search(named[0]) and not _OF_ANIMALS.search(clause):
            return None
        return named[0] if len(named) == 1 and named[0][0] != "?" and _may_be(named[0], he) else None

    def _learn(self, text: str) -> list[tuple[str, str]]:
        """Names with their relations, or a relation without a name."""
        found = _own_people(text)
        self._relation |= {name: relation for name, relation in found if name}
        return found

    def _mention(self, who: str) -> None:
        same = next((n for n, known in enumerate(self._named) if known in who or who in known), None)
        if same is None:
            self._named.append(who)
        elif len(who) > len(self._named[same]):
            self._named[same] = who

    @staticmethod
    def _written(who: str, rest: str) -> str:
        """The subject with its verb written out."""
        return f"{who}{_in_full(rest)}"
