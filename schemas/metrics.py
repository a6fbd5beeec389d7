"""Every metric that a memstream process exports, by name, in one list (Prometheus).

A name that is not here cannot be exported: `query.metrics` and the other processes take theirs from this list, and a
test compares. No label holds an id of a user, session, project or memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Metric:
    """`labels`: names, whose values come from small fixed sets. `of`: what the series speaks for. Every query service
    exports those of the system, each with the same values: with several scraped, take their `max`, never their sum."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: tuple[str, ...] = ()
    of: Literal["service", "system"] = "service"


# The door.
HTTP_REQUESTS = Metric(
    "memstream_http_requests_total", "counter", "Answered requests.", ("method", "route", "status")
)
HTTP_SECONDS = Metric("memstream_http_request_seconds", "histogram", "Time to answer.", ("method", "route"))
PRODUCED = Metric("memstream_produced_records_total", "counter", "Records acknowledged by the brokers.", ("topic",))
PRODUCE_FAILED = Metric("memstream_produce_failed_total", "counter", "Writes not acknowledged.", ("topic",))
ACCESSES = Metric("memstream_accesses_total", "counter", "Reads and writes of memory recorded.", ("action",))
ACCESSES_WAITING = Metric("memstream_accesses_waiting", "gauge", "Access records that the brokers have not taken yet.")
LIMITED = Metric("memstream_limited_requests_total", "counter", "Requests over a tenant's rate (429).", ("kind",))

# Reading.
DEGRADED = Metric(
    "memstream_degraded_answers_total", "counter", "Answers that did without a store.", ("store", "reason")
)
CIRCUIT = Metric(
    "memstream_circuit_open", "gauge", "1 while reads leave a store alone because it failed.", ("store",)
)
UNCONFIRMED = Metric(
    "memstream_unconfirmed_hits_total", "counter", "Hits of Milvus that Postgres did not confirm: dropped."
)
FRESH_WAIT = Metric("memstream_fresh_wait_seconds", "histogram", "Time that reads waited for their write.")
STALE = Metric("memstream_stale_answers_total", "counter", "Reads whose write had not arrived in time.")
SCOPES = Metric("memstream_scopes_held", "gauge", "Scopes held in memory for ranking.")
SCOPE_DOCUMENTS = Metric("memstream_scope_documents_held", "gauge", "Documents held in memory for ranking.")
TOKEN_RATIO = Metric("memstream_session_token_ratio", "histogram", "Token ratio of memory-context reads.")
SESSION_SECONDS = Metric(
    "memstream_session_read_seconds", "histogram", "Time of a session read.", ("store",)
)

# The pipeline, as seen from the brokers and stores: of the whole system, as all that follows.
LAG = Metric("memstream_lag_records", "gauge", "Records that a stage has not committed yet.", ("stage",), of="system")
LAG_SECONDS = Metric("memstream_lag_seconds", "gauge", "Age of the oldest of them.", ("stage",), of="system")
RATE = Metric("memstream_stage_rate", "gauge", "Records a second that a stage commits.", ("stage",), of="system")
STORE_UP = Metric("memstream_store_up", "gauge", "1 where the store answers.", ("store",), of="system")
STOPPED = Metric(
    "memstream_stage_stopped", "gauge", "Ticks and erasures that stop a step, as they hang it.",
    ("stage",), of="system",
)
DEAD_LETTERS = Metric(
    "memstream_dead_letters", "gauge", "Dead letters that nobody has replayed or dropped.",
    ("step", "reason"), of="system",
)
DECISIONS = Metric("memstream_gate_decisions", "gauge", "Decisions of the last hour.", ("gate", "outcome"), of="system")

READING_LABELS = ("process", "language", "profile", "reader", "version")
"""Of what the gate counts of each reading of a turn: closed lists, but for versions, of which there are few."""

