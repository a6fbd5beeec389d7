"""What a Chinese turn lists of its speaker without verbs: 29，本科，武汉大学土木工程; 我方圆，产品经理.

Each part of such a list is one value by itself, and nothing else. Alone a part says nothing: it counts where a question
asked for it, or where it stands in a list with others of another kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from processors.reader.rules.clauses_zh import ANIMALS, CIRCLES, FAMILY, KIN
from processors.reader.rules.found import Found
from processors.reader.rules.making_zh import planned
from processors.reader.rules.named_subjects_zh import is_name
from processors.reader.rules.places_zh import ORGANISATIONS, PLACE, PLACES
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.self_zh import ROLE
from processors.reader.rules.text import prepare, sentences

Kind = Literal["name", "age", "degree", "school", "home", "job", "employer", "income", "children"]


@dataclass(frozen=True, slots=True)
class _Part:
    kind: Kind
    says: tuple[str, ...]
    start: int
    end: int


_CUT = re.compile(r"[，,、。！!～~；;\s]+")
_GREETS = re.compile(
    r"(?:(?:大家|各位|你们?|您)?(?:早上|上午|下午|晚上)?好|早|嗨|哈喽|hi|hello|嗯+|哦|对了|好的)[呀啊哈哦]*"
    r"(?:[，,。！!～~\s]+|(?=我))",
    re.I,
)
_NUMBER = r"(?:\d{1,3}(?:\.\d{1,2})?|[一二两三四五六七八九十百]{1,5})"
_AGE = re.compile(
    r"(?:我|今年|快|刚|都|已经|虚岁)*(?P<n>[1-9]\d|[二三四五六七八九]十[一二三四五六七八九]?)(?:周?岁)?[了啦吧]?"
)
_DEGREE = re.compile(r"(?:学历)?(?P<degree>博士|硕士|研究生|本科|学士|大专|专科|高中|中专)(?:学历|学位|毕业)?的?")
_SCHOOL = r"(?:(?![毕于在是从的我读上考过名])[\u4e00-\u9fffA-Za-z]){2,10}?(?:大学|学院)"
_MAJOR = r"(?:的?(?P<major>(?!毕业)[\u4e00-\u9fff]{2,8}?)(?:专业|系)?)?(?:毕业)?的?"
_HOME = re.compile(
    rf"(?:我|人|现在|目前|现)*(?P<at>在|坐标|base)?\s?(?P<place>{PLACE})(?:这边|那边|这里|市区|本地|远程|工作|上班|生活)*[呢啊呀]?"
)
_JOB = re.compile(
    rf"(?:我|现在|目前)*(?:是|做|搞|干|当|负责|跑|个|一[名个位])*(?P<job>(?:(?![的是做我])[\u4e00-\u9fffA-Za-z]){{0,5}}?{ROLE})(?:工作|岗位?)?[的了]?"
)
_LETTERS = re.compile(r"(?P<job>[A-Z]{3,4})")
"""What somebody is in the trade's own letters, behind their name."""
_EMPLOYER = re.compile(
    rf"(?:我|现在|目前)*在(?P<org>[\u4e00-\u9fffA-Za-z]{{1,10}}(?:{'|'.join(ORGANISATIONS)}))"
    r"(?:这边|那边|上班|工作)?的?"
)
_INCOME = re.compile(
    rf"(?:税前|税后|一年|每年|年薪|大概|大约|差不多|也就|[约是有能])*(?P<money>{_NUMBER}(?:百万|千万|[万wW]))(?P<more>左右|上下|出头|多)?[吧了]?"
)
_CHILDREN = re.compile(
    r"(?:就|有|已经)*(?P<n>[一二两三四1-4俩])个?(?P<what>儿子|女儿|男孩|女孩|闺女|男娃|女娃|娃|孩子|小孩)?[了啊呢]?"
)
_NAME = re.compile(r"(?P<own>我(?:是|叫)?)(?P<name>[\u4e00-\u9fff·]{2,3})")
_NO_NAME = re.compile(
    rf"(?:{KIN})|[们的了不没也都就先再刚去来想要说看听]|同意|知道|明白|觉得|没事|可以|现在|目前|今天|一会|自己|以为|建议|反对|支持|继续|负责|{ROLE}$"
)
_OPENS_ROLE = re.compile(r"(?:[^，。]{0,8})?我(?:人|是|做|在|负责)|(?:现在|目前)?(?:是|做|负责|在)")
"""Behind a name, what somebody says of themselves."""


