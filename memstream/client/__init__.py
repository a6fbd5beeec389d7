"""memstream in a program's hands (K5): `with Memstream("http://127.0.0.1:8900") as memory: ...`. See docs/clients.md.

Light to import: no model, no stream processor, no store's driver.
"""

from memstream.client.aio import AsyncMemstream, AsyncProducer
from memstream.client.buffer import BufferLimits
from memstream.client.errors import (
    BufferFullError,
    ClosedError,
    DeliveryError,
    ForbiddenError,
    InvalidError,
    MemstreamError,
    NotFoundError,
    Refusal,
    SealedError,
    ServerError,
    SetAsideError,
    StaleError,
    UnauthorisedError,
    UnavailableError,
)
from memstream.client.http import HttpOptions
from memstream.client.messages import Feedback, Interaction, Memory, Message, Recalled, Turn
from memstream.client.sync import Memstream, Producer

__all__ = [
    "AsyncMemstream",
    "AsyncProducer",
    "BufferFullError",
    "BufferLimits",
    "ClosedError",
    "DeliveryError",
    "Feedback",
    "ForbiddenError",
    "HttpOptions",
    "Interaction",
    "InvalidError",
    "Memory",
    "Memstream",
    "MemstreamError",
    "Message",
    "NotFoundError",
    "Producer",
    "Recalled",
    "Refusal",
    "SealedError",
    "ServerError",
    "SetAsideError",
    "StaleError",
    "Turn",
    "UnauthorisedError",
    "UnavailableError",
]
