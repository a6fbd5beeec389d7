"""Whom an English clause is about, where the speaker has said so before: "Freya" is my daughter Freya, "she" my aunt.

A name is known by its relation ("my daughter Freya", "Freya's my daughter"). A pronoun is resolved where the turn has
named one person so far, and that one is the speaker's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from processors.reader.rules.others import KIN_EN
from processors.reader.rules.words_en import alternatives

_HE, _SHE = alternatives("he"), alternatives("she")
_WHO = rf"(?:{KIN_EN}|{alternatives('he', 'she', 'either')})"
_ROLE = rf"(?:{alternatives('roles')})"
_TITLED = r"(?-i:(?:Mr|Mrs|Ms|Dr|Miss|Prof)\.? [A-Z][a-z]{1,20})"
_NAME = rf"(?!(?:{alternatives('no_names')})\b)(?-i:[A-Z][a-z]{{1,20}}(?: [A-Z][a-z]{{1,20}})?)"
_MINE = re.compile(
    rf"\b(?:my|our) (?P<role>{_ROLE})(?:,| is) (?P<title>{_TITLED})\b"
    rf"|\b(?:my|our) (?P<is>(?:[\w-]+ ){{0,2}}?{_WHO})(?!'s\b|-)\b(?:(?:,? (?:called|named)"
    rf"|,)? (?P<name>{_NAME})\b(?!'s [a-z]))?"
    rf"|\b(?P<named>{_NAME})(?:'s| is|,) (?:my|our) (?P<as>(?:[\w-]+ ){{0,1}}?{_WHO})\b(?!'s\b)"
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
    r"|never|always|still|just|now|also|only|\w+(?:s|ed)|went|got|made|came|took|left|lost|gave|said|told|began|bought"
    r"|broke|found|won|kept|ran|sold|wrote|fell|felt|taught|thinks|used))\b"
)
_PRONOUN = re.compile(rf"(?P<who>he|she)(?={_IS})|(?P<whose>his|her)(?= [a-z'-]+(?: [a-z'-]+)?{_IS})", re.I)
_KNOWN = re.compile(rf"(?P<name>{_NAME})(?={_IS})")
_BARE = re.compile(
    rf"(?:the )?(?P<who>{alternatives('ones_own')})(?= are\b|{_IS})"
    r"|(?P<child>(?:youngest|eldest|oldest|older|younger|middle) (?:daughter|son|boy|girl)|daughter|son|brother"
    r"|sister)"
    r"(?= (?:is|was|has|had|will|can|can't|does|doesn't|won't)\b|'s (?:an?|the|not|in|at|on|off|been|got|gone"
    r"|\w+ing)\b)",
    re.I,
)
_SHORT_IS = re.compile(
    r"^'s (?:(?:never|always|already|just|also|only) )?"
    r"(?P<next>(?:an?|the|not|in|on|at|off|out|up|into|been|gone|got)\b"
    r"|[\w-]+\b(?! (?:[\w-]+ )?(?:is|was|has|had|will|can|are|(?!this|his)\w{2,}[^s\W]s)\b))"
)
"""What is short for "is" or "has", not what somebody has."""
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
    if match := _SHORT_IS.match(rest):
        has = _HAS.match(match["next"]) and not _NO_PARTICIPLE.match(match["next"])
        return f" {'has' if has else 'is'} {rest[3:]}"
    return rest


class People:
    """The people of the speaker whom the turn, or one before it, has named. One for each reading of a turn."""

    def __init__(self, before: Iterable[str] = ()) -> None:
        self._relation: dict[str, str] = {}
        self._named: list[str] = []
        """Everybody of this turn, each once, as the speaker's where they are."""
        for text in before:
            self._learn(text)

    def hear(self, text: str) -> None:
        """Take in what was said: later clauses may point at it."""
        rest = _MINE.sub(" ", text)
        for name, relation in self._learn(text):
            self._mention(f"{relation} {name}".strip())
        for other in _SOMEBODY.findall(rest):
            known = self._relation.get(other)
            self._mention(f"{known} {other}" if known else f"?{other.lower()}")

    def named(self, clause: str) -> str:
        """The clause with its subject as the speaker's own, where that is known; unchanged where not."""
        if match := _BARE.match(clause):
            return self._written(f"my {(match['who'] or match['child']).lower()}", clause[match.end() :])
        if (match := _KNOWN.match(clause)) and (relation := self._relation.get(match["name"])):
            return self._written(f"my {relation} {match['name']}", clause[match.end() :])
        match = _PRONOUN.match(clause)
        if match is None or len(self._named) != 1 or self._named[0][0] == "?":
            return clause
        who = self._named[0]
        he = (match["who"] or match["whose"]).lower() in {"he", "his"}
        if re.search(rf"\b(?:{_SHE if he else _HE})\b", who):
            return clause
        rest = clause[match.end() :]
        return f"my {who}'s{rest}" if match["whose"] else self._written(f"my {who}", rest)

    def _learn(self, text: str) -> list[tuple[str, str]]:
        """Names with their relations, or a relation without a name."""
        found = []
        for match in _MINE.finditer(text):
            name = match["name"] or match["named"] or match["called"] or match["title"] or ""
            relation = (match["is"] or match["as"] or match["of"] or match["role"]).lower()
            if name:
                self._relation[name] = relation
            found.append((name, relation))
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
