"""Chinese self-statements: age, education, work, income, home (B1, B2, B8)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from processors.extract.clauses_zh import Clause
from processors.extract.found import Found
from processors.extract.numbers import HAN_NUMBER, amount, han_number, whole
from processors.extract.places_zh import ORGANISATIONS, PLACE, PLACES

Lexicon = Mapping[str, Mapping[str, str]]

_ABOUT = r"(?P<about>大概|大约|差不多|约|将近|快|接近|左右|至少|超过|多|可能|应该有|大致)?"
_AGE = re.compile(
    rf"(?:今年|现年|年龄是?|已经|刚满|虚岁|都)?{_ABOUT}(?P<n>{HAN_NUMBER}"
    r")(?P<more>多|来|几)?(?:周?岁)(?P<after>左右|多|上下)?(?!的?(?:时候"
    r"|那年|生日|以|开始|起|就|前|后|半|儿子|女儿|孩子|小孩|老人|男"
    r"|女))"
)
_AGE_BARE = re.compile(rf"(?:今年|现年|年龄是?)(?P<n>{HAN_NUMBER})了?$")
_DECADE = re.compile(
    r"(?P<tens>[二三四五六七八]十|[2-8]0)(?:多|几|来|出头)岁?(?:了|吧"
    r"|的?人)?(?![\u4e00-\u9fff]*(?:时候|以前|年前|万|块|天|年|个|人民"
    r"|元|次|斤|公斤|厘米))"
)
_DEGREE = "博士后|博士|硕士|研究生|本科|学士|大专|专科|高中|中专|MBA|mba|双学位"
_STUDY = (
    (
        r"(?:的?(?P<major>[\u4e00-\u9fffA-Za-z]{2,12}?)(?:专业|系)?的?)?"
        r"(?P<degree>"
    )
    + _DEGREE
    + r")(?:学历|学位|研究生)?(?P<done>毕业)?"
)
_DEGREE_ONLY = re.compile(
    r"(?:学历是?|文凭是?|是|拿了|读了|读的|有|念了|获得了?|毕业于)?"
    rf"(?:(?P<major>[\u4e00-\u9fffA-Za-z]{{2,10}}?)(?:专业|系)?的?)?"
    rf"(?P<degree>{_DEGREE})(?:学历|学位)?(?P<done>毕业)?"
)
_MAJOR = re.compile(
    r"(?:专业是|主修|学的是?|读的是?|念的是?)(?P<major>[\u4e00-\u9fffA-Za-z]{2,12}?)(?:专业|系)?(?:的|$|毕业)"
)
_ROLE = (
    r"(?:师|员|医生|大夫|护士|律师|会计|经理|总监|主管|顾问|助理|教授"
    r"|老师|司机|警察|军人|演员|导演|作家|画家|编辑|记者|翻译|设计|开发"
    r"|运营|销售"
    r"|测试|产品|运维|架构|科研|教学|金融|财务|人事|行政|采购|外贸|客服"
    r"|市场|管理|研发|程序|算法|后端|前端|秘书|厨师|店长|校长|院长|老板"
    r"|个体户"
    r"|公务员|自由职业|创业|学生|研究员|工程|咨询|投资|审计|护理|农民|工人|保安|保姆|中介|主播|博主|HR|CEO|CTO|PM)"
)
_JOB = re.compile(
    r"(?:做|从事|当|担任|干)(?:了|过|的是?|一名|一个|一位|着)?(?P<job>[\u4e00-\u9fffA-Za-z+#/ ]{2,14}?)"
    r"(?:这行|这一行|方面的|相关的?|类)?(?:的?工作)?(?:已经|有|快)?(?:了)?"
    rf"{_ABOUT}(?P<years>{HAN_NUMBER})(?P<more>多)?年"
)
_JOB_ONLY = re.compile(
    r"(?:(?:从事|担任)(?:了|过|的是?|一名|一个|一位|着)?(?P<a>[\u4e00-\u9fffA-Za-z+#/"
    r" ]{2,14}?)(?:的?工作|这行|行业|的|了|$)"
    r"|(?<![看叫订])(?:做|当|干)(?:的是?|一名|一个|一位|着)?(?P<b>[\u4e00-\u9fffA-Za-z+#/"
    r" ]{2,12}?)(?:工作|这行|这一行|行业)"
    rf"|(?<![看叫订])(?:做|当)(?:的是?|一名|一个|一位|着)?(?P<c>[\u4e00-\u9fffA-Za-z+#/ ]{{0,8}}?{_ROLE})(?:的|了|$))"
)
_IS_JOB = re.compile(
    r"(?:(?:职业是|职位是|岗位是|工作是)(?:一名|一个|一位)?(?P<a>[\u4e00-\u9fffA-Za-z+#/ ]{2,14}?)(?:的|$)"
    rf"|是(?:一名|一个|一位|个|名)?(?P<b>[\u4e00-\u9fffA-Za-z+#/ ]{{0,8}}?{_ROLE})(?:的|$))"
)
_YEARS = re.compile(
    rf"(?:工作|从业|干了|有)(?:经验)?(?:已经|有|快|了)?{_ABOUT}(?P<years>{HAN_NUMBER}"
    r")(?P<more>多)?年(?:的?(?:工作)?(?:经验|经历)|了|$)"
)
_INCOME = re.compile(
    r"(?:年薪|年收入|一年(?:收入|能?挣|能?赚)|税前年薪|税后年薪)(?:是"
    rf"|有|能有|在|为|也就)?{_ABOUT}(?P<money>[\d,.零〇一二两三四五六七八九十百千]{{1,12}}"
    r"(?:百万|千万|[千万亿wWkK])?)(?:(?:到|至|-|~|～)(?P<to>[\d,.零〇一二两三四五六七八九十百千]{1,12}"
    r"(?:百万|千万|[千万亿wWkK])?))?(?P<unit>人民币|港币|港元|美元|美金"
    r"|欧元|英镑|元|块)?(?P<after>左右|上下|多|出头|以上|不到)?"
)
_LIVE = re.compile(
    r"(?:现在|目前|如今|一直|常年|现)?(?:住在|居住在|定居在?|常住|生活在"
    rf"|人在|坐标|base在?|搬到了?|搬去了?|现居)(?P<place>{PLACE})"
)
_WORK_IN = re.compile(
    rf"(?:现在|目前|如今|一直|现)?在(?P<place>{PLACE})(?:的一家[\u4e00-\u9fff]{{2,10}}"
    r")?(?=工作|上班|做|从事|当|担任|开发|打工|创业|生活|定居|这边|任职"
    r"|干)"
)
_FROM = re.compile(rf"(?:来自|老家(?:是|在)?|出生(?:在|于)|籍贯是?)(?P<place>{PLACE})|(?:是|我)(?P<native>{PLACE})人")
_EMPLOYER = re.compile(
    r"(?:就职于|任职于|供职于|在)(?P<org>[\u4e00-\u9fffA-Za-z0-9]{2,14}?)(?:工作|上班|任职|做|当|担任)"
)
_NOT_JOB = re.compile(
    r"什么|饭|菜|梦|主|事|到|不|朋友|手术|检查|决定|运动|作业|家务|得"
    r"|好|个|准备|好人|爸|妈|父亲|母亲|实验|活动|计划|起来|功课|笔记"
    r"|东西|客|年"
)
_NOT_MAJOR = re.compile(
    r"^(?:毕业|在读|读|全日制|一个|在|是|名校|普通|重点|国内|海外|国外|双一流|我|现在|目前|第一|今年|去年|正在|想|准备)"
)


def self_statements(clause: Clause, lexicon: Lexicon) -> list[Found]:
    """Return what a Chinese clause plainly says of its speaker."""
    if clause.subject not in {"我", "我们"} or not clause.states:
        return []
    found: list[Found] = []
    for reader in _READERS:
        found.extend(reader(clause, lexicon))
    return found


def _make(
    clause: Clause, span: tuple[int, int], text: str, slots: tuple[tuple[str, Any], ...], *, approximate: bool = False
) -> Found:
    attributes = {"correction": True} if clause.correcting else {}
    offset = clause.start + clause.raw.find(clause.body)
    return Found(
        offset + span[0], offset + span[1], "fact", text, slots, approximate=approximate, attributes=attributes
    )


def _age(clause: Clause, lexicon: Lexicon) -> Iterator[Found]:
    if match := _AGE.search(clause.body):
        number = han_number(match["n"])
        if number is None or not 1 <= number <= 120:
            return
        if _denied(clause.body, match.start()):
            yield replace(_make(clause, match.span(), f"{{owner}}不是{number}岁", (("age", number),)), negated=True)
            return
        if match["more"]:
            tens = number // 10 * 10 or number
            yield _make(clause, match.span(), f"{{owner}}{tens}+岁", (("age", f"{tens}+"),), approximate=True)
            return
        approximate = bool(match["about"] or match["after"])
        about = "约" if approximate else ""
        yield _make(clause, match.span(), f"{{owner}}{about}{number}岁", (("age", number),), approximate=approximate)
    elif (match := _AGE_BARE.search(clause.body)) and 10 <= (han_number(match["n"]) or 0) <= 120:
        number = han_number(match["n"])
        yield _make(clause, match.span(), f"{{owner}}{number}岁", (("age", number),))
    elif match := _DECADE.search(clause.body):
        decade = han_number(match["tens"])
        yield _make(clause, match.span(), f"{{owner}}{decade}+岁", (("age", f"{decade}+"),), approximate=True)


@lru_cache(maxsize=64)
def _schools(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of "school major degree" and of "graduated from school" for a lexicon of short names."""
    short = "|".join(re.escape(n) for n in sorted(names, key=len, reverse=True)) or r"(?!)"
    school = rf"(?P<school>{short}|[\u4e00-\u9fffA-Za-z]{{2,14}}?(?:大学|学院))"
    return (
        re.compile(rf"(?:毕业于|就读于|在|是)?{school}{_STUDY}"),
        re.compile(rf"(?:毕业于|(?:是|从|在)?){school}(?:[\u4e00-\u9fff]{{0,8}}?毕业)?"),
    )


