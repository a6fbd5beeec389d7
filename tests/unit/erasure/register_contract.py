"""The contract of the eraser's register: subclass it, give it a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import pytest

from memstream.erasure.ports import AT_ONCE, Finding, Register
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.security.erasure_findings import place
from streams.state.protocol import OutboxRow
from tests.dates import fixed

CUT = fixed(2026, 11, 21, 8)


class Place(Protocol):
    """What sinks and steps write to it, and a connection of the eraser."""

    def begin(self, e: Erasure) -> None: ...

    def found(self, e: Erasure, where: str, counts: Mapping[str, int]) -> None: ...

    def late(self, name: str) -> None:
        """A sink has met something again that the erasure took."""
        ...

    def holds(self, owner: str, key: str) -> None:
        """A row of a step's state."""
        ...

    def outbox(self, step: str, rows: Sequence[OutboxRow]) -> None:
        """The last batch of a step in partition 0."""
        ...

    def opened(self) -> AbstractContextManager[Register]: ...


def erasure(name: str = "e1", **over: Any) -> Erasure:
    return Erasure(tenant="acme", erasure_id=name, scope="user", user_id="ann", accepted_at=CUT).model_copy(update=over)


def whole(name: str = "t1") -> Erasure:
    return erasure(name, scope="tenant", user_id=None)


def row(value: bytes, kind: bytes = b"erasure") -> OutboxRow:
    headers = [("owner", b"acme/user/ann"), ("ce_type", b"memstream.%b.v1" % kind)]
    return OutboxRow(7, 0, topics.LEDGER.name, 0, b"k", value, headers)


HISTORY = place("postgres", 1, topics.HISTORY.name, "screen", 0)


