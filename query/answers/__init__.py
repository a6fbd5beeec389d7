"""What the service answers, for the description of the API alone: no answer passes through these models.

Handlers build plain dicts of rows and functions; a test compares what they answer with what is declared here. `TABLE`
names the model of each answer that its handler leaves untyped: (method, path) -> status -> model.
"""

from __future__ import annotations

from collections.abc import Mapping

from query.answers import memories, operations, places
from query.answers.base import Answered

TABLE: Mapping[tuple[str, str], Mapping[int, type[Answered]]] = {
    ("post", "/v1/search"): {200: memories.SearchAnswer},
    ("post", "/v1/context"): {200: memories.ContextAnswer},
    ("get", "/v1/users/{user_id}/memories"): {200: memories.MemoriesAnswer},
    ("get", "/v1/memories/{memory_id}"): {200: memories.MemoryAnswer},
    ("get", "/v1/users/{user_id}/profile"): {200: memories.ProfileAnswer},
    ("get", "/v1/users/{user_id}/preferences"): {200: memories.PreferencesAnswer},
    ("get", "/v1/users/{user_id}/patterns"): {200: memories.PatternsAnswer},
    ("get", "/v1/users/{user_id}/readings"): {200: memories.ReadingsAnswer},
    ("get", "/v1/feedback/summary"): {200: memories.FeedbackSummaryAnswer},
    ("post", "/v1/users/{user_id}/load-context"): {200: memories.LoadedAnswer},
    ("get", "/v1/users/{user_id}/feedback"): {200: memories.FeedbackAnswer},
    ("get", "/v1/turns/{turn_id}"): {200: places.TurnAnswer},
    ("get", "/v1/turns/{turn_id}/originals"): {200: places.OriginalsAnswer},
    ("get", "/v1/turns/{turn_id}/outcome"): {200: places.OutcomeAnswer},
    ("get", "/v1/sessions/{session_id}"): {200: places.SessionAnswer},
    ("post", "/v1/sessions/{session_id}/memory-context"): {200: places.MemoryContextAnswer},
    ("get", "/v1/sessions/{session_id}/checkpoints"): {200: places.CheckpointsAnswer},
    ("get", "/v1/sessions/{session_id}/messages"): {200: places.MessagesAnswer},
    ("post", "/v1/sessions/{session_id}/turns"): {202: places.WrittenTurnAnswer},
    ("post", "/v1/users/{user_id}/save-info"): {202: places.SavedInfoAnswer},
    ("get", "/v1/projects/{project_id}/hot-memory"): {200: places.HotMemoryAnswer},
    ("get", "/v1/projects/{project_id}/reports"): {200: places.ReportsAnswer},
    ("get", "/v1/users/{user_id}/tables/{table}"): {200: places.RowsAnswer},
    ("get", "/v1/users/{user_id}/tables/{table}/{key}"): {200: places.RowAnswer},
    ("post", "/v1/users/{user_id}/tables/{table}/similar"): {200: places.SimilarAnswer},
    ("post", "/v1/store/items/get"): {200: places.ItemAnswer},
    ("get", "/v1/store/{namespace}/{user_id}/{key}"): {200: places.ItemAnswer},
    ("post", "/v1/store/search"): {200: places.ItemsAnswer},
    ("post", "/v1/store/namespaces"): {200: places.NamespacesAnswer},
    ("post", "/v1/store/batch"): {200: places.BatchAnswer, 202: places.BatchAnswer},
    ("get", "/livez"): {200: operations.StatusAnswer},
    ("get", "/readyz"): {200: operations.StatusAnswer},
    ("get", "/v1/pipeline"): {200: operations.PipelineAnswer},
    ("get", "/v1/retention"): {200: operations.RetentionAnswer},
    ("get", "/v1/erasures"): {200: operations.ErasuresAnswer},
    ("get", "/v1/erasures/{erasure_id}"): {200: operations.ErasureAnswer},
    ("get", "/v1/tenant/profile"): {200: operations.TenantProfileAnswer},
    ("get", "/v1/dead-letters"): {200: operations.LettersAnswer},
    ("get", "/v1/dead-letters/{letter_id}"): {200: operations.LetterAnswer},
    ("post", "/v1/dead-letters/replay"): {202: operations.DecidedAnswer},
    ("post", "/v1/dead-letters/drop"): {202: operations.DecidedAnswer},
}
MEDIA: Mapping[tuple[str, str], str] = {
    ("get", "/metrics"): "text/plain",
    ("get", "/v1/updates"): "text/event-stream",
}
"""Answers that are no JSON."""
