"""One line of the report of `memstream check`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """`detail` says what was found, `remedy` what to do about it; neither holds a secret or a user's words."""

    name: str
    status: Status
    detail: str
    remedy: str = ""


class CheckFailedError(Exception):
    """What a check found wrong, with its remedy."""

    def __init__(self, detail: str, remedy: str) -> None:
        super().__init__(detail)
        self.remedy = remedy


@contextmanager
def failing(*kinds: type[Exception], detail: str, remedy: str) -> Iterator[None]:
    """A library's error becomes ours: its type is told, its text is not (it may hold an address with a password)."""
    try:
        yield
    except kinds as exc:
        raise CheckFailedError(f"{detail} ({type(exc).__name__})", remedy) from None
