"""What one asks an assistant to remember is read as if it were said by itself: "remember that I park on level 3",
帮我记一下我对花生过敏.

The words that ask are blanked, so places stay true. Where a thing, or somebody else, is remembered nothing else makes
it worth telling; so the places where these words end are known.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "remember_requests.toml").read_text(encoding="utf-8"))


def _lines(name: str) -> str:
    return "|".join(line for line in _DATA[name].splitlines() if line)


_EN = re.compile(
    r"(?:(?<![^.!?\n])|(?<=[.!?] ))"
    r"(?P<lead>(?:(?:please|pls|and|also|oh|ok|okay|hey|hi|so|just|by the way|btw)\b,? ){0,3}"
    r"(?:(?:can|could|will|would) you (?:please )?|you (?:should|must) |I(?:'d like| want| need) you to )?"
    rf"(?:(?:please|always|just) )?(?:{_lines('en')})(?: (?:for (?:me|later|next time)|down|this|somewhere))?"
    r"(?:,? that|[:,]| -)? )"
    r"(?=(?:I|we|my|our)\b|(?:the|an?|all|both|no) "
    r"(?!(?:time|day|night|way|old|good|milk|one|fact|next|first|last"
    r"|following)\b)[\w'-]+ |(?!To\b|When\b|How\b|What\b|Where\b|Why\b|This\b|That\b)"
    r"(?-i:[A-Z])[\w'-]+(?: [A-Z][\w'-]+)? "
    r"(?:is|has|owes|likes|hates|lives|works|comes|needs"
    r"|can't|doesn't|will)\b)",
    re.I,
)
_ASKED = re.compile(r"\?(?=\s*$)")
_ZH = re.compile(
    r"(?:(?<![^。！？!?；;\n，,：:\s]))"
    rf"(?P<lead>(?:{'|'.join(_DATA['before_zh'].split())}){{0,5}}(?:{_lines('zh')})(?:了|哈|啊|哦|吧|一下)?[，,：:\s]{{0,3}})"
    r"(?=(?P<own>[我俺咱]|本人)|[^，,。]{3})"
)
_ZH_WHEN = re.compile(
    r"(?:(?<![^。！？!?；;\n，,：:\s]))(?:你|您|请|以后|今后|帮我|给我|替我|为我){1,3}[^，,。！？!?\n我]{1,14}?(?:的时候|时)[，,]?"
    r"(?:也|要|都|请|一定|千万|就){0,2}(?:记得|记住|记着|别忘了?|注意)(?P<own>(?=我))"
)
"""At what occasion it is to be remembered: 你推荐餐厅的时候记得我不吃辣."""
_NOT_TOLD = re.compile(_lines("of_the_talk_zh"))


def to_keep_en(text: str) -> tuple[str, frozenset[int]]:
    """An English turn without the words that ask to remember, and where what is to be remembered begins."""
    asked = list(_EN.finditer(text))
    starts = frozenset(m.end() for m in asked)
    if not asked:
        return text, starts
    phrase = _EN.sub(lambda m: " " * len(m.group()), text)
    return (_ASKED.sub(".", phrase) if "you" in asked[-1]["lead"].lower() else phrase), starts


def to_keep_zh(text: str) -> tuple[str, frozenset[int]]:
    """The same of a Chinese turn, where what is to be remembered begins with the speaker."""
    starts: set[int] = set()

    def blank(match: re.Match[str]) -> str:
        own = match["own"] is not None and not _NOT_TOLD.match(text, match.end())
        starts.update((match.end(),) if own else ())
        return " " * len(match.group()) if own else match.group()

    return _ZH_WHEN.sub(blank, _ZH.sub(blank, text)), frozenset(starts)


def rest_zh(clause: str) -> str | None:
    """What a Chinese clause asks to remember in the same breath; None where it asks for nothing."""
    match = _ZH.match(clause)
    return clause[match.end() :] if match is not None else None
