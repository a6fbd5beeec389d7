"""Words that pages do not use, with what to write in their place. Code spans, blocks and targets of links are free."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

RETIRED: Mapping[str, str] = {
    r"doors?": "the API, the query service, the boundary",
    r"stands?|stood|standing": "is, is stored, is active, is kept",
    r"told|tells?|telling": "reported, says, named",
    r"gone": "deleted, removed",
    r"heard": "received",
    r"meant": "addressed to, on purpose",
    r"promising": "worth reading",
    r"teach(?:es)?|taught": "what was learned from",
    r"anew": "again; start over",
    r"of before": "earlier, older",
    r"of now": "current",
    r"doing it again": "reprocess",
    r"second wall|tenants'? walls?": "row-level security, isolation of tenants",
    r"yardsticks?": "what it is compared with",
    r"standstill": "stalled",
    r"the seeds?'s?": "of the memory engine",
}
_RETIRED = {re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.I): instead for words, instead in RETIRED.items()}
_NUMBERS = {"K": 6, "A": 9, "B": 9, "C": 11, "D": 17, "E": 8, "N": 8}
_CODES = "|".join(f"{letter}{n}" for letter, most in _NUMBERS.items() for n in range(most, 0, -1))
_LITERAL = re.compile(r"^ *```.*?^ *```|`[^`\n]*`|\]\([^)\n]*\)", re.M | re.S)


def _literal_blanked(text: str) -> str:
    return _LITERAL.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def retired(text: str) -> Iterator[tuple[int, str]]:
    """(line, "word: what to write") of each retired word of a page."""
    prose = _literal_blanked(text)
    for pattern, instead in _RETIRED.items():
        for hit in pattern.finditer(prose):
            yield prose.count("\n", 0, hit.start()) + 1, f"{hit[0]}: {instead}"


def requirement_codes(text: str) -> Iterator[tuple[int, str]]:
    """(line, code) of each requirement code of a text: they are in docs/requirements.md and in tests alone."""
    prose = _literal_blanked(text)
    for hit in re.finditer(rf"(?<![\w.\-/#])(?:{_CODES})(?![\w.\-/]\w|\w)", prose):
        yield prose.count("\n", 0, hit.start()) + 1, hit[0]
