"""Whom 他 and 她 mean in the sentences of a turn: the one person of the speaker's that it, or an earlier turn of
theirs, has spoken of and that the pronoun fits (Chinese)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from processors.reader.rules.clauses_zh import KIN, Clause, clauses
from processors.reader.rules.named_subjects_zh import named
from processors.reader.rules.self_contained_zh import opens_predicate
from processors.reader.rules.text import prepare, sentences

_KIN = re.compile(
    rf"(?P<mine>(?:我们?|咱们?|俺)(?:家里?|的|有(?:一?[个位])?|那个?|最好的){{0,2}})?(?P<kin>(?>{KIN}))(?!们|时代|时期|证)"
    r"|(?P<stranger>[男女](?:生|孩子?|人)|妹子|小哥|小姐姐|姑娘|小伙子?|帅哥|美女|异性|(?:某|另一|第三|喜欢的)个?人)"
)
_ADDRESSED = re.compile(rf"(?:{KIN})[,，:：\s]*")
"""No more than what somebody is: they are spoken to."""
_HERS = re.compile(r"妈|母|娘|姐|妹|女|婆|奶|姥姥|姑|姨|婶|嫂|媳|妻|太太|闺|gf")
_HIS = re.compile(r"爸|父|爹|哥|弟|男|公|爷|叔|伯|舅|儿子|丈夫|先生|丈人|侄子|孙子|外甥(?!女)|女婿|学长|bf")
_PRONOUN = re.compile(
    r"(?<![吉其倍])(?P<who>[他她])(?!汀|嗪|定|滨|昔|唑|洛|克|们|妈|爸|的?(?:老[公婆板师]|前[妻夫任]|女|男|朋|同[学事]))"
)
_THIRD = re.compile(r"(?<![吉其倍])[他她]")
"""Before a partner, whose that one is: 她有了新的对象."""
_SPEAKER = re.compile(r"[我俺咱]|自己")
_LEAD = re.compile(
    r"(?:(?:[上下这本今去明后前][个一]?(?:学期|周|月|年|季度|半年|星期|礼拜)|(?:毕业|分手|婚|结婚|吵架)[之以]?后|后来|现在|最近|目前|平时|当时|之前|以前|其实|虽然|因为|可能|[今昨前][天晚]|每次[^，我]{0,6}|而且|但是?|不过|所以|结果)[，,]?)*"
)
"""What may stand before a subject."""
_HAS_NOT = re.compile(r"[没无]|平时[没无]")
"""What somebody who was spoken of has not is told without naming them again: 没其他病史，不过他经常坐电脑."""
_SEVERAL = re.compile(r"父母|爸妈|爹妈|双亲|家人|家里人|亲戚|公公婆婆|公婆|岳父母|岳父岳母|姐妹|兄弟|双胞胎|[婆娘]家")
"""Neither he nor she."""
_ACTS = re.compile(r"[让给叫瞒满对跟和带陪骗]着?我(?!家|们|的)")
_LIKE = re.compile(r"(?:像|如同|当[作成]?|比)$")
"""Before somebody with whom another is only compared."""
_PLURAL = re.compile(r"[他她]们|人家|对方|该(?:名|位)")
PARTNER = re.compile(
    r"老公|老婆|丈夫|妻子|太太|爱人|媳妇儿?|老伴|对象|[男女]朋友|[男女][友票]|前任|前[男女]友|前[妻夫]|未婚[妻夫]"
    r"|(?<![A-Za-z])(?:npy|bf|gf)(?![A-Za-z])"
)
"""One has one of them: 和女朋友分手了."""
_CAPITAL = re.compile(r"(?<![A-Za-z])[A-Z][a-z]{2,}")


_FULL = {"爸": "爸爸", "妈": "妈妈", "哥": "哥哥", "姐": "姐姐", "弟": "弟弟", "妹": "妹妹", "媳妇儿": "媳妇",
         "爷": "爷爷", "奶": "奶奶", "姥": "姥姥", "婶": "婶婶", "嫂": "嫂子"}


def called(kin: str) -> str:
    """What a person of the owner's is called in a statement."""
    return _FULL.get(kin, kin)


