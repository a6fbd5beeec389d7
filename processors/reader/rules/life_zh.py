"""Chinese: name, family, languages, pets, tastes and possessions of the owner (B1, D2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from processors.reader.rules.clauses_zh import KIN, STAFF, Clause
from processors.reader.rules.found import Found
from processors.reader.rules.making_zh import denied, is_asserted, of_others
from processors.reader.rules.named_subjects_zh import is_name
from processors.reader.rules.numbers import han_number
from processors.reader.rules.places_zh import COUNTRIES
from schemas.base import JsonValue
from schemas.events.memory import CandidateKind

_NAME = re.compile(
    r"^(?:的?(?:名字|姓名)(?:是|叫)|叫(?!做|我|他|她|你)|是(?=[\u4e00-\u9fff]{2,3}$))"
    r"(?P<name>[\u4e00-\u9fffA-Za-z·]{2,12}?)(?:$|[。，]|的)"
)
_CALL = re.compile(
    r"(?:可以叫我|就叫我|^叫我|^喊我|称呼我(?:为)?)(?![帮去来给做把不别快再先也多少到在回带跟和])(?P<name>[\u4e00-\u9fffA-Za-z·]{1,8}?)(?:吧|呗|哈|咯|啦|得[啦了]|[好行]了|都行|都可以|就好|就行|就得|就可以|就OK|即可|$)"
)
_ACT = r"(?:[来去帮幫给給拿送抄做说話话]|(?<!买)[买買](?!买))"
_NO_NAME = re.compile(
    rf"[我你您啊了]|每天|^免?贵?姓|^(?:名字|全名|大名|小名|昵称|本名|先生|女士)|^(?:{KIN}|{STAFF}|姑娘|小姐姐|[人她他它佢]|马[上路])"
    rf"|^(?:[小老阿][\u4e00-\u9fff]|[\u4e00-\u9fff]{{1,2}}[总工哥姐叔姨]){_ACT}|^(?=[\u4e00-\u9fff]{{5}})[\u4e00-\u9fff]{{2,6}}?{_ACT}"
)
"""Who is told to do it: 叫护士帮他量, 叫小李来. A name of two or three characters may hold any: 王小来."""
_NOT_CALLED = re.compile(
    rf"^(?:老?[爸妈]|[爹娘]|爸爸|妈妈|父母|老公|老婆|[她他它佢])|^(?:{KIN}|{STAFF})(?!娘?$)"
    rf"|(?<=[\u4e00-\u9fff])(?:[一二两三四五六七八九\d][十百千万]|{_ACT})|[\u4e00-\u9fff]{{5}}"
)
"""Who of the speaker's is told, or what the speaker is told to do: 叫我哥改, 叫我汇三千."""
_GENDER = re.compile(r"^(?:是|性别是?|本人)?(?:一名|一个|个)?(?P<gender>男|女)(?:生|性|的|人|孩)?$")
_MARITAL = re.compile(
    r"(?P<no>还没|没有?|尚未|未)?(?P<marital>结婚|已婚|未婚(?![妻夫])|(?<!本事)(?<!实力)单身(?!的(?:举|人|多|少|同|朋|都|来|进|请|扣|男|女|姐|兄|小|那))|离婚|离异|离了婚|订婚|丧偶)(?P<done>了|过|状态)?"
)
_CHILD_NONE = re.compile(r"(?:没有?|还没(?:有)?|暂无|尚无)(?:要)?(?:孩子|小孩|子女|娃|儿女)|(?<!不)丁克")
_CHILD = re.compile(
    r"有(?P<n>[一二两三四五六\d])?(?:个|位)?(?P<what>(?:\d{1,2}岁的?)?(?:孩子|小孩|娃|子女|儿子|女儿|宝宝|儿女))"
)
_PET = re.compile(
    r"(?:养了?|有)(?:一|两|三|几|\d)?[只条匹头](?P<pet>[\u4e00-\u9fff]{0,6}?"
    r"(?:狗狗?|猫咪?|兔子|仓鼠|鹦鹉|乌龟|鱼|金毛|泰迪|柯基|哈士奇|布偶"
    r"|橘猫))(?:$|叫(?P<name>[\u4e00-\u9fffA-Za-z]{1,8}))?"
)
_TONGUE = (
    r"(?:英语|英文|中文|汉语|普通话|粤语|日语|韩语|法语|德语|西班牙语"
    r"|俄语|意大利语|葡萄牙语|阿拉伯语|泰语|越南语|闽南语|上海话|广东话"
    r")"
)
_LANGUAGE = re.compile(
    rf"(?:会说?|能说|讲|说|精通|懂|掌握)(?:流利的?|一点|一些|一口)?(?P<all>{_TONGUE}(?:[、和与及]{_TONGUE}){{0,5}})"
)
_SPEAKS_WELL = re.compile(
    rf"^(?:的)?(?P<all>{_TONGUE}(?:[、和与及]?{_TONGUE}){{0,5}})(?:都|也|是|说得|讲得|基本){{0,3}}"
    r"(?:没(?:有)?(?:什么|啥)?问题|行|会|可以|流利|熟练|能(?:说|讲|交流|沟通)|挺?好|不错)[的了]?$"
)
_EXAM = re.compile(
    r"(?P<exam>雅思|托福|IELTS|TOEFL|GRE|GMAT|英语四级|英语六级|四级"
    r"|六级|日语N[1-5])(?:考了?|成绩是?|过了|总分|是)?(?P<score>\d{1,3}"
    r"(?:\.\d)?)?分?"
)
_TASTE = re.compile(
    r"^(?:也|还|就|都|最|很|特别|非常|超级?|挺|比较|真的|平时|一直|从小|现在|如今|目前"
    r"|其实|尤其|更)*(?P<not>不太?|不怎么)?(?P<verb>喜欢|爱(?![好情]"
    r")|热爱|讨厌|反感|受不了|偏爱|迷上了?)(?P<object>[^，。！？、的了]{1,16}"
    r"(?:、[^，。！？、的了]{1,10}){0,4}(?:和[^，。！？、的了]{1,10}"
    r")?)(?:$|了$)"
)
_NOT_OBJECT = re.compile(
    r"^(?:你|您|他|她|它|这|那|此|其|什么|哪|谁|上(?!海|网)|我|自己"
    r"|[\u4e00-\u9fffA-Za-z]{2,12}(?<![陪和跟给让管帮对说])我(?:也|都|已经|早就)?[\u4e00-\u9fff]{1,3}|跟|和(?!平)|就|一起|听你|这样|那样|的|极了|得|因为|不(?:起来|了|上)|到(?!处|[\u4e00-\u9fff]{1,4}去)|[啊呀呢哦吧嘛]"
    r")"
)
_PREFER = re.compile(
    r"^(?:也|还|就|都|很|个人)?(?:比较|更|最)?(?:偏好|偏向于?|倾向于?"
    r"|更喜欢|宁愿|宁可|更愿意)(?P<object>[^，。！？]{2,30})"
)
_RATHER = re.compile(
    r"^(?:和|与|跟)?(?:比起|相比|相较于?|比)(?P<over>[^，。！？]{1,12}?)(?:来说|相比|来)?(?:我|还是|更|比较|会|个人){0,3}"
    r"(?:更|比较)(?:喜欢|爱|偏爱)(?P<object>[^，。！？的了]{1,16})$"
)
_FAVOURITE = re.compile(r"^最(?:喜欢|爱)的(?P<what>[\u4e00-\u9fff]{1,6})(?:是|就是)(?P<value>[^，。！？]{1,20})")
_HOBBY = re.compile(r"^(?:的)?(?:业余)?(?:爱好|兴趣爱好|兴趣)(?:是|有|包括)(?P<hobby>[^，。！？]{2,30})")
_BIRTHDAY = re.compile(
    r"生日(?:是|在)(?P<day>(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]?|(?:农历"
    r")?[一二三四五六七八九十正腊]{1,2}月[初一二三四五六七八九十]{1,3}[日号]?"
    r")"
)
_OWNS = re.compile(r"^(?:名下)?(?:有|买了)(?P<what>(?:一|两|三|\d)(?:套|辆|栋|台|架|间)[\u4e00-\u9fffA-Za-z0-9]{1,12})")
_NATION = re.compile(
    r"(?:国籍(?:当然|肯定|就|还|都|一直)*是?(?!不)|(?:是|持有?|拿的是?)(?=[\u4e00-\u9fff]{2,6}(?:国籍"
    rf"|护照|公民)|(?:{COUNTRIES})籍$))"
    r"(?P<nation>[\u4e00-\u9fff]{2,6}?)(?:国籍|护照|公民"
    r"|籍|[啊呀哦呢吧]?$)"
)
_CONSUMED = re.compile(
    r"^[吃喝](?=[\u4e00-\u9fffA-Za-z])(?!(?:醋|苦|亏|惊|力|素|饭|香|货|喝|东西|彩)$|[得完着过]|.{0,6}[吃喝玩])"
)
_NO_LONGER = re.compile(
    r"^(?:已经|早就|早已|现在|如今|最近){0,2}(?:(?P<ever>不再|再也不)|不(?:太|怎么|那么)?)(?P<verb>喜欢|爱)"
    r"(?P<what>[^，。！？]{1,14}?)(?P<now>了)?$"
)
_ENDED = {
    "未婚": "未婚",
    "单身": "单身",
    "已婚": "已婚",
    "结婚": "已婚",
    "离婚": "离异",
    "离异": "离异",
    "离了婚": "离异",
    "订婚": "订婚",
    "丧偶": "丧偶",
}


