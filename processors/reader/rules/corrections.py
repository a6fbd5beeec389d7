"""What a speaker takes back in the same sentence: "I'm 33, no wait, 34", 体重75公斤，不对，是78公斤, "not 150/95, it's
130/85", "but I never took it".

A corrected sentence is read with the value that was meant, blanks behind it, so that places stay true.
"""

from __future__ import annotations

import re

from processors.reader.rules.places_zh import LATIN_PLACE, PLACE

_UNIT_EN = r"(?:%| ?(?:[a-zA-Z]{1,3}|pounds|years?(?: old)?)(?![A-Za-z]))?"
_NUMBER_EN = rf"(?:[$£€]?\d{{1,7}}(?:[.,]\d{{1,3}})?(?:/\d{{2,3}})?){_UNIT_EN}"
A_NAME_EN = r"(?:[A-Z][\w'-]{1,20}(?: [A-Z][\w'-]{1,20}){0,2})"
_MARK_EN = (
    r"(?:(?i:oh|er|uh|um|ah)[, ]{1,2})?(?i:no,? wait|wait,? no|wait|no,? sorry|sorry|scratch that|make that|correction"
    r"|no,? I mean|I mean|I meant|my mistake|or rather|no)"
)
AGAIN_EN = r"(?:(?i:it's|it is|that's|I'm|I am|make that|I mean|I meant|actually) ){0,2}"
_END_EN = r"(?=\s*(?:$|[,.;!]|and\b|but\b|now\b))"
_BY = r"(?:[,;] ?|\.{2,3} ?| ?[-\u2013\u2014]{1,2} ?| )"
_SLIPS_EN = tuple(
    re.compile(rf"(?<![\w.])(?P<old>{value}){_BY}{_MARK_EN}[,: ]{{1,2}}{AGAIN_EN}(?P<new>{value}){_END_EN}")
    for value in (_NUMBER_EN, A_NAME_EN)
)
_CONTRASTS_EN = tuple(
    re.compile(
        rf"(?P<is> is|'s| was)(?: not|n't) (?P<old>{value}),? (?:but|(?:it|that)(?:'s| is| was)|rather)"
        rf" (?P<new>{value}){_END_EN}"
    )
    for value in (_NUMBER_EN, A_NAME_EN)
)
_BACK_EN = re.compile(
    r"\bbut (?:then )?(?:(?:I|it|they|the tests?|that) )?(?:have |had )?(?:never (?:took|used|started|happened"
    r"|did|had)\b"
    r"|didn't (?:take|use|start|happen|go through|work out)\b|(?:don't|do not|am not|'m not)(?=\s*(?:$|[,.;!]))"
    r"|fell through\b|(?:was|were|came back) (?:negative|wrong|false|a mistake)\b|turned out (?:not|negative"
    r"|to be nothing)\b"
    r"|grew out of it\b|outgrew it\b|(?:stopped|quit)(?=\s*(?:$|[,.;!]|it\b|taking\b|last\b))|not any ?more\b)"
    r"|\b(?:just |only )?(?:kidding|joking)\b"
)
_ENDS_BACK_EN = re.compile(rf"(?<!can't)(?<!cannot)[,; ]{{1,2}}{_MARK_EN}[,:]?$")

_UNIT_ZH = r"(?:公斤|斤|kg|KG|厘米|cm|米|岁|年|千|万)?"
_NUMBER_ZH = rf"(?:(?:\d{{1,7}}(?:\.\d{{1,3}})?(?:[/／]\d{{2,3}})?|[零一二两三四五六七八九十百]{{1,5}}){_UNIT_ZH})"
A_PLACE_ZH = rf"(?:{PLACE}|{LATIN_PLACE})"
_MARK_ZH = (
    r"(?:[哦噢呃啊]?[，,]?(?:不对|不不|哦不|说错了?|我?记错了?|弄错了?|[打写输]错了?|更正一下|更正|口误)"
    r"[，,。]?(?:不是)?)"
)
_SLIPS_ZH = tuple(
    re.compile(
        rf"(?P<old>{value})了?[，,、。…\s]{{1,2}}{_MARK_ZH}\s?(?:应该|其实|我)?是?(?:在)?(?P<new>{value})(?=$|[，,。了才])"
    )
    for value in (_NUMBER_ZH, A_PLACE_ZH)
)
_CONTRASTS_ZH = (
    re.compile(
        rf"(?P<is>[是为有])?[写说打报记输填]错了?[，,]\s?不是(?P<old>{_NUMBER_ZH})[，,]?\s?"
        rf"(?:而|应该|其实)?是(?P<new>{_NUMBER_ZH})(?=$|[，,。了])"
    ),
    re.compile(
        rf"(?P<is>)(?:并)?不是(?P<old>{_NUMBER_ZH}(?<!岁))[，,]\s?(?:而|应该|其实)?是(?P<new>{_NUMBER_ZH}(?<!岁))(?=$|[，,。了])"
    ),
    re.compile(
        rf"(?:并)?不是(?P<is>(?:住|定居)?在|来自|搬到)(?P<old>{A_PLACE_ZH})[，,]\s?(?:而|应该|其实)?是在?(?P<new>{A_PLACE_ZH})(?=$|[，,。了])"
    ),
)
_BACK_ZH = re.compile(
    r"(?:但是?|不过|可是?|后来|现在|如今|最近|早就|早|已经|结果|最后|又|\d{4}年){0,3}我?(?:停了|停药|停用了?|不吃了|没吃|不用了|好了"
    r"|痊愈|治好|没去成?(?!上[班课学])|没成|没搬|没买|取消了?|是误诊|排除了?|检查(?:没事|没问题|是?阴性)|是?阴性|开玩笑|逗你|骗你"
    r"|搬走了?|离开了|搬回|回来了)"
    r"|(?:后来|现在|如今|早就|已经)不[^，]{1,2}了$"
)


def replace_corrected_en(text: str) -> str:
    """Return an English sentence with the values that were meant."""
    for pattern in (*_SLIPS_EN, *_CONTRASTS_EN):
        text = pattern.sub(_corrected_value, text)
    return text


def replace_corrected_zh(text: str) -> str:
    """The same of a Chinese sentence."""
    for pattern in (*_SLIPS_ZH, *_CONTRASTS_ZH):
        text = pattern.sub(_corrected_value, text)
    return text


def _corrected_value(pattern: re.Match[str]) -> str:
    new, lead = pattern["new"], pattern.groupdict().get("is") or ""
    if new[-1].isdigit() and (unit := re.search(r"[^\d.,/／]+$", pattern["old"])):  # "82 kg, sorry, 80"
        new += unit.group()
    return (lead + (" " if lead and lead.isascii() else "") + new).ljust(len(pattern.group()))


def taken_back_en(raw: str) -> bool:
    """Does the end of a clause take back what it says?"""
    return _BACK_EN.search(raw) is not None or _ENDS_BACK_EN.search(raw) is not None


def takes_back_en(raw: str) -> bool:
    """Does a clause take back the one before it?"""
    return _BACK_EN.match(raw) is not None


def takes_back_zh(raw: str) -> bool:
    """The same of a Chinese clause."""
    return _BACK_ZH.match(raw) is not None
