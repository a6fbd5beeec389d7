"""Chinese: how old the speaker is (B1), told from limits and from numbers of other things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from processors.reader.rules.clauses_zh import Clause
from processors.reader.rules.found import Found
from processors.reader.rules.making_zh import denied, is_asserted, made
from processors.reader.rules.numbers import HAN_NUMBER, han_number

ABOUT_ZH = r"(?P<about>大概|大约|差不多|约|将近|快|接近|左右|至少|超过|多|可能|应该有|大致)?"
"""Beside a number, what makes it approximate."""
_AGE = re.compile(
    rf"(?<![大小差长轻老\d零〇一二两三四五六七八九十百])(?:今年|现年|年龄是?|已经|刚满|虚岁|都)?{ABOUT_ZH}(?P<n>{HAN_NUMBER}"
    r")(?P<more>多|来|几)?(?:周?岁)(?P<after>左右|多|上下)?(?!(?:零?[一二两三四五六七八九十\d]{1,2}个?多?月|多|半)?的?(?:时候"
    r"|那年|生日|以|开始|起|就|前|后|半|儿子|女儿|孩子|小孩|老人|男"
    r"|女|[也又]?(?:没有?|不)(?:很|太|算|那么)))"
)
_NOT_YET = re.compile(r"(?:没有?|不到|未满?)$")
_AGE_BARE = re.compile(
    rf"(?:今年|现年|年龄是?)(?P<n>{HAN_NUMBER})了?$|^(?P<now>\d{{2}}|[二三四五六七八九]十[一二三四五六七八九]?)了$"
)
_COUNTS = re.compile(r"^[，,\s]*[^，,]{0,6}(?:[还就只才]也?[差缺剩]|[\d一二两三四五六七八九十百]分(?!钟))")
"""Behind a count of points or things: 六十了，还差四十分."""
SAYS_I = re.compile(r"[我俺咱]")
_AGED = re.compile(rf"^是(?:一[名个位])?(?P<n>{HAN_NUMBER})周?岁的?(?P<gender>男|女)(?:性|生|士|人|的)?(?=$|[，,])")
_DECADE = re.compile(
    r"(?P<tens>[二三四五六七八]十|[2-8]0)(?:多|几|来|出头)岁?(?:了|吧"
    r"|的?人)?(?![点下跳分])(?![\u4e00-\u9fff]*(?:时候|那[年会]|以前|年前|万|块|天|年|个|人民"
    r"|元|次|斤|公斤|厘米)|[就便才](?!\d))"
)
_OPENS_AGE = re.compile(r"(?:今年|现年|年龄|年纪|也|都|已经|早就|还|才|快|刚|是|有|到了|[我俺咱]|本人)*")
"""What may stand before years without their unit: 都60多了, but not 心跳60多."""
_LIMIT = re.compile(r"[上下]限|限[制定]|不超过|要求|规定|标准|门槛|年龄段|范围|[从由]$")
_LIMIT_BEHIND = re.compile(r"才(?:[能可让给]|算|有资格)|[^，]{0,3}[调改放升降提延][高低宽长后前迟]?[到至]")
"""Around an age that is a limit: 年龄上限从65岁放到70岁, 满18岁才能考."""


def _is_limit(body: str, match: re.Match[str]) -> bool:
    return _LIMIT.search(body[: match.start()]) is not None or _LIMIT_BEHIND.match(body[match.end() :]) is not None


def _is_decade(body: str, match: re.Match[str]) -> bool:
    """Is it an age, rather than a number of anything that the clause names before it?"""
    if "岁" in match.group():
        return not _is_limit(body, match)
    lead = body[: match.start()]
    of_age = match.group()[-1] in "了吧人头" or re.search(r"今年|现年|年[龄纪]", lead) is not None
    return of_age and _OPENS_AGE.fullmatch(lead) is not None


def age(clause: Clause, lexicon: Mapping[str, Mapping[str, str]]) -> Iterator[Found]:
    """Return the age that a clause says, exact or about, and whether it is a man's or a woman's where it says so."""
    body = clause.body
    if (match := _AGE.search(body)) and _is_limit(body, match):
        return
    if match and is_asserted(body, match.start()):
        number = han_number(match["n"])
        if number is None or not 1 <= number <= 120:
            return
        if _NOT_YET.search(body[: match.start()]):
            return  # 没有十八岁: younger, or not then
        if denied(body, match.start()):
            yield made(clause, match.span(), f"{{owner}}不是{number}岁", ("age", number), negated=True)
        elif match["more"]:
            tens = number // 10 * 10 or number
            phrase = f"{{owner}}{match['n']}{match['more']}岁"
            yield made(clause, match.span(), phrase, ("age", f"{tens}+"), approximate=True)
        else:
            about = bool(match["about"] or match["after"])
            text = f"{{owner}}{'约' if about else ''}{number}岁"
            yield made(clause, match.span(), text, ("age", number), approximate=about)
    elif (aged := _AGED.match(body)) and 1 <= (number := han_number(aged["n"]) or 0) <= 120:
        yield made(clause, aged.span(), f"{{owner}}{number}岁", ("age", number))
        yield made(clause, aged.span(), f"{{owner}}是{aged['gender']}性", ("gender", aged["gender"]))
    elif (
        not match
        and (match := _AGE_BARE.search(body))
        and is_asserted(body, match.start())
        and 10 <= (han_number(match["n"] or match["now"]) or 0) <= 120
        and (match["n"] or match["now"].isdigit() or SAYS_I.search(clause.raw))  # 二十了，还差两个 counts
        and (match["n"] or not _COUNTS.match(clause.after))
    ):
        number = han_number(match["n"] or match["now"])
        yield made(clause, match.span(), f"{{owner}}{number}岁", ("age", number))
    elif (match := _DECADE.search(body)) and _is_decade(body, match) and is_asserted(body, match.start()):
        decade = han_number(match["tens"])
        phrase = match.group().rstrip("了吧的")
        phrase = phrase if re.search("[多几来头]", phrase) else f"{decade}+"
        text = f"{{owner}}{phrase.removesuffix('岁')}岁" if not phrase.endswith("头") else f"{{owner}}{phrase}"
        yield made(clause, match.span(), text, ("age", f"{decade}+"), approximate=True)