def _education(clause: Clause, lexicon: Lexicon) -> Iterator[Found]:
    short = lexicon.get("university", {})
    studied, graduated = _schools(tuple(short))
    match = studied.search(clause.body)
    if match is None:
        yield from _degree(clause)
        match = graduated.search(clause.body)
        if match and "毕业" in match.group():
            university = short.get(match["school"], match["school"])
            yield _make(clause, match.span(), f"{{of}}毕业于{university}", (("university", university),))
        return
    university = short.get(match["school"], match["school"])
    major = _clean_major(match["major"])
    text = f"{university}{major or ''}{match['degree']}{match['done'] or ''}"
    slots: list[tuple[str, Any]] = [("education", match["degree"]), ("university", university)]
    if major:
        slots.append(("major", major))
    yield _make(clause, match.span(), f"{{of}}{text}", tuple(slots))


def _degree(clause: Clause) -> Iterator[Found]:
    match = _DEGREE_ONLY.search(clause.body)
    if match is None or _denied(clause.body, match.start()):
        if found := _MAJOR.search(clause.body):
            major = _clean_major(found["major"])
            if major:
                yield _make(clause, found.span(), f"{{of}}专业是{major}", (("major", major),))
        return
    major = _clean_major(match["major"])
    slots: list[tuple[str, Any]] = [("education", match["degree"])]
    if major:
        slots.append(("major", major))
    done = match["done"] or "学历"
    yield _make(clause, match.span(), f"{{of}}{major or ''}{match['degree']}{done}", tuple(slots))


