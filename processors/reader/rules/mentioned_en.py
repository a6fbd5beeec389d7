"""Whom or what ill somebody of a group has, by a word on the way: "I'll have to ask my husband", "when my cats catch
them", "with all my allergies" (B1).

Told only where the turn says nothing else of them, and where nothing says that they are no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from processors.reader.rules.clauses_en import SUPPOSED
from processors.reader.rules.words_en import alternatives

_PET = rf"(?P<pet>{alternatives('animals_kept')})"
_KIN = rf"(?P<kin>{alternatives('one_may_have')})"
_AGE = r"(?P<age>(?:(?:older|younger|oldest|youngest|eldest|twin|little|big|baby) )?)"
_MENTIONS = re.compile(
    rf"\bmy {_AGE}(?:{_KIN}|{_PET}(?P<many>s?))\b(?!-| in[- ]law"
    rf"|(?:'s)? (?:{alternatives('of_what_is_kept')})\b)"
    rf"|\b(?:with|from|because of|due to|by|of|despite|manage|control|treat) (?:all )?my "
    rf"(?:(?:{alternatives('how_one_suffers')}) )?(?P<ill>{alternatives('one_may_suffer')})\b"
    rf"(?!-| (?:{alternatives('taken_for_it')})\b)",
    re.I,
)
_NO_LONGER = re.compile(rf"\b(?:{alternatives('no_longer_with')})\b", re.I)
_PAST = re.compile(r"\b(?:was|were|had|did|didn't|got|[a-z]{3,}ed)\b", re.I)
_AS_SUBJECT = re.compile(r"(?:^|[,;:.!?] ?|\b(?:and|but|so) )$", re.I)
"""What the clause says of them is told or not by itself."""
_UNSURE = re.compile(r"\b(?:could|would|might|may|maybe|perhaps|should)\b", re.I)
_SEVERAL = re.compile(r"(?:s|children)$", re.I)
_NEAR = 60
"""Characters around it in which it may be said to be no more."""
_PLAIN = {"oldest": "", "eldest": "", "youngest": "", "little": "younger ", "baby": "younger ", "big": "older "}


def mentioned(text: str, statements: Sequence[str], before: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield whom a sentence mentions as the speaker's, in the first person, with the place. `statements`: what the turn
    tells; `before`: turns of the speaker before it."""
    if SUPPOSED.search(text) is not None or _UNSURE.search(text) is not None:
        return
    for match in _MENTIONS.finditer(text):
        who = (match["ill"] or match["kin"] or f"{match['pet']}{match['many']}").lower()
        around = text[max(0, match.start() - _NEAR) : match.end() + _NEAR]
        if (
            (match["ill"] is None and _AS_SUBJECT.search(text[: match.start()]))
            or _NO_LONGER.search(around)
            or (match["pet"] and _PAST.search(around))
        ):
            continue
        named = re.compile(rf"\b{re.escape(who.rstrip('s'))}", re.I)
        if any(named.search(each) for each in (*statements, *before)):
            continue
        if match["ill"]:
            yield f"I have {who}", match.start(), match.end()
            return
        age = match["age"].lower().strip()
        age = _PLAIN.get(age, f"{age} " if age else "")
        article = "" if _SEVERAL.search(who) else "an " if (age or who)[0] in "aeio" else "a "
        yield f"I have {article}{age}{who}", match.start(), match.end()
        return
