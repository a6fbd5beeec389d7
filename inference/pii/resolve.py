"""One entity a character: overlapping spans resolved, always the same way."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from inference.protocols import EntitySpan

# Lower wins. Secrets first, then what a pattern proves, then what a network guesses; an unnamed kind is a pattern. The
# address of a wallet looks as random as a secret, but its check digits prove it.
_CREDENTIAL, _PATTERN, _WEB, _GUESS, _MINOR = range(5)
_TIERS = {
    "CREDENTIAL": _CREDENTIAL,
    "CRYPTO": _CREDENTIAL,
    "URL": _WEB,
    "PERSON": _GUESS,
    "LOCATION": _GUESS,
    "ORGANIZATION": _MINOR,
    "NRP": _MINOR,
    "DATE_TIME": _MINOR,
    "AGE": _MINOR,
}
_LEAST_REST = 4  # characters; a shorter rest of a beaten span says nothing


def resolve(spans: Iterable[EntitySpan], min_score: float) -> list[EntitySpan]:
    """Return spans sorted by start, none overlapping, all scored `min_score` or more.

    Overlapping spans of one entity become one over both, with the better score. Of different entities the better
    tier wins, then the better score, the longer, the earlier, the name; what sticks out of a beaten span stays a
    span of its entity if it has 4 characters or more, so a win never uncovers the rest of a value. Of a
    guessed name that runs into an address only what stands before it stays.
    """
    winners: list[EntitySpan] = []
    for span in sorted(_merged([s for s in spans if s.score >= min_score]), key=_rank):
        # Winners are disjoint and sorted, so those that touch the span stand beside each other.
        first = bisect_right(winners, span.start, key=lambda winner: winner.end)
        last = bisect_left(winners, span.end, key=lambda winner: winner.start)
        winners[first:last] = sorted([*winners[first:last], *_rests(span, winners[first:last])], key=_start)
    return winners


def _start(span: EntitySpan) -> int:
    return span.start


def _rank(span: EntitySpan) -> tuple[int, float, int, int, str]:
    return (_TIERS.get(span.entity, _PATTERN), -span.score, span.start - span.end, span.start, span.entity)


def _merged(spans: Sequence[EntitySpan]) -> list[EntitySpan]:
    """Join overlapping spans of the same entity."""
    merged: list[EntitySpan] = []
    for span in sorted(spans, key=lambda s: (s.entity, s.start, -s.end, -s.score, s.recognizer)):
        last = merged[-1] if merged else None
        if last is not None and last.entity == span.entity and span.start < last.end:
            best = span if span.score > last.score else last
            end = max(last.end, span.end)
            merged[-1] = EntitySpan(span.entity, last.start, end, best.score, best.recognizer)
        else:
            merged.append(span)
    return merged


def _rests(span: EntitySpan, over: Sequence[EntitySpan]) -> list[EntitySpan]:
    """Return what the sorted winners `over` it leave of `span`: itself, or its pieces that are long enough."""
    if not over:
        return [span]
    guess = _TIERS.get(span.entity, _PATTERN) >= _GUESS
    pieces = []
    start = span.start
    for winner in over:
        pieces.append((start, winner.start))
        start = winner.end
        if guess and winner.entity == "ADDRESS":
            start = span.end  # streets are called after people and towns; only what stands before is one
            break
    pieces.append((start, span.end))
    return [
        EntitySpan(span.entity, start, end, span.score, span.recognizer)
        for start, end in pieces
        if end - start >= _LEAST_REST
    ]
