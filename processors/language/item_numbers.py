"""Numbers of list items in what was said ("2. …", 1、 (1) ①). Cut into sentences, "2." was one of its own, and it says
nothing where only some of the items are told. Pure; time linear in the text."""

from __future__ import annotations

import re

_MARK = re.compile(
    r"(?<![0-9A-Za-z_./$€£¥#(（-])(?<!\d[:：,，])"
    r"(?:[-*•+][ \t]{1,4})?"
    r"(?:[(（](?P<round>\d{1,2})[)）]"
    r"|(?P<plain>\d{1,2})(?:[.．](?=\s|[\u2e80-\U0010ffff]|$)|、(?!\s?\d)|[)）])"
    r"|(?P<circled>[①-⑳]))[ \t]{0,8}"
)
_OTHER = re.compile(
    r"\s{0,40}(?:[-*•+][ \t]{1,4})?(?:[(（][a-z一二三四五六七八九十][)）]|[a-z一二三四五六七八九十][.．](?=\s|$))"
)
"""Letters and Chinese numerals, at the beginning of a line only."""
_BEFORE = ".!?。！？…;；:：,，、"


def unnumbered(text: str) -> str:
    """`text` with its lists' numbers gone and each item on a line of its own. A number that is all that was said, or
    that a sentence counts with, stays."""
    out = "\n".join(_line(line) for line in text.split("\n"))
    return out if out.strip() else text


def _line(line: str) -> str:
    marks = _run(line)
    if not marks:
        other = _OTHER.match(line)
        return line if other is None else line[other.end() :]
    out, begin = "", 0
    for mark in marks:
        out += line[begin : mark.start()] + "\n"
        begin = mark.end()
    return (out + line[begin:]).strip()


def _run(line: str) -> list[re.Match[str]]:
    """Items that count on from one another: from any number at the beginning of the line, from 1 behind a mark."""
    run: list[re.Match[str]] = []
    for mark in _MARK.finditer(line):
        if run:
            if _value(mark) == _value(run[-1]) + 1:
                run.append(mark)
        elif not line[: mark.start()].strip() or (_value(mark) == 1 and _behind_a_mark(line, mark)):
            run.append(mark)
    # "We have 2. You have 3." ends in figures: without a mark before them, three make a list.
    whole = len(run) >= 3 and _value(run[0]) == 1
    numbers = [m for m in run if whole or m is run[0] or _apart(line, m)]
    return numbers if len(numbers) > 1 or not numbers or not line[: numbers[0].start()].strip() else []


def _value(mark: re.Match[str]) -> int:
    circled = mark["circled"]
    return ord(circled) - ord("①") + 1 if circled else int(mark["round"] or mark["plain"])


def _apart(line: str, mark: re.Match[str]) -> bool:
    return mark["plain"] is None or _behind_a_mark(line, mark)


def _behind_a_mark(line: str, mark: re.Match[str]) -> bool:
    before = line[: mark.start()].rstrip()
    return not before or before[-1] in _BEFORE
