"""A tightened PII policy over what is stored (rescreen): found here, written anew by each record's one writer.

A partition at a time: what its topics hold now is folded as a sink folds it, every text goes through the recognisers
under the policy of now, and a record that holds what policy masks is sent, masked, as an amendment to its writer.
Nothing unmasked is written anywhere. Run again, it finds nothing; killed half-way, it goes on with what is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal

from memstream.reprocess.amend_log import amendment
from processors.memory.index import since
from processors.memory.restate import LEARNED
from processors.memory.versions import VERSIONED
from processors.pii.redact import Redaction, refused_for
from processors.pii.redacted_values import NOTHING, RedactedValues
from processors.pii.redaction import counts, telling
from processors.pii.stored_texts import Stored, record_of, texts_of
from processors.project.hot_writer import is_by_hand
from schemas.base import JsonObject, JsonValue
from schemas.events.amendments import Amendment
from schemas.events.documents import ProjectCommand, ProjectCommandBody
from schemas.events.memory import Decision, HotMemory, MemoryUpdate, WeeklyReport
from schemas.events.sessions import Checkpoint, SessionState
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.ids import record_id
from schemas.log.owner import Owner, OwnerKind
from schemas.log.topics import Topic
from schemas.profile.pii_policy import PiiAction
from schemas.security.encrypted_values import Keeper, Originals

READ = (topics.HISTORY, topics.UPDATES, topics.SESSION_STATE, topics.DECISIONS)
"""Where what is stored stands, whole."""
CHUNK = 256
"""Records whose texts go through the recognisers together."""
RULE = "rescreened"
Redact = Callable[[Sequence[str], Sequence[str]], Sequence[Redaction]]
"""(tenants, texts) -> redactions under each tenant's policy."""
Masked = tuple[Stored, dict[str, str], list[Redaction], RedactedValues]
Taught = dict[tuple[Owner, str], list[tuple[str, str]]]
"""Owner and turn -> what policy takes out of the turn now, and what stands for it."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """What is kept under the policy of now. `action`: (tenant, entity) -> what policy does with it. `keeper` None: a
    look that writes nothing, and makes no key. `week_days`: of a tenant, how long a week stands behind its end."""

    action: Callable[[str, str], PiiAction]
    keeper: Keeper | None
    week_days: Callable[[str], int]

    def writes_again(self, event: Stored, at: datetime) -> bool:
        """A report whose week the project's step still holds, in any zone."""
        if not isinstance(event, WeeklyReport):
            return False
        return at.date() < date.fromisoformat(event.key) + timedelta(days=6 + self.week_days(event.tenant))

    def dropped(self, event: Stored) -> list[str]:
        """Entities of which a turn holds originals that policy does not keep any more."""
        kept = event.sealed.originals or () if isinstance(event, ScreenedTurn) else ()
        return sorted({o.entity for o in kept if self.action(event.tenant, o.entity) in _KEEPS_NONE})

    def of(self, event: ScreenedTurn, text: str, redactions: Sequence[Redaction]) -> list[Originals] | None:
        """What a turn is to hold: what it held and policy keeps, and what is taken out of it now. `text`: the turn's
        own words as they are to stand; what it quotes of the turns before is theirs."""
        dropped = self.dropped(event)
        left = [o for o in event.sealed.originals or () if o.entity not in dropped]
        taken = [original for r in redactions for original in r.taken if original.placeholder in text]
        if taken and self.keeper is not None:
            left += self.keeper.keep(event.owner, event.turn_id, taken)
        return left or None


_KEEPS_NONE = frozenset({PiiAction.MASK, PiiAction.TOKENISE, PiiAction.REFUSE})


@dataclass(slots=True)
class Found:
    """What was found. `records`: kind -> records that hold what policy masks now; `entities`: `ENTITY:action` -> how
    often; `left`: kind -> records that hold it and that no amendment reaches."""

    looked_at: int = 0
    records: Counter[str] = field(default_factory=Counter)
    entities: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    projects: set[Owner] = field(default_factory=set)
    """Those whose weeks are to be screened: what a week has gathered is seen by its step alone."""

    def add(self, later: Found) -> None:
        """What a later pass over the same records found beyond this one."""
        self.records.update(later.records)
        self.entities.update(later.entities)
        self.left |= later.left

    def as_json(self) -> dict[str, Any]:
        return {
            "looked_at": self.looked_at,
            "records": dict(sorted(self.records.items())),
            "entities": dict(sorted(self.entities.items())),
            "left": dict(sorted(self.left.items())),
        }


@dataclass(frozen=True, slots=True)
class Send:
    """An event for the input topic of the record's one writer."""

    topic: Topic
    event: Amendment | ProjectCommand


