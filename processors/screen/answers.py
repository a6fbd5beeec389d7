"""An answer in a turn of its own: "it's 4471#" is a secret by the question before it, which the recognisers of one text
do not see. They are shown the answer behind a question of the same kind; numbers are known by their shape.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from inference.protocols import EntitySpan
from processors.pii.redact import Redaction, apply
from processors.pii.redaction import policy_of
from processors.ports import EntityAnalyzer, Models, ProfileBook, TextLanguage
from processors.screen.asked_numbers import LEAD, AskedNumber, asked_numbers, number_answer
from processors.screen.questions import asking, request_in, wants
from schemas.profile.pii_policy import CREDENTIAL

LONGEST_ANSWER = 200
"""Characters; who writes more than that says in it what it is."""
_PASSWORD = asking(
    r"(?:pass(?:words?|phrases?)|wi-?fi[ ]key|log[- ]?in)",
    r"(?<!财富|流量|成功|幸福|人生|基因|遗传|摩斯|凯撒|阅兵|军训)(?<!财富的|成功的|幸福的|人生的)(?:密[码碼]|口令)",
)
_CODE = asking(
    r"(?:(?:door|gate|entry|entrance|building|garage|alarm|safe|lock(?:er)?|lockbox|keypad|access|security|verification"
    r"|confirmation|log-?in|unlock|backup|recovery|one[- ]time|front|back)[ ](?:codes?|combination|number)|combination"
    r"|pin(?:[ ]code|[ ]number)?|pass-?code|puk|cvv|cvc|otp)",
    r"(?:[门門]禁|[验驗][证證]|开[门門]|取件|提取|[动動][态態]|安全|PIN)[码碼]",
)
_KEY = re.compile(
    r"\b(?:key|token|secret)(?![A-Za-z]|[ ](?:of|to|in|type|names?|id)\b)"
    r"|密[钥鑰匙]|秘钥|令牌|(?<![A-Za-z])(?:api|app|access|client)?[ _-]?(?:key|token|secret)(?![A-Za-z])",
    re.IGNORECASE,
)
# A turn without any of these words asks for none of the below: a cheap look first.
_ASKED_NOUNS = (
    "key", "token", "secret", "passport", "licen", "ssn", "social", "number", " no", "#", "account", "bank", "card",
    "phone", "cell", "mobile", "landline", "号", "號", "钥", "鑰", "匙", "证", "證", "账", "帐", "賬", "卡", "令牌",
    "电话", "電話", "手机", "座机", "联系",
)  # fmt: skip
# Says that there is none, or where it is.
_NO_ANSWER = re.compile(
    r"(?:我?(?:去|先|再)?(?:查|看|找|翻)(?:一下|一|下|看|找|查)?|保密|老样子"
    r"|就?(?:[贴写放记存發发])?在[^!-~，。！？]{1,8}[里上下面边头]"
    r"|(?:抽屉|手机|本子|微信|邮箱|邮件|冰箱|桌子|墙|纸条)[里上])[。！!~]?\Z"
)
# What an answer begins with, before the secret.
_LEAD = re.compile(
    r"(?:(?:(?:i[ ](?:think|believe|guess)|maybe|probably|yes|yeah|sure|ok(?:ay)?|oh|um|well|right|let[ ]me[ ]see"
    r"|of[ ]course|here(?:['’]s|[ ]it[ ]is|[ ]you[ ]go))(?![A-Za-z0-9_])|(?:好像|应该|應該|大概|可能)是?"
    r"|嗯|哦|好的?|我?用的?是?)[,:. ，：。]{0,3}){1,3}",
    re.IGNORECASE,
)
# The question as the recognisers know it, in both languages: the answer may be in either.
_OF_PASSWORD = ("What is the password? ", "密码是什么？")
_OF_CODE = ("What is the door code? ", "门禁密码多少？")
_OF_KEY = ("What is the API key? ", "API密钥是什么？")
_LAST = 300
"""Characters of the turn before: its question stands at its end."""


class Asked(NamedTuple):
    """What the end of a turn asks for: secrets, as the questions that stand for them, and numbers by their shape."""

    questions: tuple[str, ...]
    key: bool
    numbers: tuple[AskedNumber, ...]


def asked_for(before: str) -> Asked | None:
    """What the end of a turn asks for; None where it asks for nothing secret. Linear in 300 characters."""
    last = before[-_LAST:]
    low = last.lower()
    request = request_in(last) if any(noun in low for noun in _ASKED_NOUNS) else ""
    questions = (
        *(_OF_PASSWORD if wants(_PASSWORD, last) else ()),
        *(_OF_CODE if wants(_CODE, last) else ()),
    )
    key = _KEY.search(request) is not None
    numbers = asked_numbers(request)
    return Asked(questions, key, numbers) if questions or key or numbers else None


def shortened(text: str, most: int) -> str:
    """A turn as it is kept for the next one: its beginning, or its end where that asks for a secret."""
    return text[-most:] if len(text) > most and asked_for(text) else text[:most]


def secret_answer(before: str, content: Redaction, tenant: str, models: Models, book: ProfileBook) -> Redaction | None:
    """The redacted `content` without what it gives away where the redacted turn `before` asks for it; None where it
    gives nothing away."""
    policy = policy_of(book, tenant)
    given = answer_spans(before, content.text, models.analyzer, models.language_of, policy.min_score)
    if not given:
        return None
    marked = [
        EntitySpan(entity, start, end, 1.0, "screen")
        for entity, start, end in content.entities
        if not any(start < s.end and s.start < end for s in given)
    ]
    clean = apply(content.text, [*given, *marked], policy, models.tokeniser(tenant))
    found = Counter(content.found)
    found.update(f"{span.entity}:{policy.action(span.entity)}" for span in given)
    return replace(
        content, text=clean.text, refused=content.refused or clean.refused, found=dict(found), entities=clean.entities,
        taken=(*content.taken, *clean.taken), gone=(*content.gone, *clean.gone),
    )  # fmt: skip


def answer_spans(
    before: str, answer: str, analyzer: EntityAnalyzer, language_of: Callable[[str], TextLanguage], min_score: float
) -> list[EntitySpan]:
    """What `answer` gives away by the question that ends `before`: sorted, none overlapping."""
    if not before or len(answer) > LONGEST_ANSWER or _NO_ANSWER.match(answer):
        return []
    asked = asked_for(before)
    if asked is None:
        return []
    behind = [(question, _LEAD.match(answer)) for question in asked.questions]
    behind += [(question, LEAD.match(answer)) for question in (_OF_KEY if asked.key else ())]
    skipped = [(question, lead.end() if lead is not None else 0) for question, lead in behind]
    secrets = _secrets(skipped, answer, analyzer, language_of, min_score) if skipped else []
    numbers = [
        n for n in number_answer(asked.numbers, answer) if not any(n.start < s.end and s.start < n.end for s in secrets)
    ]
    return sorted([*secrets, *numbers], key=lambda span: span.start)


def _secrets(
    asked: Sequence[tuple[str, int]],
    answer: str,
    analyzer: EntityAnalyzer,
    language_of: Callable[[str], TextLanguage],
    min_score: float,
) -> list[EntitySpan]:
    """The credentials of `answer` behind each question, which the answer's characters from the given one on follow."""
    texts = [question + answer[skipped:] for question, skipped in asked]
    found = analyzer.analyze(texts, [language_of(text) for text in texts])
    places = {
        (max(span.start - len(question), 0) + skipped, span.end - len(question) + skipped)
        for (question, skipped), spans in zip(asked, found, strict=True)
        for span in spans
        if span.entity == CREDENTIAL and span.score >= min_score and span.end > len(question)
    }
    return [EntitySpan(CREDENTIAL, start, end, 1.0, "answer") for start, end in _joined(sorted(places))]


def _joined(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Overlapping places as one."""
    out: list[tuple[int, int]] = []
    for start, end in places:
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out
