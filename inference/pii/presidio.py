"""Presidio's own pattern recognisers, called one by one without its engine.

The engine's result objects, context pass and NLP artefacts cost several times the patterns (FACTS), and its e-mail
and URL patterns and phone matcher are the slow ones; those entities have rules of ours. Some of Presidio's
patterns backtrack quadratically, so they only ever see windows of bounded length: linear in the text again.
"""

import re
from collections.abc import Iterator, Sequence

from presidio_analyzer import EntityRecognizer as PresidioRecognizer
from presidio_analyzer.predefined_recognizers import (
    CryptoRecognizer,
    IbanRecognizer,
    IpRecognizer,
    MacAddressRecognizer,
    UsItinRecognizer,
    UsSsnRecognizer,
)

from inference.language import HAN
from inference.pii.ip_addresses import is_personal
from inference.pii.rules import fold_width
from inference.protocols import EntitySpan

_WINDOW = 1_024
_OVERLAP = 96  # the longest entity here, a bech32 address, has 90 characters
_THRESHOLD = 0.4  # Presidio's "very weak" patterns stay below it
_SSN_CONTEXT = re.compile(r"social|security|\bssns?\b", re.IGNORECASE)

_LONGER, _LONGER_BEFORE = re.compile(r"[.:-][0-9A-Fa-f]"), re.compile(r"[0-9A-Fa-f][.:-]$")

# To `\b` a Han character is part of the word beside it; a blank is not, and takes as much room.
_WIDE_LETTER = re.compile(f"[{HAN}\u3000-\u30ff\uac00-\ud7af]")
_GLUED = re.compile(r"(?<![A-Za-z0-9])IP(?=[0-9]{1,3}\.[0-9]{1,3}\.)", re.IGNORECASE)
"""服务器IP198.51.100.99: to `\\b` the label is part of the number."""
_UPPER = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}

# What must be in a text before a recogniser is worth its call.
_GATES: tuple[tuple[str, type[PresidioRecognizer]], ...] = (
    (r"(?i)[a-z]{2}[0-9]{2}[ -]?[a-z0-9]{4}", IbanRecognizer),
    (r"[0-9]\.[0-9]{1,3}\.[0-9]|[0-9a-fA-F]:[0-9a-fA-F:]{0,4}:|::", IpRecognizer),
    (r"[0-9A-Fa-f]{2}[:-][0-9A-Fa-f]{2}[:-]|[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.", MacAddressRecognizer),
    (r"(?:bc1|[13])[a-zA-HJ-NP-Z0-9]{25}", CryptoRecognizer),
    (r"[0-9]{3}[- .]?[0-9]{2}[- .]?[0-9]{4}", UsSsnRecognizer),
    (r"9[0-9]{2}[- ]?[5-9][0-9][- ]?[0-9]{4}", UsItinRecognizer),
)


class PresidioPatterns:
    """IBAN, IP, MAC, crypto wallet, US SSN and ITIN by Presidio's patterns and validators."""

    def __init__(self) -> None:
        self._recognizers = tuple((re.compile(gate), kind()) for gate, kind in _GATES)

    def find(self, text: str) -> list[EntitySpan]:
        """Return the spans in `text` at or above Presidio's default confidence, overlaps kept."""
        folded = _GLUED.sub("  ", _WIDE_LETTER.sub(" ", fold_width(text)))
        due = [recognizer for gate, recognizer in self._recognizers if gate.search(folded)]
        if not due:
            return []
        found: set[EntitySpan] = set()
        for offset, window in _windows(folded):
            for recognizer in due:
                found.update(_run(recognizer, offset, window))
        return sorted(found, key=lambda span: (span.start, span.end, span.entity))


def _run(recognizer: PresidioRecognizer, offset: int, window: str) -> Iterator[EntitySpan]:
    if isinstance(recognizer, IbanRecognizer):
        window = window.translate(_UPPER)
    results: Sequence[object] = recognizer.analyze(window, recognizer.supported_entities, None)
    for result in results:
        entity, start, end, score = result.entity_type, result.start, result.end, result.score  # type: ignore[attr-defined]
        if entity == "US_SSN" and _SSN_CONTEXT.search(window[max(0, start - 60) : start]):
            score = max(score, 0.85)
        if entity == "IP_ADDRESS" and not is_personal(window, start, end):
            continue
        if entity == "MAC_ADDRESS" and (_LONGER.match(window, end) or _LONGER_BEFORE.search(window[:start][-2:])):
            continue  # three groups of four out of a longer row: a card number
        if score >= _THRESHOLD:
            yield EntitySpan(entity, offset + start, offset + end, float(score), f"presidio:{recognizer.name}")


def _windows(text: str) -> Iterator[tuple[int, str]]:
    for offset in range(0, max(1, len(text) - _OVERLAP), _WINDOW - _OVERLAP):
        yield offset, text[offset : offset + _WINDOW]
