"""The cheap first test of every turn (B9): could it hold something about the user? One or two scans, no splitting."""

from __future__ import annotations

import re
from typing import Literal

_READ = 4_000  # characters; who says nothing of themselves in that many pastes a document
# The first person, a number, a task or decision: whatever a plain statement of the user needs one of.
_ENGLISH = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|im|ive|my|mine|me|myself|we|we['’](?:re|ve|ll|d)|our|us|todo|to-do|deadline|due"
    r"|decided?|decision|agreed|remind|forget|action item|name['’]?s|call me)\b|\d",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"[我咱俺]|本人|自己|\d|[一二三四五六七八九十百千万两][多几来]?"
    r"[岁年个例万月天]|决定|采用|敲定|提醒|记得|待办|截止|之前|入|毕业"
    r"|[学硕博]|职业|住|来自|叫|喜欢|讨厌|打算|计划|希望|想|要|需|老"
    r"[公婆]|[有没无是][^，。]|对"
)
_CHAT = re.compile(
    r"\s*(?:(?:hi|hello|hey|thanks?|thank you|ok|okay|great|cool|nice"
r"|bye|goodbye|lol|haha|sure|wow|good (?:morning|night"
    r"|evening|afternoon)|你好|您好|谢谢|多谢|好的|好|嗯+|哦+|哈+|再见"
r"|拜拜|早上好|晚上好|收到|明白了?|不客气|没事)[\s,.!?，。！？~]*"
r"){1,6}",
    re.IGNORECASE,
)  # fmt: skip
_ANSWER = re.compile(
    r"\s*(?:yes|yeah|yep|yup|no|nope|right|correct|exactly|indeed|是|对|没错|有|没有|不是|嗯|当然|没)", re.IGNORECASE
)


def promising(text: str, language: Literal["en", "zh", "und"], *, answers: bool = False) -> bool:
    """Return whether a turn may state something of its user. Microseconds; never raises.

    `answers`: the assistant asked just before, so that a bare "yes" or a short answer may confirm something (B1).
    """
    head = text[:_READ]
    if answers and (_ANSWER.match(head) or len(head) <= 40):
        return True
    if _CHAT.fullmatch(head[:200]) and len(head) <= 200:
        return False
    pattern = _CHINESE if language == "zh" else _ENGLISH
    return pattern.search(head) is not None
