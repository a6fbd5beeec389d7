"""D11, C9: what this service was told to delete is in no copy that Postgres does not confirm."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from query.views.pending_deletions import Withheld
from schemas.events.documents import EVERY_VERSION, Document, ProjectCommand
from schemas.events.envelope import Envelope
from schemas.events.erasure import Erasure
from schemas.events.memory import Feedback, FeedbackBody, MemoryCommand
from schemas.events.turns import SessionCommand

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
T = "acme"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def turn(user: str = "u", session: str = "s") -> dict[str, Any]:
    return {"turn_id": "t1", "user_id": user, "session_id": session}


def memory(**over: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"record_id": "r", "owner_kind": "user", "owner_id": "u", "user_id": "u", "session_id": "s",
             "sources": [], "namespace": [], "key": None}  # fmt: skip
    return {**given, **over}


ITEM = memory(record_id="i", namespace=["memories", "u"], key="k")
REPORT = memory(record_id="p", owner_kind="project", owner_id="p1", user_id=None, session_id=None)
CHUNK = memory(record_id="c", owner_kind="document", owner_id="d", user_id=None, session_id=None, key="1")
FROM_SESSION = memory(record_id="x", session_id=None, sources=[{"session_id": "s"}])
ALL = {"turn": turn(), "memory": memory(), "item": ITEM, "report": REPORT, "chunk": CHUNK, "from": FROM_SESSION}


def erasure(**over: Any) -> Erasure:
    return Erasure(tenant=T, erasure_id="e", accepted_at=NOW, **over)


def command(**over: Any) -> MemoryCommand:
    return MemoryCommand(tenant=T, user_id="u", command_id="c", **over)


WRONG = Feedback(
    tenant=T, user_id="u", feedback_id="f", memory_ids=("r",), rating="bad", sealed=FeedbackBody(correction="no")
)
CASES: list[tuple[Envelope, set[str]]] = [
    (command(command="forget", memory_id="r"), {"memory"}),
    (command(command="correct", memory_id="r"), {"memory"}),
    (command(command="delete_item", namespace=("memories", "u"), key="k"), {"item"}),
    (command(command="put_item", namespace=("memories", "u"), key="k"), set()),
    (WRONG, {"memory"}),
    (Document(tenant=T, document_id="d", version="1", op="delete"), {"chunk"}),
    (Document(tenant=T, document_id="d", version="0", op="delete"), set()),
    (Document(tenant=T, document_id="d", version=EVERY_VERSION, op="delete"), {"chunk"}),
    (Document(tenant=T, document_id="d2", version=EVERY_VERSION, op="delete"), set()),
    (Document(tenant=T, document_id="d", version="2"), set()),
    (erasure(scope="user", user_id="u"), {"turn", "memory", "item", "from", "report"}),
    (erasure(scope="user", user_id="v"), {"report"}),
    (erasure(scope="session", user_id="u", session_id="s"), {"turn", "memory", "item", "from", "report"}),
    (erasure(scope="session", user_id="u", session_id="s2"), {"report"}),
    (erasure(scope="project", project_id="p1"), {"report"}),
    (erasure(scope="tenant"), set(ALL)),
]


@pytest.mark.parametrize(("event", "hidden"), CASES)
def test_what_each_deletion_keeps_back(event: Envelope, hidden: set[str]) -> None:
    withheld = Withheld(clock=Clock())
    withheld.note(event)
    assert {name for name, row in ALL.items() if withheld.row(T, row)} == hidden
    assert not any(withheld.row("other", row) for row in ALL.values()), "another tenant's are none of it"


def test_a_session_that_was_reset_is_kept_back_until_a_newer_one_stands() -> None:
    withheld = Withheld(clock=Clock())
    reset = SessionCommand(tenant=T, user_id="u", session_id="s", command="reset", command_id="c", accepted_at=NOW)
    withheld.note(reset)
    assert withheld.session(T, "u", "s", NOW.timestamp() - 1)
    assert not withheld.session(T, "u", "s", NOW.timestamp() + 1)
    assert not withheld.session(T, "u", "s2", 0)
    withheld.note(erasure(scope="user", user_id="u"))
    assert withheld.session(T, "u", "s2", NOW.timestamp() + 1)


def test_hot_memory_is_kept_back_where_a_key_or_somebody_goes() -> None:
    withheld = Withheld(clock=Clock())
    removed = ProjectCommand(
        tenant=T, project_id="p1", command="delete_hot", command_id="c", hot_type="status", key="k"
    )
    withheld.note(removed)
    assert withheld.project(T, "p1")
    assert not withheld.project(T, "p2")
    withheld.note(erasure(scope="user", user_id="u"))
    assert withheld.project(T, "p2")


def test_names_leave_after_an_hour_and_beyond_the_bound_every_copy_is_kept_back() -> None:
    clock = Clock()
    withheld = Withheld(seconds=10, most=2, clock=clock)
    for n in range(3):
        withheld.note(command(command="forget", memory_id=f"r{n}"))
    assert withheld.row(T, memory(record_id="another")), "a name had to leave before its time"
    clock.now = 10.0
    assert not any(withheld.row(T, memory(record_id=name)) for name in ("r0", "r2", "another"))
    withheld.note(command(command="forget", memory_id="r"))
    assert withheld.size == 1


def test_m6_a_tenant_that_fills_it_withholds_its_own_copies_alone() -> None:
    """50,001 deletions of ids that do not exist withheld every tenant's copies for an hour."""
    clock = Clock()
    withheld = Withheld(seconds=10, most=3, clock=clock)
    withheld.note(command(command="forget", memory_id="r").model_copy(update={"tenant": "other"}))
    for n in range(9):
        withheld.note(command(command="forget", memory_id=f"r{n}"))
    assert withheld.size == 3
    assert withheld.row(T, memory(record_id="another"))
    assert withheld.row("other", memory()), "its own deletion is still known"
    assert not withheld.row("other", memory(record_id="another"))
    clock.now = 10.0
    assert not withheld.row(T, memory(record_id="another"))