@dataclass(frozen=True, slots=True)
class Person:
    """`kin` is what they are of the speaker's; empty for somebody else, or where it is not said whose they are. `word`
    is what they were called."""

    kin: str
    word: str = ""
    acts: bool = False
    """Is it said what they do to the speaker?"""

    def fits(self, pronoun: str) -> bool:
        """May the pronoun mean them?"""
        other = _HERS if pronoun == "他" else _HIS
        called = (self.kin or self.word).replace("女婿", "婿")
        return other.search(called) is None and _SEVERAL.search(called) is None


@dataclass(frozen=True, slots=True)
class Persons:
    """Who was spoken of so far, in order, each as often as they were named."""

    spoken_of: tuple[Person, ...] = ()

    @property
    def the_one(self) -> Person | None:
        """The only person, where it is one of the speaker's."""
        return self._only(self.spoken_of)

    @property
    def patient(self) -> Person | None:
        """The same, where nothing was said of what they do to the speaker: the talk is of them."""
        return None if any(p.acts for p in self.spoken_of) else self.the_one

    def and_those(self, more: Sequence[Person]) -> Persons:
        return Persons((*self.spoken_of, *more))

    def named(self, text: str) -> str | None:
        """The text with the person whom its first pronoun means in place of it; None where that is not known."""
        match = _PRONOUN.search(text)
        if match is None or _PLURAL.search(text, 0, match.start() + 2):
            return None
        person = self._only([p for p in self.spoken_of if p.fits(match["who"])])
        if person is None:
            return None
        head, rest = text[: match.start()], text[match.end() :]
        if _SPEAKER.search(head):
            return f"{head}{person.kin}{rest}"
        if _LEAD.fullmatch(head):
            return f"{head}我{person.kin}{rest}"
        if "，" in head:
            return f"我{person.kin}{text}" if _HAS_NOT.match(head) else None
        return f"我{head}{person.kin}{rest}" if opens_predicate(head) else None

    @staticmethod
    def _only(persons: Sequence[Person]) -> Person | None:
        """The speaker's person whom all of them are, named again as who they are or without whose they are."""
        own = {p.kin for p in persons if p.kin}
        if len(own) != 1 or any(not p.kin and p.word not in own for p in persons):
            return None
        return next(p for p in persons if p.kin)


def spoken_of(clauses: Sequence[Clause]) -> list[Person]:
    """The persons of some clauses, in order, each as often as it is named."""
    found: list[Person] = []
    for clause in clauses:
        if _ADDRESSED.fullmatch(clause.raw):
            continue
        if named(clause.body) or _CAPITAL.search(clause.raw):
            found.append(Person("", ""))
        opens = clause.subject in {"other", "亲友"}
        for match in _KIN.finditer(clause.raw):
            if match["stranger"]:
                found.append(Person("", match["stranger"]))
                continue
            own = match["mine"] is not None or (opens and match.start() == clause.raw.find(clause.body))
            partner = PARTNER.fullmatch(match["kin"]) is not None and not _THIRD.search(clause.raw, 0, match.start())
            own = own or (clause.subject == "我" and partner)
            own = own and not _LIKE.search(clause.raw, 0, match.start())
            acts = own and _ACTS.search(clause.raw) is not None
            found.append(Person(match["kin"] if own else "", match["kin"], acts))
    return found


def kin_of(body: str) -> str:
    """Of which person of the speaker's a clause says that it speaks; empty where it names none."""
    match = _KIN.match(body)
    return match["kin"] if match is not None and match["mine"] else ""


def of_turns(turns: Sequence[str]) -> Persons:
    """Who was spoken of in earlier turns of the speaker."""
    clauses_by_sentence = (clauses(sentence, "我") for turn in turns for sentence in sentences(prepare(turn)))
    return Persons(tuple(person for parts in clauses_by_sentence for person in spoken_of(parts)))
