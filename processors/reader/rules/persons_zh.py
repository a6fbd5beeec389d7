"""Whom 他 and 她 mean in the sentences of a turn: the one person of the speaker's that it has spoken of (Chinese)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from processors.reader.rules.clauses_zh import KIN, Clause
from processors.reader.rules.named_subjects_zh import named

_KIN = re.compile(
    rf"(?P<mine>(?:我们?|咱们?|俺)(?:家里?|的|有(?:一?[个位])?|那个?|最好的){{0,2}})?(?P<kin>(?>{KIN}))(?!们|时代|时期|证)"
)
_HERS = re.compile(r"妈|母|娘|姐|妹|女|婆|奶|姥姥|姑|姨|婶|嫂|媳|妻|太太|闺")
_HIS = re.compile(r"爸|父|爹|哥|弟|男|公|爷|叔|伯|舅|儿子|丈夫|先生|丈人|侄子|孙子|外甥(?!女)|女婿")
_PRONOUN = re.compile(
    r"(?:(?:后来|现在|今年|去年|最近|目前)[，,]?)?"
    r"(?P<who>[他她])(?!们|妈|爸|的?(?:老[公婆板师]|前[妻夫任]|女|男|朋|同[学事]))"
)
PARTNER = re.compile(
    r"老公|老婆|丈夫|妻子|太太|爱人|媳妇儿?|老伴|对象|[男女]朋友|[男女]友|前任|前[男女]友|前[妻夫]|未婚[妻夫]"
)
"""One has one of them: 和女朋友分手了."""
_CAPITAL = re.compile(r"(?<![A-Za-z])[A-Z][a-z]{2,}")


_FULL = {"爸": "爸爸", "妈": "妈妈", "哥": "哥哥", "姐": "姐姐", "弟": "弟弟", "妹": "妹妹", "媳妇儿": "媳妇"}


def called(kin: str) -> str:
    """What a person of the owner's is called in a statement."""
    return _FULL.get(kin, kin)


@dataclass(frozen=True, slots=True)
class Person:
    """`kin` is what they are of the speaker's; empty for somebody else, or where it is not said whose they are."""

    kin: str

    def named(self, text: str) -> str | None:
        """The text with this person in place of the pronoun at its beginning; None where that cannot be they."""
        match = _PRONOUN.match(text)
        if match is None or (_HERS if match["who"] == "他" else _HIS).search(self.kin.replace("女婿", "婿")):
            return None
        return f"{text[: match.start('who')]}我{self.kin}{text[match.end('who') :]}"


def spoken_of(clauses: Sequence[Clause]) -> list[Person]:
    """The persons of some clauses, in order, each as often as it is named."""
    found: list[Person] = []
    for clause in clauses:
        if named(clause.body) or _CAPITAL.search(clause.raw):
            found.append(Person(""))
        opens = clause.subject in {"other", "亲友"}
        for match in _KIN.finditer(clause.raw):
            own = match["mine"] is not None or (opens and match.start() == clause.raw.find(clause.body))
            own = own or (clause.subject == "我" and PARTNER.fullmatch(match["kin"]) is not None)
            found.append(Person(match["kin"] if own else ""))
    return found


def kin_of(body: str) -> str:
    """Of which person of the speaker's a clause says that it speaks; empty where it names none."""
    match = _KIN.match(body)
    return match["kin"] if match is not None and match["mine"] else ""


def the_one(persons: Sequence[Person]) -> Person | None:
    """The only person that was spoken of, where it is one of the speaker's."""
    return persons[0] if persons and persons[0].kin and len(set(persons)) == 1 else None
