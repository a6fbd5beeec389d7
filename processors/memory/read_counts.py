"""What is counted of a turn's reading (docs/metrics.md#drift-of-reading): statements by what became of them, those
that a reference which could not be resolved has cost, and the readings of the candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import get_args

from processors.reader.lost_references import lost_reference
from processors.step import Counted, Emit
from schemas.events.memory import Decision, Extraction
from schemas.reading_stats import LostReference, ReadingStats, ReadOutcome, in_buckets

_OUTCOMES: dict[str, ReadOutcome] = {outcome: outcome for outcome in get_args(ReadOutcome)}


def read_counts(e: Extraction, decided: Iterable[Emit]) -> list[Counted]:
    """`decided`: what came of the candidates. Of a user's turn alone: no other is read, nor one of which a model that
    was asked gave no answer. A turn that policy refuses counts as one refused statement."""
    if e.role != "user" or e.reason is not None:
        return []
    outcomes = Counter(
        outcome for emit in decided
        if isinstance(emit.event, Decision) and (outcome := _OUTCOMES.get(emit.event.reason.outcome)) is not None
    )  # fmt: skip
    if e.refused:
        outcomes["refused"] += 1
    lost = Counter[LostReference](
        kind for d in e.sealed.dropped if (kind := lost_reference(d, e.language)) is not None
    )
    readings = [c.reading for c in e.sealed.candidates if c.reading is not None]
    stats = ReadingStats(
        language=e.language, profile=e.profile, reader=e.extractor, version=e.extractor_version, turns=1,
        outcomes=dict(outcomes), lost=dict(lost), readings=in_buckets(readings), reading_total=sum(readings),
    )  # fmt: skip
    return [Counted(stats)]
