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
_WANTS = (
    r"(?:what(?:['’]?s|[ ](?:is|was|are))|which[ ](?:one|word|code|pin|number|password)"
    r"|(?:tell|send|give|text|remind|show|read|get)"
    r"[ ](?:me|us)|share|enter|type|provide|confirm|state|supply|spell|need|know|remember|recall"
    r"|(?:can|could|may)[ ](?:i|we)"
    r"[ ](?:have|get))"
)
_WHOSE = r"\b(?:the|your|my|our|his|her|their|its|this|that)(?:[ ][\w'’-]{1,20}){0,4}?[ ]"
# "the password policy", "what is the password for?", "the PIN pad"
_NOT_IT = (
    r"(?!['’]s|[ -](?:managers?|hints?|polic|fields?|requirements?|length|rules?|prompt|reset|recovery|format|page"
    r"|strength|pad|box|screen|machine|in[ ]the[ ]garden|hash(?:es|ing)?|columns?|button|flow"
    r"|of[ ](?!(?:the|your|my|our|his|her|their|this|that)\b)"
    r"|on[ ](?:the|a|your)[ ](?:map|board|chip|connector|jacket))|[ ]for[ ]?\?)"
)
_SAYS_ZH = r"(?:告[诉訴]|[发發给給说說报報])(?:我|咱|俺|我们|我們|一下|下)"
_VALUE_ZH = (
    r"(?:是|[为為])?(?:多少(?![位个個次钱錢字])|几号|(?<![干做])什么(?![时時意问問原要规規格用牌算字软颜类样])"
    r"|(?<![幹做])什麼(?![时時意问問原要规規格用牌算字軟顏類樣])|啥|(?<!在)哪[个個](?!字))"
)


def _asking(english: str, chinese: str) -> re.Pattern[str]:
    """A sentence that wants the value of a secret, in either language."""
    return re.compile(
        rf"\b{_WANTS}\b[^.?!\n]{{0,60}}?{_WHOSE}{english}(?![A-Za-z]){_NOT_IT}"
        rf"|\b(?:what|which)[ ](?:[a-z]{{2,12}}[ ])?{english}[ ](?:do|does|is|are|should|shall)\b"
        rf"|\b(?:your|the|my)[ ](?:[\w'’-]{{1,20}}[ ]){{0,3}}?{english}{_NOT_IT}"
        r"(?:[ ](?:please|pls|again|(?:of|for|to|on)(?:[ ][\w'’-]{1,20}){1,4}))?[ ]?\?"
        rf"|{chinese}(?:呢|又)?(?:[^。！!?？\n]{{0,8}}?{_VALUE_ZH}|[?？]|(?<=呢)(?=[ ]?\Z)"
        rf"|[^。！!?？\n]{{0,6}}?{_SAYS_ZH})"
        rf"|(?:{_SAYS_ZH}|[请請][你您]?[输輸]入)[^。！!?？\n]{{0,12}}{chinese}(?![学學]|管理|要求|规则|規則)",
        re.IGNORECASE,
    )