def _clean_major(text: str | None) -> str | None:
    if not text or _NOT_MAJOR.match(text):
        return None
    return text.removesuffix("专业").removesuffix("系") or None


def _work(clause: Clause, lexicon: Lexicon) -> Iterator[Found]:
    body = clause.body
    match = _JOB.search(body)
    if match and not _NOT_JOB.search(match["job"]):
        years = han_number(match["years"])
        job = match["job"].strip()
        approximate = bool(match["about"] or match["more"])
        said = f"{'约' if match['about'] else ''}{match['years']}{match['more'] or ''}年"
        value: Any = f"{years}+" if match["more"] else years
        yield _make(
            clause, match.span(), f"{{of}}从事{job}工作{said}", (("occupation", job), ("years", value)),
            approximate=approximate,
        )  # fmt: skip
        return
    if match := _YEARS.search(body):
        years = han_number(match["years"])
        approximate = bool(match["about"] or match["more"])
        worked: Any = f"{years}+" if match["more"] else years
        about = "约" if match["about"] else ""
        text = f"{{of}}有{about}{match['years']}{match['more'] or ''}年工作经验"
        yield _make(clause, match.span(), text, (("years", worked),), approximate=approximate)
    for pattern in (_IS_JOB, _JOB_ONLY):
        match = pattern.search(body)
        job = next((g.strip() for g in match.groups() if g), "") if match else ""
        if match and job and not _NOT_JOB.search(job) and not _denied(body, match.start()):
            yield _make(clause, match.span(), f"{{of}}从事{job}工作", (("occupation", job),))
            return


