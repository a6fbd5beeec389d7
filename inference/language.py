"""Is a text English, Chinese or neither: by the share of its scripts, cheap and always the same."""

import re
from typing import Literal, TypeAlias

TextLanguage: TypeAlias = Literal["en", "zh", "und"]

_READ = 4_096  # characters; a longer text does not change its script half-way often enough to pay for reading on

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_HAN = re.compile(f"[{HAN}]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
# Letters of neither script; Kana and Hangul beside Han mean Japanese or Korean.
_OTHER_LETTER = re.compile(r"[\u0370-\u1fff\u3040-\u30ff\uac00-\ud7af]")


def language_of(text: str) -> TextLanguage:
    """Return "zh", "en" or "und" for `text`, without a model.

    A Han character weighs as much as a Latin word, so "我想用 Kubernetes 部署" is Chinese and "the word 你好 means
    hello" English; a tie is Chinese, whose steps also read Latin. "en" stands for every text in Latin script.
    Text without letters, or mostly in other scripts, is "und": callers then take the tenant's default.
    """
    head = text[:_READ]
    if head.isascii():
        return "en" if _LATIN_WORD.search(head) else "und"
    han = len(_HAN.findall(head))
    latin = len(_LATIN_WORD.findall(head))
    other = len(_OTHER_LETTER.findall(head))
    if other > han + latin or han + latin == 0:
        return "und"
    return "zh" if han >= latin else "en"
