"""What must hold of erasures: at the moment at which one is done, and once the world has come to rest, what was said
before is in no place; each has a report that verifies; what was said behind it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product

from memstream.erasure.report import ReportError, verify
from schemas.events.erasure import Erasure
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import header, parsed
from schemas.log.progress import Written
from schemas.log.topics import Cleanup
from sinks.erased import WithoutErased
from sinks.memory import MemorySink
from tests.crash.compare import Differences
from tests.simulation.acts import SINKS
from tests.simulation.check import feed, message_of
from tests.simulation.load import WORD, Call
from tests.simulation.partition import Stored
from tests.simulation.register import MemoryRegister
from tests.simulation.sinks import topics_of
from tests.simulation.world import START, World

KEPT = tuple(t for t in topics.CATALOGUE if t.cleanup is not Cleanup.DELETE)
PASSING = tuple(t for t in topics.CATALOGUE if t.cleanup is Cleanup.DELETE)
"""Their records go with their retention, and a report says until when."""


@dataclass(frozen=True, slots=True)
class StoredWord:
    """Whose a word is, and when its call was accepted last."""

    user: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes in a place. `first_hand`: a client has written them."""

    place: str
    raw: bytes
    first_hand: bool = False


class Erased:
    """Watches a world from its beginning."""

    def __init__(self, world: World) -> None:
        self._world, self.found = world, Differences()
        world.trust.register.on_done = self._at_done

    def at_rest(self, accepted: Sequence[tuple[Call, Written]]) -> Differences:
        """`accepted`: the calls that were acknowledged."""
        for name in self._world.trust.asked:
            self._reported(name)
        if not self._world.skewed:  # else what was accepted when only the steps know: the oracle compares it
            cuts, statement = self._cuts(), self._statements()
            erased_words = {word for word, s in statement.items() if s.user in cuts and s.at <= cuts[s.user]}
            self.found.checked["erased words"] += len(erased_words)
            self._nowhere(erased_words, self._held(), "at rest")
            self._nowhere(erased_words, self._rebuilt(), "at rest")
            self._named(erased_words)
            self._require_present(
                [c for c, _ in accepted if c.word in statement.keys() - erased_words and c.user in cuts]
            )
        return self.found

    def _at_done(self, e: Erasure) -> None:
        """What a client has just sent once more may lie in the ledger: the gate takes it out when it reads it."""
        if not self._world.skewed:
            erased_words = {
                word for word, s in self._statements().items() if s.user == e.user_id and s.at <= e.accepted_at
            }
            self.found.checked["words gone when it is done"] += len(erased_words)
            self._nowhere(erased_words, (h for h in self._held() if not h.first_hand), f"when {e.erasure_id} was done")

    def _nowhere(self, erased_words: set[str], held: Iterator[Held], when: str) -> None:
        found: dict[str, set[str]] = {}
        for h in held:
            words = set(words_in(h.raw)) & erased_words
            if words:
                found.setdefault(h.place, set()).update(words)
        for place, words in sorted(found.items()):
            self.found.add("erased words", f"{when} in {place}: {', '.join(sorted(words))}")

    def _reported(self, name: str) -> None:
        entry = self._world.trust.register.entries.get(name)
        self.found.checked["erasures"] += 1
        if entry is None or entry.report is None:
            self.found.add("erasures", f"{name} has no report")
            return
        try:
            verify(entry.report)
        except ReportError as exc:
            self.found.add("erasures", f"{name}: {exc}")

    def _named(self, redacted_values: set[str]) -> None:
        """What still holds words is named in a report."""
        reports = [e.report for e in self._world.trust.register.entries.values() if e.report is not None]
        named = {r["topic"] for report in reports for r in report["remains"]}
        for topic in PASSING:
            held = any(set(words_in(s.record.value or b"")) & redacted_values for s in self._lying(topic.name))
            if held and topic.name not in named:
                self.found.add("erased words", f"in {topic.name}: no report says so")

    def _require_present(self, behind: Sequence[Call]) -> None:
        """Turns that were said behind the erasure are in the history, and in Postgres."""
        name, rows = topics.HISTORY.name, self._world.views.read("postgres").rows.values()
        decoded = (self._world.codec.decode(name, s.record.value) for s in self._lying(name))
        history = {(e.user_id, e.turn_id) for e in decoded if isinstance(e, ScreenedTurn)}
        view = {(e.user_id, e.turn_id) for e in rows if isinstance(e, ScreenedTurn)}
        for call in (c for c in behind if c.what in ("turn", "again")):
            self.found.checked["turns behind an erasure"] += 1
            for place, there in (("the history", history), ("Postgres", view)):
                if (call.user, call.turn) not in there:
                    line = f"{call.number} of {call.user} was said behind it: not in {place}"
                    self.found.add("erasures", line)

    def _cuts(self) -> dict[str, datetime]:
        """User -> the last cut-off in the log."""
        out: dict[str, datetime] = {}
        for s in self._lying(topics.TURNS.name):
            if b'"erasure"' in (s.record.value or b""):
                e = self._world.codec.decode(topics.TURNS.name, s.record.value)
                if isinstance(e, Erasure) and e.user_id:
                    out[e.user_id] = max(e.accepted_at, out.get(e.user_id, e.accepted_at))
        return out

    def _statements(self) -> dict[str, StoredWord]:
        """By word, as the topics have it that clients write to."""
        out: dict[str, StoredWord] = {}
        for topic in (topics.TURNS, topics.LEDGER):
            for s in self._lying(topic.name, compacted=True):
                if _first_hand(s):
                    for word in words_in(s.record.value or b""):
                        result = parsed(s.record.value)
                        at = datetime.fromisoformat(result["accepted_at"])
                        old = out.get(word)
                        out[word] = StoredWord(result["user_id"], at if old is None else max(at, old.at))
        return out

    def _lying(self, topic: str, compacted: bool = False) -> Iterator[Stored]:
        for log in self._world.broker.topics[topic]:
            if compacted:
                yield from log.compacted
            yield from (s for s in log.records if s.record.visible and s.record.value)

    def _held(self) -> Iterator[Held]:
        """All that must go: what compaction leaves of kept topics, state, outboxes, views."""
        w = self._world
        for topic in KEPT:
            for n, log in enumerate(w.broker.topics[topic.name]):
                for s in {s.record.key: s for s in log.records if s.record.visible}.values():
                    yield Held(f"{topic.name}/{n}", (s.record.key or b"") + (s.record.value or b""), _first_hand(s))
        for (step, partition), table in w.state.data.rows.items():
            for rows in table.values():
                yield from (Held(f"state of {step}/{partition}, {key}", value) for key, value in rows.items())
        for (step, partition), (_, outbox) in w.state.data._positions.items():
            yield from (Held(f"outbox of {step}/{partition}", row.value or b"") for row in outbox)
        for (step, partition), kept in w.state.data._kept.items():
            sent = (row for k in kept.values() for row in k.rows)
            yield from (Held(f"kept outbox of {step}/{partition}", row.value or b"") for row in sent)
        for name, number, view in w.views.written():
            place = f"view {name}" if number == 1 else f"view {name} of generation {number}"
            yield from (Held(place, w.codec.value(row)) for row in view.rows.values())

    def _rebuilt(self) -> Iterator[Held]:
        """What a rebuild makes of the log as it lies, which is not compacted yet, and as compaction leaves it."""
        for name, compacted in product(SINKS, (False, True)):
            sink = MemorySink(name, now=lambda: START)
            around = WithoutErased(sink, MemoryRegister(lambda: START, self._world.state.data))
            for topic in topics_of(name):
                for n, log in enumerate(self._world.broker.topics[topic.name]):
                    lies = [s for s in log.records if s.record.visible]
                    if compacted and topic.cleanup is not Cleanup.DELETE:
                        last = {s.record.key: s.offset for s in lies}
                        lies = [s for s in lies if last[s.record.key] == s.offset]
                    feed(around, self._world, [message_of(topic.name, n, s) for s in lies])
            yield from (Held(f"a rebuilt {name}", self._world.codec.value(row)) for row in sink.rows.values())


def words_in(raw: bytes) -> list[str]:
    return [found.decode() for found in WORD.findall(raw)] if b"zebra" in raw else []


def _first_hand(s: Stored) -> bool:
    return header(s.record.headers, "src") is None
