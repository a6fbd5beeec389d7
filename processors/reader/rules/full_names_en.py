"""English statements with the full name of whom they call by the last: "I like Dalton", said to "Andy Dalton is great".

The talk gives it: the turn itself, what it answers, the speaker's turns before. Where it names two of that last name
the statement stays as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from processors.reader.rules.found import Found
from processors.reader.rules.words_en import alternatives

_NO_FIRST_NAME = (
    r"(?!(?:New|North|South|East|West|San|Los|Las|Saint|St|Mount|Lake|Great|Super|Mr|Mrs|Ms|Dr|Miss|Prof|Sir|Lady|Lord"
    r"|King|Queen|Prince|Princess|Coach|President|Captain|Uncle|Aunt|Old|Big|Little|Red|Black|White|Green|Blue"
    r"|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)\w{0,3}\b)"
    rf"(?!(?:The|A|An|I|In|On|At|By|For|From|With|Of|To|About|Love|Did|Does|Go|{alternatives('no_names')})\b)"
)
_FULL = re.compile(rf"(?<![\w'])(?P<first>{_NO_FIRST_NAME}[A-Z][a-z]{{2,14}}) (?P<last>[A-Z][a-z]{{3,20}})\b(?! [A-Z])")
_OPENS = re.compile(r"(?:^|[.!?\n][\"')]? {0,2})$")
"""Where a sentence begins: "Watch Dalton" may open with a verb."""
_SAID_OF = re.compile(r"(?:'s)? (?:is|was|are|were|has|had|will|did|does|can)\b")
_LONE = r"(?P<before>[\w'.-]*[,;:]? ){}(?!\w)(?! [A-Z])"


def full_names(texts: Iterable[str]) -> dict[str, str]:
    """The last names that the texts say with exactly one first name, with the full ones."""
    found: dict[str, set[str]] = {}
    for text in texts:
        for match in _FULL.finditer(text):
            opens = _OPENS.search(text, 0, match.start()) is not None
            if not opens or _SAID_OF.match(text, match.end()):
                found.setdefault(match["last"], set()).add(match.group())
    return {last: next(iter(full)) for last, full in found.items() if len(full) == 1}


def in_full(names: dict[str, str]) -> Callable[[str], str]:
    """Return what writes such last names in full where a statement has them alone."""

    def written(statement: str) -> str:
        for last, full in names.items():
            if full not in statement:
                lone = re.search(_LONE.format(re.escape(last)), statement)
                if lone is not None and not lone["before"][:1].isupper():
                    statement = f"{statement[: lone.end('before')]}{full}{statement[lone.end() :]}"
        return statement

    return written


def with_full_names(found: Sequence[Found], texts: Sequence[str]) -> list[Found]:
    """What was found in a talk's `texts`, with whoever is called by their last name alone as the talk named them."""
    if not (names := full_names(texts)):
        return [*found]
    written = in_full(names)
    return [replace(each, text=written(each.text)) for each in found]
