"""Chinese clauses: who each is about. Chinese drops subjects, so a clause keeps that of the one before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from processors.extract.text import Sentence

Subject = Literal["我", "我们", "我的", "亲友", "other"]
"""我的: something of the speaker's; 亲友: a person of theirs."""

# Chinese is often written with a space before a word in Latin script, which ends no clause; nor do those of New York.
_BREAK = re.compile(
    r"[，,；;：:]|(?<![A-Za-z])\s{1,3}(?![A-Za-z])|(?<=[A-Za-z])\s{1,3}(?=[^A-Za-z\s的里中])|(?<=[\u4e00-\u9fff])(?=但是|不过|而且|然后"
    r"|所以|因为|如果|要是|可是|其实我|我(?:现在|目前|今年))"
)
_KIN = (
    "爸爸|妈妈|爸|妈|父亲|母亲|父母|老公|丈夫|先生|老婆|妻子|太太|爱人"
    "|对象|女朋友|男朋友|女友|男友|哥哥|姐姐|弟弟|妹妹|哥|姐|弟|妹"
    "|儿子|女儿"
    "|孩子|小孩|宝宝|爷爷|奶奶|外公|外婆|姥姥|姥爷|叔叔|阿姨|舅舅|姑姑"
    "|表哥|表姐|表弟|表妹|堂哥|堂姐|堂弟|堂妹|朋友|同学|同事|老板|领导"
    "|室友"
    "|闺蜜|邻居|老师|医生|导师|家人|家里人|客户|学生"
)
KIN = _KIN
FILLER = re.compile(
    r"(?:你好|您好|嗨|嗯+|哦|噢|啊|哎|好的?|行|对|是的|那个(?=[，,])|那么|那(?![次天时个年里些种家边儿么位一])|其实"
    r"|另外|还有|而且|并且|然后|所以|因为|但是?|不过|可是|就是|反正"
    r"|总之|说实话|老实说"
    r"|对了|顺便说一下|谢谢|不好意思|说错了|不对|更正一下|首先|其次"
    r"|最后|当然|请问|哈喽|听我说|我想说|我说一下|补充一下|因此|同时"
    r"|此外)[，,\s]*"
)
SUPPOSED = re.compile(
    r"如果|假如|假设|要是|万一|倘若|若是|假使|要不是|除非|比如说?我"
    r"|好像是|听说|据说|是否|是不是|会不会|能不能|可不可以|有没有|该不该"
    r"|要不要"
)
_ASKING = re.compile(
    r"吗$|么$|[吗呢][啊呀]?$|什么|怎么|多少|哪[个里些儿家种]|几[点个岁年号]|为什么|为啥|咋|请问|如何|能否|可否|谁"
)
_FIRST = re.compile(rf"(?:我们|咱们?|俺们)|我(?:的|家)?(?P<kin>{_KIN})|我(?P<own>的)|(?:我|俺|本人|自己|在下|鄙人)")
_OTHER = re.compile(
    r"(?:他们?|她们?|它们?|你们?|您|大家|有人|别人|人家|这|那|该|其"
    rf"|(?P<kin>{_KIN})|(?:[\u4e00-\u9fff]{{1,6}}(?:说|觉得|认为|问|告诉"
    r"|以为)))"
)
_REPORTED = re.compile(
    r"(?:他们?|她们?|您|你们?|人|妈|爸|友|师|生|家|事|板)(?:都|总|常|也|就)?(?:说|觉得|认为|以为|猜|问|告诉|看出)"
)
_CORRECTION = re.compile(r"不对|说错了|更正|纠正|应该是|其实是|不是.{1,12}是|记错了|搞错")


@dataclass(frozen=True, slots=True)
class Clause:
    """`body` is the clause without fillers and, where the subject is the speaker, without the subject."""

    subject: Subject
    body: str
    start: int
    end: int
    asks: bool
    supposed: bool
    correcting: bool
    raw: str = ""

    @property
    def states(self) -> bool:
        return not (self.asks or self.supposed)


def clauses(sentence: Sentence, before: Subject = "我") -> list[Clause]:
    """Split one sentence into clauses; `before` is who the clause before the sentence was about."""
    text = sentence.text
    spans: list[tuple[int, int]] = []
    begin = 0
    for cut in _BREAK.finditer(text):
        spans.append((begin, cut.start()))
        begin = cut.end()
    spans.append((begin, len(text)))
    spans = [(b, e) for b, e in spans if text[b:e].strip()]
    found: list[Clause] = []
    supposed = False
    for at, (begin, end) in enumerate(spans):
        raw = text[begin:end].strip()
        supposed = supposed or SUPPOSED.search(raw) is not None
        last = at == len(spans) - 1
        asks = (sentence.asks and last) or _ASKING.search(raw) is not None
        subject, body = _subject(raw, before)
        before = subject
        correcting = _CORRECTION.search(text) is not None
        found.append(
            Clause(subject, body, sentence.start + begin, sentence.start + end, asks, supposed, correcting, raw)
        )
    return found


def _subject(raw: str, before: Subject) -> tuple[Subject, str]:
    body = raw
    for _ in range(4):
        filler = FILLER.match(body)
        if filler is None or filler.end() == len(body):
            break
        body = body[filler.end() :]
    if _REPORTED.search(body[:24]):
        return "other", body
    if match := _FIRST.match(body):
        if match.group("kin"):
            return "亲友", body
        if match.group("own"):
            return "我的", body
        plural = match.group() in {"我们", "咱们", "咱", "俺们"}
        return ("我们" if plural else "我"), body[match.end() :]
    if _OTHER.match(body):
        return "other", body
    return ("我" if before in {"我的", "亲友"} and body.startswith(("今年", "现在我")) else before), body