_PASSWORD = _asking(
    r"(?:pass(?:words?|phrases?)|wi-?fi[ ]key|log[- ]?in)",
    r"(?<!财富|流量|成功|幸福|人生|基因|遗传|摩斯|凯撒|阅兵|军训)(?<!财富的|成功的|幸福的|人生的)(?:密[码碼]|口令)",
)
_CODE = _asking(
    r"(?:(?:door|gate|entry|entrance|building|garage|alarm|safe|lock(?:er)?|lockbox|keypad|access|security|verification"
    r"|confirmation|log-?in|unlock|backup|recovery|one[- ]time|front|back)[ ](?:codes?|combination|number)|combination"
    r"|pin(?:[ ]code|[ ]number)?|pass-?code|puk|cvv|cvc|otp)",
    r"(?:[门門]禁|[验驗][证證]|开[门門]|取件|提取|[动動][态態]|安全|PIN)[码碼]",
)
# "Where do I enter the password?", "did you send him the code?": about one, and answered by no secret.
_ABOUT_ONE = re.compile(
    r"\b(?:where|why|how|when|whether|if|who|did|does|has|have|had|should|must|will|would|don['’]t|never|forgot)\b"
    r"|什么时候|什麼時候|何时"
    r"|怎么|怎麼|为什么|為什麼|谁|誰|哪里|哪裡|有没有|是不是|要不要|[换換改忘丢设設]",
    re.IGNORECASE,
)
# The same within the words that ask: "do you know who has the password?", "what's the name of the login button?"
_ASKS_OTHER = re.compile(
    r"\b(?:where|why|how|when|whether|if|who)\b|\b(?:name|title|label|colou?r|column|field|type|table|file|folder|path"
    r"|link|page|owner|reason|point|purpose|use|problem|issue|status|size|length|algorithm|step|regex|pattern|deadline)s?"
    r"[ ](?:of|for|to|behind|with|in|on|that|which)\b|在哪|哪里|哪裡|怎么|怎麼|谁|誰|为什么|為什麼",
    re.IGNORECASE,
)
# "Which app asks for the password?" A number or a word may be the secret itself.
_OTHER_THING = re.compile(
    r"\b(?:what|which)[ ](?!(?:is|was|are|were|about|if|numbers?|words?|digits?|figures|one)\b)[a-z]+\b", re.IGNORECASE
)
_ASKS_ITSELF = re.compile(r"what|which|tell|send|give|text|remind|show|share", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;:，；：—–]")
# Says that there is none, or where it is.
_NO_ANSWER = re.compile(
    r"(?:我?(?:去|先|再)?(?:查|看|找|翻)(?:一下|一|下|看|找|查)?|保密|老样子"
    r"|就?(?:[贴写放记存發发])?在[^!-~，。！？]{1,8}[里上下面边头]"
    r"|(?:抽屉|手机|本子|微信|邮箱|邮件|冰箱|桌子|墙|纸条)[里上])[。！!~]?\Z"
)
_SENTENCE_END = re.compile(r"[.?!。？！\n]")
# What an answer begins with, before the secret.
_LEAD = re.compile(
    r"(?:(?:(?:i[ ](?:think|believe|guess)|maybe|probably|yes|yeah|sure|ok(?:ay)?|oh|um|well|right|let[ ]me[ ]see"
    r"|of[ ]course|here(?:['’]s|[ ]it[ ]is|[ ]you[ ]go))(?![A-Za-z0-9_])|(?:好像|应该|應該|大概|可能)是?"
    r"|嗯|哦|好的?)[,:. ，：。]{0,3}){1,3}",
    re.IGNORECASE,
)
# The question as the recognisers know it, in both languages: the answer may be in either.
_OF_PASSWORD = ("What is the password? ", "密码是什么？")
_OF_CODE = ("What is the door code? ", "门禁密码多少？")
_LAST = 300
"""Characters of the turn before: its question stands at its end."""


def asked_for(before: str) -> tuple[str, ...]:
    """The questions that the end of a turn stands for; none where it asks for no secret. Linear in 300 characters."""
    last = before[-_LAST:]
    return (*(_OF_PASSWORD if _wants(_PASSWORD, last) else ()), *(_OF_CODE if _wants(_CODE, last) else ()))


def _wants(pattern: re.Pattern[str], text: str) -> bool:
    return any(not _about(text, match) and not _passed_over(text, match) for match in pattern.finditer(text))


def _about(text: str, match: re.Match[str]) -> bool:
    """Is it a question about a secret, which no secret answers?"""
    before = _SENTENCE_END.split(text[: match.start()])[-1]
    if _ABOUT_ONE.search(before) is not None or _ASKS_OTHER.search(_CLAUSE_END.split(match[0])[-1]) is not None:
        return True
    clause = _CLAUSE_END.split(before)[-1]
    return _ASKS_ITSELF.match(match[0]) is None and _OTHER_THING.search(clause) is not None


def _passed_over(text: str, match: re.Match[str]) -> bool:
    """Does a question follow a sentence that is none? "I need your PIN later. How many guests?" """
    rest = text[match.end() - 1 :]
    end = _SENTENCE_END.search(rest)
    if end is None or end[0] in "?？":
        return False
    return re.search("[?？]", rest[end.end() :]) is not None


def shortened(text: str, most: int) -> str:
    """A turn as it is kept for the next one: its beginning, or its end where that asks for a secret."""
    return text[-most:] if len(text) > most and asked_for(text) else text[:most]


def secret_answer(before: str, content: Redaction, tenant: str, models: Models, book: ProfileBook) -> Redaction | None:
    """The redacted `content` without the secret that it gives where the redacted turn `before` asks for one; None where
    it gives none."""
    if not before or len(content.text) > LONGEST_ANSWER or _NO_ANSWER.match(content.text):
        return None
    questions = asked_for(before)
    if not questions:
        return None
    lead = _LEAD.match(content.text)
    skipped = lead.end() if lead is not None else 0
    questions_asked = [(question, len(question) - skipped) for question in questions]
    texts = [question + content.text[skipped:] for question, _ in questions_asked]
    found = models.analyzer.analyze(texts, [models.language_of(text) for text in texts])
    policy = policy_of(book, tenant)
    places = sorted(
        {
            (max(span.start - ahead, skipped), span.end - ahead)
            for (question, ahead), spans in zip(questions_asked, found, strict=True)
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
