"""Which Chinese statements of a turn are worth telling: heavy enough, none that repeats the turn, and not too many."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from processors.reader.rules.completeness_zh import whole
from processors.reader.rules.free_statement_subjects_zh import Alone
from processors.reader.rules.own_state_zh import felt, of_oneself
from processors.reader.rules.self_contained_zh import SPEAKER, befell, is_habit, resolved, tells_state
from schemas.events.memory import DropLabel

LONG_TURN = 25
COPIED = 0.75
"""A statement with this share of a turn longer than LONG_TURN says no more than the turn."""
KEPT_WHOLE = 24
"""Characters up to which one that repeats its turn is told all the same."""
KEEP = 4.0
"""Weight from which a statement is worth telling."""
KEEP_TOLD = 3.0
"""The same where one who talks to an assistant says what holds of them in everyday words: 我一个人住."""
KEEP_FELT = 2.0
"""The same of what is felt in a body, which everyday words say: 晚上睡不着."""
MOST = 3
"""Statements of one turn; of one longer than MUCH characters two more, and one more for each EACH_MORE."""
MUCH, EACH_MORE = 80, 40
_SIZE = re.compile(r"[\u4e00-\u9fff]|[A-Za-z0-9]+")


def asked_to_keep(told: Sequence[Alone], starts: Set[int]) -> list[Alone]:
    """The same, with what an assistant is asked to remember, from `starts` on, worth telling in everyday words too."""

    def kept(a: Alone) -> Alone:
        if not any(a.start <= at < a.end for at in starts) or not (a.dropped is None or _may_be_kept(a.text)):
            return a
        return replace(a, weight=max(a.weight, KEEP), dropped=None)

    return [kept(a) for a in told] if starts else list(told)


def _may_be_kept(text: str) -> bool:
    return SPEAKER.match(text) is not None and resolved(text) and whole(text)


def well_told(told: Sequence[Alone]) -> list[Alone]:
    """Those that are worth telling as they are: the thing that a clause is about does not stand before its speaker."""
    fit = [a for a in told if a.dropped is None and a.weight >= KEEP]
    return [a for a in fit if SPEAKER.match(a.text) or not SPEAKER.search(a.text)]


def worth(told: Sequence[Alone], turn: str, *, to_assistant: bool = False) -> list[Alone]:
    """Return those of a turn in the order of the text, all but the kept ones dropped: at most MOST are kept, the
    weightiest, and none that repeats a long turn: of that one its clauses are told. `to_assistant`: nobody else
    speaks or hears."""
    if turn.count("你") + turn.count("您") >= max(3, turn.count("我")):
        return [replace(a, dropped=a.dropped or "addressed") for a in told]  # it is about the one it speaks to
    size = len(_SIZE.findall(turn))

    def copies(text: str) -> bool:
        held = len(_SIZE.findall(text))
        return size > LONG_TURN and held > KEPT_WHOLE and held >= COPIED * size

    told = [part for a in told for part in (a.clauses if a.clauses and copies(a.text) else (a,))]

    def is_light(a: Alone) -> bool:
        if not to_assistant and felt(a.text):
            return a.weight < KEEP_FELT
        lasts = felt(a.text) or of_oneself(a.text) or befell(a.text) or is_habit(a.text)
        return a.weight < (KEEP_TOLD if lasts or (to_assistant and tells_state(a.text)) else KEEP)

    fit = [a for a in told if a.dropped is None and not is_light(a) and not copies(a.text)]
    best = sorted(fit, key=lambda a: -a.weight)[: MOST if size <= MUCH else MOST + 2 + (size - MUCH) // EACH_MORE]

    def label(a: Alone) -> DropLabel | None:
        if a.dropped is not None or a in best:
            return a.dropped
        return "light" if is_light(a) else "copy" if copies(a.text) else "too_many"

    return [replace(a, dropped=label(a)) for a in told]
