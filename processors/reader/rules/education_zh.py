"""Chinese: where the owner learned what, and to which degree (B8: "浙江大学计算机硕士毕业")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from processors.reader.rules.clauses_zh import Clause
from processors.reader.rules.found import Found
from processors.reader.rules.making_zh import denied, is_asserted, made
from schemas.base import JsonValue

_DEGREE = (
    "博士后|博士(?!生?导)|硕士(?!生?导)|研究生(?!导)|本科|学士|大专|专科(?!的?(?:儿童|医|门诊))"
    r"|高中(?!同学|室友|老师|班主任|朋友)|中专|MBA|mba|双学位"
)
_MAJOR_NAME = r"(?P<major>[\u4e00-\u9fffA-Za-z]{2,12}?)"
_STUDY = rf"(?:的?{_MAJOR_NAME}(?:专业|系)?的?)?(?P<degree>{_DEGREE})(?:学历|学位|研究生)?(?P<done>毕业)?"
# A school's name holds none of the words that lead to it.
_SCHOOL_NAME = r"(?:(?![毕于在是从的我读上考过名])[\u4e00-\u9fffA-Za-z]){2,12}?(?:大学|学院)"
_DEGREE_ONLY = re.compile(
    r"(?:学历是?|文凭是?|是|拿了|读了|读的|有|念了|获得了?|毕业于)?"
    rf"(?:{_MAJOR_NAME}(?:专业|系)?的?)?(?P<degree>{_DEGREE})(?:学历|学位)?(?P<done>毕业)?"
)
_NO_DEGREE = re.compile(
    rf"(?:没有?|未能?(?=[读念拿取获考完])|不是)[过读念拿取获考上完到得了能]{{0,3}}"
    r"(?P<of>(?:(?![婚孩子女房车工作经验带教招])[\u4e00-\u9fff]){0,6}?)"
    rf"(?P<degree>{_DEGREE})"
    rf"|(?P<left>{_DEGREE})(?:学位|学历)?[都也还并]{{0,2}}(?:没|未)(?:能|有)?[读念学上考拿取获完毕]"
)
"""没有硕士学位, 没读过博士, 硕士没读完; but 博士，没有孩子 and 硕士未婚 have theirs."""
_BESIDE = frozenset({"博士后", "双学位", "MBA", "mba"})
"""Who has none of these, or none of one school, may well hold the degree that a catalogue counts them as."""
_SECONDARY = frozenset({"高中", "中专"})
_HOLDS_SECONDARY = re.compile(
    r"^(?:高中|中专)$|(?:学历|文凭)[是只有就到为]{0,3}(?:高中|中专)|[读念上](?:到|完|的是?)了?(?:高中|中专)"
    r"|[是有](?:高中|中专)(?:的|$)|(?:高中|中专)的?(?:学历|学位|文凭|文化|水平|程度|毕业|肄业|辍学)|(?:高中|中专)[都也就]?没(?:毕|[读念上]完)"
)
"""Everybody was at that school once: 高中同桌, 高中的时候."""
_MAJOR = re.compile(
    r"(?:^是学(?![校徒院员区姐期者长着过了前霸]|生(?!物|态|理))(?=[\u4e00-\u9fff]{2,8}的$)"
    rf"|专业是|主修|学的是|(?:^|大学|本科|硕士|研究生|博士|大专)学的|读的是?|(?<![挂想思怀纪惦])念的是?){_MAJOR_NAME}(?:专业|系)?(?:的|$|毕业)"
)
_NOT_MAJOR = re.compile(
    r"^(?:没|未|不|只|仅|毕业|在读|读|全日制|一个|在|是|名校|普通|重点|国内|海外|国外|双一流|我|现在|目前|第一|以前|之前|从前|今年|去年|正在|想|准备)"
)

_OTHERS_HAVE = re.compile(
    r"(?:基本|大多|大部分|一般|普遍|通常)上?都?(?:是|要)?$|[类们]都?(?:是|要)?$|身边|周围|羡慕|嫉妒|佩服|这些|那些|有些|竟然|不能像|像|大部分|大多数|特别是|尤其是|至于|歧视|看不起"
)
_REQUIRES = re.compile(r"(?:^|[，,；;：:\s])(?:要求|招聘?|条件|门槛)")
_SAID_OF = re.compile(
    r"[和与跟、到]?大学|(?:学[历生]?)?(?:及|或者?|和|与)?(?:其?以[上下]|同等)"
    r"|\d+[wWkK万]|[都也]?不想|才[拿能有]|连|要(?!求)|而|(?:就|也|都|完全|其实)*(?:足?够|可以|能)"
)
_AT_SCHOOL = re.compile(
    r"(?:的)?(?:期间|阶段|时|那|开始|起|以[来后前]|之[后前]|通过|靠|拼|努力|用功|刻苦|平均|就|都|也|一直|总|老|经常|每|曾|没|不|生活|里"
    r"|[一二两三四几\d]年|[舍室]友|同学|学[长姐弟妹]|师[兄姐弟妹]|班主任|老师|导师|辅导员|宿舍|班|群|成绩|课|作业|考|想|要|被|因|很|太)"
)
"""Behind a school without its degree: a time at it, 高中拼命学习."""
_ANOTHERS = re.compile(r"(?:[给跟和与被找问让叫向比]|认识|遇到)[^，我]{0,3}[一几两某那这]?[个位名]$")
"""Before a degree that somebody else has: 卖给一个高中生."""
_HELD = re.compile(r"学历|文凭|[是拿读有念获毕]")
_OUR_SCHOOL = re.compile(r"[我本贵][校院]|我们(?:学校|学院|[校院系])")


@lru_cache(maxsize=64)
def _schools(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Patterns of "school major degree", "degree from school" and "graduated from school" for short names."""
    short = "|".join(re.escape(n) for n in sorted(names, key=len, reverse=True)) or r"(?!)"
    school = rf"(?P<school>{short}|{_SCHOOL_NAME})"
    leads = r"(?:是|就?读于|毕业于|在|于|读的是?|念的是?|毕业|从){1,3}"
    return (
        re.compile(rf"{school}{_STUDY}"),
        re.compile(rf"(?P<degree>{_DEGREE}){leads}{school}(?:的?{_MAJOR_NAME}(?:专业|系))?"),
        re.compile(
            rf"(?:毕业于{school}|{school}(?:[\u4e00-\u9fff]{{0,8}}?)毕业)".replace("(?P<school>", "(?P<a>", 1).replace(
                "(?P<school>", "(?P<b>", 1
            )
        ),
    )


