"""What is sent: turns, feedback, memories. They are checked where they are made, by the models of the door."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias
from uuid import uuid4

from memstream.client.errors import InvalidError
from query import events
from query.models import FeedbackIn as Feedback
from query.models import InteractionIn as Interaction
from query.models import MemoryIn as Memory
from query.models import TurnIn as Turn
from schemas.events.turns import Recalled

Message: TypeAlias = Turn | Feedback | Memory
DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True)
class Item:
    """A message on its way. `id` is the same whenever it is sent again, so that nothing counts twice: the turn's id,
    the feedback's, or the id that the memory will have. `once` is the Idempotency-Key of a memory: two memories of
    one field are two messages."""

    id: str
    message: Message
    once: str = ""
    size: int = field(default=0, compare=False)

    @property
    def ref(self) -> str:
        """What names the message among those on their way."""
        return self.once or self.id

    @property
    def user_id(self) -> str:
        return self.message.user_id


def item_of(message: Message, tenant: str) -> Item:
    """Give a message its id. Raises InvalidError for feedback about nothing."""
    match message:
        case Turn():
            made = message.model_copy(update={"turn_id": events.turn_id_of(tenant, message)})
            return Item(str(made.turn_id), made, size=len(made.content) + len(made.llm_context or "") + 256)
        case Feedback():
            if missing := events.missing_in_feedback(message):
                raise InvalidError(f"{missing[0]}: {missing[1]}", [missing])
            size = len(message.correction or "") + len(message.comment or "") + 256
            return Item(events.feedback_id_of(tenant, message), message, size=size)
        case Memory():
            once = str(uuid4())
            command = events.command_id_of(tenant, message.user_id, "remember", once)
            return Item(events.memory_id_of(tenant, message, command), message, once, len(message.text) + 256)


__all__ = ["DEFAULT_TENANT", "Feedback", "Interaction", "Item", "Memory", "Message", "Recalled", "Turn", "item_of"]
