"""Edited copies of a statement, for measuring: some say the same, some another thing (D3). English and Chinese.

Deterministic: which word is edited follows from the text. An edit that does not apply to a text is left out.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

SAME = ("case", "punctuation", "typo", "reordered")
CHANGED = ("number", "negated", "name")

_NUMBERS = "one two three four five six seven eight nine ten".split()  # noqa: SIM905
_ZH_NUMBERS = "一二三四五六七八九"
_AUXILIARY = re.compile(r"\b(is|are|was|were|has|have|had|can|could|will|would|should|did|does|do)\b")
_ZH_VERB = re.compile("喜欢|觉得|想|会|能|是|有|要|去|爱")
_FRONTED = re.compile(
    r"^(?P<head>.{12,}?),? "
    r"(?P<tail>(?:in|on|at|during|after|before|when|while|because|since|with|last|for) [^,]{4,60})\.?$"
)
_PAIR = re.compile(r"\b([a-z]{3,}) and ([a-z]{3,})(?=[.,]|$)")
_ZH_WHEN = re.compile("^(?P<who>[^，。、]{1,6}?)(?P<when>今天|昨天|明天|最近|上周|去年|今年|现在)")


@dataclass(frozen=True, slots=True)
class Edit:
    """A text, its edited copy, which edit it was, and whether both say the same."""

    kind: str
    before: str
    after: str
    same: bool


def make_edits(texts: Sequence[str], names: Sequence[str]) -> Iterator[Edit]:
    """Every edit of SAME and CHANGED that applies to each text; `names` are exchanged for one another."""
    for text in texts:
        for kind, same, edit in _EDITS:
            after = edit(text)
            if after is not None and after != text:
                yield Edit(kind, text, after, same)
        after = _other_name(text, names)
        if after is not None:
            yield Edit("name", text, after, False)


def _pick(text: str, count: int) -> int:
    return crc32(text.encode()) % count


def _is_chinese(text: str) -> bool:
    return any("\u4e00" <= c <= "\u9fff" for c in text)


def _case(text: str) -> str:
    return (str.lower, str.upper, str.swapcase)[_pick(text, 3)](text)


def _punctuation(text: str) -> str:
    if _pick(text, 2):
        return re.sub(r"(?<!\d)[^\w\s]|[^\w\s](?!\d)", "", text)  # "5.5" and "100-150" are no punctuation
    end = "！" if _is_chinese(text) else "!!"
    return text.rstrip(".。") + end


def _typo(text: str) -> str | None:
    """A slip in a lower-case word of five letters or more; a neighbouring pair of characters swapped in Chinese."""
    if _is_chinese(text):
        pairs = [m.start() for m in re.finditer(r"(?=[\u4e00-\u9fff]{2})", text)]
        pairs = [i for i in pairs if not set(text[i : i + 2]) & set("不没未别无" + _ZH_NUMBERS + "十百千")]
        if not pairs:
            return None
        at = pairs[_pick(text, len(pairs))]
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    words = list(re.finditer(r"(?<![\w'])[a-z]{5,}(?![\w'])", text))
    if not words:
        return None
    word = words[_pick(text, len(words))]
    at = word.start() + 1 + _pick(text, len(word[0]) - 3)
    pair = text[at : at + 2]
    slips = (pair[::-1], pair[:1], pair[0] + pair, pair[0] + "x")
    slip = slips[_pick(text[::-1], 4)]
    return text[:at] + slip + text[at + 2 :]


def _reordered(text: str) -> str | None:
    when = _ZH_WHEN.match(text)
    if when:
        return when["when"] + when["who"] + text[when.end() :]
    listed = _PAIR.search(text)
    if listed and _pick(text, 2):
        return text[: listed.start()] + f"{listed[2]} and {listed[1]}" + text[listed.end() :]
    fronted = _FRONTED.match(text)
    if fronted:
        tail = fronted["tail"]
        return f"{tail[0].upper()}{tail[1:]}, {fronted['head']}."
    return None


def _number(text: str) -> str | None:
    digits = re.search(r"\d+", text)
    if digits:
        return f"{text[: digits.start()]}{int(digits[0]) + 1}{text[digits.end() :]}"
    word = re.search(rf"\b({'|'.join(_NUMBERS[1:])})\b", text)
    if word:
        other = _NUMBERS[(_NUMBERS.index(word[0]) + 1) % len(_NUMBERS)]
        return text[: word.start()] + other + text[word.end() :]
    han = re.search(rf"[{_ZH_NUMBERS[1:]}](?=[个岁年月天次周只本块名位件])", text)
    if han:
        other = _ZH_NUMBERS[(_ZH_NUMBERS.index(han[0]) + 1) % len(_ZH_NUMBERS)]
        return text[: han.start()] + other + text[han.end() :]
    return None


def _negated(text: str) -> str | None:
    if _is_chinese(text):
        verb = _ZH_VERB.search(text)
        return (
            None if verb is None else text[: verb.start()] + ("没" if verb[0] == "有" else "不") + text[verb.start() :]
        )
    verb = _AUXILIARY.search(text)
    if verb:
        return f"{text[: verb.end()]} not{text[verb.end() :]}"
    subject = re.match(r"[A-Z][a-z]+ (?=[a-z]+s\b|[a-z]+ed\b)", text)
    return None if subject is None else f"{subject[0]}never {text[subject.end() :]}"


def _other_name(text: str, names: Sequence[str]) -> str | None:
    here = [n for n in names if re.search(rf"(?<![A-Za-z]){re.escape(n)}(?![A-Za-z])", text)]
    others = [n for n in names if n not in text]
    if not here or not others:
        return None
    return text.replace(here[_pick(text, len(here))], others[_pick(text, len(others))])


_EDITS: tuple[tuple[str, bool, Callable[[str], str | None]], ...] = (
    ("case", True, _case),
    ("punctuation", True, _punctuation),
    ("typo", True, _typo),
    ("reordered", True, _reordered),
    ("number", False, _number),
    ("negated", False, _negated),
)
