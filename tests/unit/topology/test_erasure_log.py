"""What of the kept topics an erasure takes: by time, and by the order of the log where a clock was wrong (C9, N6)."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from memstream.erasure import log as kept_topics
from memstream.erasure.log import _names, readable
from memstream.reprocess.amend_log import amendment
from processors.pii.stored_texts import record_of
from schemas.events.amendments import Amendment
from schemas.events.envelope import Envelope
from schemas.events.erasure import Erasure
from schemas.events.memory import Decision, JobResult, JobResultBody, MemoryCommand, MemoryCommandBody, MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec
from tests.unit.sinks.events import decision, hot, memory
from tests.unit.topology.erasure_log import current_rows

CUT = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
_CODEC = Codec()


@dataclass(frozen=True)
class Stored:
    """The part of a confluent_kafka Message that is read."""

    of: bytes | None
    content: bytes | None
    place: int = 3
    told: tuple[tuple[str, bytes], ...] = ()
    where: str = topics.LEDGER.name
    written_ms: int = 0

    def key(self) -> bytes | None:
        return self.of

    def value(self) -> bytes | None:
        return self.content

    def topic(self) -> str:
        return self.where

    def partition(self) -> int:
        return self.place

    def offset(self) -> int:
        return 0

    def headers(self) -> list[tuple[str, bytes]]:
        return list(self.told)

    def timestamp(self) -> tuple[int, int]:
        return 1, self.written_ms


def _stored(key: str, event: Envelope, place: int = 3) -> Stored:
    return Stored(key.encode(), _CODEC.encode(event, "test", key).value, place)


def _call_of(at: datetime, user: str = "ann", session: str | None = None) -> MemoryCommand:
    return MemoryCommand(
        tenant="acme", user_id=user, session_id=session, command="remember", command_id="c", kind="fact",
        accepted_at=at, sealed=MemoryCommandBody(text="likes tea"),
    )  # fmt: skip


def _erasure(**over: Any) -> Erasure:
    return Erasure(tenant="acme", erasure_id="e1", scope="user", user_id="ann", accepted_at=CUT).model_copy(update=over)


def _taken(records: list[Stored], e: Erasure) -> set[bytes]:
    return {key for _, _, key in current_rows(cast(Any, records), e)}


HOUR = timedelta(hours=1)


def test_n6_before_the_erasure_everything_goes_and_behind_it_what_is_older_than_the_cut_off() -> None:
    log = [
        _stored("old", _call_of(CUT - HOUR)),
        _stored("ahead", _call_of(CUT + HOUR)),
        _stored("bob", _call_of(CUT + HOUR, "bob")),
        _stored("erasure", _erasure()),
        _stored("late", _call_of(CUT - HOUR)),
        _stored("returned", _call_of(CUT + HOUR)),
    ]
    assert _taken(log, _erasure()) == {b"old", b"ahead", b"late"}


def test_n6_a_value_that_was_replaced_or_nulled_is_not_taken() -> None:
    log = [
        _stored("a", _call_of(CUT + HOUR)),
        Stored(b"a", None),
        _stored("b", _call_of(CUT + HOUR)),
        _stored("b", _call_of(CUT, "bob")),
        _stored("erasure", _erasure()),
        _stored("c", _call_of(CUT)),
        Stored(b"c", None),
    ]
    assert _taken(log, _erasure()) == set()


def test_n6_the_order_is_that_of_the_partition() -> None:
    log = [_stored("elsewhere", _call_of(CUT + HOUR), place=4), _stored("erasure", _erasure(), place=3)]
    assert _taken(log, _erasure()) == set()


@pytest.mark.parametrize("stage", ["gate", "project"])
def test_n6_what_was_said_behind_the_erasure_stays_where_the_erasure_comes_again(stage: str) -> None:
    """Found by the simulation. Projects hand it on from their own partitions, and a step that takes over delivers it
    once more: what the user had said by then was taken for said before."""
    first = replace(_stored("erasure", _erasure(stage="gate")), where=topics.UPDATES.name)
    texts = [replace(_stored(k, _call_of(CUT + HOUR)), where=topics.UPDATES.name) for k in ("ahead", "returned")]
    texts = [replace(m, content=(m.content or b"").replace(b"{", b'{"owner_kind":"user",', 1)) for m in texts]
    again = replace(_stored("erasure", _erasure(stage=stage)), where=topics.UPDATES.name)
    assert _taken([texts[0], first, texts[1], again], _erasure()) == {b"ahead"}
    assert _taken([texts[0], first, texts[1]], _erasure()) == {b"ahead"}


def test_c9_what_came_late_over_a_newer_value_gives_way_to_it() -> None:
    """A process that stood still sends behind its successor: a null would take what was said since with it."""
    back, late = _stored("a", _call_of(CUT + HOUR)), _stored("a", _call_of(CUT - HOUR))
    erasure, nulled = _stored("erasure", _erasure()), Stored(b"a", None)
    place = topics.LEDGER.name, 3, b"a"
    for log, instead in (
        ([erasure, nulled, late], None), ([erasure, back, late], back), ([erasure, back, late, late], back),
        ([erasure, back, nulled, late], None), ([back, late, erasure], None),
    ):  # fmt: skip
        found = current_rows(cast(Any, log), _erasure())
        assert (list(found), found[place].instead) == ([place], instead)
    assert current_rows(cast(Any, [erasure, back, late, back]), _erasure()) == {}


def test_c9_a_projects_value_that_came_late_gives_way_to_its_deletion_or_to_another_users() -> None:
    def kept(**over: Any) -> Stored:
        owned = (("owner", b"acme/project/p1"),)
        value = hot(1, tenant="acme", known_at=CUT, **over)
        return replace(_stored("h/1", value, place=5), told=owned, where=topics.UPDATES.name)

    late, deletion = kept(user_id="ann"), kept(revision=2, op="delete", state="deleted")
    for newest in (deletion, kept(revision=2, user_id="bob")):
        found = current_rows(cast(Any, [kept(user_id="ann"), newest, late]), _erasure())
        assert [t.instead for t in found.values()] == [newest]
        assert current_rows(cast(Any, [late, newest]), _erasure()) == {}


def test_c9_a_models_words_on_all_sessions_go_with_each() -> None:
    """A narrative's answer names no session, and is made of what was said in any: it stood in the ledger for good."""
    answer = JobResult(
        tenant="acme", user_id="ann", job_id="j", job="narrative", status="done", asked_at=CUT - HOUR,
        sealed=JobResultBody(result={"narrative": "likes tea"}),
    )  # fmt: skip
    later = answer.model_copy(update={"asked_at": CUT + HOUR})
    log = [_stored("answer", answer), _stored("erasure", e := _erasure(scope="session", session_id="s1"))]
    assert _taken([*log, _stored("later", later), _stored("bob", answer.model_copy(update={"user_id": "bob"}))], e) == {
        b"answer"
    }