def _income(clause: Clause, lexicon: Lexicon) -> Iterator[Found]:
    match = _INCOME.search(clause.body)
    if match is None:
        return
    value = amount(match["money"])
    if value is None or value < 100:
        return
    approximate = bool(match["about"] or match["after"])
    more = match["after"] if match["after"] in {"以上", "不到"} else ""
    unit = match["unit"] or ""
    if match["to"] and (most := amount(match["to"])) is not None:
        money = f"{match['money']}-{match['to']}"
        least = (
            value
            if match["money"][-1] in "百千万亿wWkK"
            else value * (most / (amount(match["to"].rstrip("万千亿wWkK")) or most))
        )
        text = f"{{of}}年薪{money}{match['unit'] or ''}"
        yield _make(clause, match.span(), text, (("income", f"{whole(least)}-{most}"),), approximate=True)
        return
    text = f"{{of}}年薪{'约' if approximate and not more else ''}{match['money']}{more}{unit}"
    yield _make(clause, match.span(), text, (("income", value),), approximate=approximate)


def _home(clause: Clause, lexicon: Lexicon) -> Iterator[Found]:
    body = clause.body
    if match := _LIVE.search(body):
        if not _denied(body, match.start()):
            yield _make(clause, match.span(), f"{{of}}目前住在{match['place']}", (("residence", match["place"]),))
    elif (match := _WORK_IN.search(body)) and not _denied(body, match.start()):
        yield _make(clause, match.span(), f"{{of}}目前在{match['place']}工作", (("residence", match["place"]),))
    if (match := _FROM.search(body)) and not _denied(body, match.start()):
        place = match["place"] or match["native"]
        yield _make(clause, match.span(), f"{{of}}来自{place}", (("origin", place),))


def _employer(clause: Clause, lexicon: Lexicon) -> Iterator[Found]:
    match = _EMPLOYER.search(clause.body)
    if match is None:
        return
    name = match["org"].removeprefix("一家").removeprefix("一个")
    known = lexicon.get("employer", {})
    named = name in known or (name.endswith(ORGANISATIONS) and len(name) > 3 and not match["org"].startswith("一"))
    if named and name not in PLACES:
        employer = known.get(name, name)
        yield _make(clause, match.span(), f"{{of}}在{employer}工作", (("employer", employer),))


def _denied(body: str, at: int) -> bool:
    return bool(re.search(r"(?:不是|没有|没|不在|不|并非|不再|曾经?|以前|之前|原来)$", body[max(0, at - 4) : at]))


_READERS: tuple[Callable[[Clause, Lexicon], Iterator[Found]], ...] = (
    _age, _education, _work, _income, _home, _employer,
)  # fmt: skip
