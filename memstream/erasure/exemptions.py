"""What no erasure removes, as the signed report says it; docs/erasure.md lists the same under the same names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exemption:
    """`name`: as docs/erasure.md has it in bold. `scopes`: of which erasures. `sealed`: only with encryption."""

    name: str
    text: str
    scopes: tuple[str, ...] = ("user", "session", "tenant")
    sealed: bool = False


LEFT = (
    Exemption(
        "Ids", "of user and session, with the time, in cut-off rows, erasure events, this report and the access log"
    ),
    Exemption(
        "Bytes that a store has freed",
        "until it compacts: tables, samples and write-ahead log of Postgres, the append-only file of Redis, segments of"
        " Milvus and of Kafka; and backups and snapshots until they expire",
    ),
    Exemption(
        "Wrapped keys in copies of Postgres",
        "dead rows, write-ahead log, replicas and backups: they open as long as the master key exists that wraps them",
        ("user", "tenant"),
        sealed=True,
    ),
    Exemption(
        "Hashes of cited texts",
        "in the citations of records that are kept, and in topics until the day that `remains` names",
        sealed=True,
    ),
    Exemption("Habits", "counts that the session went into", ("session",)),
    Exemption(
        "What others said of the user",
        "their turns and memories, and comments of who judged a record (`by`)",
        ("user", "session"),
    ),
    Exemption("A model's words on a weekly report", "in project.events, where an earlier version took them in"),
    Exemption("Jobs for a weekly report", "in memory.jobs for 7 days"),
    Exemption("Memory of processes that run", "rows and answers that they hold until others take their place"),
    Exemption("What was taken out", "subscribers, exports, logs of your services, what a model endpoint was sent"),
)


def not_erased(scope: str, *, sealed: bool) -> list[str]:
    """Of an erasure of this scope. `sealed`: with encryption."""
    return [f"{left.name}: {left.text}" for left in LEFT if scope in left.scopes and (sealed or not left.sealed)]
