"""What a short Chinese answer says with its question's words, as a sentence of the user's own (B1, D2).

Chinese asks in place: what is asked for stands where the answer belongs, so "您女儿上几年级" and 三年级 make
我女儿上三年级. A yes, a no, or the question's own verb said again (您抽烟吗 - 不抽) states what was asked. Only a
question to the user about what is so counts: offers, the moment and what something else is make no statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from processors.reader.rules.clauses_zh import ANIMALS, CIRCLES, KIN, STAFF
from processors.reader.rules.common_zh import content_weight
from processors.reader.rules.own_state_zh import felt
from processors.reader.rules.self_contained_zh import ASKS, SUPPOSED, resolved
from processors.reader.rules.served_zh import DATA, either, lines
from processors.reader.rules.text import QUOTED

_LONGEST = 36
_OF_SERVED = re.compile(lines("asks_of_the_served"))
_OF_PERSON = re.compile(rf"(?:咱们?)?(?:{KIN})(?:现在|今年|目前)*(?:多大|几[岁个]|多重|有没有|出生)")
_OF_TALK = re.compile(either("of_the_talk"))
_HOW_LONG = re.compile(DATA["how_long"])
_NOT_HOW_LONG = re.compile(either("not_how_long"))
_GREETS = re.compile(r"(?:好的|嗯+|您好|你好|哦+|谢谢)[。，,.！!\s]+(?=[\u4e00-\u9fff\d])")
_LASTS = re.compile(
    r"(?:快|大概|大约|差不多|已经|有)*(?P<long>(?:好几|[几两半]|[\d一二三四五六七八九十百]+)[来多几]?"
    r"个?[多半]?(?:小时|天|周|星期|礼拜|月|年)[多半]?)(?:左右)?(?:的时间)?了?"
)
_POINTED = re.compile(DATA["pointed"])
_TO_USER = re.compile(r"[你您](?!们(?!家|公司|单位|团队))")
_POLITE = re.compile(r"(?:请问|那么?|所以|好的|对了|(?:顺便|方便|想(?:跟您)?)(?:确认|问)一?下|另外)[，,：:\s]*")
_OFFERS = re.compile(
    r"[需要][^，]{0,3}[我帮]|[帮为给替][你您]|可不可以|可以|能不能|能否|要不要|愿不愿|愿意|试试|方便|今[天晚早]|昨[天晚]|刚才|刚刚|此刻"
    r"|明白|理解|清楚|知道|记得|查到|满意|还好|舒服|[你您](?:觉得|认为|感觉|看|说的?|指)|想(?:不想|要|让|了解|知道|问)|继续|推荐|为什么|怎么|如何|咋|这样|[这那][个种些边次]"
    r"|如果|假如|打算|希望|[你您](?:还|也)?要(?![求是])|[你您]是[说指问想]|第一次"
)
"""Questions whose answer is a choice of the moment, an opinion or a plan."""
_TAIL = re.compile(r"(?:对吗|是吗|对吧|是吧|对不对|是不是|没错吧|吗|吧|呢|(?<![什怎多])么|啊|呀|啦)+$")
_YES = re.compile(r"(?:是的?|对的?|没错|嗯+呢?|恩+|有的?|正是|确实|当然|会的?|在的)(?:啊|呀|哦|呢)?$")
_NO = re.compile(r"(?:不是|没有|不对|没|还没有?|并?没有|不会|从来没有?|从不|无|不)(?:的|啊|呀|哦|呢|过)?$")
_NO_ANSWER = re.compile(
    r"不知道|不清楚|不确定|不记得|忘了|随便|都[行可]|看情况|再说|再看|保密|没想好|不好说|说不[好准]|差不多|还行|一般|还可以|不[太大]|不一定"
    r"|[我你您他她它这那哪谁啥]|什么|怎么|多少|[啊哈嘿]{2}|可能|也许|好像|应该|反正|别|算了"
)
_VERBAL = re.compile(r"[了着过没不把被]|是|就|都|也|还|已经|在[^，]{0,8}(?:上|里|中)?$|觉得|想|要|时候")
_DIGITS = r"\d零一二两三四五六七八九十百千万亿半几"
_UNITS = "个位年岁次天块元分点斤楼层号级月周口套辆只条名人件门支瓶杯包"
_NUMBER = re.compile(
    rf"(?:大概|大约|差不多|快|将近|不到|约|每[天周月年])?[{_DIGITS}][{_DIGITS}{_UNITS}.多来小时钟公里平米]*(?:左右|出头|上下|以上)?"
)
_TIME = re.compile(r"[年月日号点周天季]|星期|礼拜|春|夏|秋|冬|节|早|晚|上午|下午|[前后]$|时候|小时|退休|毕业")
_HOW_MANY = re.compile(rf"(?:几|多少)(?P<unit>[{_UNITS}]{{0,2}})|多[大久长高重]")
_HOW_MUCH = re.compile(r"多[大高重](?=$|，)")
"""Of two things asked for, one is told: 多高多重."""
_MEASURES = {"多重": re.compile(r"斤|克|吨|kg"), "多高": re.compile(r"米|cm|\d{3}|^一[^岁]*[一二三四五六七八九]$")}
"""In what an answer to 多重 and 多高 is measured."""
_WHEN = re.compile(r"(?:什么|啥)时[候间]|何时|哪一?(?:年|天|个?月|周)|几(?:点|月|号)")
_WHERE = re.compile(r"哪里|哪儿|(?:什么|哪个)(?:地方|城市|国家)|何处")
_WHO = re.compile(r"谁|哪位|什么人")
_WHAT = re.compile(
    r"(?:哪一?(?:个|款|家|种|类|门|本|条|支|所|项|套|块|些|方面)|什么|啥)(?P<noun>[\u4e00-\u9fffA-Za-z]{0,6}?)(?=(?:上班|工作|上学|读书|毕业|住|当|开)?$)"
)
_HAS_WHAT = re.compile(r"有(?:什么|哪些|啥)(?P<noun>(?![不没要想能可别])[\u4e00-\u9fff]{2,5})$")
_DOES_WHAT = re.compile(r"(?:做|干)(?:什么|啥|嘛|点什么|些什么)$")
_EITHER = re.compile(
    r"^(?P<head>.*(?:要|是|喜欢|选|用|喝|吃|住|坐|习惯|偏好))(?P<a>[^，]{1,8}?)还是(?:要|是|喜欢|选|用|喝|吃|住|坐)?(?P<b>[^，]{1,8})$"
)
_FIRST = re.compile(r"[，,。；;！!~]|(?<![A-Za-z0-9])\s|\s(?![A-Za-z0-9])")
_SAID_AGAIN = re.compile(r"(?P<no>不|没有?|从来?不|早就?不)(?P<verb>[\u4e00-\u9fff]{1,2}?)(?P<more>过|了|的)?")
_OF_THEIRS = re.compile(rf"我(?:们|的|家|{KIN}|{STAFF}|{ANIMALS}|{CIRCLES})")
_LEAD = re.compile(r"(?:是|在|叫|就是|主要是|大概是?|一般是?|应该是|嗯+|哦|额|呃)(?=.)")
_END = re.compile(r"(?:吧|呢|啊|呀|哦|哈|了(?=$))+$")


def answered(question_text: str, text: str, *, served: bool = False) -> tuple[str, int] | None:
    """Return the statement and how many characters of the answer it takes; None where the answer states nothing, or
    the question is not to the user about what is so. Who is `served` is asked without being named."""
    question = _question(question_text, served=served)
    if question is None:
        return None
    greets = _GREETS.match(text.strip())
    text, skipped = (text.strip()[greets.end() :], greets.end()) if greets else (text.strip(), 0)
    first, *more = _FIRST.split(text, maxsplit=1)
    if not first or len(first) > 20 or (first.startswith("不对") and more and more[0].strip()):
        return None
    for statement in _statements(question, first):
        if _is_self_contained(statement):
            return statement, skipped + len(first)
    return None


def lasting(asked: Sequence[str], text: str, own: Sequence[str]) -> tuple[str, int] | None:
    """What an answer to how long it has been says, with what is felt that the question names, or the user's turn before
    it; None where neither names one thing."""
    first = _FIRST.split(text.strip(), maxsplit=1)[0]
    lasts = _LASTS.fullmatch(first)
    question = next((each.rstrip("？? ") for each in reversed(asked) if _HOW_LONG.search(each.rstrip("？? "))), None)
    if lasts is None or question is None or _NOT_HOW_LONG.search(question):
        return None
    named = _POINTED.sub("", _HOW_LONG.sub("", question).split("，")[-1])
    topics = [named] if felt(named) else [part for turn in own[-1:] for part in _PARTS.split(turn) if _is_topic(part)]
    return (f"我{topics[0]}已有{lasts['long']}", len(first)) if len(topics) == 1 else None


_PARTS = re.compile(r"[，,。！!？?；;\s]")


def _is_topic(part: str) -> bool:
    return 2 <= len(part) <= 10 and felt(part) and not (ASKS.search(part) or SUPPOSED.search(part) or "我" in part)


def _question(question: str, *, served: bool) -> str | None:
    """The part that asks, of the user and today; the speaker's own side in the first person."""
    text = question.strip().rstrip("？? ")
    for _ in range(2):
        text = _POLITE.sub("", text, count=1) if _POLITE.match(text) else text
    parts = [p for p in re.split(r"[，,：:]|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])", text) if p]
    if len(parts) > 1 and _TAIL.fullmatch(parts[-1]):
        parts = [*parts[:-2], parts[-2] + parts[-1]]
    asks = parts[-1] if parts else ""
    of_served = _OF_SERVED.match(asks) or _OF_PERSON.match(asks)
    if served and not _TO_USER.search(asks) and of_served and not _OF_TALK.search(asks):
        asks = f"您{asks.removeprefix('咱们').removeprefix('咱')}"
    if len(asks) > _LONGEST or not _TO_USER.search(asks) or "我" in asks or _OFFERS.search(asks) or QUOTED.search(asks):
        return None
    return asks