# What the workers say of themselves (ops.heartbeats), exported by the query service.
FRESHNESS = Metric(
    "memstream_freshness_seconds", "histogram", "Acceptance to readable.",
    ("process", "store", "topic"), of="system",
)
STAGE_RECORDS = Metric(
    "memstream_stage_records_total", "counter", "Records of a stage.", ("process", "stage"), of="system"
)
STAGE_OUTCOMES = Metric(
    "memstream_stage_outcomes_total", "counter", "Outcomes of a stage.", ("process", "stage", "outcome"), of="system"
)
STAGE_SECONDS = Metric(
    "memstream_stage_seconds_total", "counter", "Time of a stage, a phase.", ("process", "stage", "phase"), of="system"
)
STAGE_LATENCY = Metric(
    "memstream_stage_batch_seconds", "histogram", "Time of a batch in a stage.", ("process", "stage"), of="system"
)
STAGE_SIZE = Metric(
    "memstream_stage_batch_records", "histogram", "Records of a batch.", ("process", "stage"), of="system"
)
SINK_RETRIES = Metric(
    "memstream_sink_retries_total", "counter", "Calls that a store was asked again.", ("process", "store"), of="system"
)
MODEL_CALLS = Metric(
    "memstream_model_calls_total", "counter", "Answers of the language model.", ("process",), of="system"
)
MODEL_FAILED = Metric(
    "memstream_model_failed_total", "counter", "Calls without a usable answer: away or malformed.",
    ("process", "reason"), of="system",
)
MODEL_GAVE_UP = Metric(
    "memstream_model_gave_up_total", "counter", "Turns and texts that a model was asked about in vain.",
    ("process", "reason"), of="system",
)
MODEL_TOKENS = Metric(
    "memstream_model_tokens_total", "counter", "Tokens that the endpoint counted.", ("process", "kind"), of="system"
)
MODEL_COST = Metric(
    "memstream_model_cost_total", "counter", "Cost, in the currency of the configured prices.",
    ("process",), of="system",
)
READ_TURNS = Metric(
    "memstream_read_turns_total", "counter", "Users' turns that were read.", READING_LABELS, of="system"
)
READ_STATEMENTS = Metric(
    "memstream_read_statements_total", "counter", "What was read in them, by what became of it.",
    (*READING_LABELS, "outcome"), of="system",
)
LOST_REFERENCES = Metric(
    "memstream_lost_references_total", "counter",
    "Statements not made because a reference (she, they, it, there) could not be resolved.",
    (*READING_LABELS, "reason"), of="system",
)
CANDIDATE_READING = Metric(
    "memstream_candidate_reading", "histogram", "Calibrated probability of candidates that have one.",
    READING_LABELS, of="system",
)
CHECKPOINTS = Metric(
    "memstream_checkpoints_total", "counter", "Checkpoint summaries: by model, extract, or failed.",
    ("process", "way"), of="system",
)
SUMMARY_TOKENS = Metric(
    "memstream_summary_tokens", "histogram", "Length of checkpoint summaries.", ("process",), of="system"
)
ERASURES = Metric("memstream_erasures_pending", "gauge", "Erasures that are not done yet.", of="system")
ERASURE_AGE = Metric("memstream_erasure_oldest_seconds", "gauge", "Age of the oldest of them.", of="system")
RSS = Metric("memstream_process_rss_bytes", "gauge", "Resident memory.", ("process",), of="system")
CPU = Metric("memstream_process_cpu_seconds_total", "counter", "CPU time.", ("process",), of="system")

METRICS: tuple[Metric, ...] = (
    HTTP_REQUESTS, HTTP_SECONDS, PRODUCED, PRODUCE_FAILED, ACCESSES, ACCESSES_WAITING, LIMITED,
    DEGRADED, CIRCUIT, UNCONFIRMED, FRESH_WAIT, STALE, SCOPES, SCOPE_DOCUMENTS,
    TOKEN_RATIO, SESSION_SECONDS, LAG, LAG_SECONDS, RATE, STORE_UP, STOPPED, DEAD_LETTERS, DECISIONS, FRESHNESS,
    STAGE_RECORDS, STAGE_OUTCOMES, STAGE_SECONDS, STAGE_LATENCY, STAGE_SIZE, SINK_RETRIES, MODEL_CALLS, MODEL_FAILED,
    MODEL_GAVE_UP, MODEL_TOKENS, MODEL_COST, READ_TURNS, READ_STATEMENTS, LOST_REFERENCES, CANDIDATE_READING,
    CHECKPOINTS, SUMMARY_TOKENS, ERASURES, ERASURE_AGE, RSS, CPU,
)  # fmt: skip
