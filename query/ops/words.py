"""Numbers and times as operators read them. Pure."""

from __future__ import annotations

from datetime import datetime

_UNITS = ("", " k", " M", " G")


def count(n: float | None) -> str:
    """1234567 as 1.23 M; small whole numbers as they are."""
    if n is None:
        return "–"
    value, unit = float(n), 0
    while abs(value) >= 1000 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    if unit == 0:
        return f"{value:.0f}" if float(value).is_integer() or value >= 100 else f"{value:.1f}"
    return f"{value:.3g}{_UNITS[unit]}"


def rate(n: float) -> str:
    return "0" if n < 0.05 else f"{n:.1f}" if n < 100 else count(n)


def duration(seconds: float | None) -> str:
    """From microseconds to days, three figures at most."""
    if seconds is None:
        return "–"
    if seconds < 0.0005:
        return "0 ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} d"


def size(n: float | None) -> str:
    if n is None:
        return "–"
    for unit in ("B", "KiB", "MiB"):
        if n < 1024:
            return f"{n:.0f} {unit}"
        n /= 1024
    return f"{n:.1f} GiB"


def ago(then: datetime, now: datetime) -> str:
    seconds = max(0.0, (now - then).total_seconds())
    return "just now" if seconds < 2 else f"{duration(seconds)} ago"


def percent(part: float, whole: float) -> str:
    if not whole:
        return "–"
    share = 100 * part / whole
    return "< 1 %" if 0 < share < 0.5 else f"{share:.0f} %"


def money(amount: float) -> str:
    """The currency is that of the configured prices."""
    return f"{amount:.2f}" if amount >= 1 or amount == 0 else f"{amount:.4f}"