class RegisterContract:
    """Subclasses provide the fixture `at`, empty but for the stores' first generations."""

    def test_what_began_is_under_way_the_oldest_first_until_it_is_done(self, at: Place) -> None:
        first, second = erasure("e2"), erasure("e1", user_id="bob")
        at.begin(first)
        at.begin(second)
        at.begin(first.model_copy(update={"accepted_at": fixed(2027, 1, 1)}))  # it comes along several topics
        at.begin(erasure("e3", part=True))
        with at.opened() as register:
            found = register.under_way()
            assert [u.erasure for u in found] == [first, second]
            assert [u.step for u in found] == ["stores", "stores"]
            assert found[0].started_at <= found[1].started_at
            register.finish(first, {"of": "first"})
            assert [u.erasure for u in register.under_way()] == [second]

    def test_what_it_waits_for_is_noted(self, at: Place) -> None:
        at.begin(erasure())
        with at.opened() as register:
            register.waits(erasure(), "outbox")
        with at.opened() as register:
            assert [u.step for u in register.under_way()] == ["outbox"]

    def test_places_answer_for_the_owner_of_the_erasure(self, at: Place) -> None:
        at.begin(whole())
        at.found(whole(), HISTORY, {"turns": 0})
        at.found(erasure("t1", part=True), "postgres/1/other/screen/0", {"turns": 2})
        with at.opened() as register:
            assert register.answered(whole()) == {HISTORY}
            assert register.answered(erasure("e9")) == set()

    def test_findings_are_of_the_whole_and_lower_no_count(self, at: Place) -> None:
        at.begin(whole())
        at.found(whole(), "b/1", {})
        at.found(erasure("t1", part=True), HISTORY, {"turns": 3, "rows": 1})
        at.found(erasure("t1", part=True), HISTORY, {"turns": 0, "keys": 2})
        with at.opened() as register:
            assert register.findings(whole()) == [
                Finding("b/1", {}), Finding(HISTORY, {"turns": 3, "rows": 1, "keys": 2})
            ]  # fmt: skip

    def test_first_generations_stand(self, at: Place) -> None:
        with at.opened() as register:
            assert {("postgres", 1), ("milvus", 1), ("redis", 1)} <= set(register.generations())

    def test_rows_of_the_user_are_held_but_for_the_cut_off(self, at: Place) -> None:
        for owner in ("acme/user/ann", "acme/user/ann|s1", "acme/user/ann/given", "acme/user/anna", "acme/user/bob"):
            at.holds(owner, "last/s1")
        at.holds("acme/user/ann", "deny")
        with at.opened() as register:
            assert register.held(erasure()) == 3
            assert register.held(erasure(user_id="cat")) == 0

    def test_owners_of_the_tenant_hold_more_than_a_cut_off(self, at: Place) -> None:
        for owner in ("acme/user/ann", "acme/project/p", "acme2/user/ann"):
            at.holds(owner, "last/s1")
        at.holds("acme/user/bob", "deny")
        with at.opened() as register:
            assert sorted(register.owners(whole())) == ["acme/project/p", "acme/user/ann"]

    def test_an_outbox_that_carries_the_erasure_is_undelivered(self, at: Place) -> None:
        at.outbox("extract", [row(b'{"text":"tea"}', b"extraction"), row(b'{"erasure_id":"e1"}')])
        at.outbox("gate", [row(b'{"erasure_id":"e1","part":true}')])
        at.outbox("project", [row(b'{"erasure_id":"e0"}')])
        with at.opened() as register:
            assert register.undelivered(erasure()) == 2
            assert register.undelivered(erasure("e7")) == 0

    def test_an_outbox_without_an_erasure_is_not_read(self, at: Place) -> None:
        """Each of them was, whole, for each erasure at each look: a text that names it shows whether one is."""
        at.outbox("extract", [row(b'{"text":"my erasure_id is e1"}', b"extraction")])
        with at.opened() as register:
            assert register.undelivered(erasure()) == 0

    def test_of_many_some_are_named_at_once_and_the_others_behind_them(self, at: Place) -> None:
        names = [f"e{n:02d}" for n in range(AT_ONCE + 2)]
        for name in names:
            at.begin(erasure(name))
        with at.opened() as register:
            first = register.under_way()
            behind = register.under_way(first[-1])
            assert [u.erasure.erasure_id for u in (*first, *behind)] == names
            assert len(first) == AT_ONCE
            assert register.under_way(behind[-1]) == []
            register.finish(first[-1].erasure, {})
            assert register.under_way(first[-1]) == behind

    def test_of_a_tenant_its_own_are_named_and_tenants_in_the_order_of_their_oldest(self, at: Place) -> None:
        for name, tenant in (("e3", "other"), ("e1", "acme"), ("e2", "other"), ("e4", "third")):
            at.begin(erasure(name, tenant=tenant))
        with at.opened() as register:
            assert register.tenants() == ["other", "acme", "third"]
            first, second = register.under_way(tenant="other")
            assert [u.erasure.erasure_id for u in (first, second)] == ["e3", "e2"]
            assert register.under_way(first, "other") == [second]
            assert register.under_way(second, "other") == []
            register.finish(first.erasure, {})
            assert register.tenants() == ["acme", "other", "third"]
            assert register.under_way(tenant="other") == [second]
            for name, tenant in (("e1", "acme"), ("e2", "other"), ("e4", "third")):
                register.finish(erasure(name, tenant=tenant), {})
            assert register.tenants() == []

    def test_who_asked_for_it_may_be_told_later(self, at: Place) -> None:
        at.begin(erasure())
        with at.opened() as register:
            assert register.accesses(erasure()) == []
            register.forget_accesses(erasure())

    def test_no_key_was_destroyed(self, at: Place) -> None:
        with at.opened() as register:
            assert [register.keys_destroyed(e, CUT) for e in (erasure(), whole(), erasure(scope="session"))] == [0] * 3

    @pytest.mark.parametrize("times", [1, 2])
    def test_what_is_done_stays_as_it_is(self, at: Place, times: int) -> None:
        at.begin(erasure())
        with at.opened() as register:
            for n in range(times):
                register.finish(erasure(), {"n": n})
            register.waits(erasure(), "done")
            assert register.under_way() == []
        assert self.report(at) == {"n": 0}

    def test_what_came_late_is_under_way_again_and_no_more_done_before_it_was_looked_for(self, at: Place) -> None:
        at.begin(erasure())
        with at.opened() as register:
            assert register.finish(erasure(), {"nulled": {"a": 1}})
            at.late("e1")
            [again] = register.under_way()
            assert (again.erasure, again.step, again.nulled) == (erasure(), "late", {"a": 1})
            register.waits(erasure(), "log")
            at.late("e1")  # behind what the eraser has read
            assert not register.finish(erasure(), {"nulled": {"a": 1}})
            register.waits(erasure(), "log")
            assert register.finish(erasure(), {"nulled": {"a": 2}})
            assert not register.finish(erasure(), {})
        assert self.report(at) == {"nulled": {"a": 2}}

    def report(self, at: Place) -> Any:
        """Of the erasure e1."""
        raise NotImplementedError