def life_statements(clause: Clause) -> list[Found]:
    """Return what a Chinese clause says of its speaker's name, family, tastes and things."""
    if not clause.states:
        return []
    found = list(_about_name(clause))
    if clause.subject in {"我", "我们"} and not of_others(clause):
        for reader in (_family, _learned, _taste, _birthday, _things):
            found.extend(reader(clause))
    elif clause.subject == "我的":
        body = clause.body.removeprefix("我")
        if match := _HOBBY.match(body):
            found.append(_made(clause, f"{{of}}爱好是{match['hobby']}", ("hobby", match["hobby"])))
        if match := _BIRTHDAY.match(body.removeprefix("的")):
            found.append(_made(clause, f"{{of}}生日是{match['day']}", ("birthday", match["day"])))
    return found


def _made(
    clause: Clause, text: str, *slots: tuple[str, JsonValue], kind: CandidateKind = "fact", negated: bool = False
) -> Found:
    attributes = {"correction": True} if clause.correcting else {}
    return Found(clause.start, clause.end, kind, text, slots, negated=negated, attributes=attributes)


def _about_name(clause: Clause) -> Iterator[Found]:
    body = clause.body
    goes_on = clause.subject == "我" and clause.before.lstrip().startswith("我") and is_name(body.removeprefix("叫"))
    own = (clause.subject in {"我", "我的", "亲友"} and "我" in clause.raw) or goes_on
    match = _NAME.match(body.removeprefix("我")) if own else None
    named = match is not None and not body.removeprefix("我").startswith("是")
    refused = _NO_NAME
    if not (match and named):
        match, refused = _CALL.search(clause.raw), _NOT_CALLED
    if match and not refused.search(match["name"]):
        yield _made(clause, f"用户名叫{match['name']}", ("name", match["name"]))


