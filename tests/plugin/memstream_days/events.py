"""Values of days.turns.v1."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.base import Timestamp
from schemas.events.envelope import Marker, UserEvent
from schemas.events.erasure import Erasure


class DayCount(UserEvent):
    """How many turns a user had on a day (UTC). The newest revision counts."""

    RECORD: ClassVar[bool] = True
    type: Literal["day_count"] = "day_count"
    day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    turns: int = Field(ge=1)
    revision: int = Field(ge=1)
    accepted_at: Timestamp

    @property
    def subject(self) -> str:
        return f"{self.owner.key}/day/{self.day}"


DaysEvent = Annotated[DayCount | Erasure | Marker, Field(discriminator="type")]