def _is_asked(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_ASKED: Mapping[Kind, re.Pattern[str]] = {
    "name": _is_asked(r"怎么称呼|叫什么|名字|贵姓"),
    "age": _is_asked(r"多大(?![的一])|几岁|年龄|贵庚|多少岁"),
    "degree": _is_asked(r"学历|什么文凭"),
    "school": _is_asked(r"学历|哪(?:所|个)(?:大学|学校)|毕业院校|什么专业"),
    "home": _is_asked(
        r"(?:(?:^|[，,。！])(?:请问|那)?|[你您](?:现在|目前|人|平时|是|一直|平常)*|现在|目前|人)在(?:哪[里儿]?|什么地方|哪个城市|什么城市)"
        r"(?:工作|生活|上班|居住|住|定居|发展|[和与、])*[呢呀啊]?$|[住居]在?(?:哪|什么)|(?:在|是)哪个城市[呢呀啊]?$|所在(?:城市|地)"
    ),
    "job": _is_asked(r"(?:做|干)(?:的是)?(?:什么|啥)(?:的|工作|职业)|什么(?:工作|职业|岗位)|职业"),
    "income": _is_asked(r"(?:年薪|年收入|一年的?(?:收入|工资|能?挣|能?赚)).{0,8}$"),
    "children": _is_asked(r"有(?:没有)?(?:几个)?(?:孩子|小孩|子女|娃)[了吗呢没有]*$|几个(?:孩子|小孩|娃)"),
}
_OF_ANOTHER = re.compile(
    rf"(?:{KIN}|{ANIMALS})(?!们)|[他她它]|(?:[你您]们?|^)的?(?:{CIRCLES})(?!在?哪|工作|上班)|别人|对方"
)
_NOT_NOW = re.compile(r"以前|之前|曾经?|过去|当时|那时|小时候|上一?[份家个]|如果|退休|理想|老家|毕业[前后]")


def listed(turn: TurnView, text: str, schools: Mapping[str, str]) -> list[Found]:
    """Return the parts of the list that a turn opens with, each as a sentence of the speaker's own at its place of
    `text`; `schools`: short names of schools. Empty where the turn opens with none."""
    if turn.language != "zh":
        return []
    asked = _asked(turn)
    parts = list(_parts(text, asked, schools))
    kinds = {p.kind for p in parts}
    if not parts or (asked & {"children"} and parts[0].kind == "children"):
        parts = [p for p in parts[:1] if p.kind == "children"]
    elif len(kinds) < 2 or not (kinds & asked or "name" in kinds or ("age" in kinds and turn.speaker is None)):
        parts = [p for p in parts if p.kind in asked]
    return [Found(p.start, p.end, "fact", says) for p in _joined(parts) for says in p.says]


def _asked(turn: TurnView) -> set[Kind]:
    """What the last question asks of the speaker, today."""
    if not turn.previous or turn.previous[-1][0] != "assistant":
        return set()
    questions = [s.text.rstrip("？? ") for s in sentences(prepare(turn.previous[-1][1])) if s.asks]
    out: set[Kind] = set()
    for question in questions:
        for kind, pattern in _ASKED.items():
            of_another = _OF_ANOTHER.search(pattern.sub("", question) if kind == "children" else question)
            if pattern.search(question) and not (of_another or _NOT_NOW.search(question) or planned(question)):
                out.add(kind)
    return out


def _parts(text: str, asked: set[Kind], schools: Mapping[str, str]) -> Iterator[_Part]:
    """The parts from the start of a turn on, as long as each is one value by itself."""
    greets = _GREETS.match(text)
    at = greets.end() if greets else 0
    pieces = list(_pieces(text, at))
    seen: set[Kind] = set()
    for n, (piece, start) in enumerate(pieces):
        following = [each for each, _ in pieces[n + 1 : n + 3]]
        if n == 0 and (name := _name(piece, following, greeted=greets is not None)) is not None:
            seen.add("name")
            yield _Part("name", (f"我叫{name}",), start, start + len(piece))
            continue
        found = _part(piece, asked, seen, schools)
        if found is None or found[0] in seen:
            return
        seen.add(found[0])
        yield _Part(*found, start, start + len(piece))


def _pieces(text: str, at: int) -> Iterator[tuple[str, int]]:
    for cut in _CUT.finditer(text, at):
        if cut.start() > at:
            yield text[at : cut.start()], at
        at = cut.end()
    if at < len(text):
        yield text[at:], at


def _name(piece: str, following: Sequence[str], *, greeted: bool) -> str | None:
    if is_name(piece) and len(following) > 1 and _is_value(following[0]) and following[1].startswith("我"):
        return piece
    match = _NAME.fullmatch(piece)
    if match is None or not following or _NO_NAME.search(match["name"]):
        return None
    is_job_or_age = any(p.fullmatch(following[0]) is not None for p in (_JOB, _AGE))
    says_more = _is_value(following[0]) or (greeted and _OPENS_ROLE.match(following[0]) is not None)
    if is_job_or_age or (is_name(match["name"]) and says_more):
        return match["name"]
    return None


def _is_value(piece: str) -> bool:
    return any(p.fullmatch(piece) is not None for p in (_JOB, _AGE, _LETTERS))


_Read = tuple[Kind, tuple[str, ...]]


def _part(piece: str, asked: set[Kind], seen: set[Kind], schools: Mapping[str, str]) -> _Read | None:
    if asked & {"children"} and (match := _CHILDREN.fullmatch(piece)):
        return "children", (f"我有{match['n'].replace('俩', '两')}个{match['what'] or '孩子'}",)
    if match := _AGE.fullmatch(piece):
        return "age", (f"我{match['n']}岁",)
    if match := _DEGREE.fullmatch(piece):
        return "degree", (f"我是{match['degree']}学历",)
    if match := _school(tuple(schools)).fullmatch(piece):
        major = (f"我的专业是{match['major']}",) if match["major"] else ()
        return "school", (f"我毕业于{match['school']}", *major)
    if (match := _HOME.fullmatch(piece)) and (match["at"] or "home" in asked):
        return "home", (f"我住在{match['place']}",)
    if "income" in asked and (match := _INCOME.fullmatch(piece)):
        return "income", (f"我年薪{match['money']}{match['more'] or ''}",)
    if (match := _EMPLOYER.fullmatch(piece)) and seen and match["org"] not in PLACES:
        return "employer", (f"我在{match['org']}工作",)
    if (match := _JOB.fullmatch(piece)) and not re.search(FAMILY, match["job"]):
        return "job", (f"我从事{match['job']}工作",)
    if "name" in seen and (match := _LETTERS.fullmatch(piece)):
        return "job", (f"我从事{match['job']}工作",)
    return None


def _school(names: Sequence[str]) -> re.Pattern[str]:
    short = "|".join(re.escape(n) for n in sorted(names, key=len, reverse=True)) or r"(?!)"
    return re.compile(rf"(?:是|毕业于)?(?P<school>{short}|{_SCHOOL}){_MAJOR}")


def _joined(parts: Sequence[_Part]) -> list[_Part]:
    """The parts, where a degree and a school beside each other are one statement."""
    out: list[_Part] = []
    for part in parts:
        last = out[-1] if out else None
        if last is not None and {last.kind, part.kind} == {"degree", "school"}:
            degree, school = (last, part) if last.kind == "degree" else (part, last)
            name = school.says[0].removeprefix("我毕业于")
            major = school.says[1].removeprefix("我的专业是") if len(school.says) > 1 else ""
            title = degree.says[0].removeprefix("我是").removesuffix("学历")
            out[-1] = replace(part, kind="school", says=(f"我是{name}{major}{title}毕业",), start=last.start)
        else:
            out.append(part)
    return out


def with_listed(found: list[Found], parts: Sequence[Found], read: Callable[[str], list[Found]]) -> list[Found]:
    """What was found in a turn with what its list says; `read` reads a sentence. A value that the turn gives in another
    way stays. Behind the speaker's children stands what is theirs: 一个女儿，4岁."""
    if not parts:
        return found
    if "个" in parts[0].text and len(parts) == 1:
        found = [f for f in found if not f.slots]
    known = {slot for f in found for slot, _ in f.slots}
    more: list[Found] = []
    for part in parts:
        own = [replace(f, start=part.start, end=part.end) for f in read(part.text)]
        more += [f for f in own if f.dropped is None and f.slots and {s for s, _ in f.slots} - known]
    names = {slot for f in more for slot, _ in f.slots}
    kept = [f for f in found if not ({s for s, _ in f.slots} <= names and f.slots and _is_part(f, parts))]
    kept = [f for f in kept if f.slots or not _is_part(f, parts)]
    return sorted([*kept, *more], key=lambda f: f.start)


_COUNTED = re.compile(r"多少|几(?!岁)|分数|成绩|数量|多[重高长]|进度")
_BARE_NUMBER = re.compile(r"\s*(?:\d{2}|[二三四五六七八九]十[一二三四五六七八九]?)[多几]?了")


def without_counts(found: list[Found], turn: TurnView, text: str) -> list[Found]:
    """What was found, without an age that only answers how many there are: 61了 to 考了多少分."""
    if turn.language != "zh" or not turn.previous or turn.previous[-1][0] != "assistant":
        return found
    asked = turn.previous[-1][1]
    if _COUNTED.search(asked) is None or _ASKED["age"].search(asked) is not None:
        return found
    return [f for f in found if not ("age" in dict(f.slots) and _BARE_NUMBER.match(text, f.start))]


def _is_part(found: Found, parts: Sequence[Found]) -> bool:
    """Does what was found say no more than the list?"""
    return parts[0].start <= found.start and found.end <= parts[-1].end
