"""Chinese self-statements: education, work, income, home (B1, B2, B8)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from processors.reader.rules.ages_zh import ABOUT_ZH, SAYS_I, age
from processors.reader.rules.clauses_zh import Clause
from processors.reader.rules.education_zh import education
from processors.reader.rules.found import Found
from processors.reader.rules.making_zh import denied, is_asserted, made, of_others, once, past
from processors.reader.rules.numbers import HAN_NUMBER, amount, han_number, whole
from processors.reader.rules.places_zh import LATIN_PLACE, ORGANISATIONS, PLACE, PLACES
from schemas.base import JsonValue

Lexicon = Mapping[str, Mapping[str, str]]
"""Per slot, short forms and the names they stand for."""

_OVER = r"(?P<over>多(?!媒体|语[言种]|模态)|半)?"
"""Behind years, as 三年多."""
ROLE = (
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
    rf"{ABOUT_ZH}(?P<years>{HAN_NUMBER})(?P<more>多)?年{_OVER}"
)
_JOB_ONLY = re.compile(
    r"(?:(?:从事|担任)(?:了|过|的是?|一名|一个|一位|着)?(?P<a>[\u4e00-\u9fffA-Za-z+#/"
    r" ]{2,14}?)(?:的?工作|这行|行业|的|了|$)"
    r"|(?<![看叫订])(?:做|当|干)(?:的是?|一名|一个|一位|着)?(?P<b>[\u4e00-\u9fffA-Za-z+#/"
    r" ]{2,12}?)(?:工作|这行|这一行|行业)"
    r"|(?:做|当)了(?=[^，]{0,8}(?:师|员|医生|律师|会计|经理|总监|主管|顾问|助理|教授|老师|司机|老板|店长|校长)$)"
    r"(?P<d>[\u4e00-\u9fffA-Za-z+#/ ]{2,10})$"
    rf"|(?<![看叫订])(?:做|当)(?:的是?|一名|一个|一位|着)?(?P<c>[\u4e00-\u9fffA-Za-z+#/ ]{{0,8}}?{ROLE})"
    r"(?:的(?!都|人|谁|各位|朋友|同学|同行|姐妹|兄弟)|了|$))"
)
_IS_JOB = re.compile(
    r"(?:(?:职业是|职位是|岗位是|工作是)(?:一名|一个|一位)?(?P<a>[\u4e00-\u9fffA-Za-z+#/ ]{2,14}?)(?:的|$)"
    rf"|是(?:一名|一个|一位|个|名)?(?:[干做搞当]了?)?(?P<b>[\u4e00-\u9fffA-Za-z+#/ ]{{0,8}}?{ROLE})(?:的|$))"
)
_SOMEBODY = re.compile(
    r"[王李张刘陈杨赵黄周吴徐孙胡朱林何郭马罗梁宋郑谢韩唐冯于董萧曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范石姚谭廖邹熊陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段钱汤尹黎易武乔贺赖龚]"
    r"(?<!史)(?<!石)(?<!马)(?<!田)(?<!江)(?:[\u4e00-\u9fff]{1,2}(?=教授|主任|博士|医生|院长))?"
    r"(?:教授|医生|大夫|老师|护士|律师|会计|经理|总监|主管|院长|校长|老板|总|主任|博士|工)"
)
"""A person by surname and title, not what somebody is."""
_THEN = re.compile(
    r"(?:毕业|退休|读完|学完|考上)(?:之?后|以后)?(?:就|再|先|去|想)*$|(?:没法|无法|没办法|不能|不适合|不让|别)[再去]?$"
)
"""Before what one is to be, or cannot be: 毕业当老师, 没法做销售."""
_ITS_SUBJECT = re.compile(r"[A-Za-z]{2,}\s?$|(?:负责人|研究者|主任|导师|领导|老板|医生|经理|客户|联系人)$")
"""Somebody or something else stands before the 是."""
_YEARS_JOB = re.compile(
    rf"(?:做|当|干)了{ABOUT_ZH}(?P<years>{HAN_NUMBER})(?P<more>多)?年{_OVER}的?"
    rf"(?P<job>[\u4e00-\u9fffA-Za-z+#/ ]{{0,8}}?{ROLE})(?:了|$)"
)
_MONTHLY = re.compile(
    r"月薪(?:是|有|(?P<about>大概|大约|差不多|约)){0,2}(?P<money>[\d,.一二三四五六七八九十两]{1,8}"
    r"(?:[千万][一二三四五六七八九\d]?|[kKwW])?)(?:元|块|(?P<after>左右)|$)"
)
_YEARS = re.compile(
    rf"(?:工作|从业|干了|(?<!得)有)(?:经验)?(?:已经|有|快|了)?{ABOUT_ZH}(?P<years>{HAN_NUMBER}"
    rf")(?P<more>多)?年{_OVER}(?:的?[\u4e00-\u9fffA-Za-z+#]{{0,10}}?(?:经验|经历)|了|$)"
)
_INCOME = re.compile(
    r"(?:年薪|年收入|一年(?:收入|工资|能?挣|能?赚)|税前年薪|税后年薪"
    r"|^(?:工资|薪水|薪资|收入)(?:现在|目前|已经|刚|又|也|都)*(?:[涨加提升降调变][到成]了?|有|是)?(?:一年|每年))(?:是"
    rf"|有|能有|在|为|也就)?{ABOUT_ZH}(?P<money>[\d,.零〇一二两三四五六七八九十百千]{{1,12}}"
    r"(?:百万|千万|[千万亿wWkK])?)(?:(?:到|至|-|~|～)(?P<to>[\d,.零〇一二两三四五六七八九十百千]{1,12}"
    r"(?:百万|千万|[千万亿wWkK])?))?(?P<unit>人民币|港币|港元|美元|美金"
    r"|欧元|英镑|元|块)?(?P<after>左右|上下|多|出头|以上|不到)?"
)
_LIVE = re.compile(
    r"(?:现在|目前|如今|一直|常年|现)?(?:住在|居住在|定居在?|常住|生活在"
    rf"|人在|坐标|base在?|搬到了?|搬去了?|调(?:到|来|去)了?(?=[^，]{{2,9}}(?:了|$))|现居|^住) ?"
    rf"(?P<place>{PLACE}|{LATIN_PLACE})"
)
_ALWAYS_IN = re.compile(
    r"^(?P<since>现在|目前|如今|这些年来?|(?:毕业|回国|结婚|退休|工作)[以之]?后)?我?就?(?:一直|常年)都?在"
    rf"(?P<place>{PLACE})(?:这边|那边|住|生活|待着)?$"
)
"""A home held since then; behind any other time it is a stay that passes: 我这周一直在苏州."""
_LIVES_AT = re.compile(rf"(?:^|现在|目前|一直|就|都)在(?P<place>{PLACE})住(?:着|呢)?$")
_NOW_IN = re.compile(rf"^(?:现在|目前|如今)我?(?:就|都|也|人|们)*在(?P<place>{PLACE})(?:了|这边|这里|呢)?$")
_MOVED = re.compile(r"(?<![我们]家)(?:搬(?:家了|了家|走了|过来|过去|[到去来回])|定居|落户|安家|跟我们?来了)")
"""Before where one is now: 我们搬家了，现在在扬州."""
_THEN_ELSEWHERE = re.compile(
    r"后来|以前|之前|之后|直到|离开|离职|走了|搬|[去回到]了|(?:现在|目前|如今|今年|最近|刚)[^，,]{0,2}[在住去到回]"
)
_WORK_IN = re.compile(
    rf"(?:现在|目前|如今|一直|现)?在(?P<place>{PLACE})(?:的?一家[\u4e00-\u9fff]{{2,10}}"
    r")?(?=工作|上班|做|从事|当|担任|开发|打工|创业|生活|定居|这边|任职"
    r"|干)"
)
_SINCE = re.compile(r"(?:从|自从?|打)[^，。；到至]{1,12}?(?:起|以来|开始|至今|到现在|到如今)")
"""What began then and holds on."""
_UNTIL = re.compile(r"(?:直到|到|至)(?:\d|[去前]年|上个?月|[一二三四五六七八九十]{1,3}月)")
_FROM = re.compile(
    rf"(?:来自|老家(?:是|在)?|出生(?:在|于)|籍贯是?) ?(?P<place>{PLACE}|{LATIN_PLACE}"
    rf")|(?:是|我)(?P<native>{PLACE})人|在(?P<birth>{PLACE})出生"
)
_EMPLOYER = re.compile(
    r"(?:就职于|任职于|供职于|(?<!现)在)(?P<org>[\u4e00-\u9fffA-Za-z0-9]{2,14}?)(?:工作|上班|任职|做|当|担任)"
    r"|(?:跳槽|跳|入职|加入)[到去了]{0,2}(?P<joined>[\u4e00-\u9fffA-Za-z0-9]{2,12})(?:了|$)"
    r"|^(?:现在|目前|如今)我?(?:就|是)?在(?P<now>[\u4e00-\u9fffA-Za-z0-9]{2,12})$"
)
_CHANGED_JOBS = re.compile(r"跳槽|换了?(?:个|份|家)?(?:工作|公司|单位)|辞了?职|离了?职|入职|转行")
"""Before the name of where one is now: 上个月跳槽了，现在在远航集团."""
_NUMERAL = re.compile(r"[\d零一二两三四五六七八九十百多几]+")
_NOT_JOB = re.compile(
    r"什么|公司[当做]|[这那]一?行|想|要|唯一|饭|菜|梦|主|事|到|不|朋友|手术|检查|决定|运动|作业|家务|得|^学(?![生者])|[嘛呢]"
    r"|好|个|准备|好人|爸|妈|父亲|母亲|实验|活动|计划|起来|功课|笔记"
    r"|东西|客|年|一共|总共|拢共|加起来|算下来|[一某][家间]|新来|刚来"
)


def self_statements(clause: Clause, lexicon: Lexicon) -> list[Found]:
    """Return what a Chinese clause plainly says of its speaker."""
    if clause.subject not in {"我", "我们"} or not clause.states or of_others(clause):
        return []
    found: list[Found] = []
    for reader in _READERS:
        found.extend(reader(clause, lexicon))
    return found


def _work(clause: Clause, lexicon: Lexicon) -> Iterator[Found]:
    body = clause.body
    if past(clause) or re.search(r"专业|主修|方向|爱好|兴趣|(?<![大中小同科数文])[学读念]的", body):
        return
    for pattern in (_JOB, _YEARS_JOB):
        match = pattern.search(body)
        if match and (_NUMERAL.fullmatch(match["job"].lstrip("了过")) or match["job"][0] in "了过着"):
            continue
        if match and not _NOT_JOB.search(match["job"]) and is_asserted(body, match.start()):
            years, job = han_number(match["years"]), match["job"].strip().rstrip("也都就")
            value: JsonValue = f"{years}+" if match["more"] else years
            text = f"{{of}}从事{job}工作{_length(match)}"
            vague = bool(match["about"] or match["more"] or match["over"])
            yield made(clause, match.span(), text, ("occupation", job), ("years", value), approximate=vague)
            return
    if (match := _YEARS.search(body)) and is_asserted(body, match.start()):
        years = han_number(match["years"])
        worked: JsonValue = f"{years}+" if match["more"] else years
        vague = bool(match["about"] or match["more"] or match["over"])
        yield made(clause, match.span(), f"{{of}}有{_length(match)}工作经验", ("years", worked), approximate=vague)
    for pattern in (_IS_JOB, _JOB_ONLY):
        match = pattern.search(body)
        job = next((g.strip() for g in match.groups() if g), "") if match else ""
        if match is None or not job or _NOT_JOB.search(job) or not is_asserted(body, match.start()):
            continue
        if (
            _SOMEBODY.fullmatch(job)
            or _THEN.search(body[: match.start()])
            or _ITS_SUBJECT.search(body[: match.start()])
        ):
            continue
        negated = denied(body, match.start())
        text = f"{{owner}}不是{job}" if negated else f"{{of}}从事{job}工作"
        yield made(clause, match.span(), text, ("occupation", job), negated=negated)
        return


def _length(match: re.Match[str]) -> str:
    return f"{'约' if match['about'] else ''}{match['years']}{match['more'] or ''}年{match['over'] or ''}"


def _income(clause: Clause, lexicon: Lexicon) -> Iterator[Found]:
    if past(clause):
        return
    if (monthly := _MONTHLY.search(clause.body)) and is_asserted(clause.body, monthly.start()):
        pay = amount(monthly["money"])
        about = bool(monthly["about"] or monthly["after"])
        phrase = f"{{of}}月薪{'约' if about else ''}{monthly['money']}"
        yield made(clause, monthly.span(), phrase, ("monthly_income", pay), approximate=about)
    match = _INCOME.search(clause.body)
    value = amount(match["money"]) if match else None
    if (
        match is None
        or value is None
        or (value < 100 and not match["to"])
        or not is_asserted(clause.body, match.start())
    ):
        return
    unit = match["unit"] or ""
    if match["to"] and (most := amount(match["to"])) is not None:
        # "80到100万": the unit said once is meant twice.
        least = value if match["money"][-1] in _UNITS else value * most / (amount(match["to"].rstrip(_UNITS)) or most)
        text = f"{{of}}年薪{match['money']}-{match['to']}{unit}"
        yield made(clause, match.span(), text, ("income", f"{whole(least)}-{most}"), approximate=True)
        return
    about = bool(match["about"] or match["after"])
    more = match["after"] if match["after"] in {"以上", "不到"} else ""
    text = f"{{of}}年薪{'约' if about and not more else ''}{match['money']}{more}{unit}"
    yield made(clause, match.span(), text, ("income", value), approximate=about)


def _home(clause: Clause, lexicon: Lexicon) -> Iterator[Found]:
    body = clause.body
    if (match := _FROM.search(body)) and is_asserted(body, match.start()) and not denied(body, match.start()):
        place = match["place"] or match["native"] or match["birth"]
        yield made(clause, match.span(), f"{{of}}来自{place}", ("origin", place))
    if once(clause):
        return
    since = _SINCE.search(body) if not _UNTIL.search(body) else None
    for pattern in (_LIVE, _LIVES_AT, _ALWAYS_IN, _NOW_IN, _WORK_IN):
        match = pattern.search(body)
        if (
            match is None
            or (pattern is _NOW_IN and not _MOVED.search(clause.before))
            or (pattern is _ALWAYS_IN and not _holds_on(clause, match))
            or not is_asserted(body, match.start())
        ):
            continue
        if past(clause) and not re.search(r"搬|定居|调[到来去]", match.group()) and since is None:
            return
        is_denied = denied(body, match.start())
        phrase = ("在{}工作" if pattern is _WORK_IN else "住在{}").format(match["place"])
        text = f"{{owner}}不{phrase}" if is_denied else f"{{of}}目前{phrase}"
        marks: dict[str, JsonValue] = {"implied": True} if pattern is _WORK_IN else {}
        if pattern is not _WORK_IN and re.search(r"搬|定居|调[到来去]", match.group()):
            marks["moved"] = True
        begun = match.start() if since is None else min(since.start(), match.start())
        yield made(clause, (begun, match.end()), text, ("residence", match["place"]), negated=is_denied, **marks)
        return


def _holds_on(clause: Clause, always: re.Match[str]) -> bool:
    """Does where one has always been hold still? Without the speaker it may belong to the time of the clause before."""
    named = bool(always["since"] or SAYS_I.search(clause.raw))
    return named and not _THEN_ELSEWHERE.search(clause.after)


def _employer(clause: Clause, lexicon: Lexicon) -> Iterator[Found]:
    match = _EMPLOYER.search(clause.body)
    if match is None or past(clause) or not is_asserted(clause.body, match.start()):
        return
    name = match["org"] or match["joined"] or match["now"]
    if match["now"] and not _CHANGED_JOBS.search(clause.before):
        return
    if re.search(r"一家|一间|一个|某|这家|那家|自己|家里", name):
        return
    known = lexicon.get("employer", {})
    named = name in known or (name.endswith(ORGANISATIONS) and len(name) > 3)
    if named and name not in PLACES:
        employer = known.get(name, name)
        is_denied = denied(clause.body, match.start())
        text = f"{{owner}}不在{employer}工作" if is_denied else f"{{of}}在{employer}工作"
        yield made(clause, match.span(), text, ("employer", employer), negated=is_denied)


_UNITS = "百千万亿wWkK"
_READERS: tuple[Callable[[Clause, Lexicon], Iterator[Found]], ...] = (
    age, education, _work, _income, _home, _employer,
)  # fmt: skip
