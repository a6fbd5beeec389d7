"""How a habit is told, in English and Chinese (C5). Labels are the profile's. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.profile.model import HabitSpec

PHRASE, SLOT, PART = "phrase/", "slot/", "part/"
"""Usual values of an action or a time: how it is worded, its weekday and part of the day, the part alone."""
_EN_DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
_ZH_DAYS = "一二三四五六日"
_ZH_PARTS = {"morning": "上午", "afternoon": "下午", "evening": "晚上"}
_WORKING = (1, 2, 3, 4, 5)


def label(spec: HabitSpec, name: str, language: str) -> str:
    """What the profile calls an action, a key or a value; else as it is."""
    known = spec.labels.get(name, {})
    return (known.get("zh") if language == "zh" else known.get("en")) or name


def time_text(spec: HabitSpec, action: str, clock: str, weekdays: Sequence[int], language: str) -> str:
    """`weekdays`: ISO 1 to 7; told where they are some and not all."""
    named = label(spec, action, language)
    days = _days(tuple(weekdays), language)
    return f"通常{days or '在'}{clock}{named}" if language == "zh" else f"Usually {days}at {clock}: {named}"


def overdue_text(usually: str, now: str, language: str) -> str:
    """`usually`: the text of the habit; `now`: the time of day, HH:MM."""
    return f"{usually}，现在{now}，今天还没有" if language == "zh" else f"{usually}; it is {now} and not yet done today"


def usual_text(spec: HabitSpec, key: str, value: str, language: str) -> str:
    """`key`: of a usual value, `phrase/ACTION`, `slot/KEY` or `part/KEY`."""
    for lead in (SLOT, PART):
        if key.startswith(lead):
            return _slot_text(label(spec, key.removeprefix(lead), language), value, language)
    if key.startswith(PHRASE):
        named = label(spec, key.removeprefix(PHRASE), language)
        return f"{named}时常说：{value}" if language == "zh" else f"Usual words to {named}: {value}"
    named, shown = label(spec, key, language), label(spec, value, language)
    return f"常用{named}：{shown}" if language == "zh" else f"Usual {named}: {shown}"


def _slot_text(named: str, value: str, language: str) -> str:
    """`value`: a part of the day, behind the number of a weekday or without."""
    day, _, part = value.rpartition(" ")
    if language == "zh":
        return f"通常{f'周{_ZH_DAYS[int(day) - 1]}' if day else ''}{_ZH_PARTS[part]}{named}"
    return f"Usually on {_EN_DAYS[int(day) - 1][:-1]} {part}s: {named}" if day else f"Usually in the {part}: {named}"


def hours_text(hours: Sequence[int], language: str) -> str:
    hour_names = ", ".join(f"{h:02}:00" for h in hours)
    return f"活跃时段：{hour_names}" if language == "zh" else f"Active hours: {hour_names}"


def _days(weekdays: tuple[int, ...], language: str) -> str:
    if not 0 < len(weekdays) < 7:
        return ""
    if weekdays == _WORKING:
        return "工作日" if language == "zh" else "on weekdays "
    if language == "zh":
        return "周" + "、".join(_ZH_DAYS[d - 1] for d in weekdays)
    return f"on {', '.join(_EN_DAYS[d - 1] for d in weekdays)} "
