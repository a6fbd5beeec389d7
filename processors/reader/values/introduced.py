"""Who speaks, where they introduce themselves without a sentence: 胡卫东，62，退休前开公交的."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from processors.reader.rules.found import Found
from processors.reader.rules.named_subjects_zh import is_name
from processors.reader.rules.numbers import han_number
from processors.reader.rules.places_zh import PLACES
from processors.reader.rules.protocol import TurnView
from processors.reader.values.kinds import compiled, known_words
from processors.reader.values.talk import Part

_OPENING = re.compile(
    r"(?:大家好|各位好|你们好|你好|您好|嗨|哈喽|喂|自我介绍一?下|自报家门|报到|新人报到|冒个泡|签个到)[，,：:！!\s]*"
    r"|(?:我叫|我是(?:新加入的|新来的|新同事|刚来的)?|叫我|叫|我的名字叫?|名字叫?|姓名|本人|我)(?:是|：|:)?"
)
_NAME = re.compile(r"(?:(?:(?![了的是在吗吧呢啊也都就没不很好来去们])[\u4e00-\u9fff]){2,3}|欧阳[\u4e00-\u9fff]{1,2}|[司上诸][马官葛][\u4e00-\u9fff]{1,2})")
_TWO = re.compile(r"(?:欧阳|司马|上官|诸葛)[\u4e00-\u9fff]{1,2}$")
_AT = "(?:我)?(?:这边)?(?:是|在|来自)?(?P<v>{parts.org})的?"
_JOB = "(?:我|我是|是)?(?:(?P<at>{parts.org})的?)?(?:做|干|搞|负责|管)?(?P<v>{parts.job}|{words.trades})(?:的|一枚|岗)?"
_BORN = re.compile(r"(?:我|我是|本人|是)?(?P<y>19[3-9]\d|20[01]\d|[4-9]\d|0\d)年(?:的|生人?|出生)(?:人)?")
_REPORTS = re.compile(r"(?P<name>[\u4e00-\u9fff]{2,3}?)(?:前来|来)?(?:报到|打卡报到|签到)")
_AGE = re.compile(r"(?:今年|刚|快|周岁|虚岁|属\S)?(?P<n>\d{2}|[二三四五六七八九]十[一二三四五六七八九]?)(?:了|岁)?(?:男|女)?")
_SEX = re.compile(r"(?:\d{2}岁?)?(?P<v>男|女)(?:的|生|性|士)?(?:\d{2}岁?)?")
_SAYS = re.compile(r"自报家门|自我介绍|我叫|我是|叫我|大家好|报到|新来的|刚来|加我一个")
_SAYS_NAME = re.compile(r"我叫|叫我|我的名字|名字|姓名|我是(?=[\u4e00-\u9fff]{2,3}$)")
_ABOUT_SELF = frozenset({"age", "gender", "occupation", "employer", "education", "marital", "residence", "years"})


def introduced(parts: Sequence[Part], told: set[str], turn: TurnView, *, in_project: bool) -> Iterator[Found]:
    """The name, the years, the sex and the work that clauses of an introduction consist of; `told`: the slots that the
    turn fills already."""
    if not parts or turn.speaker is not None:
        return
    says = any(_SAYS.search(p.text) for p in parts)
    works = [p for p in parts[:5] if compiled(_JOB).fullmatch(p.text)]
    name = _name(parts, says=says, told=bool(told & _ABOUT_SELF) or _has_age(parts) or bool(works))
    if name is not None:
        yield name
    own = bool(name) or bool(told & {"name", "gender", "occupation", "education", "marital", "height"})
    for part in parts[:6] if own and not in_project else ():
        if (match := _AGE.fullmatch(part.text)) and part.clause.states:
            number = han_number(match["n"])
            if number is not None and 14 <= number <= 99:
                yield _made(part, f"{{owner}}{number}岁", "age", number)
                break
    for part in works[:1] if name or told & _ABOUT_SELF else ():
        match = compiled(_JOB).fullmatch(part.text)
        if match and part.clause.states and (part.is_own or name is not None):
            yield _made(part, f"{{of}}从事{match['v']}工作", "occupation", match["v"])
            if match["at"]:
                yield _made(part, f"{{of}}在{match['at']}工作", "employer", match["at"])
    for part in parts[1:5] if name else ():
        if (match := compiled(_AT).fullmatch(part.text)) and part.clause.states:
            yield _made(part, f"{{of}}在{match['v']}工作", "employer", match["v"])
    yield from _born(parts, turn)
    for part in parts[:6] if own and not in_project else ():
        if match := _SEX.fullmatch(part.text):
            yield _made(part, f"{{owner}}是{match['v']}性", "gender", match["v"])
            break


def _born(parts: Sequence[Part], turn: TurnView) -> Iterator[Found]:
    """The age of who says only in which year they were born, which may be one less."""
    for part in parts[:6]:
        if part.is_own and (match := _BORN.fullmatch(part.text)):
            short = int(match["y"])
            year = short if short > 100 else short + (1900 if short >= 40 else 2000)
            age = turn.occurred_at.year - year
            if 14 <= age <= 99:
                made = _made(part, f"{{owner}}是{year}年出生的，{age}岁", "age", age)
                yield replace(made, approximate=True)
                return


def _has_age(parts: Sequence[Part]) -> bool:
    return any(_AGE.fullmatch(p.text) for p in parts[1:4])


def _name(parts: Sequence[Part], *, says: bool, told: bool) -> Found | None:
    for at, part in enumerate(parts[:4]):
        if part.clause.asks or part.clause.supposed:
            continue
        if (reports := _REPORTS.fullmatch(part.text)) and _is_one(reports["name"]):
            return _made(part, f"用户名叫{reports['name']}", "name", reports["name"])
        opening = _OPENING.match(part.text)
        bare = part.text[opening.end() :] if opening else part.text
        named = opening is not None and opening.group() not in {"", "我"} and opening.group()[0] in "我叫名姓本"
        if not (_NAME.fullmatch(bare) and _is_one(bare)):
            continue
        goes_on = at + 1 < len(parts) and (says or told)
        opens = all(_OPENING.fullmatch(p.text + "，") or p.clause.asks for p in parts[:at])
        goes_on = goes_on and (named or opens)
        if (named and (goes_on or _SAYS_NAME.match(part.text))) or (goes_on and _is_full(bare)) or (goes_on and opening and opening.group().startswith("我")):
            return _made(part, f"用户名叫{bare}", "name", bare)
    return None


def _is_full(text: str) -> bool:
    """A surname and a given name, with no word of another kind in it."""
    return text[0] not in "老小阿"


def _is_one(text: str) -> bool:
    """A name, and no word of what is known by name itself."""
    known = is_name(text) or _TWO.match(text) or (len(text) > 1 and compiled("{words.surnames}").match(text))
    ordinary = text in PLACES or text in known_words()["not_names"].split()
    return bool(known) and not ordinary and not any(_names(name, text) for name in ("conditions", "drugs", "jobs", "tongues", "majors", "trades"))


def _names(words: str, text: str) -> bool:
    return words in known_words() and compiled(f"{{words.{words}}}").search(text) is not None


def _made(part: Part, text: str, slot: str, value: int | str) -> Found:
    return Found(part.clause.start, part.clause.end, "fact", text, ((slot, value),))
