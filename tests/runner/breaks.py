"""One-line breaks of what the smoke tests are there for: each must turn them red (`make test-the-gate`)."""

from __future__ import annotations

from dataclasses import dataclass

_RUNNING = "tests/integration/scenarios"
_WHOLE = f"{_RUNNING}/test_end_to_end.py"
_TALK = f"{_WHOLE}::test_a_conversation_in_two_languages_becomes_memory_with_reasons_and_sources"


@dataclass(frozen=True, slots=True)
class Break:
    """A line of a file, which stands there once, and what takes its place."""

    name: str
    what: str
    """The part of the system that no longer works."""
    file: str
    line: str
    instead: str
    tests: tuple[str, ...]
    """The smoke tests that are about it: one start of a stack."""


BREAKS = (
    Break(
        "turn", "a turn is accepted and sent", "query/writing/turns.py",
        "    token = await publish.publish(entries)\n    return models.TurnsAccepted(accepted=len(entries)",
        "    token = await publish.publish(entries[1:])\n    return models.TurnsAccepted(accepted=len(entries)",
        (_TALK,),
    ),
    Break(
        "log", "a record is in its owner's partition", "query/writing/publish.py",
        "target = partition(entry.event.owner, self._config.partitions)",
        "target = (partition(entry.event.owner, self._config.partitions) + 1) % self._config.partitions",
        ("tests/integration/test_query_writes.py::test_a_turn_is_in_its_owners_partition_at_the_offset_of_the_token",),
    ),
    Break(
        "screen", "personal data is masked", "processors/screen/step.py",
        "content = redacted_values.redaction(by_text[event.tenant, event.sealed.content])",
        "content = replace(redacted_values.redaction(by_text[event.tenant, event.sealed.content]), "
        "text=event.sealed.content)",
        (_TALK, f"{_WHOLE}::test_nothing_masked_is_behind_the_screen"),
    ),
    Break(
        "extract", "statements are read out of turns", "processors/reader/step.py",
        "return without_secrets(extractor.read(view_of(turn, profile, reply), profile))",
        "return Reading([])",
        (_TALK,),
    ),
    Break(
        "gate", "what is said becomes memory", "processors/memory/step.py",
        "            emitted = list(gate.decide(c))\n", "            emitted = list(gate.decide(c))[:0]\n", (_TALK,),
    ),
    Break(
        "session", "a session holds its turns", "processors/session/step.py",
        "fitting((*old.sealed.window, message)[-profile.session.window_messages :])",
        "fitting((*old.sealed.window, message)[-1:])",
        (_TALK, f"{_WHOLE}::test_a_session_stands_in_redis_under_the_seeds_keys"),
    ),
    Break(
        "project", "a project's decision is in its hot memory", "processors/project/step.py",
        "            case ProjectCandidate() if event.sealed.candidate.hot:",
        "            case ProjectCandidate() if event.sealed.candidate.hot and not event.turn.turn_id:",
        (_TALK, f"{_WHOLE}::test_search_and_prompt_find_the_decision_with_its_source"),
    ),
    Break(
        "postgres", "rows are written in Postgres", "sinks/postgres/sink.py",
        "        for table, blob in blobs.items():\n", "        for table, blob in list(blobs.items())[:0]:\n",
        ("tests/integration/test_sinks_postgres.py",),
    ),
    Break(
        "milvus", "rows are written in Milvus", "sinks/milvus/sink.py",
        'self._put("insert", collection, [r for r in held if r["pk"] not in stored])',
        'self._put("insert", collection, [r for r in held if r["pk"] in stored])',
        ("tests/integration/test_sinks_milvus.py",),
    ),
    Break(
        "redis", "sessions are written in Redis", "sinks/redis/sink.py",
        "            for state, sealed in sessions:\n", "            for state, sealed in sessions[:0]:\n",
        ("tests/integration/test_sinks_redis.py",),
    ),
    Break(
        "search", "a search finds what there is", "query/search/index_search.py",
        "return [(self.rows[r.id], r.score, {**(r.scores or {}), RELEVANCE: r.relevance}) for r in found]",
        "return [(self.rows[r.id], r.score, {**(r.scores or {}), RELEVANCE: r.relevance}) for r in found[:0]]",
        ("tests/integration/test_query_search.py::test_d13_words_and_meaning_find_turns_in_both_languages",),
    ),
    Break(
        "prompt", "a prompt cites its sources", "query/prompt/pieces.py",
        "    return f\"[Source: Episodic, doc_id: {doc_id}, date: {row['occurred_at'].date().isoformat()}]\"",
        "    return f\"[date: {row['occurred_at'].date().isoformat()}]\"",
        (_TALK, f"{_WHOLE}::test_search_and_prompt_find_the_decision_with_its_source"),
    ),
    Break(
        "correction", "a corrected memory has its new value", "processors/memory/commands.py",
        'body = target.sealed.model_copy(update={"value": value, **self._text(m, target, value)})',
        'body = target.sealed.model_copy(update={**self._text(m, target, value)})',
        (f"{_RUNNING}/test_corrected.py",),
    ),
    Break(
        "deletion", "what was deleted is not learned again", "processors/memory/commands.py",
        "            rejections.leave(self._store, target, self._at, self._hash_key)\n            notices =",
        "            notices =",
        (f"{_WHOLE}::test_a_correction_and_a_deletion_last",),
    ),
    Break(
        "document", "a document's sections are kept", "processors/knowledge/step.py",
        "            out.append(update(new))\n", "            _ = update(new)\n",
        (f"{_WHOLE}::test_a_document_is_found_by_its_section",),
    ),
    Break(
        "dead-letter", "a bad record is kept as a dead letter", "streams/batch_frame.py",
        "        batch.outbox.append(OutboxRow(m.offset, 0, topics.DEAD_LETTERS.name",
        "        _ = (OutboxRow(m.offset, 0, topics.DEAD_LETTERS.name",
        (f"{_WHOLE}::test_a_bad_record_is_a_dead_letter_and_the_stream_goes_on",),
    ),
    Break(
        "kill", "a server that was killed comes back", "memstream/stack/child.py",
        "                if was_ready and not self.spec.restart:\n", "                if was_ready:\n",
        ("tests/integration/test_stack.py::test_a_server_serves_and_comes_back_with_its_data_after_kill_9",),
    ),
    Break(
        "wall", "a tenant sees its rows alone", "schemas/sql/wall.sql",
        "'USING (tenant = current_setting(''memstream.tenant'', true))'", "'USING (true)'",
        ("tests/integration/test_tenants.py::test_c7_postgres_is_a_second_wall",),
    ),
)  # fmt: skip