def _statements(question: str, answer: str) -> Iterator[str]:
    plain = re.sub(r"[你您]", "我", question)
    value = _END.sub("", _LEAD.sub("", answer, count=1) if _LEAD.match(answer) else answer)
    yield from _confirmed(plain, answer)
    if not value or _NO_ANSWER.search(value) or _NO.match(value) or _YES.match(value):
        return
    open_ended = _TAIL.sub("", plain)
    if match := _EITHER.match(open_ended):
        yield from (
            match["head"] + each for each in (match["a"], match["b"]) if each.rstrip("的") == value.rstrip("的")
        )
        return
    if (match := _WHEN.search(open_ended)) and _TIME.search(value):
        yield _put(open_ended, match, value)
    elif (match := _HOW_MANY.search(open_ended)) and _NUMBER.fullmatch(value):
        unit = match.groupdict().get("unit") or ""
        asked_age = match.group() == "多大"
        if (measures := _MEASURES.get(match.group())) and not measures.search(value):
            return
        bare = value.endswith(tuple(unit)) if unit else not asked_age or value.endswith(("岁", "月", "天", "周", "半"))
        yield _put(open_ended, match, value if bare else value + (unit or "岁"))
    elif _VERBAL.search(answer.removeprefix("是")) or len(value) > 12:
        return
    elif (match := _WHO.search(open_ended) or _WHERE.search(open_ended)) is not None:
        yield _put(open_ended, match, value)
    elif match := _DOES_WHAT.search(open_ended):
        yield open_ended[: match.start()] + value
    elif re.search(r"[^不]是(?:什么|啥)?$", open_ended):
        yield f"{re.sub('(?:什么|啥)$', '', open_ended)}{value}"
    elif match := _HAS_WHAT.search(open_ended):
        yield f"{open_ended[: match.start()]}的{match['noun']}是{value}".replace("的的", "的")
    elif (match := _WHAT.search(open_ended)) is not None:
        yield _put(open_ended, match, value)