def _amended(record: Decision | MemoryUpdate, what: str, session: str | None) -> Amendment:
    """As a rescreen sends it; `session` None: as it sent it before it named the session of every record."""
    sent = amendment(record, "rescreen", what, "r", 1, record_of(record, {}), CUT - HOUR, "rescreened")
    return sent if session else sent.model_copy(update={"session_id": None})


@pytest.mark.parametrize("named", ["s1", None])
def test_c9_amendments_of_an_erased_sessions_records_leave_the_ledger(named: str | None) -> None:
    """Those of memories and decisions named no session: each brought the whole text, and stood in the ledger."""
    e = _erasure(scope="session", session_id="s1")

    def memory_of(session: str | None, **over: Any) -> MemoryUpdate:
        return memory(
            1, 1, tenant="acme", owner_id="ann", user_id="ann", session_id=session, known_at=CUT - HOUR, **over
        )

    def decided(session: str) -> Decision:
        return decision(1, tenant="acme", owner_id="ann", session_id=session, accepted_at=CUT - HOUR)

    log = [
        _stored("memory", _amended(memory_of("s1"), "memory", named)),
        _stored("decision", _amended(decided("s1"), "decision", named)),
        _stored("narrative", _amended(memory_of(None, kind="profile", key="narrative"), "memory", None)),
        _stored("other's", _amended(memory_of("s2"), "memory", named and "s2")),
        _stored("item", _amended(memory_of(None), "memory", None)),
        _stored("other decision", _amended(decided("s2"), "decision", named and "s2")),
        _stored("erasure", e),
    ]  # fmt: skip
    assert _taken(log, e) == {b"memory", b"decision", b"narrative"}


