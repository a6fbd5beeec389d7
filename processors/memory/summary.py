"""The narrative of a user (B6, B9): written when a conversation ends or before an assessment, at most twice a
conversation, by rules at once and, where a model is configured, again in its words when the job has come back.

Its change is an update on the topic (kind `profile`). What the user has deleted or withdrawn leaves it at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from processors.memory.emit import Changes, because, changed, deleted, plain_decision, update
from processors.memory.index import values_of
from processors.memory.narrative import Statement, in_order, language_of, missing, narrative
from processors.memory.rows import NARRATIVE_JOB, SUMMARIES, NarrativeJob
from processors.memory.store import UserMemoryStore
from processors.memory.versions import FIELDS_LEFT
from processors.step import Emit, OwnerState
from schemas.events.documents import Job, JobBody
from schemas.events.memory import JobResult, MemoryBody, MemoryCommand, MemoryUpdate, ProfileNarrative, Reason
from schemas.log import topics
from schemas.log.ids import record_id
from schemas.log.owner import Owner, OwnerKind
from schemas.profile.model import Profile

A_CONVERSATION = 2
COUNTED = timedelta(days=30)
"""How long summaries of a conversation are counted."""
STATED = ("fact", "preference", "intent")
STATEMENTS = 200
"""Of a job: the first of the order."""
ANSWER_TOKENS = 400
BY_RULES = "rules"


class Summary:
    """The narrative of one user. `ask_model`: a model words it, too."""

    def __init__(
        self, owner: Owner, store: UserMemoryStore, rows: OwnerState, profile: Profile, at: datetime, ask_model: bool
    ) -> None:
        self._owner = owner
        self._store = store
        self._rows = rows
        self._profile = profile
        self._at = at
        self._ask = ask_model

    def requested(self, m: MemoryCommand) -> list[Emit]:
        """The end of a conversation (`session_id`), or a caller's wish."""
        if self._store.applied(f"command/{m.command_id}", self._at):
            return []
        counts = self._rows.table(SUMMARIES)
        done = (counts.get(m.session_id) or 0) if m.session_id else 0
        if done >= A_CONVERSATION:
            return [self._decided(m.command_id, because("skipped", "profile", "twice_a_conversation"), None)]
        out = self._written("summarised")
        if not out:
            return [self._decided(m.command_id, because("skipped", "profile", "nothing_new"), None)]
        if m.session_id:
            counts.put(m.session_id, done + 1, self._at + COUNTED)
        return out

    def after(self, outs: Iterable[Emit]) -> list[Emit]:
        """A deleted statement leaves the narrative with it (C9), and so does what stood in it and is withdrawn or not
        believed any more, with nothing in its place (B4). Where something newer is said, readers word the current state
        themselves until the next summary."""
        stated = [u for e in outs if isinstance(u := e.event, MemoryUpdate) and u.kind in STATED]
        if any(u.op == "delete" for u in stated):
            return self.without()
        rest = [u for u in stated if u.reason.rule == FIELDS_LEFT and u.known_at >= self._at]
        newer = any(u.state == "active" and u.known_at >= self._at and u not in rest for u in stated)
        ended = any(_is_of_user(u) for u in self._store.left) or any(_is_of_user(u) for u in rest)
        return self.without("statement_withdrawn") if ended and not newer else []

    def without(self, rule: str = "statement_deleted") -> list[Emit]:
        """The narrative after statements have gone: of those that are left, or none (B4, C9). A model is not waited
        for, since it was shown them."""
        old = self._store.get(self._id())
        if old is None:
            return []
        self._rows.single(NARRATIVE_JOB).delete()
        found = self._written(rule, ask=False, renewed=old.sealed.attributes.get("written_by") != BY_RULES)
        if found or self._statements():
            return found
        reason = because("retired", "profile", "nothing_known")
        last = deleted(old, revision=old.revision + 1, sealed=MemoryBody(), sources=(), reason=reason)
        self._store.remove(last)
        return [update(last)]

    def answered(self, r: JobResult) -> list[Emit]:
        """A model's words, unless the narrative has changed since it was asked."""
        job, old = self._rows.single(NARRATIVE_JOB).get(), self._store.get(self._id())
        if job is not None and job.job_id != r.job_id:
            job = None  # another one is waited for
        if job is not None:
            self._rows.single(NARRATIVE_JOB).delete()
        text = r.sealed.result.get("narrative") if isinstance(r.sealed.result, dict) else None
        if job is None or old is None or old.revision != job.revision:
            return [self._decided(r.job_id, because("skipped", "profile", "narrative_changed_since"), old)]
        if r.status != "done" or r.model is None or not isinstance(text, str) or not text.strip():
            return [self._decided(r.job_id, because("skipped", "profile", r.reason or "no_answer"), old)]
        body = old.sealed.model_copy(update={"text": text.strip(), "attributes": {"written_by": r.model}})
        reason = because("superseding", "profile", "narrative_by_model")
        new = changed(old, sealed=body, reason=reason, extractor="model")
        self._store.put(new)
        return [update(new), self._decided(r.job_id, reason, new)]

    def _written(self, rule: str, ask: bool = True, renewed: bool = False) -> list[Emit]:
        """By rules; nothing where it would say the same about the same statements, unless it is to be written
        `renewed`: a model's words are not those that the rules gave it."""
        statements = self._statements()
        language = language_of(statements)
        text = narrative(self._profile, statements, language)
        old = self._store.get(self._id())
        written = {"rules": text}
        if not text or (old is not None and old.sealed.value == written and not renewed):
            return []
        reason = because("kept" if old is None else "superseding", "profile", rule)
        body = MemoryBody(text=text, value=written, attributes={"written_by": BY_RULES})
        changes: Changes = {
            "reason": reason, "language": language, "known_at": self._at, "occurred_at": self._at, "sealed": body,
            "last_accessed_at": self._at, "extractor": "rules", "profile_version": self._profile.version,
        }  # fmt: skip
        new = changed(old, **changes) if old is not None else self._new(changes)
        self._store.put(new)
        out = [update(new), self._decided(f"narrative/{new.revision}", reason, new)]
        return [*out, *([self._job(new, statements)] if ask and self._ask else [])]

    def _new(self, changes: Changes) -> ProfileNarrative:
        return ProfileNarrative(
            tenant=self._owner.tenant, owner_kind=OwnerKind.USER, owner_id=self._owner.id, record_id=self._id(),
            revision=self._store.next_numbers(self._id())[1], state="active", key="narrative",
            user_id=self._owner.id, valid_from=self._at, profile=self._profile.name, **changes,
        )  # fmt: skip

    def _job(self, new: MemoryUpdate, statements: list[Statement]) -> Emit:
        name = record_id(self._owner, "narrative-job", new.revision)
        self._rows.single(NARRATIVE_JOB).put(NarrativeJob(name, new.revision), self._at + COUNTED)
        language = language_of(statements)
        statements_sent = [{"kind": s.kind, "text": s.text} for s in in_order(self._profile, statements)[:STATEMENTS]]
        payload = {
            "language": language,
            "statements": statements_sent,
            "missing": missing(self._profile, statements, language)[:20],
            "max_tokens": ANSWER_TOKENS,
        }
        return Emit(
            topics.JOBS,
            Job(
                tenant=self._owner.tenant, owner_kind=OwnerKind.USER, owner_id=self._owner.id, job_id=name,
                job="narrative", asked_by="gate", profile=self._profile.name, profile_version=self._profile.version,
                accepted_at=self._at, sealed=JobBody(payload=payload),
            ),
        )  # fmt: skip

    def _statements(self) -> list[Statement]:
        """What the user said of themselves and is read (D4); what they said of others is not their profile."""
        return [
            Statement(u.kind, tuple(values_of(u)), u.sealed.text, u.language, u.known_at)
            for u in self._store.all()
            if u.state == "active" and _is_of_user(u)
        ]

    def _id(self) -> str:
        return record_id(self._owner, "profile", "narrative")

    def _decided(self, name: str, reason: Reason, record: MemoryUpdate | None) -> Emit:
        return plain_decision(self._owner, f"{name}/narrative", "profile", reason, record, self._at)


def _is_of_user(u: MemoryUpdate) -> bool:
    """Is it of the user's profile, as long as it stands? What they said of others is not."""
    return u.kind in STATED and u.scope == "global" and not u.sealed.attributes.get("about")
