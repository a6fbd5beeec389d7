"""Figures of a week by the profile's catalogue: its status keys that are numbers, what they are of, and the change
against the report of the week before (A6). Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from processors.project.report_value import ReportFigure
from processors.project.week_lines import Line
from processors.reader.rules.hot import hot_status
from schemas.base import JsonValue
from schemas.profile.model import HotKey, Profile

_CLAUSES = re.compile(r"[，,;；。]\s?(?!\d{3}\b)")
_SHARE = re.compile(
    r"(?<![\d.])(?P<n>\d{1,9})\s?(?:/|(?:out )?of(?: the| our| a planned| planned)?)\s?(?P<of>\d{1,9})(?![\d.%])", re.I
)
_AIM = re.compile(
    r"(?:目标|计划|总数)(?:人数|数)?[是为：: ]?(?P<of>\d{1,9})|(?P<aim>\d{1,9})[\u4e00-\u9fff]?的?目标"
    r"|\b(?:target|goal) (?:of|is) (?P<to>\d{1,9})",
    re.I,
)
_WHOLE = re.compile(
    r"(?:总共|一共|共|累计|目前|现在|到)(?:已经?|有|是|达到?|到了?)*(?P<n>\d{1,9})(?P<unit>[\u4e00-\u9fff])", re.I
)
_AHEAD = re.compile(
    r"\b(?:will|would|should|expect\w*|plan\w*|target|goal|until|once|when|by the end|hope)\b"
    r"|预计|计划|争取|等|目标|希望",
    re.I,
)
_SO_FAR = re.compile(r"截[至止]|至今|目前|现在|已经?|累计|共|到了?\d")
_MORE = re.compile(r"新增|又|再|本周|这周|上周|昨天|本月|(?<!截至)(?<!截止)今天")
"""How many more, not how many there are."""
_NOT_NOW = re.compile(
    r"\b(?:not|never|n't|if|unless|last (?:week|month|year)|ago|would|could|might|used to)\b|n't\b"
    r"|如果|要是|没有?到|还没|不到|上周|上个?月|去年|当时",
    re.I,
)
"""It was so once, or it is only supposed."""
_COUNTED = re.compile(
    r"\s?(?:(?:of )?(?:the |our )?(?:\w{2,20} )?(?P<what>[a-z]{2,20}s)\b(?<!\bthis)(?<!\bis)(?<!\bhas)(?<!\bwas)|"
    r"(?P<unit>[份台支盒瓶箱页条件张管袋套篇]))",
    re.I,
)
"""What is counted."""
_NUMBER = re.compile(r"[\d零一二三四五六七八九十百千万两]")
Number = int | float


@dataclass(frozen=True, slots=True)
class Figure:
    """What was said of a key. `of` None: nothing."""

    value: Number
    of: Number | None
    turn_id: str
    turn_of: str | None = None


def figures(
    lines: Sequence[Line],
    profile: Profile,
    current_value: Callable[[HotKey], JsonValue],
    before: Mapping[str, ReportFigure],
) -> list[ReportFigure]:
    """The last that was said of each key in the week. `current_value`: what hot memory has of a key that is set up
    rather than changes. `before`: the figures of the week before."""
    out: list[ReportFigure] = []
    whole = {k.ratio_of[0]: k.ratio_of[1] for k in profile.hot_keys if len(k.ratio_of) == 2}
    by_key = {k.key: k for k in profile.hot_keys}
    for key in (k for k in profile.hot_keys if k.type == "status" and (k.key in whole or _counts(k))):
        aim = by_key.get(whole.get(key.key, ""))
        known = None if aim is None else number(current_value(aim))
        was = before.get(key.key)
        figure = _last(lines, profile, key.key, known if known is not None or was is None else was.of)
        if figure is None:
            continue
        of = figure.of if figure.of is not None else known if known is not None else was.of if was and aim else None
        out.append(
            ReportFigure(
                key=key.key, value=figure.value, of=of, turn_id=figure.turn_id,
                before=None if was is None else was.value, turn_before=None if was is None else was.turn_id,
                turn_of=figure.turn_of,
            )
        )  # fmt: skip
    return out


def _counts(key: HotKey) -> bool:
    """Whether a key's patterns find numbers: not days, versions or what is said of one of several."""
    return bool(key.patterns) and key.takes is None and key.each is None