def _put(question: str, match: re.Match[str], value: str) -> str:
    return question[: match.start()] + value + question[match.end() :]


def _confirmed(question: str, answer: str) -> Iterator[str]:
    """What a yes or a no says, or the verb of the question said again."""
    if "还是" in question or _WHAT.search(_TAIL.sub("", question)) or _WHEN.search(question):
        return
    asks = _TAIL.search(question) is not None
    statement = _TAIL.sub("", question)
    statement, swapped = re.subn(r"是不是|有没有|(?P<v>[\u4e00-\u9fff])不(?P=v)", lambda m: m.group()[0], statement)
    if not (asks or swapped) or _HOW_MANY.search(statement):
        return
    if _YES.fullmatch(answer):
        yield statement
    elif _NO.fullmatch(answer):
        yield from _denied(statement)
    elif match := _SAID_AGAIN.fullmatch(answer):
        yield from _denied_by(match, statement)
    elif len(answer) <= 2 and answer.rstrip("的") in statement and answer not in {"了", "的", "在", "我"}:
        yield statement


def _denied_by(match: re.Match[str], statement: str) -> Iterator[str]:
    """What is asked, denied with its own verb: 您喝酒吗 - 不喝了."""
    at = statement.find(match["verb"])
    if at > 0:
        past, now = ("过" if match["more"] == "过" else ""), ("了" if match["more"] == "了" else "")
        head = re.sub(r"(?:还在?|在|有)$", "", statement[:at])
        rest = statement[at + len(match["verb"]) :].removesuffix("了")
        yield f"{head}{match['no']}{match['verb']}{past}{rest.removeprefix('过') if past else rest}{now}"


def _denied(statement: str) -> Iterator[str]:
    for has, no in (("有", "没有"), ("是", "不是"), ("在", "不在"), ("会", "不会")):
        if re.search(rf"(?<![没不]){has}", statement):
            yield statement.replace(has, no, 1)
            return
    if _OF_THEIRS.search(statement):
        return  # where its predicate begins is not known
    if statement.endswith(("了", "过")):
        yield re.sub(r"我(?:已经|都)?", "我没", statement.removesuffix("了"), count=1)
        return
    yield statement.replace("我", "我不", 1)


def _is_self_contained(statement: str) -> bool:
    if not 4 <= len(statement) <= _LONGEST or statement.endswith("着"):
        return False
    if ASKS.search(statement) or SUPPOSED.search(statement):
        return False
    if _HOW_MUCH.search(statement):
        return False
    return resolved(statement) and (content_weight(statement) >= 1.0 or _NUMBER.search(statement) is not None)