def _family(clause: Clause) -> Iterator[Found]:
    body = clause.body
    if match := _GENDER.match(body):
        yield _made(clause, f"{{owner}}是{match['gender']}性", ("gender", match["gender"]))
    if (
        (match := _MARITAL.search(body))
        and is_asserted(body, match.start())
        and not re.search(r"[想要会打算准备]{1,2}$|年后|的时候", body[: match.start()])
    ):
        state = _ENDED[match["marital"]]
        if match["marital"] == "结婚" and match["no"]:
            state = "未婚"
        elif match["no"] or (match["marital"] in {"结婚", "订婚", "离婚"} and not match["done"]):
            return
        yield _made(clause, f"{{owner}}{state}", ("marital", state))
    if (match := _CHILD_NONE.search(body)) and is_asserted(body, match.start()):
        yield _made(clause, "{owner}没有孩子", ("children", False))
    elif (
        (match := _CHILD.search(body))
        and is_asserted(body, match.start())
        and not re.search(r"没$", body[: match.start()])
    ):
        count = han_number(match["n"]) if match["n"] else None
        text = f"{{owner}}有{match['n'] + '个' if match['n'] else ''}{match['what']}"
        made = _made(clause, text, ("children", True))
        yield (
            made
            if count is None
            else Found(
                made.start, made.end, made.kind, text, made.slots, attributes={**made.attributes, "count": count}
            )
        )