def rescreened(
    rows: Iterable[Event], redact: Redact, at: datetime, found: Found, keeping: Keeping
) -> Iterator[Send]:
    """What is to be sent for the newest events of a partition. `at`: when reading began; an erasure after that refuses
    what is sent."""
    stored = [e for e in rows if isinstance(e, Stored) and not _deleted(e)]
    newest = _newest(stored)
    stored.sort(key=lambda e: not isinstance(e, ScreenedTurn))  # what is taken out of a turn goes from what it taught
    masked: list[Masked] = []
    taught: Taught = {}
    for start in range(0, len(stored), CHUNK):
        masked += _masked(stored[start : start + CHUNK], redact, found, keeping, taught)
    versions: Counter[str] = Counter()
    turns = [(e, redactions) for e, _, redactions, _ in masked if isinstance(e, ScreenedTurn)]
    refused = {(e.owner, e.turn_id): rule for e, redactions in turns if (rule := _why(redactions)) is not None}
    for event, changed, redactions, dropped in sorted(masked, key=_order):
        pii_counts = {k: n for k, n in counts(redactions).items() if not k.endswith(":allow")}
        found.entities.update(pii_counts)
        found.entities.update(f"{e}:{keeping.action(event.tenant, e)}" for e in keeping.dropped(event))
        kind = _kind(event)
        expected = 0
        if isinstance(event, MemoryUpdate):
            expected = newest[event.record_id] + versions[event.record_id]
            versions[event.record_id] += 1
        record = record_of(event, changed, dropped)
        if isinstance(event, ScreenedTurn):
            record = _turn_record(event, record, pii_counts, redactions, keeping)
        rule = _refused(event, redactions, refused)
        if rule is not None:
            record = {**record, **_ended(event)}
        names = [dropped.value(name, changed.get(name, name)) for name in _names(event)]
        sends = _sends(event, record, expected, at, rule or RULE, names)
        (found.records if sends or keeping.writes_again(event, at) else found.left)[kind] += 1
        yield from sends
    for project in sorted({p for e in stored if (p := _project(e)) is not None} - found.projects):
        found.projects.add(project)
        yield Send(topics.PROJECT_EVENTS, _weeks(project, at))


def _masked(
    part: Sequence[Stored], redact: Redact, found: Found, keeping: Keeping, taught: Taught
) -> Iterator[Masked]:
    """Records that policy changes: old text -> new, the redactions that changed it, and what is gone from the whole
    record by them and by those of its turns. Turns of which policy drops originals, too."""
    spots = [list(dict.fromkeys([*texts_of(e), *_names(e)])) for e in part]
    pool = list(dict.fromkeys((e.tenant, t) for e, texts in zip(part, spots, strict=True) for t in texts))
    clean = dict(zip(pool, redact([t for t, _ in pool], [x for _, x in pool]), strict=True)) if pool else {}
    for event, texts in zip(part, spots, strict=True):
        found.looked_at += 1
        mine = {t: clean[event.tenant, t] for t in texts if clean[event.tenant, t].text != t}
        pairs = [pair for r in mine.values() for pair in r.gone]
        if isinstance(event, ScreenedTurn) and pairs:
            taught[event.owner, event.turn_id] = pairs
        learned_pairs = [pair for turn in _turns_of(event) for pair in taught.get((event.owner, turn), ())]
        redacted_values = RedactedValues([*pairs, *learned_pairs])
        if (
            mine
            or keeping.dropped(event)
            or (learned_pairs and record_of(event, {}, redacted_values) != record_of(event, {}, NOTHING))
        ):
            yield event, {t: r.text for t, r in mine.items()}, list(mine.values()), redacted_values


def _names(event: Stored) -> list[str]:
    """The key of an entry of hot memory, where no program gave it: it is made of what was decided."""
    return [event.key] if isinstance(event, HotMemory) and telling(event.key) else []


def _why(redactions: Sequence[Redaction]) -> str | None:
    return refused_for(counts(redactions))


def _refused(event: Stored, redactions: Sequence[Redaction], refused: Mapping[tuple[Owner, str], str]) -> str | None:
    """Why a memory that stands is to end: policy refuses its own words, or every turn that it was learned from."""
    if not isinstance(event, MemoryUpdate) or event.kind not in LEARNED or event.state not in ("active", "observed"):
        return None
    turns = [refused.get((event.owner, turn)) for turn in _turns_of(event)]
    return _why(redactions) or (turns[0] if turns and all(turns) else None)


def _ended(event: Any) -> JsonObject:
    """As a statement ends that its turn does not make any more: it never held."""
    if event.kind not in VERSIONED:
        return {"state": "superseded"}
    ended = max(since(event), event.valid_from or since(event))
    return {"state": "superseded", "valid_to": ended.isoformat()}


def _turns_of(event: Stored) -> Sequence[str]:
    match event:
        case MemoryUpdate():
            return [source.turn_id for source in event.sources]
        case Decision() if event.turn_id is not None:
            return [event.turn_id]
    return ()