def test_c9_an_amendment_that_cannot_be_read_goes_with_any_session_unless_it_names_another() -> None:
    """The user's key stays after a session's erasure: what is sealed can still be opened."""
    e = _erasure(scope="session", session_id="s1")
    sealed: dict[str, Any] = {"type": "amendment", "accepted_at": (CUT - HOUR).isoformat()}
    of = [_sealed_stored("1", **sealed), _sealed_stored("1", **sealed, session_id="s2")]
    assert _taken([replace(m, of=k) for m, k in zip(of, (b"unknown", b"other"), strict=True)], e) == {b"unknown"}


def _from(m: Stored, step: str, offset: int, ordinal: int = 0) -> Stored:
    """As a step has made it of what it read there."""
    return replace(m, told=(*m.told, ("src", f"{step}:{offset}:{ordinal}".encode())))


@pytest.mark.parametrize("scope", ["user", "session"])
def test_n6_a_copy_of_what_was_before_the_erasure_goes_though_it_lies_behind_it(scope: Any) -> None:
    """An outbox is delivered again, whole, by who takes a partition over: of one with a record that a clock dated ahead
    and the erasure, the copy of the record stood behind the first erasure for good, with no null behind it."""
    e = _erasure(scope=scope, session_id="s1" if scope == "session" else None)
    ahead = _from(_stored("ahead", _call_of(CUT + HOUR, session="s1")), "gate/3", 7)
    first = _from(_stored("erasure", e), "gate/3", 7, 1)
    statement = _from(_stored("returned", _call_of(CUT + HOUR, session="s1")), "gate/3", 8)
    elsewhere = _from(_stored("elsewhere", _call_of(CUT + HOUR, session="s1")), "gate/4", 2)
    direct = _stored("direct", _call_of(CUT + HOUR, session="s1"))
    assert _taken([ahead, first, statement, elsewhere, direct, ahead, first], e) == {b"ahead"}
    assert _taken([ahead, first, ahead, first, statement, elsewhere, direct], e) == {b"ahead"}
    assert _taken([ahead, first, ahead, _from(Stored(b"ahead", None), "gate/3", 7, 2)], e) == set()
    odd = replace(ahead, told=(("src", b"another program's"),))
    assert _taken([first, odd], e) == set()


def test_n6_of_a_session_everything_before_the_erasure_goes_and_nothing_of_another_session() -> None:
    """A command that a clock dated ahead stood in the ledger for good: a session was cut by time alone."""
    e = _erasure(scope="session", session_id="s1")
    log = [
        _stored("ahead", _call_of(CUT + HOUR, session="s1")),
        _stored("other", _call_of(CUT + HOUR, session="s2")),
        _stored("none", _call_of(CUT + HOUR)),
        _stored("erasure", e),
        _stored("returned", _call_of(CUT + HOUR, session="s1")),
    ]
    assert _taken(log, e) == {b"ahead"}


@pytest.mark.parametrize("over", [{"erasure_id": "e2"}, {"scope": "tenant"}])
def test_n6_another_erasure_or_a_tenants_cuts_by_time_alone(over: dict[str, Any]) -> None:
    log = [_stored("old", _call_of(CUT)), _stored("ahead", _call_of(CUT + HOUR)), _stored("erasure", _erasure(**over))]
    e = _erasure(scope=over.get("scope", "user"))
    assert _taken(log, e) == {b"old"}