def _learned(clause: Clause) -> Iterator[Found]:
    body = clause.body
    if (
        (match := _LANGUAGE.search(body))
        and is_asserted(body, match.start())
        and not re.search(r"[不没]$", body[: match.start()])
    ):
        spoken = re.findall(_TONGUE, match["all"])
        for tongue in spoken:
            yield _made(clause, f"{{owner}}会{tongue}", ("language", tongue))
    elif match := _SPEAKS_WELL.match(body):
        for tongue in re.findall(_TONGUE, match["all"]):
            yield _made(clause, f"{{owner}}会{tongue}", ("language", tongue))
    if (match := _EXAM.search(body)) and match["score"] and is_asserted(body, match.start()):
        yield _made(
            clause, f"{{of}}{match['exam']}{match['score']}分", ("language_score", f"{match['exam']} {match['score']}")
        )
    match = _NATION.search(body)
    if match and match["nation"] and is_asserted(body, match.start()) and not denied(body, match.start()):
        yield _made(clause, f"{{of}}国籍{match['nation']}", ("nationality", match["nation"]))


def _taste(clause: Clause) -> Iterator[Found]:
    body = clause.body
    if (match := _NO_LONGER.match(body)) and (match["ever"] or match["now"]) and not _NOT_OBJECT.match(match["what"]):
        yield _made(clause, f"{{owner}}{body}", ("likes", _thing(match["what"])), kind="preference", negated=True)
        return
    if match := _FAVOURITE.match(body):
        slot = f"最喜欢的{match['what']}"
        yield _made(clause, f"{{owner}}{slot}是{match['value']}", (slot, match["value"]), kind="preference")
    elif (match := _TASTE.match(body)) and not _NOT_OBJECT.match(match["object"]):
        disliked = bool(match["not"]) != (match["verb"] in {"讨厌", "反感", "受不了"})
        slot = "dislikes" if disliked else "likes"
        denied = match["not"] or ""
        text = f"{{owner}}{denied}{match['verb']}{match['object']}"
        yield _made(clause, text, (slot, _thing(match["object"])), kind="preference")
    elif (match := _RATHER.match(body)) and not _NOT_OBJECT.match(match["object"]):
        text = f"{{owner}}比起{match['over']}更喜欢{match['object']}"
        yield _made(clause, text, ("prefers", _thing(match["object"])), kind="preference")
    elif match := _PREFER.match(body):
        yield _made(clause, f"{{owner}}{_own(body)}", ("prefers", _own(match["object"])), kind="preference")
    if match := _HOBBY.match(body):
        yield _made(clause, f"{{of}}爱好是{match['hobby']}", ("hobby", match["hobby"]))


def _own(text: str) -> str:
    return re.sub(r"(?<!自)我(?:自己)?(?![们国校院市省军])", "自己", text)


def _thing(text: str) -> str:
    """What is liked, where it is eaten or drunk: 喜欢喝咖啡 and 喜欢咖啡 say the same."""
    return _CONSUMED.sub("", text)


def _birthday(clause: Clause) -> Iterator[Found]:
    body = clause.body
    if (match := _BIRTHDAY.search(body)) and is_asserted(body, match.start()):
        yield _made(clause, f"{{of}}生日是{match['day']}", ("birthday", match["day"]))


def _things(clause: Clause) -> Iterator[Found]:
    body = clause.body
    if (match := _PET.search(body)) and is_asserted(body, match.start()):
        name = f"，叫{match['name']}" if match["name"] else ""
        yield _made(clause, f"{{owner}}养了{match['pet']}{name}", ("pet", match["pet"]))
    if match := _OWNS.match(body):
        yield _made(clause, f"{{owner}}有{match['what']}", ("possession", match["what"]))
