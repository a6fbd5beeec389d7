"""The list of the access log's chains (C10): which there are and how long each is, sealed under the log's key. Each
chain seals its own two ends; that one was lost whole, or set back alone, only the list can say."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from schemas.base import Json
from schemas.security.audit import Chain, Fault

WHOLE = -1
"""In place of a chain's number, of a fault of the list itself."""


@dataclass(frozen=True, slots=True)
class Roster:
    """The row of audit.roster: `seqs`, the newest entry of each of `chains`, in ascending order of these."""

    begun_at: datetime
    chains: Sequence[int]
    seqs: Sequence[int]
    seal: bytes

    @classmethod
    def of(cls, key: bytes, begun_at: datetime, lengths: Mapping[int, int]) -> Roster:
        numbers = sorted(lengths)
        made = cls(begun_at, numbers, [lengths[n] for n in numbers], b"")
        return cls(begun_at, made.chains, made.seqs, made.sealed(key))

    @property
    def lengths(self) -> dict[int, int]:
        return dict(zip(self.chains, self.seqs, strict=True))

    def sealed(self, key: bytes) -> bytes:
        """The seal that this row must have."""
        begun = self.begun_at.astimezone(UTC).isoformat(timespec="microseconds")
        fields: list[Json] = ["chains", begun, list(self.chains), list(self.seqs)]
        return hmac.new(key, orjson.dumps(fields), hashlib.sha256).digest()


def begins_without(key: bytes, chains: Sequence[Chain]) -> bool:
    """Whether a log without a list may be given one: it is new, or of before there were lists. Of a log that had one
    it was taken away, and one that is made anew would vouch for whatever is left."""
    return all(chain.older(key) for chain in chains)


def faults(key: bytes, roster: Roster | None, chains: Sequence[Chain]) -> list[Fault]:
    """Where the list and the chains do not agree: `list`, of the list itself (missing, or not as it was sealed);
    `lost`, a chain that is not there, is shorter or longer than listed, or is not listed."""
    if roster is None:
        return [] if chains and begins_without(key, chains) else [Fault(WHOLE, 0, "list")]
    if len(roster.chains) != len(roster.seqs) or not hmac.compare_digest(roster.seal, roster.sealed(key)):
        return [Fault(WHOLE, 0, "list")]
    found, listed = {c.chain: c for c in chains}, roster.lengths
    out = []
    for number in sorted({*found, *listed}):
        chain, length = found.get(number), listed.get(number, 0)
        if chain is None or chain.seq < length or (chain.seq > length and not chain.older(key)):
            out.append(Fault(number, length, "lost"))
    return out
