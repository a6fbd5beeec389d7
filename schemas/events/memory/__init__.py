"""Events of memories: the ledger (what was said), updates (what became of it) and decisions (why)."""

from schemas.events.memory.candidates import (
    MAX_DROPPED,
    MAX_DROPPED_CHARS,
    MAX_SPANS,
    PROJECT_SCOPE,
    Candidate,
    DropLabel,
    Dropped,
    HotValue,
    Span,
    resolve_scope,
)
from schemas.events.memory.common import (
    CHANGED_AT,
    CHANGED_ON,
    CORRECT_VALUE,
    LOW_READING,
    MODEL_GAVE_UP,
    MODEL_READ,
    NOT_OF,
    REPLACES,
    UNIT,
    CandidateKind,
    Confidence,
    EpisodeType,
    GateName,
    MemoryKind,
    Outcome,
    Reason,
    Source,
    State,
)
from schemas.events.memory.decisions import Decision, DecisionBody, DecisionsEvent
from schemas.events.memory.kinds import (
    Deletion,
    DocumentChunk,
    HabitPattern,
    HotMemory,
    HotType,
    KeptFeedback,
    ProfileNarrative,
    StatementMemory,
    StoreItem,
    TableRow,
    WeeklyReport,
)
from schemas.events.memory.ledger import (
    Extraction,
    ExtractionBody,
    Feedback,
    FeedbackBody,
    Given,
    JobResult,
    JobResultBody,
    LedgerEvent,
    MemoryCommand,
    MemoryCommandBody,
)
from schemas.events.memory.update import MemoryBody, MemoryUpdate
from schemas.events.memory.wire import UpdatesEvent, of_its_kind, parse

__all__ = [
    "CHANGED_AT", "CHANGED_ON", "CORRECT_VALUE", "LOW_READING", "MAX_DROPPED", "MAX_DROPPED_CHARS", "MAX_SPANS",
    "MODEL_GAVE_UP", "MODEL_READ", "NOT_OF", "PROJECT_SCOPE", "REPLACES", "UNIT", "Candidate",
    "CandidateKind", "Confidence", "Decision", "DecisionBody", "DecisionsEvent", "Deletion",
    "DocumentChunk", "DropLabel", "Dropped", "EpisodeType",
    "Extraction", "ExtractionBody", "Feedback", "FeedbackBody", "GateName", "Given", "HabitPattern", "HotMemory",
    "HotType", "HotValue", "JobResult", "JobResultBody", "KeptFeedback", "LedgerEvent", "MemoryBody", "MemoryCommand",
    "MemoryCommandBody", "MemoryKind", "MemoryUpdate", "Outcome", "ProfileNarrative", "Reason",
    "Source", "Span", "State", "StatementMemory", "StoreItem", "TableRow", "UpdatesEvent",
    "WeeklyReport", "of_its_kind", "parse", "resolve_scope",
]  # fmt: skip
