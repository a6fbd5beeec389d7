"""An answer in a turn of its own: "it's 4471#" is a secret by the question before it, which the recognisers of one text
do not see. They are shown the answer behind a question of the same kind.
"""

from __future__ import annotations

import re
from dataclasses import replace

from inference.protocols import EntitySpan
from processors.pii.redact import Redaction, apply
from processors.pii.redaction import policy_of
from processors.ports import Models, ProfileBook
from schemas.profile.pii_policy import CREDENTIAL

LONGEST_ANSWER = 200
"""Characters; who writes more than that says in it what it is."""
_ASKS = (
    r"(?:what|which|how|tell|send|give|need|share|text|remind|know|enter|type|provide|confirm|is|do|can"
    r"|could|please)"
)
_PASSWORD = re.compile(
    rf"\b{_ASKS}\b[^.?!\n]{{0,100}}\b(?:pass(?:word|phrase)s?|wi-?fi key|log[- ]?in)\b(?! (?:manager|hint|polic|field))"
    r"|(?:密[码碼]|口令)[^。！!\n]{0,12}(?:[?？]|多少|什么|什麼|哪)|(?:告诉|告訴|发|發|给|給|说|說|报|報|输入|輸入)[^。！!\n]{0,16}(?:密[码碼]|口令)",
    re.IGNORECASE,
)
_CODE = re.compile(
    rf"\b{_ASKS}\b[^.?!\n]{{0,100}}\b(?:(?:door|gate|entry|entrance|building|garage|alarm|safe|lock(?:er)?|lockbox|keypad"
    r"|access|security|verification|confirmation|log-?in|unlock|backup|recovery|one[- ]time|front"
    r"|back) (?:codes?|combination"
    r"|number)|combination|pin(?: code| number)?|pass-?code|puk|cvv|cvc|otp)\b"
    r"|(?:[门門]禁|[验驗][证證]|开[门門]|取件|提取|[动動][态態]|安全|PIN)[码碼][^。！!\n]{0,12}(?:[?？]|多少|什么|什麼|哪)"
    r"|(?:告诉|告訴|发|發|给|給|说|說|报|報|输入|輸入)[^。！!\n]{0,16}(?:[门門]禁|[验驗][证證]|开[门門]|取件|提取|[动動][态態]|安全|PIN)[码碼]",
    re.IGNORECASE,
)
# The question as the recognisers know it, in both languages: the answer may be in either.
_OF_PASSWORD = ("What is the password? ", "密码是什么？")
_OF_CODE = ("What is the door code? ", "门禁密码多少？")
_LAST = 300
"""Characters of the turn before: its question stands at its end."""


def secret_answer(before: str, content: Redaction, tenant: str, models: Models, book: ProfileBook) -> Redaction | None:
    """The redacted `content` without the secret that it gives where the redacted turn `before` asks for one; None where
    it gives none, and under a policy that does not take secrets out by refusing."""
    if len(content.text) > LONGEST_ANSWER or not before:
        return None
    last = before[-_LAST:]
    asked = [*(_OF_PASSWORD if _PASSWORD.search(last) else ()), *(_OF_CODE if _CODE.search(last) else ())]
    if not asked:
        return None
    texts = [question + content.text for question in asked]
    found = models.analyzer.analyze(texts, [models.language_of(text) for text in texts])
    policy = policy_of(book, tenant)
    places = sorted(
        {
            (max(span.start - len(question), 0), span.end - len(question))
            for question, spans in zip(asked, found, strict=True)
            for span in spans
            if span.entity == CREDENTIAL and span.score >= policy.min_score and span.end > len(question)
        }
    )
    secrets = [EntitySpan(CREDENTIAL, start, end, 1.0, "answer") for start, end in _joined(places)]
    if not secrets:
        return None
    marked = [
        EntitySpan(entity, start, end, 1.0, "screen")
        for entity, start, end in content.entities
        if not any(start < s.end and s.start < end for s in secrets)
    ]
    clean = apply(content.text, [*secrets, *marked], policy, models.tokeniser(tenant))
    name = next(name for name in clean.found if name.startswith(f"{CREDENTIAL}:"))
    counted = {**content.found, name: content.found.get(name, 0) + len(secrets)}
    return replace(
        content, text=clean.text, refused=content.refused or clean.refused, found=counted, entities=clean.entities,
        gone=(*content.gone, *clean.gone),
    )  # fmt: skip


def _joined(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Overlapping places as one."""
    out: list[tuple[int, int]] = []
    for start, end in places:
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out
