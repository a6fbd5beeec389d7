"""What can go wrong for a caller. No message holds content: the service's problem details never do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


class MemstreamError(Exception):
    """Base of every error of the client."""


class InvalidError(MemstreamError):
    """The request does not fit the contract (400, 413, 422). `fields`: path of the field and what was expected."""

    def __init__(self, message: str, fields: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.fields = tuple(fields)


class UnauthorisedError(MemstreamError):
    """A valid key is needed (401)."""


class ForbiddenError(MemstreamError):
    """The key does not allow this, or does not reach that owner (403)."""


class NotFoundError(MemstreamError):
    """There is no such thing, or the key does not reach it (404)."""


class UnavailableError(MemstreamError):
    """The service, its log or a store did not answer, also after repeating. `store`: which one, where known."""

    def __init__(self, message: str, store: str | None = None) -> None:
        super().__init__(message)
        self.store = store


class ServerError(MemstreamError):
    """The service failed (500), or the answer is none that it gives (a redirect, a page of something between).
    `again`: the same request may be taken later. `status`: of the answer, where there is one."""

    def __init__(self, message: str, again: bool = False, status: int | None = None) -> None:
        super().__init__(message)
        self.again, self.status = again, status


class SetAsideError(ServerError):
    """The service, or its encoding, fails on this one message whenever it is sent. It is kept: `retry_aside` sends it
    again."""

    def __init__(self, item_id: str, reason: MemstreamError | None) -> None:
        status = getattr(reason, "status", None)
        why = "the service fails on it" if status is not None or reason is None else str(reason)
        status_text = "" if status is None else f": HTTP {status}"
        super().__init__(f"{item_id}: {why}{status_text}", True, status)
        self.id = item_id
        self.__cause__ = reason


class StaleError(MemstreamError):
    """A read asked for with `require_fresh` did not have the caller's own writes in time."""


class SealedError(MemstreamError):
    """A value on the topic is sealed and no codec was given that opens it."""


class BufferFullError(MemstreamError):
    """The buffer is at its bound and the log has not taken anything for as long as `block_seconds`."""


class ClosedError(MemstreamError):
    """The client is closed, or was not entered."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One message that is not taken: its id (as `send` returned it) and why."""

    id: str
    error: MemstreamError


class DeliveryError(MemstreamError):
    """`flush` found messages that were refused for good (`refused`), that the service fails on (`aside`: kept, out of
    the others' way), or that the log did not take in time (`waiting`; they stay in the buffer; `reason`: what the last
    try met, where known)."""

    def __init__(
        self, refused: Sequence[Refusal], waiting: int, reason: MemstreamError | None = None,
        aside: Sequence[Refusal] = (),
    ) -> None:  # fmt: skip
        parts = [f"{len(refused)} refused (first: {refused[0].error})"] if refused else []
        parts += [f"{len(aside)} set aside (first: {aside[0].error})"] if aside else []
        why = "" if reason is None else f" ({reason})"
        parts += [f"{waiting} still waiting for the log{why}"] if waiting else []
        super().__init__(", ".join(parts))
        self.refused = tuple(refused)
        self.aside = tuple(aside)
        self.waiting = waiting
        self.reason = reason


def from_problem(status: int, problem: Mapping[str, object]) -> MemstreamError:
    """The error of an RFC 9457 answer. `problem` is empty where the body was none."""
    title = str(problem.get("title") or f"HTTP {status}")
    detail = str(problem.get("detail") or "")
    message = f"{title}: {detail}" if detail else title
    if status in (400, 413, 422):
        listed = problem.get("errors")
        errors = listed if isinstance(listed, list) else []
        named = [(str(e.get("field", "")), str(e.get("expected", ""))) for e in errors if isinstance(e, dict)]
        return InvalidError(message, named)
    if status in (408, 429) or status > 500:  # ours, or of a proxy before us
        store = problem.get("store")
        return UnavailableError(message, store if isinstance(store, str) else None)
    kinds: dict[int, type[MemstreamError]] = {401: UnauthorisedError, 403: ForbiddenError, 404: NotFoundError}
    kind = kinds.get(status)
    return ServerError(message, not 400 <= status < 500, status) if kind is None else kind(message)