def number(value: object) -> Number | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def label(key: HotKey, language: str) -> str:
    """How the profile names a key in a language."""
    zh = language == "zh"
    return next((a for a in key.aliases if a.isascii() != zh), key.key.replace("_", " "))


def _last(lines: Iterable[Line], profile: Profile, key: str, of: Number | None) -> Figure | None:
    """`of`: the whole that the key is a share of, where it is known: "40 of 60" then needs no other word."""
    found: Figure | None = None
    turn_of: str | None = None
    unit, names = "", _han_name(profile, key)
    told_of = " ".join(text for k in profile.hot_keys if k.key == key for text in (*k.patterns, *k.aliases)).casefold()
    for line in lines:
        if line.asks or not line.who or _NUMBER.search(line.text) is None:
            continue
        aim = next((int(next(g for g in m.groups() if g)) for m in _AIM.finditer(line.text)), None)
        shares = [(int(m["n"]), int(m["of"])) for m in _SHARE.finditer(line.text) if _is_share(m, told_of)]
        value = _of_key(line.text, profile, key)
        share = next((s for s in shares if of == s[1] or value == s[0]), None)
        if share is None and value is None and shares and _named(line.text, key):
            share = shares[0]
        more = _whole(line.text, unit, names) if unit else None
        if share is not None:
            of, turn_of = share[1], line.turn.turn_id
            found = Figure(share[0], of, line.turn.turn_id, turn_of)
        elif value is not None:
            of, turn_of = (of, turn_of) if aim is None else (aim, line.turn.turn_id)
            found = Figure(value, of, line.turn.turn_id, turn_of)
        elif found is not None and more is not None and found.value <= more <= (of or more):
            found = Figure(more, of, line.turn.turn_id, turn_of)
        if value is not None and (m := re.search(rf"{value}(?P<unit>[\u4e00-\u9fff])", line.text)):
            unit = m["unit"]
    return found


def _is_share(m: re.Match[str], told_of: str) -> bool:
    """Whether "40 of 60" is said of now, and of what the key counts: what is counted behind it, if anything, stands in
    the key's patterns or names ("40 of 60 samples" is no share of patients)."""
    if int(m["n"]) > int(m["of"]):
        return False
    text, begin, end = m.string, m.start(), m.end()
    first = max((c.end() for c in _CLAUSES.finditer(text, 0, begin)), default=0)
    last = next((c.start() for c in _CLAUSES.finditer(text, end)), len(text))
    clause = text[first:last]
    if _AHEAD.search(clause.replace(m.group(), "")) or _NOT_NOW.search(clause):
        return False
    counted = _COUNTED.match(text, end)
    return counted is None or (counted["what"] or counted["unit"]).casefold() in told_of


def _whole(text: str, unit: str, name: str) -> int | None:
    """A new total in the unit of the last one: 现在总共40例; with the key's name, 截至今天入组40例."""
    if _AHEAD.search(text) and not re.search(r"现在|目前", text):
        return None
    if name and _SO_FAR.search(text) and not _MORE.search(text):
        named = re.search(rf"{re.escape(name)}[^，。；\d]{{0,6}}(?P<n>\d{{1,9}})(?={re.escape(unit)})", text)
        if named is not None:
            return int(named["n"])
    return next((int(m["n"]) for m in _WHOLE.finditer(text) if m["unit"] == unit), None)


def _han_name(profile: Profile, key: str) -> str:
    """The two Chinese characters that all names of a key share: 入组. Empty: there are none."""
    names = [a for k in profile.hot_keys if k.key == key for a in k.aliases if not a.isascii()]
    pairs = (names[0][i : i + 2] for i in range(len(names[0]) - 1)) if names else ()
    return next((pair for pair in pairs if all(pair in name for name in names)), "")


def _named(text: str, key: str) -> bool:
    """Whether a sentence holds the stem of the key's first word."""
    stem = key.split("_")[0][:5].lower()
    return len(stem) == 5 and not _AHEAD.search(text) and re.search(rf"\b{re.escape(stem)}", text.lower()) is not None


def _of_key(text: str, profile: Profile, key: str) -> Number | None:
    for part in (text, *_CLAUSES.split(text)):
        hot = hot_status(profile, part)
        if hot is not None and hot.key == key and (found := number(hot.value)) is not None:
            return found
    return None
