"""Texts that a Chinese turn hands over to be translated, polished, imitated, summed up or judged: what they say is
nobody's.

A text stands behind a colon, or on the lines behind who asks for it. The writer's own (我的自我介绍), and how they want
it done (要求), is no such text.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "given_zh.toml").read_text(encoding="utf-8"))
_LONGEST = 60
"""Characters of who asks."""


def _any(name: str) -> str:
    return "|".join(sorted(map(re.escape, _DATA[name].split()), key=len, reverse=True))


def _lines(name: str) -> str:
    return "|".join(line for line in _DATA[name].splitlines() if line)


_OF_TIME = re.compile(r"(?<=\d)[：:](?=\d)")
"""The colon of 2:30, which introduces nothing."""
_HEAD = re.compile(rf"[^\n。！？!?：:]{{2,{_LONGEST}}}(?P<end>[：:？?]?[ \t]{{0,4}}\n|[：:])")
_TURNS = re.compile(r"(?<=[。！？!?；;])\s{0,4}(?=(?:另外|此外|对了|顺便|还有|我自己|其实我|谢谢)(?!的|人))")
"""Where the writer turns from the text to something else."""
_MARKS = re.compile(r"[：:\n]")
_HANDLES, _SUMS, _TEXTS = re.compile(_any("handles")), re.compile(_any("sums")), re.compile(_any("texts"))
_BARE = re.compile(_lines("bare"))
_JUDGED, _OWN = re.compile(_lines("judged")), re.compile(_lines("own"))


def without_given(text: str) -> str:
    """Return a turn with such a text blanked, its length kept: to the end of the line where it follows a colon, or to
    where the writer turns to something else there; else all that follows."""
    if not _MARKS.search(text):
        return text
    for head in _HEAD.finditer(_OF_TIME.sub(".", text)):
        said, end = head.group(), head["end"]
        if not _asks_of_text(said, on_lines="\n" in end, colon="：" in end or ":" in end):
            continue
        line = text.find("\n", head.end())
        last = len(text) if "\n" in end or line < 0 else line
        if "\n" not in end and (turns := _TURNS.search(text, head.end(), last)):
            last = turns.start()
        return text[: head.end()] + re.sub(r"[^\n]", " ", text[head.end() : last]) + text[last:]
    return text


def _asks_of_text(said: str, *, on_lines: bool, colon: bool) -> bool:
    if _OWN.search(said):
        return False
    if colon and _BARE.fullmatch(said.strip("：: \n\t")):
        return True
    if _TEXTS.search(said):
        return any(asked.search(said) for asked in (_HANDLES, _SUMS, _JUDGED))
    return on_lines and colon and _HANDLES.search(said) is not None
