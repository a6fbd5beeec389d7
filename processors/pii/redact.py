"""Policy applied to recognised spans: a pure step from text and spans to the text that may go on (D5)."""

import hmac
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from inference.protocols import EntitySpan
from schemas.profile.pii_policy import CREDENTIAL, PiiAction, PiiPolicy
from schemas.security.encrypted_values import Original

_TOKEN_HEX = 12  # 48 bits: two of a million values of a tenant meet with a chance of 2 in 1,000
_MIN_KEY_BYTES = 16
_SEPARATORS = re.compile(r"[\s().\-]+")


class Tokeniser:
    """Values to stable tokens of one tenant: HMAC-SHA256 under a key, so a guess cannot be checked without it."""

    def __init__(self, key: bytes, tenant: str) -> None:
        """Raises ValueError for a key below 16 bytes."""
        if len(key) < _MIN_KEY_BYTES:
            raise ValueError("the tokenising key must have 16 bytes or more")
        self._key = hmac.digest(key, b"memstream-pii\0" + tenant.encode("utf-8", "replace"), sha256)

    def token(self, entity: str, value: str) -> str:
        """Return 12 hex digits; the same for spellings that differ in case, width or separators."""
        plain = _SEPARATORS.sub("", unicodedata.normalize("NFKC", value).casefold())
        message = f"{entity}\0{plain}".encode("utf-8", "replace")
        return hmac.digest(self._key, message, sha256).hex()[:_TOKEN_HEX]


@dataclass(frozen=True, slots=True)
class Redaction:
    """What may go on. Nothing of it but `taken` and `gone` holds a value that policy took out.

    `refused`: the text held what policy refuses; the turn is kept, nothing may be learned from it.
    `found`: "ENTITY:action" -> count. `entities`: the allowed entities as (entity, start, end) in `text`.
    `taken`: what policy encrypts, for whoever keeps it; never to be written or logged as it is.
    `gone`: every value that was taken out, and what stands for it; neither.
    """

    text: str
    refused: bool
    found: Mapping[str, int]
    entities: tuple[tuple[str, int, int], ...]
    taken: tuple[Original, ...] = field(default=(), repr=False)
    gone: tuple[tuple[str, str], ...] = field(default=(), repr=False)


def refused_for(found: Mapping[str, int]) -> str | None:
    """The entity that policy refused, as the rule of a reason (N5): a credential before all others, else the first by
    name. None where nothing was refused."""
    names = [entity for entity, _, action in (name.partition(":") for name in found) if action == PiiAction.REFUSE]
    return min(names, key=lambda n: (n != CREDENTIAL, n)).lower() if names else None


def apply(text: str, spans: Sequence[EntitySpan], policy: PiiPolicy, tokeniser: Tokeniser) -> Redaction:
    """Apply `policy` to `spans` of `text` (code points, resolved: none overlaps another).

    Raises ValueError when spans overlap or lie outside the text: half a masked value would leak the rest.
    """
    parts: list[str] = []
    found: Counter[str] = Counter()
    entities: list[tuple[str, int, int]] = []
    taken: list[Original] = []
    redacted_pairs: list[tuple[str, str]] = []
    read = written = 0
    for span in sorted(spans, key=lambda span: span.start):
        if not read <= span.start < span.end <= len(text):
            raise ValueError("spans overlap or lie outside the text")
        if span.score < policy.min_score:
            continue
        action, value = policy.action(span.entity), text[span.start : span.end]
        found[f"{span.entity}:{action}"] += 1
        shown = _shown(span.entity, value, action, tokeniser)
        parts += (text[read : span.start], shown)
        written += span.start - read
        if action is PiiAction.ALLOW:
            entities.append((span.entity, written, written + len(shown)))
        else:
            redacted_pairs.append((value, shown))
        if action is PiiAction.ENCRYPT:
            taken.append(Original(span.entity, shown, value))
        written += len(shown)
        read = span.end
    parts.append(text[read:])
    refused = refused_for(found) is not None
    return Redaction("".join(parts), refused, dict(found), tuple(entities), tuple(taken), tuple(redacted_pairs))


def _shown(entity: str, value: str, action: PiiAction, tokeniser: Tokeniser) -> str:
    """Return what stands for `value` behind the screen."""
    match action:
        case PiiAction.ALLOW:
            return value
        case PiiAction.MASK | PiiAction.REFUSE:
            return f"<{entity}>"
        case PiiAction.TOKENISE | PiiAction.ENCRYPT:
            return f"<{entity}:{tokeniser.token(entity, value)}>"
