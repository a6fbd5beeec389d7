"""Who speaks, where they introduce themselves without a sentence: 胡卫东，62，做统计的."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from processors.reader.rules.found import Found
from processors.reader.rules.named_subjects_zh import is_name
from processors.reader.rules.numbers import han_number
from processors.reader.rules.places_zh import PLACES
from processors.reader.rules.protocol import TurnView
from processors.reader.values.kinds_zh import compiled, guard, known_words
from processors.reader.values.talk_zh import Part, names_another

_GREETING = re.compile(r"(?:大家好|各位好|你们好|你好|您好|嗨|哈喽|喂)[，,：:！!\s]*(?=我)")
_OPENING = re.compile(
    r"(?:大家好|各位好|你们好|你好|您好|嗨|哈喽|喂|自我介绍一?下|自报家门|报到|新人报到|新来的|新人|冒个泡|签个到|免贵姓[\u4e00-\u9fff]{1,2})[，,：:！!\s]*"
    r"|(?:我叫|我是(?:新加入的|新来的|新同事|刚来的)?|叫我|叫|我的名字叫?|名字叫?|姓名|大名|本名|真名|本人|我)(?:是|：|:)?"
)
_SAYS_NAME = re.compile(r"我叫|叫我|我的名字|名字|姓名|大名|本名|真名|我是(?=[\u4e00-\u9fff]{2,3}$)")
_SAYS = re.compile(
    r"自报家门|自我介绍|我叫|我是|叫我|大家好|报个?到|新来的|刚来|加我一个|多担待|多关照|多多?指教|初来乍到"
)
"""What shows that somebody introduces themselves."""
_NAME = re.compile(
    r"(?!姓)(?:(?:(?![了的是在吗吧呢啊也都就没不很好来去们])[\u4e00-\u9fff]){2,3}"
    r"|[\u4e00-\u9fff]{4})"
)
_LATIN = re.compile(r"(?![A-Z]{2})[A-Za-z][a-z_-]{1,11}")
_OF_TWO = "(?:{words.two_characters})[\u4e00-\u9fff]{1,2}$"
_NICKNAME = "老小阿"
_REPORTS = re.compile(r"(?P<name>[\u4e00-\u9fff]{2,3}?)(?:前来|来)?(?:报到|打卡报到|签到)")
_AGE = re.compile(
    r"(?:今年|刚|快|周岁|虚岁|属\S)?(?P<n>\d{2}|[二三四五六七八九]十[一二三四五六七八九]?)(?:了|岁)?(?:男|女)?"
)
_SEX = re.compile(r"(?:\d{2}岁?)?(?P<v>男|女)(?:的|生|性|士)?(?:\d{2}岁?)?")
_BORN = re.compile(
    r"(?:我|我是|本人|是)?"
    r"(?P<y>19[3-9]\d|20[01]\d|[4-9]\d|0\d|(?:一九)?[四五六七八九][零〇一二三四五六七八九])年(?:的|生人?|出生的?)(?:人)?"
)
_AT = "(?:我)?(?:这边)?(?:是|在|来自)?(?P<v>{parts.org})的?"
_NOW_AT = (
    "(?:我|人)?(?:现在|目前|如今)(?:就|人)?在"
    "(?P<v>(?!{place}|{words.workplaces}|家|路上)[\u4e00-\u9fffA-Za-z]{2,8})"
)
_JOB = (
    "(?:我|我是|是)?(?:新来的|刚来的|组里的)?(?:(?P<at>{parts.org})的?)?(?:做|干|搞|负责|管)?"
    "(?P<v>{parts.job}|{words.trades})(?:的|一枚|岗)?"
)
_OF_JOB = (
    "(?:我是|我)?(?:(?:(?P<at>{parts.org})的?)|[\u4e00-\u9fff]{2,4}的)?"
    "(?P<v>{parts.job})(?P<name>[\u4e00-\u9fff]{2,3})"
)
_ABOUT_SELF = frozenset({"age", "gender", "occupation", "employer", "education", "marital", "residence", "years"})
_OWN = frozenset({"name", "gender", "occupation", "education", "marital", "height"})
_YOUNGEST, _OLDEST = 14, 99
_READ = 6
"""Clauses of a turn that may introduce its speaker."""


def introduced(parts: Sequence[Part], worded: set[str], turn: TurnView, *, in_project: bool) -> Iterator[Found]:
    """The name, the years, the sex and the work that clauses of an introduction consist of; `told`: the slots that the
    turn fills already."""
    if not parts or turn.speaker is not None:
        return
    read = [p for p in parts[:_READ] if p.clause.states]
    works = any(compiled(_JOB).fullmatch(p.text) for p in read)
    ages = any(_AGE.fullmatch(p.text) for p in read[1:4])
    says = any(_SAYS.search(p.text) for p in parts)
    name = _name(parts, says=says, worded=bool(worded & _ABOUT_SELF) or ages or works)
    if name is not None:
        yield name
    elif any(_SAYS.search(p.text) for p in read):
        yield from _by_job(read)
    if name is not None or worded & _ABOUT_SELF:
        yield from _work(read, named=name is not None)
    if not in_project:
        yield from _born(read, turn)
        if name is not None or worded & _OWN:
            yield from _years_and_sex(read)


def _name(parts: Sequence[Part], *, says: bool, worded: bool) -> Found | None:
    """`says`: the turn introduces somebody in words; `told`: it tells something else of its speaker."""
    for at, part in enumerate(parts[:4]):
        if part.clause.asks or part.clause.supposed:
            continue
        if (reports := _REPORTS.fullmatch(part.text)) and _is_one(reports["name"]):
            return _named(part, reports["name"])
        greeting = _GREETING.match(part.text)
        spoken = part.text[greeting.end() :] if greeting else part.text
        opening = _OPENING.match(spoken)
        bare = spoken[opening.end() :] if opening else spoken
        if at == 0 and _is_with_trade(parts, bare):
            return _named(part, bare)
        if not (_NAME.fullmatch(bare) and _is_one(bare)):
            continue
        lead = opening.group() if opening else ""
        goes_on = at + 1 < len(parts) and (says or worded)
        if at == 1 and parts[0].text == "我" and at + 1 < len(parts):
            return _named(part, bare)
        if lead.startswith("我") and goes_on:
            return _named(part, bare)
        if lead[:1] in set("我叫名姓本大真") and lead != "我" and (goes_on or _SAYS_NAME.match(part.text)):
            return _named(part, bare)
        is_called_so = bare[0] not in _NICKNAME or (at == 0 and guard("comes_anew").search(part.turn))
        if goes_on and is_called_so and (_only_greets(parts[:at]) or _tells_trade(parts[:at])):
            return _named(part, bare)
    return None


def _tells_trade(parts: Sequence[Part]) -> bool:
    return bool(parts) and all(compiled(_JOB).fullmatch(p.text) and "我" in p.text for p in parts)


def _is_with_trade(parts: Sequence[Part], name: str) -> bool:
    """Is what opens a turn a nickname, beside what its bearer works as: 大树，运维，现在在迅付?"""
    if len(parts) < 3 or name != parts[0].text or names_another(name) or "我" in name:
        return False
    if any(p.clause.asks for p in parts) or not compiled(_JOB).fullmatch(parts[1].text):
        return False
    if _LATIN.fullmatch(name):
        return name.casefold() not in known_words()["no_nicknames"].split() and not compiled(_JOB).fullmatch(name)
    addressed = name[0] in _NICKNAME and guard("speaks_to").search(parts[0].turn) is not None
    return len(name) < 4 and _NAME.fullmatch(name) is not None and not addressed and _is_no_word(name)


def _only_greets(parts: Sequence[Part]) -> bool:
    return all(_OPENING.fullmatch(p.text + "，") or p.clause.asks for p in parts)


def _named(part: Part, name: str) -> Found:
    return _made(part, f"用户名叫{name}", "name", name)


def _is_one(text: str) -> bool:
    """A name, and no word of what is known by name itself."""
    of_two = compiled(_OF_TWO).match(text)
    known = of_two or (len(text) < 4 and (is_name(text) or compiled("{words.surnames}").match(text)))
    return bool(known) and _is_no_word(text)


def _is_no_word(text: str) -> bool:
    if any(text[:n] in PLACES for n in (2, 3)) or text in known_words()["not_names"].split():
        return False
    return not any(compiled(f"{{words.{words}}}").search(text) for words in known_words()["lists_of_no_names"].split())


def _by_job(parts: Sequence[Part]) -> Iterator[Found]:
    """Name, work and place of work in one: 市三院的研究护士苗青，报到."""
    for part in parts[:2]:
        match = compiled(_OF_JOB).fullmatch(part.text)
        if match is not None and _is_one(match["name"]):
            yield _named(part, match["name"])
            yield _made(part, f"{{of}}从事{match['v']}工作", "occupation", match["v"])
            if match["at"]:
                yield _made(part, f"{{of}}在{match['at']}工作", "employer", match["at"])
            return


def _work(parts: Sequence[Part], *, named: bool) -> Iterator[Found]:
    """What the speaker works as, and where."""
    for part in parts:
        if not (named or part.is_own):
            continue
        if match := compiled(_JOB).fullmatch(part.text):
            yield _made(part, f"{{of}}从事{match['v']}工作", "occupation", match["v"])
            if match["at"]:
                yield _made(part, f"{{of}}在{match['at']}工作", "employer", match["at"])
        elif named and (match := compiled(_AT).fullmatch(part.text) or _now_at(part)):
            yield _made(part, f"{{of}}在{match['v']}工作", "employer", match["v"])


def _now_at(part: Part) -> re.Match[str] | None:
    """Where somebody works who says just before that they left another place."""
    return compiled(_NOW_AT).fullmatch(part.text) if guard("left_work").search(part.before) else None


def _born(parts: Sequence[Part], turn: TurnView) -> Iterator[Found]:
    """The age of who says only in which year they were born, which may be one less."""
    for part in parts:
        if part.is_own and (match := _BORN.fullmatch(part.text)):
            short = int("".join(str(han_number(c) or 0) if not c.isdigit() else c for c in match["y"]))
            year = short if short > 100 else short + (1900 if short >= 40 else 2000)
            age = turn.occurred_at.year - year
            if _YOUNGEST <= age <= _OLDEST:
                yield replace(_made(part, f"{{owner}}是{year}年出生的，{age}岁", "age", age), approximate=True)
                return


def _years_and_sex(parts: Sequence[Part]) -> Iterator[Found]:
    aged = [(p, han_number(m["n"])) for p in parts if (m := _AGE.fullmatch(p.text))]
    for part, number in aged[:1]:
        if number is not None and _YOUNGEST <= number <= _OLDEST:
            yield _made(part, f"{{owner}}{number}岁", "age", number)
    of_sex = [(p, m["v"]) for p in parts if (m := _SEX.fullmatch(p.text))]
    for part, sex in of_sex[:1]:
        yield _made(part, f"{{owner}}是{sex}性", "gender", sex)


def _made(part: Part, text: str, slot: str, value: int | str) -> Found:
    return Found(part.clause.start, part.clause.end, "fact", text, ((slot, value),))
