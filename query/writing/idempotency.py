"""Commands that a caller may repeat: the same Idempotency-Key is the same command, however often it is sent."""

from __future__ import annotations

from typing import Annotated
from uuid import uuid4

from fastapi import Header

from query.writing.publish import SAFE, Repeat, under
from schemas.base import Id

NAME = "Idempotency-Key"
IdempotencyKey = Annotated[Id | None, Header(alias=NAME)]


def named(once: str | None) -> str:
    """The caller's key, else one of ours, which the answer names where the call may have to be repeated."""
    return str(uuid4()) if once is None else once


def repeat_of(once: str | None, key: str) -> Repeat:
    """`once`: the key that the caller sent; `key`: the one that the command has."""
    return under(NAME, key) if once is None else SAFE
