"""The PII policy as data (D5): what becomes of each recognised entity, per tenant and profile."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator


class PiiAction(StrEnum):
    """What is done with an entity before anything behind the screen sees the text."""

    ALLOW = "allow"
    """Left as it is."""
    MASK = "mask"
    """Replaced by `<ENTITY>`; the original is gone."""
    TOKENISE = "tokenise"
    """Replaced by `<ENTITY:token>`, the same token for the same value within a tenant, not reversible."""
    ENCRYPT = "encrypt"
    """Replaced by `<ENTITY:token>`; the original goes into the owner's sealed part, beside the text."""
    REFUSE = "refuse"
    """Masked, and nothing is learned from the turn: the stream keeps the turn, memory never sees the secret."""


EntityName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{1,63}$")]

CREDENTIAL = "CREDENTIAL"
CREDENTIAL_ACTIONS = frozenset({PiiAction.REFUSE, PiiAction.MASK})
"""D5 leaves a credential two ways."""
_ENTITIES = """
    ADDRESS AGE BANK_ACCOUNT CN_LICENSE_PLATE CN_RESIDENT_ID CN_SOCIAL_CREDIT_CODE CREDENTIAL CREDIT_CARD CRYPTO
    DATE_TIME EMAIL_ADDRESS IBAN_CODE IP_ADDRESS LOCATION MAC_ADDRESS NRP ORGANIZATION PASSPORT PERSON PHONE_NUMBER URL
    US_DRIVER_LICENSE US_ITIN US_SSN ZIP_CODE
"""
ENTITIES = frozenset(_ENTITIES.split())
"""What the screen finds (docs/pii.md). A profile that names another would change nothing by it."""
PLACEHOLDER = rf"<(?:{'|'.join(sorted(ENTITIES))})(?::[0-9a-f]{{12}})?>"
"""Regular expression of what stands for a value that policy took out: its entity, and a token where it has one."""
_DEFAULT_ACTIONS: Mapping[str, PiiAction] = {
    CREDENTIAL: PiiAction.REFUSE,
    # What memory is about.
    "PERSON": PiiAction.ALLOW,
    "LOCATION": PiiAction.ALLOW,
    "ORGANIZATION": PiiAction.ALLOW,
    "NRP": PiiAction.ALLOW,
    "DATE_TIME": PiiAction.ALLOW,
    "AGE": PiiAction.ALLOW,
    "URL": PiiAction.ALLOW,
}


class PiiPolicy(BaseModel):
    """Entity -> action; what is not named gets `default`. Spans scored below `min_score` are not acted on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    actions: dict[EntityName, PiiAction] = Field(default_factory=lambda: dict(_DEFAULT_ACTIONS))
    default: PiiAction = PiiAction.MASK
    min_score: float = Field(default=0.5, ge=0, le=1)

    @model_validator(mode="after")
    def _secrets_stay_out(self) -> PiiPolicy:
        if self.action(CREDENTIAL) not in CREDENTIAL_ACTIONS:
            raise ValueError("CREDENTIAL must be refused or masked")
        return self

    def action(self, entity: str) -> PiiAction:
        """Return the action for `entity`."""
        return self.actions.get(entity, self.default)

    def overridden(self, actions: Mapping[str, str]) -> PiiPolicy:
        """Return this policy with `actions` (entity -> action word) over its own; ValueError on unknown words."""
        return PiiPolicy.model_validate(
            {**self.model_dump(), "actions": {**self.actions, **actions}},
        )


DEFAULT_POLICY = PiiPolicy()
