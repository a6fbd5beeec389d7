"""Answers for operators."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from query.answers.base import Answered, Json


class StatusAnswer(Answered):
    status: str


class StageState(Answered):
    """`rate` and `rate_in`: records a second that leave and arrive; `unread`: partitions without a reader."""

    name: str
    kind: str
    topics: list[str]
    lag: int
    unread: int
    lag_seconds: float
    rate: float
    rate_in: float
    state: Literal["standing still", "behind", "working", "idle"]


class StoreState(Answered):
    up: bool
    reason: str | None


class FreshnessState(Answered):
    """Seconds from acceptance to readable, of the last minute where it had any."""

    count: int
    recent: int
    p50_seconds: float | None
    p99_seconds: float | None


class ReasonCount(Answered):
    step: str
    reason: str
    count: int


class LetterCounts(Answered):
    """`count` is null until they were read."""

    count: int | None
    reasons: list[ReasonCount]


class StageStatistics(Answered):
    """Since the process started."""

    records: int
    batches: int
    outcomes: dict[str, int]
    seconds: dict[str, float]
    latency: list[int]
    sizes: list[int]


class ProcessState(Answered):
    name: str
    heard_at: datetime
    started_at: str
    rss_bytes: int
    cpu_seconds: float
    stages: dict[str, StageStatistics]


class PipelineAnswer(Answered):
    """`gate_outcomes` of the last hour; `freshness` a store and a `store:topic`."""

    at: datetime
    ready: bool
    reasons: list[str]
    stages: list[StageState]
    stores: dict[str, StoreState]
    freshness: dict[str, FreshnessState]
    gate_outcomes: dict[str, dict[str, int]]
    dead_letters: LetterCounts
    erasures_pending: int | None
    processes: list[ProcessState]


class HeldTurns(Answered):
    held: int
    next_expiry: datetime | None


class RetentionClass(Answered):
    """`days` null: kept until it is deleted."""

    class_: str = Field(alias="class")
    days: int | None
    on_expiry: str | None
    standing: int
    archived: int
    next_expiry: datetime | None


class EndedCount(Answered):
    kind: str
    rule: str
    count: int
    last: datetime


class RetentionAnswer(Answered):
    profile: str
    profile_version: int
    turns_days: int | None
    turns: HeldTurns
    classes: list[RetentionClass]
    ended: list[EndedCount]


class ErasureState(Answered):
    """`places`: stores and steps that have answered."""

    erasure_id: str
    scope: str
    user_id: str | None
    session_id: str | None
    accepted_at: datetime
    state: Literal["under_way", "done"]
    step: str
    started_at: datetime
    finished_at: datetime | None
    places: int


class ErasureAnswer(ErasureState):
    """`report`: signed, once done."""

    report: dict[str, Json] | None


class ErasuresAnswer(Answered):
    """`under_way`: how many are not done, on all pages together; `oldest`: when the first of those began."""

    under_way: int
    oldest: datetime | None
    erasures: list[ErasureState]
    cursor: str | None


class TenantProfileAnswer(Answered):
    """`own`: whether the tenant has one of its own; `profile` with `whole`."""

    name: str
    version: int
    own: bool
    profile: dict[str, Json] | None = None


class LetterSource(Answered):
    topic: str
    partition: int
    offset: int


class LetterDecision(Answered):
    action: str
    target: str | None
    at: datetime


class DeadLetter(Answered):
    """`tenant` null: nobody can say whose it is."""

    id: str
    state: Literal["open", "replayed", "dropped"]
    step: str
    reason: str
    message: str
    attempts: int
    source: LetterSource
    failed_at: datetime | None
    dead_since: datetime
    bytes: int
    tenant: str | None
    decided: LetterDecision | None


class LettersAnswer(Answered):
    dead_letters: list[DeadLetter]
    counts: list[ReasonCount]
    cursor: str | None


class LetterPreview(Answered):
    """The value's form: every value masked."""

    form: Literal["null", "json", "text"]
    bytes: int
    value: Json


class LetterAnswer(DeadLetter):
    preview: LetterPreview


class LetterResult(Answered):
    id: str
    outcome: str
    target: LetterSource | None


class DecidedAnswer(Answered):
    """`outcomes`: how many of each; `left`: how many more there are."""

    outcomes: dict[str, int]
    results: list[LetterResult]
    left: int
    freshness_token: str