def education(clause: Clause, lexicon: Mapping[str, Mapping[str, str]]) -> Iterator[Found]:
    """Return school, degree and major, together where they are said together."""
    if _REQUIRES.search(clause.before):
        return
    if lacked := _NO_DEGREE.search(clause.body):
        degree = lacked["degree"] or lacked["left"]
        if degree not in _BESIDE and not lacked["of"] and is_asserted(clause.body, lacked.start()):
            text = f"{{owner}}没有{degree}学历"
            yield made(clause, lacked.span(), text, ("education", degree), negated=True)
        return
    short = lexicon.get("university", {})
    for pattern in _schools(tuple(short))[:2]:
        match = pattern.search(clause.body)
        if match is None or not is_asserted(clause.body, match.start(), match.group()) or _of_some(clause.body, match):
            continue
        university = short.get(match["school"], match["school"])
        major = _clean_major(match["major"])
        done = match.groupdict().get("done") or ("毕业" if "毕业" in match.group() else "")
        slots: list[tuple[str, JsonValue]] = [("education", match["degree"]), ("university", university)]
        slots += [("major", major)] if major else []
        yield made(clause, match.span(), f"{{of}}{university}{major or ''}{match['degree']}{done}", *slots)
        return
    yield from _degree(clause)
    match = _schools(tuple(short))[2].search(clause.body)
    finished = match is not None and not re.search(rf"[没未]|{_OTHERS_HAVE.pattern}", match.group())
    if (
        match is not None
        and finished
        and is_asserted(clause.body, match.start())
        and not denied(clause.body, match.start())
    ):
        name = match["a"] or match["b"]
        yield made(clause, match.span(), f"{{of}}毕业于{short.get(name, name)}", ("university", short.get(name, name)))


def _of_some(body: str, match: re.Match[str]) -> bool:
    """Is it spoken of, not held: what others have, what is compared, or what follows says something of the degree?"""
    if _OTHERS_HAVE.search(body[: match.start("degree")]):
        return True
    if match["degree"] in _SECONDARY and not _HOLDS_SECONDARY.search(body):
        return True
    if _SAID_OF.match(body[match.end() :]) is not None or _ANOTHERS.search(body[: match.start("degree")]):
        return True
    bare = match.group().endswith(match["degree"]) and not _HELD.match(match.group())
    return bare and (_AT_SCHOOL.match(body, match.end()) or _OUR_SCHOOL.search(body, 0, match.start())) is not None


def _degree(clause: Clause) -> Iterator[Found]:
    body = clause.body
    match, learned = _DEGREE_ONLY.search(body), _MAJOR.search(body)
    major = _clean_major(learned["major"]) if learned else None
    if (
        match is None
        or denied(body, match.start())
        or not is_asserted(body, match.start(), match.group())
        or _of_some(body, match)
    ):
        if learned and major and is_asserted(body, learned.start()):
            yield made(clause, learned.span(), f"{{of}}专业是{major}", ("major", major))
        return
    major = major or _clean_major(match["major"])
    slots: list[tuple[str, JsonValue]] = [("education", match["degree"])]
    slots += [("major", major)] if major else []
    yield made(clause, match.span(), f"{{of}}{major or ''}{match['degree']}{match['done'] or '学历'}", *slots)


_MODE = "自考|成人|函授|在职|全日制|统招|[就才只]一个?|.+(?:大学|学院|[理师科工财医农][大工])"
"""How one studies, or where: no subject."""


def _clean_major(text: str | None) -> str | None:
    if not text or _NOT_MAJOR.match(text) or re.fullmatch(rf"{_DEGREE}|.*[读念]|大学|.*[刚拿了着过到].*|{_MODE}", text):
        return None
    return text.removesuffix("专业").removesuffix("系") or None
