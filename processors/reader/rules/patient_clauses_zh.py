"""What a Chinese turn in a talk with a doctor says of the patient without naming anybody: 曾做过心电图，脑供血不足.

To others such a clause may be about anything; to a doctor it is the patient's case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from processors.reader.rules.clauses_zh import Clause, clauses
from processors.reader.rules.common_zh import content_weight
from processors.reader.rules.completeness_zh import whole
from processors.reader.rules.found import Found
from processors.reader.rules.own_state_zh import felt
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.self_contained_zh import ASKS, LONGEST, SUPPOSED, resolved
from processors.reader.rules.served_zh import DATA, lines, with_doctor
from processors.reader.rules.text import Sentence, prepare, sentences, without_quotes
from processors.reader.rules.tidied_zh import opened, tidy

_BODY = re.compile(lines("of_a_body"))
_ILLNESS = re.compile(DATA["illness"])
_LEADS = re.compile(DATA["leads_illness"])
_ONLY_NAMED = re.compile(DATA["only_named"])
_NOT = re.compile(lines("not_of_patient"))
_NAMES = re.compile(r"[我俺咱你您]|(?<![吉其索美倍])[他她](?!汀|嗪|定|滨|昔|唑|洛|克)|大家|别人|人家")
_CUT = re.compile(r"(?:因为|所以|但是?|而且|然后|就是|说|的时候|[以之]后|[和跟与把被对给让在])$")
_WHAT_IS_IT = re.compile(
    r"(?:[，,]?(?:请问)?(?:这|这个)?是?(?:什么情况|什么原因|什么问题|怎么回事|怎么了)(?:引起的|造成的|导致的)?|[，,]?(?:应该|该)?怎么办)[呢啊呀]?[？?]?\s*$"
)
"""What asks why it is so, behind what is so: 经常反胃是什么情况."""
_NO_NAME = re.compile(r"平时|容易|经常|有时|总是|以前|现在|可能|就是|[对问]")
"""These are no part of an illness's name."""
_THEN = re.compile(r"^那(?=[一夜晚早半白平]|有时|经常|老是|总是|现在|最近|心|胸|头|血)")
_TIMES = re.compile(r"过[一两俩三四五几\d]+[次回]")
"""What befell the patient so often is told in everyday words: 晕过两次."""
_LEAST = 4
_MOST = 3
"""Statements of a turn."""


def told_to_doctor(turn: TurnView, found: Sequence[Found]) -> list[Found]:
    """Statements of the patient in the order of the text, `{owner}` for them, beside what is `found` already."""
    if not with_doctor(turn):
        return []
    told = [(run, phrase) for run in _runs(prepare(turn.content), found) if (phrase := _said(run))]
    return [Found(run[0].start, run[-1].end, "episode", text, episode_type="fact") for run, text in told[:_MOST]]


def _runs(text: str, found: Sequence[Found]) -> Iterator[list[Clause]]:
    """Clauses beside each other that tell of a body and name nobody."""
    for sentence in sentences(without_quotes(text)):
        run: list[Clause] = []
        parts = clauses(_as_said(sentence), "我")
        uncertain = sentence.asks or any(clause.asks or clause.supposed for clause in parts)
        for clause in parts:
            taken = any(f.overlaps(clause.start, clause.end) for f in found)
            if taken or not _tells(clause) or (run and sum(len(c.raw) + 1 for c in [*run, clause]) > LONGEST):
                if run:
                    yield run
                run = []
            if not taken and _tells(clause) and not (uncertain and _ILLNESS.fullmatch(tidy(clause.raw))):
                run.append(clause)
        if run:
            yield run


def _as_said(sentence: Sentence) -> Sentence:
    """A sentence without its end that asks only why it is so."""
    match = _WHAT_IS_IT.search(sentence.text)
    if match is None or match.start() < _LEAST:
        return sentence
    return replace(sentence, text=sentence.text[: match.start()], asks=False)


def _bare(clause: Clause) -> str:
    return _THEN.sub("", opened(tidy(clause.raw)))


def _tells(clause: Clause) -> bool:
    phrase = _bare(clause)
    if clause.asks or clause.supposed or any(p.search(phrase) for p in (_NAMES, _NOT, ASKS, SUPPOSED)):
        return False
    return 2 <= len(phrase) <= LONGEST and _BODY.search(phrase) is not None


def _said(run: Sequence[Clause]) -> str:
    """The clauses as one statement of the patient; empty where they make none."""
    parts = [_bare(clause) for clause in run]
    parts[0] = parts[0].removeprefix("主要")
    first = _LEADS.sub("", parts[0], count=1)
    has = _ILLNESS.fullmatch(first) if _NO_NAME.search(first) is None else None
    text = "，".join([f"有{first}" if has else parts[0], *parts[1:]])
    if len(text) < _LEAST or _ONLY_NAMED.match(first) or not resolved(text) or _CUT.search(text) or not whole(text):
        return ""
    return f"{{owner}}{text}" if has or felt(text) or _TIMES.search(text) or content_weight(text) >= 1.0 else ""
