"""Chinese orders to the assistant that hold from now on (D2): 以后日期一律写全, 别叫我亲; and what it is to remember.

An order is no statement of the speaker's own life, so it is known by two signs: from when on, without exception or at
what occasion, and that somebody is told to do it. What the speaker does (以后我早睡), what somebody else ordered
(老师说以后…), what was, and what can be is none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files

from processors.reader.rules.clauses_zh import FILLER, KIN, Clause
from processors.reader.rules.found import Found
from processors.reader.rules.named_subjects_zh import named
from processors.reader.rules.remember_requests import rest_zh
from processors.reader.rules.self_contained_zh import ASKS, SUPPOSED, resolved
from processors.reader.rules.text import Sentence

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "orders_zh.toml").read_text(encoding="utf-8"))
_LONGEST = 44
_SHORTEST = 4
_TOGETHER = 3
"""Clauses of one order."""


def _any(name: str) -> str:
    return "|".join(sorted(_DATA[name].split(), key=len, reverse=True))


_OF_BIE = r"(?<![特区级分类性个告离])别(?![的人处墅名见致])"
_FORBIDDEN = re.compile(_any("forbids").replace("别", _OF_BIE))
_LETS_OFF = re.compile(_any("lets_off"))
FROM_NOW = _any("from_now")
_FROM_NOW = re.compile(rf"(?:{FROM_NOW})(?!再说|有空|怎么|的事)")
_ALWAYS = re.compile(_any("always"))
_EACH_TIME = re.compile(_any("each_time"))
_OCCASION = re.compile(
    r"(?=.{0,16}[你您我]).{2,14}的时候.{0,3}(?=别|不要|先|记得|请|不许)"
    r"|我(?:每次|一)?(?:问|发|说|讲|提)[^，]{1,14}[，,]?(?=[你您](?:就|先|再|都))"
)
_TO_OURS = re.compile(rf"(?:{_any('to_me')})(?:一下)?我(?:们|的)?(?:{KIN})?")
_TO_ME = re.compile(rf"(?:{_any('to_me')})(?:一下)?我(?!们|的?(?:{KIN}))")
_REQUEST = r"(?<![邀申])请(?![假客教])"
_DIRECTIVE = re.compile(rf"[你您](?![们的家])|{_REQUEST}|务必|记得|就(?:行|好|成|可以)了?$|即可$|先.{{1,12}}再")
_DOES = re.compile(rf"(?:{_any('does')})[^，]")
_DIRECT = re.compile(
    rf"(?:千万|请|你|您){{0,2}}(?:别|不要|不许|甭|莫)(?:再|老|总|一?直)?(?:{_any('to_me')})我"
    rf"(?!们|的?(?:{KIN})|[这那说丢惹添乱开急面生讲抢闹瞎胡])"
)
"""What nobody is to do to the speaker: it needs no time."""
_CALLED = re.compile(r"(?:你|您|请|就|还是)*(?:叫|喊|称呼)我[\u4e00-\u9fffA-Za-z“”]{1,8}$")
_OPENS = re.compile(rf"(?:(?:{_any('opens')})[，,：:\s]*)+(?=.{{3}})")
_ENDS = re.compile(rf"(?:[，,\s]*(?:{_any('ends')}))+$")
_REMEMBER = re.compile(rf"(?:(?:请|麻烦|你|您|都|先|再|给我|替我){{0,3}}(?:{_any('remember')})[哈啊吧哦了]?)")
_TELLS = re.compile(r"\d|是|在|有|叫|姓|欠|要|会|不|[到过了]|写|[一二两三四五六七八九十]")
_KIN = re.compile(KIN)
_NOT_TOLD_AT_ONCE = re.compile(rf"(?:{_any('does')})|{_any('nothing_to_keep')}")
"""What somebody is to do: 记得带伞."""
_OF_A_TASK = re.compile(rf"[^，是有在]{{0,4}}(?:{_any('of_a_task')})")
_OTHERS = re.compile(_any("others_order"))
_NO_ORDER = re.compile(rf"{_any('no_order')}|(?<![的开周例晨])会(?![议员])|(?<![功性只才可])能(?![源力量])")
_SOMEBODY = re.compile(
    rf"[他她它]|人家|大家|我们|咱|你们(?!家|公司|平台|店)|(?!单位(?<=[的量价]单位))(?:{_any('circles')})|{KIN}"
)
_SPEAKS = re.compile(r"我(?!(?:每次|一)?(?:问|发|说|讲|提)[^，]{1,14}[你您])|本人|(?:^|[，,])自己")
_ADDRESSED = re.compile(r"(?<![“‘「『\"'])(?<!用)(?<!称)[你您](?![”’」』\"']|这?个?字|相称)|(?<=用)[你您](?=的)")
"""The assistant; the word itself is not ("用您", “您”)."""
_OPENS_ORDER = re.compile(r"的时候|时$|^我(?:每次|一)?(?:问|发|说|讲|提)|[你您](?![们的家])")
_YOURS = re.compile(r"你们(?:家|公司|平台|店|银行|那边|这边)?的?")


def orders(sentence: Sentence, original: str, parts: Sequence[Clause]) -> list[Found]:
    """Return the orders in a sentence, each with the clauses that go on with it; `original` is the sentence with its
    quotations, `parts` are its clauses."""
    if sentence.asks:
        return []
    found: list[Found] = []
    at = 0
    while at < len(parts):
        last = _last(sentence, parts, at)
        if last is None:
            at += 1
            continue
        start, end = parts[at].start, parts[last].end
        text = reworded(original[start - sentence.start : end - sentence.start])
        found.append(Found(start, end, "preference", text))
        at = last + 1
    return found


def to_remember(sentence: Sentence, original: str, parts: Sequence[Clause], taken: Sequence[Found], *,
    at_once: bool = False,
) -> list[Found]:  # fmt: skip
    """Return what a sentence asks to remember beside what is `taken` from it: each clause without a subject that stands
    by itself, as an order where it says what to do. `at_once`: to an assistant one also asks it in the same clause."""
    at = next((n for n, c in enumerate(parts) if _REMEMBER.fullmatch(c.raw)), None)
    if sentence.asks or (at is None and not at_once):
        return []
    if at is None:
        return _remembered_at_once(sentence, original, parts, taken)
    found: list[Found] = []
    for clause in parts[at + 1 :] or parts[:at]:
        phrase = _opened(clause.raw)
        of_another = clause.subject not in {"我", "unnamed"}
        if any(f.overlaps(clause.start, clause.end) for f in taken) or not _bare_fact(phrase) or of_another:
            break
        whole = original[clause.start - sentence.start : clause.end - sentence.start]
        ordered = found[0].kind == "preference" if found else _DOES.search(phrase) is not None and "是" not in phrase
        if ordered:
            found.append(Found(clause.start, clause.end, "preference", reworded(whole)))
        elif not _OF_A_TASK.match(phrase) and (not found or re.search(r"\d|(?<![老总还就])是|叫", phrase)):
            text = "{owner}" + _opened(whole.strip())
            found.append(Found(clause.start, clause.end, "episode", text, episode_type="fact"))
    if at_once and not found and parts[at + 1 :]:
        return _remembered_at_once(sentence, original, parts, taken, at + 1)
    return found


def _remembered_at_once(
    sentence: Sentence, original: str, parts: Sequence[Clause], taken: Sequence[Found], behind: int | None = None
) -> list[Found]:
    """A fact behind the words that ask to remember it: 帮我记住备用钥匙在门垫下面; the clause at `behind` where a comma
    is between."""
    for clause in parts[:1] if behind is None else parts[behind : behind + 1]:
        phrase: str | None = original[clause.start - sentence.start : clause.end - sentence.start].strip()
        phrase = rest_zh(phrase or "") if behind is None else phrase
        if phrase is None or any(f.overlaps(clause.start, clause.end) for f in taken) or clause.asks or clause.supposed:
            break
        asks = ASKS.search(phrase) or re.search("[你您]", phrase)
        fits = _SHORTEST <= len(phrase) <= _LONGEST and resolved(phrase) and not asks
        fits = fits and not (_NOT_TOLD_AT_ONCE.match(phrase) or _OF_A_TASK.match(phrase))
        if fits and _TELLS.search(phrase):
            text = phrase.replace("我", "{owner}")
            text = text if "{owner}" in text else ("{owner}的" if _KIN.match(phrase) else "{owner}") + text
            return [Found(clause.start, clause.end, "episode", text, episode_type="fact")]
    return []


def _bare_fact(text: str) -> bool:
    fits = _SHORTEST <= len(text) <= _LONGEST and resolved(text) and not (ASKS.search(text) or SUPPOSED.search(text))
    return fits and not (_SPEAKS.search(text) or _SOMEBODY.match(text) or re.search(r"[你您我]", text) or named(text))


def _last(sentence: Sentence, parts: Sequence[Clause], at: int) -> int | None:
    """The last clause of an order that begins at this one."""
    for last in range(min(len(parts), at + _TOGETHER) - 1, at - 1, -1):
        phrase = sentence.text[parts[at].start - sentence.start : parts[last].end - sentence.start].strip()
        goes_on = last == at or (_opens(parts[at].raw) and all(_goes_on(c.raw) for c in parts[at + 1 : last + 1]))
        if len(phrase) <= _LONGEST and goes_on and _is_order(phrase):
            return last
    return None


def _opens(clause: str) -> bool:
    """May an order of several clauses begin with this one?"""
    phrase = _opened(clause)
    signs = (_FROM_NOW, _ALWAYS, _EACH_TIME, _OCCASION, _OPENS_ORDER, _FORBIDDEN, _LETS_OFF, _DIRECTIVE, _TO_ME)
    return _DOES.match(phrase) is not None or any(sign.search(phrase) for sign in signs)


def _goes_on(clause: str) -> bool:
    if _SPEAKS.match(clause):
        return False
    ordered = _FORBIDDEN.match(clause) or _DIRECTIVE.search(clause) or _ALWAYS.match(clause) or _CALLED.match(clause)
    return ordered is not None or (_DOES.search(clause) is not None and len(clause) < 12 and clause[-1] not in "了过着")


def _is_order(text: str) -> bool:
    text = _opened(text)
    if len(text) < _SHORTEST or not resolved(text) or ASKS.search(text) or SUPPOSED.search(text):
        return False
    if _DIRECT.match(text):
        return True
    times = [p.search(text) for p in (_FROM_NOW, _ALWAYS, _OCCASION, _EACH_TIME)]
    begin = min((m for m in times if m is not None), key=lambda m: m.start(), default=None)
    if begin is None or named(text) or _SOMEBODY.search(text[: begin.start()]) or _OTHERS.search(text[: begin.start()]):
        return False
    rest = text[begin.start() :]
    when = times[2].end() if times[2] is not None else 0
    own = _TO_OURS.sub("", text[when:])
    if _SPEAKS.search(own) or _NO_ORDER.search(_TO_OURS.sub("", rest)) or _SOMEBODY.match(text[begin.end() :]):
        return False
    firm = times[0] is not None or times[1] is not None
    is_told = _DIRECTIVE.search(text) is not None or times[2] is not None
    to_me = _TO_ME.search(rest) is not None and (firm or is_told)
    if _LETS_OFF.search(rest):
        return is_told or to_me
    if _FORBIDDEN.search(rest):
        return is_told or to_me or (firm and not rest.endswith("了"))
    if rest.endswith(("了", "过")) or not (to_me or _DOES.search(rest)):
        return False
    if times[1] is not None and _DOES.match(text[times[1].end() :]):
        return True
    return sum((times[0] is not None, times[1] is not None, is_told, to_me)) > (1 if firm else 0)


def _opened(text: str) -> str:
    filler = FILLER.match(text)
    text = text[filler.end() :] if filler and filler.end() < len(text) else text
    return _OPENS.sub("", text, count=1) if _OPENS.match(text) else text


def reworded(statement: str) -> str:
    """The order as one of the owner's."""
    text = _ENDS.sub("", _opened(statement.strip())).strip("，,。 ")
    text = re.sub(rf"{_REQUEST}|麻烦(?=[你您])", "", _YOURS.sub("", text))
    text = re.sub(rf"莫(?=[^名非过])|甭|勿|{_OF_BIE}", "不要", text)
    text = _ADDRESSED.sub("助手", text)
    text = text.replace("我们", "{owner}等人")
    first, assistant, rest = text.partition("助手")
    text = first.replace("我", "自己") + assistant + rest.replace("我", "{owner}")  # behind another 自己 is unclear
    return "{owner}要求" + ("在" if re.match(r"自己[^，]*的时候", text) else "") + text
