"""What a doctor orders in their own turn of a Chinese talk, told of the patient: 定期复查 is "医生建议患者定期复查"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from processors.reader.rules.clauses_zh import Clause, clauses
from processors.reader.rules.common_zh import content_weight
from processors.reader.rules.found import Found
from processors.reader.rules.patient_zh import of_the_other
from processors.reader.rules.persons_zh import called
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.self_contained_zh import LONGEST, resolved
from processors.reader.rules.served_zh import DATA, either, lines
from processors.reader.rules.text import Sentence, prepare, sentences
from processors.reader.rules.tidied_zh import tidy

_DOCTOR = re.compile(rf"(?:{either('doctors')})$")
_ORDER = re.compile(rf"(?:{lines('orders')})")
_STATED = re.compile(DATA["stated"])
_ADVICE = re.compile(DATA["advice"])
_ACT = re.compile(lines("acts"))
_NO_ORDER = re.compile(lines("no_order"))
_TRIFLES = re.compile(DATA["trifles"])
_YOURS = re.compile(r"[您你咱](?:们)?(?:家)?的?(?=孩子|宝宝)")
_END = re.compile(r"(?:吧|了|的|哈|哦|喔|呀|啊|呢|就可以|即可|就行|就好|看看)+$")
_LEAST = 5
"""Characters of what is ordered: 多休息 is of the moment."""
_MOST = 2
"""Orders of a turn."""


def orders_of(turn: TurnView) -> list[Found]:
    """What the speaker, where they are a doctor, orders for whom they speak to."""
    if turn.speaker is None or turn.language != "zh" or not _DOCTOR.search(turn.speaker):
        return []
    kin = of_the_other(turn)
    whom = DATA["patient"] + (f"的{called(kin)}" if kin else "")
    found = [order for each in sentences(prepare(turn.content)) if (order := _order(each, turn.speaker, whom))]
    return found[:_MOST]


def _order(sentence: Sentence, doctor: str, whom: str) -> Found | None:
    if sentence.asks:
        return None
    run: list[Clause] = []
    for clause in clauses(sentence, "unnamed"):
        if not (_is_order(clause) or (run and _goes_on(run, clause))):
            if run:
                break
            continue
        if len(_told([*run, clause], sentence)) > LONGEST:
            break
        run.append(clause)
    if not any(_ACT.search(clause.raw) for clause in run):
        return None
    phrase = _told(run, sentence)
    whole = len(phrase) >= _LEAST and content_weight(phrase) >= 1.0 and resolved(phrase.replace("带他", "带孩子"))
    if not whole or _TRIFLES.fullmatch(phrase):
        return None
    says = "说" if _STATED.match(phrase) and not _ADVICE.match(run[0].raw) else "建议"
    text = f"{doctor}{says}{whom}{phrase}"
    return replace(Found(run[0].start, run[-1].end, "episode", text), episode_type="fact")


def _is_order(clause: Clause) -> bool:
    return any(p.match(clause.raw) for p in (_ORDER, _ADVICE)) and _may(clause)


def _goes_on(run: Sequence[Clause], clause: Clause) -> bool:
    """Is a clause part of the order before it: what else is to be done?"""
    act = _ACT.search(clause.raw)
    return act is not None and act.start() < 4 and _may(clause)


def _may(clause: Clause) -> bool:
    return not clause.supposed and _NO_ORDER.search(clause.raw.removesuffix("看看")) is None


def _told(run: Sequence[Clause], sentence: Sentence) -> str:
    phrase = tidy(sentence.text[run[0].start - sentence.start : run[-1].end - sentence.start])
    phrase = _YOURS.sub("", _ADVICE.sub("", phrase, count=1))
    return _END.sub("", phrase.lstrip("您你也还都就那再"))
