"""Texts of a Chinese turn that are not its writer's: what is handed over to be translated, polished, imitated, summed
up or judged, and another's words behind a colon (客户说：…, 提示词如下：…).

A text stands behind a colon, or on the lines behind who asks for it. The writer's own (我的自我介绍), and how they want
it done (要求), is no such text.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from processors.reader.rules.clauses_zh import KIN

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "pasted_text_zh.toml").read_text(encoding="utf-8"))
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
_LEAD = r"(?:刚刚?|刚才|今天|昨天|这是|那是|下面是|以下是|上面是|看下|给你看下?|然后|结果|但是?)*"
_THING_SENT = r"(?:写|发|转|寄)(?:给?我)?的[^我，]{1,4}"
_SOMEBODYS = re.compile(
    rf"{_LEAD}(?:我们?的?|这个|那个)?(?:(?:{_any('who')})[^我，]{{0,6}}?(?:{_any('said')}|{_THING_SENT})"
    rf"|(?!医生|大夫|护士|药师)(?:{KIN}|[小老阿][\u4e00-\u9fff]{{1,2}})[^我，]{{0,4}}?(?:{_any('sent')}|{_THING_SENT}))(?:了|过来|的是)?"
)
_NOBODYS = re.compile(rf"{_LEAD}(?:{_lines('nobodys')})")
_OF_ANOTHER = re.compile(rf"{_LEAD}(?:{_lines('of_another')})")
_OF_THE_WRITER = re.compile(
    r"[^，,。：:\n]{2,10}(?:(?:信息|情况|资料|病史|概况)[：:]\s*(?=我|本人)|[：:]\s*(?:就?是)?(?:我|本人)(?:自己|本人)?(?=[，,。\n]|$))"
)
"""A form under whose label one tells of oneself: 患者：我，32岁."""
_MINE = re.compile(_lines("mine").replace("{kin}", KIN))


def without_given(text: str, *, in_project: bool) -> str:
    """Return a turn with such a text blanked, its length kept: to the end of the line where it follows a colon, or to
    where the writer turns to something else there; else all that follows. What others say of a project is told."""
    if not _MARKS.search(text):
        return text
    for head in _HEAD.finditer(_OF_TIME.sub(".", text)):
        phrase, end = head.group(), head["end"]
        colon = "：" in end or ":" in end
        first = head.start() if in_project else head.end()
        if colon and (others := _others_words(phrase.rstrip("：: \n\t"), in_project=in_project)) is not None:
            if not in_project and _OF_THE_WRITER.match(text, head.start() + others):
                continue
            first = head.start() + others
        elif not _asks_of_text(phrase, on_lines="\n" in end, colon=colon):
            continue
        line = text.find("\n", head.end())
        last = len(text) if "\n" in end or line < 0 else line
        if "\n" not in end and (turns := _TURNS.search(text, head.end(), last)):
            last = turns.start()
        return text[:first] + re.sub(r"[^\n]", " ", text[first:last]) + text[last:]
    return text


def _others_words(text: str, *, in_project: bool) -> int | None:
    """Where the clause begins that says whose words follow; None where they may be the writer's."""
    clauses = [(m.start(), m.group().strip()) for m in re.finditer(r"[^，,；;]+", text)][-2:]
    for start, clause in clauses:  # 这是别人的作文，题目是我的妈妈
        if _MINE.search(clause):
            continue
        if _NOBODYS.fullmatch(clause) or (not in_project and _is_anothers(clause)):
            return start
    return None


def _is_anothers(clause: str) -> bool:
    return _SOMEBODYS.fullmatch(clause) is not None or _OF_ANOTHER.fullmatch(clause) is not None


def labels_another(sentence: str) -> bool:
    """Does a sentence begin with whom it is about, and that is not the speaker: 45号病史补充：父亲有早发冠心病?"""
    label = re.match(r"\s*([^，,。：:]{1,16})[：:]", sentence)
    return label is not None and _OF_ANOTHER.fullmatch(label[1].strip()) is not None


def _asks_of_text(text: str, *, on_lines: bool, colon: bool) -> bool:
    if _OWN.search(text):
        return False
    if colon and _BARE.fullmatch(text.strip("：: \n\t")):
        return True
    if _TEXTS.search(text):
        return any(pattern.search(text) for pattern in (_HANDLES, _SUMS, _JUDGED))
    return on_lines and colon and _HANDLES.search(text) is not None
