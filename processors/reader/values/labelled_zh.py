"""Fields that a profile adds: a value behind the field's own label, and a value that belongs to one field alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from processors.reader.rules.found import Found
from processors.reader.rules.making_zh import doubted, planned
from processors.reader.rules.numbers import amount
from processors.reader.values.kinds_zh import KINDS, guard, names_of
from processors.reader.values.talk_zh import Part, names_another
from schemas.base import JsonValue
from schemas.profile.model import FieldSpec, Profile
from schemas.profile.slots import SLOTS

_KNOWN = SLOTS | {slot for kind in KINDS for slot in (*kind.fields, *kind.pair)}
"""Fields that have kinds of their own."""
_IS = r"(?:就|也|都|还|现在|目前|一般|通常|平时)*(?:是|为|：|:|有|选|用|改成|换成|定为|嘛|呢|大概|差不多|约|在|到了?)*"
_NUMBER = r"(?P<v>\d{1,9}(?:\.\d{1,3})?\s?(?:[万亿kKwW](?![A-Za-z]))?)"
_YES = re.compile(r"(?:有|是)(?:的)?$")
_ANSWER = re.compile(r"(?:(?P<no>还?没有?|暂时没有?|无|不是)|有|有的|是的?|对)(?:啊|呀|哦|呢|的)?")
_NO = re.compile(r"(?:没有?|不是|无|不)$")


def labelled(parts: Sequence[Part], profile: Profile) -> Iterator[Found]:
    """What own clauses say with a field's label, or by a value that no other field has."""
    for spec in profile.fields:
        if _KNOWN & {spec.name, spec.slot} or spec.reading is not None or not (label := spec.label.get("zh", "")):
            continue
        for part in parts:
            if part.is_own and (value := _value(spec, label, part, profile)) is not None:
                yield Found(
                    part.clause.start, part.clause.end, spec.kind, f"{{of}}{label}：{_shown(value)}",
                    ((spec.name, value),),
                )  # fmt: skip


def _value(spec: FieldSpec, label: str, part: Part, profile: Profile) -> JsonValue:
    text = part.text
    if guard("unmeant").search(text) or guard("past").search(text):
        return None
    if (names := names_of(spec)) and spec.type in {"string", "list"}:
        return _named(spec, names, label, part, profile)
    if spec.type == "boolean" and label in part.question and (answer := _ANSWER.fullmatch(text)):
        return answer["no"] is None
    at = text.find(label)
    if at < 0 or names_another(text[:at]) or planned(text[:at]) or doubted(text[:at]):
        return None
    if spec.type == "boolean":
        return False if _NO.search(text[:at]) else True if _YES.search(text[:at]) else None
    if spec.type in {"integer", "number", "money"}:
        match = re.match(_IS + _NUMBER, text[at + len(label) :])
        return None if match is None else amount(match["v"].replace(" ", ""))
    return None


def _named(spec: FieldSpec, names: tuple[str, ...], label: str, part: Part, profile: Profile) -> JsonValue:
    """The one of its values that a clause names, where the label or the question says so, or no other field has it."""
    text = part.text
    match = re.search("|".join(map(re.escape, sorted(names, key=len, reverse=True))), text)
    if match is None:
        return None
    lead = text[: match.start()]
    if guard("denied").search(lead) or names_another(lead) or planned(lead) or doubted(lead):
        return None
    cued = label in text or label in part.question or label in part.before
    return match.group() if cued else None


def _shown(value: JsonValue) -> str:
    return {True: "是", False: "否"}[value] if isinstance(value, bool) else str(value)