@pytest.mark.parametrize("who", ["王伟", "ann", "a/b", 'o"neil'])
@pytest.mark.parametrize("scope", ["user", "tenant"])
def test_c9_an_id_is_found_however_its_json_is_escaped(who: str, scope: Any) -> None:
    """Other programs write to the log, and json.dumps escapes what is not ASCII."""
    plain = _stored("plain", _call_of(CUT, who))
    text = json.dumps(json.loads(plain.content or b"")).replace("/", "\\/").replace('"a', '"\\u0061')
    escaped = Stored(b"escaped", text.encode())
    assert _CODEC.decode(topics.LEDGER.name, escaped.content or b"") == _call_of(CUT, who)
    e = _erasure(scope=scope, user_id=who if scope == "user" else None)
    assert _taken([plain, escaped, _stored("bob", _call_of(CUT, "bob", 's"1'))], e) - {b"bob"} == {b"plain", b"escaped"}
    assert kept_topics._taken(cast(Any, escaped), e, projects=True) is not None


def test_n6_a_record_without_an_owner_in_its_headers_is_counted_by_its_value() -> None:
    """Of topics with a retention, which the report lists until they are gone."""
    own = replace(_stored("t", _call_of(CUT)), where=topics.TURNS.name)
    headed = replace(own, told=(("owner", b"acme/user/ann"),))
    other = replace(_stored("t", _call_of(CUT, "bob")), where=topics.TURNS.name)
    assert [_names(cast(Any, m), _erasure()) for m in (own, headed, other)] == [True, True, False]
    e = _erasure(scope="tenant", user_id=None)
    assert [_names(cast(Any, m), e) for m in (own, headed, other)] == [True, True, True]
    elsewhere = e.model_copy(update={"tenant": "other"})
    assert not _names(cast(Any, own), elsewhere)


def test_n6_a_replayed_record_is_of_its_sources_time() -> None:
    """It is written behind the erasure, and came into the log before it; a clock may have dated it later, too."""
    before, later = (str(int(at.timestamp() * 1000)).encode() for at in (CUT - HOUR, CUT + HOUR))
    record = replace(
        _stored("t", _call_of(CUT + HOUR)), where=topics.TURNS.name, written_ms=int((CUT + 9 * HOUR).timestamp() * 1000)
    )
    headers = ("owner", b"acme/user/ann"), ("replay_of", b"0:0")
    assert _names(cast(Any, replace(record, told=(*headers, ("source_time", before)))), _erasure())
    assert not _names(cast(Any, replace(record, told=(*headers, ("source_time", later)))), _erasure())
    assert not _names(cast(Any, replace(record, told=headers[:1])), _erasure())
    kept = replace(record, where=topics.LEDGER.name)
    assert _taken([replace(kept, told=(*headers, ("source_time", before)))], _erasure()) == {b"t"}
    assert _taken([replace(kept, told=(*headers, ("source_time", later)))], _erasure()) == set()
    assert _taken([kept], _erasure()) == set()


def _sealed_stored(kid: str, where: str = topics.LEDGER.name, **over: Any) -> Stored:
    data = json.loads(_CODEC.value(_call_of(CUT))) | {"sealed": {"alg": "A256GCM", "kid": kid, "ct": "AAAA"}} | over
    return Stored(b"k", json.dumps(data).encode(), where=where)


def test_n6_a_report_tells_what_no_destroyed_key_hides() -> None:
    """The first key of ann is destroyed; what a project holds lies under the project's."""
    requests: list[tuple[str, int]] = []

    def active(owner: str, generation: int) -> bool:
        requests.append((owner, generation))
        return (owner, generation) != ("acme/user/ann", 1)

    def result(m: Stored) -> bool:
        return readable(cast(Any, m), active)

    assert not result(_sealed_stored("1"))
    assert result(_sealed_stored("2")), "said between the request and the cut-off"
    assert result(_stored("k", _call_of(CUT))), "written in the clear"
    assert result(Stored(b"k", b'{"type":"turn","user_id":"ann"')), "nobody knows what is in it"
    letter = replace(_sealed_stored("1"), where=topics.DEAD_LETTERS.name, told=(("source_topic", b"memory.ledger.v1"),))
    assert not result(letter)
    command = {"type": "project_command", "project_id": "p", "user_id": "ann"}
    assert result(_sealed_stored("1", topics.PROJECT_EVENTS.name, **command))
    assert requests[-1] == ("acme/project/p", 1)
    no_words = json.loads(_CODEC.value(_call_of(CUT)))
    del no_words["sealed"]
    assert not result(Stored(b"k", json.dumps(no_words).encode()))