def _turn_record(
    event: ScreenedTurn,
    record: JsonObject,
    pii_counts: Mapping[str, int],
    redactions: Sequence[Redaction],
    keeping: Keeping,
) -> JsonObject:
    """With the counts and originals of now. Of what is not kept any more the token is left, as `tokenise` leaves it."""
    pii = Counter(event.pii)
    for entity in keeping.dropped(event):
        pii[f"{entity}:{PiiAction.TOKENISE}"] += pii.pop(f"{entity}:{PiiAction.ENCRYPT}", 0)
    pii.update(pii_counts)
    content = str([value for name, value in record["sealed"].items() if name != "previous"])
    kept = keeping.of(event, content, redactions)
    originals = None if kept is None else [o.model_dump() for o in kept]
    refused = event.refused or any(r.refused for r in redactions)
    return {**record, "pii": dict(+pii), "refused": refused, "sealed": {**record["sealed"], "originals": originals}}


def _sends(
    event: Stored, record: JsonObject, expected: int, at: datetime, rule: str, names: Sequence[str]
) -> list[Send]:
    """`names`: those of `_names` as they are to be. Empty where no amendment reaches the record."""
    match event:
        case ScreenedTurn():
            return [Send(topics.TURNS, _amendment(event, "turn", event.turn_id, event.revision, record, at))]
        case SessionState():
            return [Send(topics.TURNS, _amendment(event, "session", event.session_id, event.revision, {}, at))]
        case Checkpoint():
            return [Send(topics.TURNS, _amendment(event, "checkpoint", event.message_id, event.revision, record, at))]
        case Decision() if event.owner_kind is OwnerKind.USER:
            return [Send(topics.LEDGER, _amendment(event, "decision", event.decision_id, event.revision, record, at))]
        case MemoryUpdate() if event.owner_kind is OwnerKind.USER:
            return [Send(topics.LEDGER, _amendment(event, "memory", event.record_id, expected, record, at, rule))]
        case HotMemory():
            return [Send(topics.PROJECT_EVENTS, command) for command in _hot(event, record, at, names)]
    return []


def _amendment(
    event: Any, what: Any, target: str, expected: int, record: dict[str, Any], at: datetime, rule: str = RULE
) -> Amendment:
    return amendment(event, "rescreen", what, target, expected, record, at, rule)


def _hot(event: HotMemory, record: dict[str, Any], at: datetime, names: Sequence[str]) -> Iterator[ProjectCommand]:
    """An entry is put again, masked, as a caller would put it: under its key, or where that is masked as well, under
    one of its own, since keys of two entries may be masked alike; the old key leaves. It stays its user's."""

    def command(
        what: Literal["put_hot", "delete_hot"], key: str, priority: int = 0, value: JsonValue = None
    ) -> ProjectCommand:
        return ProjectCommand(
            tenant=event.tenant, project_id=event.owner_id, command=what, hot_type=event.category, key=key,
            priority=priority, accepted_at=at, user_id=event.user_id,
            command_id=record_id(event.owner, RULE, what, event.record_id, event.revision, at.isoformat()),
            restores=None if what == "delete_hot" or is_by_hand(event) else restores,
            sealed=ProjectCommandBody(value=value),
        )  # fmt: skip

    old = event.key
    restores: Literal["entry", "proposal"] = "proposal" if event.state == "observed" else "entry"
    if event.state == "observed" and any(name != old for name in names):
        return  # it leaves with the entry, whose key is masked as well
    key = next((f"{name[:180]} {event.record_id[:8]}" for name in names if name != old), old)
    if key != old:
        yield command("delete_hot", old)
    yield command("put_hot", key, event.priority, record["sealed"]["value"])


def _project(event: Stored) -> Owner | None:
    """The project in whose weeks an event may be told of."""
    name = getattr(event, "project_id", None)
    return None if name is None else Owner(event.tenant, OwnerKind.PROJECT, name)


def _weeks(project: Owner, at: datetime) -> ProjectCommand:
    return ProjectCommand(
        tenant=project.tenant, project_id=project.id, command="rescreen", accepted_at=at,
        command_id=record_id(project, RULE, at.isoformat()),
    )  # fmt: skip


def _deleted(event: Event) -> bool:
    return isinstance(event, MemoryUpdate) and event.op == "delete"


def _newest(stored: Iterable[Stored]) -> dict[str, int]:
    """Record id -> its newest revision, over all versions."""
    out: dict[str, int] = {}
    for e in stored:
        if isinstance(e, MemoryUpdate):
            out[e.record_id] = max(e.revision, out.get(e.record_id, 0))
    return out


def _order(item: Masked) -> tuple[int, str, int]:
    """Turns before their sessions, versions of a record in their order. What a turn taught comes before the turn: a
    run that is killed leaves the words that tell what else is to go."""
    event = item[0]
    if isinstance(event, MemoryUpdate):
        return 0, event.record_id, event.version
    others = (Decision, ScreenedTurn, SessionState, Checkpoint)
    return next(rank for rank, kind in enumerate(others, 1) if isinstance(event, kind)), "", 0


def _kind(event: Stored) -> str:
    if isinstance(event, MemoryUpdate):
        return event.kind if event.owner_kind is not OwnerKind.USER else "memory"
    return event.type.removeprefix("screened_")
