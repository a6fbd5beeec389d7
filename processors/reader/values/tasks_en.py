"""What the speaker of English talk has to do: an errand, by its verb and what it is done to, wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from processors.reader.rules.found import Found
from processors.reader.values.kinds_en import filled, is_lead
from processors.reader.values.lists_en import WORDS
from processors.reader.values.parts_en import Part

_DATA = WORDS.tasks
_ERRAND = filled(_DATA["errand"])
_HAS_TO = re.compile(rf"(?<![\w'])(?:{_DATA['has_to']}) (?P<errand>{_ERRAND})(?![\w'])", re.I)
_WILL = re.compile(rf"(?<![\w'])(?:{_DATA['will']}) (?P<errand>{_ERRAND})(?![\w'])", re.I)
_WHEN = re.compile(_DATA["when"], re.I)
_NOW = re.compile(_DATA["now"], re.I)
_LEAD = re.compile(_DATA["lead"], re.I)
_TO_HEARER = re.compile(r" (?:over )?(?:to )?(?:you|u)\b", re.I)
_POINTS = re.compile(_DATA["points"], re.I)
_TAIL = re.compile(_DATA["tail"], re.I)
_LONGEST = 120
"""Characters of an errand."""


def tasks(parts: Sequence[Part]) -> Iterator[Found]:
    """The errands of a turn's parts. One that the speaker only says they will do needs a time or whom it is for."""
    for part in parts:
        for pattern, bound in ((_HAS_TO, True), (_WILL, False)):
            match = pattern.search(part.text)
            if match is None or not _is_the_speakers(part, match):
                continue
            errand = _TAIL.sub("", part.text[match.start("errand") :])
            bound = bound or _WHEN.search(errand) is not None
            if not bound or _NOW.search(part.sentence) or len(errand) > _LONGEST:
                continue
            end = part.start + match.start("errand") + len(errand)
            yield Found(
                part.start + match.start(), end, "intent", f"{{owner}} has to {_TO_HEARER.sub('', errand)}",
                dangling=_POINTS.search(errand) is not None,
            )  # fmt: skip
            break


def _is_the_speakers(part: Part, match: re.Match[str]) -> bool:
    """Is it the speaker who has to, and do they?"""
    begin, end = match.span("errand")
    led = is_lead(part.text[: match.start()]) or _LEAD.fullmatch(part.text[: match.start()].strip()) is not None
    denied = part.denies(match.start(), match.start())
    return led and not denied and part.holds(begin, end, planned=True)
