"""No statement gives a password or a code: what the screen did not see in a turn, or what a statement put together of
a question and its answer, is not kept either."""

from __future__ import annotations

import re

from processors.pii.redaction import redact, strings
from processors.ports import Models, ProfileBook
from processors.reader.rules.protocol import Reading
from schemas.events.memory import Candidate

_GIVEN = re.compile(
    r"\b(?:passwords?|passcode|passphrase|pin(?: (?:code|number))?|(?:door|gate|alarm|entry|safe|lock(?:er)?|access"
    r"|security|verification|recovery|unlock) (?:code|combination)|cvv|cvc)"
    r"(?: (?:of|for|to|at|on|in)(?: [\w'’-]{1,20}){1,4}?)?(?: is| was|:) ?(?!(?:not|too|wrong|the same|forgotten|lost"
    r"|very|long|short|weak|strong|never|always|in|on|at|kept|stored|saved|known|written|hard|easy|different)\b)\S"
    r"|(?:密[码碼]|口令|PIN码?|[门門]禁[码碼]|[验驗][证證][码碼]|暗[号號])(?:是|[为為]|係|[:：])"
    r"(?!什么|多少|必|错|对的|不|忘|同一|一样|几|哪|谁|由|用来|随机)\S",
    re.IGNORECASE,
)


def gives_secret(text: str) -> bool:
    """Does a statement give a password or a code?"""
    return _GIVEN.search(text) is not None


def without_refused(candidates: list[Candidate], tenant: str, models: Models, book: ProfileBook) -> list[Candidate]:
    """The statements in which the tenant's policy refuses nothing: a model may put a secret together of a question and
    its answer. Milliseconds of CPU a statement."""
    if not candidates:
        return candidates
    texts = ["\n".join((c.text, *strings({c.field or "": c.value}))) for c in candidates]
    clean = redact(models, book, [tenant] * len(texts), texts)
    return [c for c, r in zip(candidates, clean, strict=True) if not r.refused]


def without_secrets(reading: Reading) -> Reading:
    """The reading without what gives a secret, taken or not; the others keep their ordinals."""
    candidates = [c for c in reading.candidates if not gives_secret(c.text)]
    return Reading(candidates, tuple(d for d in reading.dropped if not gives_secret(d.candidate.text)))
