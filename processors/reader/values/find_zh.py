"""Values of one kind in one clause: found by what they look like, kept where their clause says what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from processors.reader.rules.making_zh import doubted, planned
from processors.reader.rules.numbers import amount, han_number, whole
from processors.reader.values.kinds_zh import Kind, Lexicon, compiled, guard
from processors.reader.values.talk_zh import Part, is_of_blood, names_another
from schemas.base import JsonValue

_LEAD_OF_ANSWER = 6
_GOES_ON = re.compile(r"还有|另外|以及|加上|外加")
_JOINS = re.compile(r"(?:[和跟与及、/]|还有|以及|加上?|外加|或者?)?")
_WRONG = re.compile(r"不对|错|更正|纠正|不是")
_CORRECTED = re.compile(r"^应该")
"""Of what is put right no doubt is meant: 年薪说错了，应该是75万."""
_GAP = "　"
"""In place of a value in its clause."""
_HERE = re.compile(r"[了吧呢啊呀哈嘛的哦,，。.!！~～\s]*")
_ASKS = re.compile(r"(?:请|麻烦|能不能|可以|就|都|以后|尽量|给我|跟我|和我|对我|用|讲|说|写|回)*")
_OPENS = re.compile(r"(?:嗯|哦|就|是|有|在|对|好|我|我是|大概|差不多|目前|现在|主要是?|一个|个|还有|另外|再就是|然后)*")


@dataclass(frozen=True, slots=True)
class Value:
    """`values`: by slot or field; `start`, `end`: of its clause; `over`: it holds no more."""

    kind: Kind
    values: tuple[tuple[str, JsonValue], ...]
    words: tuple[tuple[str, str], ...]
    start: int
    end: int
    over: bool = False


def values_in(
    part: Part, kind: Kind, names: tuple[str, ...], lexicon: Lexicon, aliases: tuple[str, ...], *, follows: bool
) -> Iterator[Value]:
    """The values of a kind that a clause says of whom the kind is. `names`: slots to fill; `follows`: a clause just
    before held one of the kind."""
    text = part.text
    matches = list(compiled(kind.value, lexicon, aliases).finditer(text))
    if not matches or not _may_say(part, kind) or _is_kept_out(kind, part, lexicon, aliases):
        return
    spoken: list[bool | None] = []
    for match in matches:
        lead, rest = text[: match.start()], text[match.end() :]
        over = _is_over(kind, part, lead, rest, lexicon)
        holds = _is_of(kind, part, match, lexicon, aliases, follows) and _holds(kind, part, lead, rest)
        spoken.append(not over if over or holds else None)
    if kind.listed:
        spoken = _of_a_list(text, matches, spoken)
    for match, holds_still in zip(matches, spoken, strict=True):
        if holds_still is None or (not holds_still and kind.says_not is None):
            continue
        values = _read(kind, match, names)
        if values:
            words = tuple((k, v) for k, v in match.groupdict().items() if v is not None)
            yield Value(kind, values, words, part.clause.start, part.clause.end, not holds_still)


def _is_kept_out(kind: Kind, part: Part, lexicon: Lexicon, aliases: tuple[str, ...]) -> bool:
    """Does the clause, or the turn, speak of something else?"""
    if kind.unless and compiled(kind.unless, lexicon, aliases).search(part.text):
        return True
    if kind.not_in_turn and re.search(kind.not_in_turn, part.turn):
        return True
    if kind.not_asked and re.search(kind.not_asked, part.question):
        return True
    return kind.context is not None and not re.search(kind.context, part.turn + part.question)


def _of_a_list(text: str, matches: Sequence[re.Match[str]], spoken: Sequence[bool | None]) -> list[bool | None]:
    """What is said of each of several values that stand side by side: it is said of all of them."""
    found = list(spoken)
    beside = [_JOINS.fullmatch(text, a.end(), b.start()) is not None for a, b in pairwise(matches)]
    for n, joined in enumerate(beside):
        if joined and found[n + 1] is None:
            found[n + 1] = found[n]
    for n, joined in reversed(list(enumerate(beside))):
        if joined and found[n] is None:
            found[n] = found[n + 1]
    return found


def _may_say(part: Part, kind: Kind) -> bool:
    clause = part.clause
    if kind.whose == "family":
        return part.is_of_family
    if kind.whose == "theirs":
        return clause.states
    if kind.whose == "asked":
        return not clause.asks and not clause.supposed
    if part.is_own:
        return True
    if kind.whose == "has":
        named = clause.subject == "亲友" and "我" in part.text
        theirs = clause.subject in {"我", "我们", "我的"} or named or part.opens_with_kin
        return clause.states and part.says_i and theirs
    by_staff = kind.by_staff is not None and clause.states and part.says_i
    around = (part.before if _GOES_ON.match(part.text) else "") + part.text + part.after
    return by_staff and re.search(kind.by_staff or "", around) is not None and not _of_kin(part)


def _of_kin(part: Part) -> bool:
    """Does the turn speak of a person of the speaker's, who may be whom it is done for?"""
    return names_another(guard("staff").sub("", part.turn))


def _is_of(
    kind: Kind, part: Part, match: re.Match[str], lexicon: Lexicon, aliases: tuple[str, ...], follows: bool
) -> bool:
    """Does the clause, or what stands around it, say that the value is of its field?"""
    text = part.text
    lead, rest = text[: match.start()], text[match.end() :]

    def seen(pattern: str | None, where: str, *, at_start: bool = False) -> bool:
        if pattern is None:
            return False
        regex = compiled(pattern, lexicon, aliases)
        return (regex.match(where) if at_start else regex.search(where)) is not None

    if kind.plan_cue and not (seen(kind.plan_cue, text) or seen(kind.asked, part.question)):
        return False
    is_all = _OPENS.fullmatch(lead) is not None and _HERE.fullmatch(rest) is not None
    if kind.sure or (kind.alone and is_all):
        return True
    if seen(kind.before, lead) or (kind.behind and seen(kind.behind, rest, at_start=True)):
        return True
    if seen(kind.cue, f"{lead}{_GAP}{rest}") or seen(kind.topic, part.before):
        return True
    if seen(kind.earlier, part.turn[: part.clause.start]):
        return True
    if kind.joined and follows and seen(kind.joined, lead):
        return True
    if is_all and kind.next and seen(kind.next, part.after, at_start=True):
        return True
    question = part.asked_of_people if kind.whose in {"theirs", "has"} else part.question
    return bool(question) and len(lead) <= _LEAD_OF_ANSWER and seen(kind.asked, question)


def _holds(kind: Kind, part: Part, lead: str, rest: str) -> bool:
    """Is it so, rather than denied, past, planned, believed, asked or of somebody else?"""
    if kind.denied_near and re.search(kind.denied_near, lead):
        return False
    if not kind.denial and guard("denied").search(lead):
        return False
    if kind.whose == "asked":
        return _asks_of_reader(kind, part, lead)
    if kind.whose == "theirs":
        return not doubted(lead)
    in_place = guard("in_place").search(lead) is not None
    if guard("past").search(part.text) and kind.whose == "own" and not (kind.of_past or in_place):
        return False
    if kind.whose == "family":
        return is_of_blood(lead) and not guard("unmeant").search(part.text)
    if kind.by_staff is None and names_another(lead):
        return False
    if kind.by_staff is not None and names_another(guard("staff").sub("", lead)):
        return False
    if kind.planned:
        return True
    if kind.by_staff is not None:
        lead = guard("staff_says").sub("", lead)
    lead = _CORRECTED.sub("", lead) if _WRONG.search(part.before) else lead
    return not (planned(lead) or doubted(lead)) and not guard("unmeant").search(part.text)


def _asks_of_reader(kind: Kind, part: Part, lead: str) -> bool:
    """Is it a request to who answers, rather than something told of others?"""
    if names_another(part.turn[: part.clause.start][-24:] + lead) and "你" not in part.turn:
        return False
    if kind.reply or kind.means is not None:
        worded = compiled("{parts.told_reply}").search(part.turn)
        bare = _ASKS.fullmatch(lead) is not None and len(part.text) <= 8
        return worded is not None or (bare and kind.means is not None)
    return True


def _is_over(kind: Kind, part: Part, lead: str, rest: str, lexicon: Lexicon) -> bool:
    """Does the clause say that what held is so no longer?"""
    if kind.says_not is None or guard("in_place").search(lead):
        return False
    before = kind.ended_before and compiled(kind.ended_before, lexicon).search(lead)
    behind = kind.ended_behind and compiled(kind.ended_behind, lexicon).match(rest)
    after = (
        kind.ended_next and compiled(kind.ended_next, lexicon).match(part.after) and not _has_one(kind, part, lexicon)
    )
    return bool(before or behind or after) and not (names_another(guard("staff").sub("", lead)) or planned(lead))


def value_of(kind: Kind, part: Part, match: re.Match[str], names: tuple[str, ...]) -> Value | None:
    """What a match of a kind says, whatever stands around it; None where it is no value of the kind."""
    values = _read(kind, match, names)
    if not values or (kind.unless and "{lexicon" not in kind.unless and compiled(kind.unless).search(part.text)):
        return None
    words = tuple((k, v) for k, v in match.groupdict().items() if v is not None)
    return Value(kind, values, words, part.clause.start, part.clause.end)


def _has_one(kind: Kind, part: Part, lexicon: Lexicon) -> bool:
    """Does the clause say with its own words what is so?"""
    value = compiled(kind.value, lexicon).search(part.text)
    return (
        value is not None
        and kind.before is not None
        and bool(compiled(kind.before, lexicon).search(part.text[: value.start()]))
    )


def _read(kind: Kind, match: re.Match[str], names: tuple[str, ...]) -> tuple[tuple[str, JsonValue], ...]:
    if kind.pair:
        numbers = {slot: _number(match[group]) for slot, group in kind.pair.items()}
        values = tuple(v for v in numbers.values() if v is not None)
        falls = len(values) == len(numbers) and all(a > b + 9 for a, b in pairwise(values))
        return tuple(numbers.items()) if falls else ()
    value = _value(kind, match)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and not _fits(kind, value)):
        return ()
    return tuple((name, value) for name in names)


def _fits(kind: Kind, value: float) -> bool:
    return kind.within[0] <= value <= kind.within[1]


def _value(kind: Kind, match: re.Match[str]) -> JsonValue:
    groups = match.groupdict()
    if kind.means is not None:
        return kind.means
    if kind.money:
        return amount(re.sub(r"[来多几\s]", "", match["money"]))
    if kind.height:
        return _height(match)
    if "n" in groups:
        number = _number(match["n"] or groups.get("m") or "")
        if number is not None and groups.get("half"):
            number += 0.5
        return None if number is None else whole(round(number * kind.units.get(groups.get("u") or "", 1), 2))
    text = (
        match["part"] + "切除" if kind.with_surgery else (groups.get("v") or groups.get("w") or match.group()).strip()
    )
    return kind.canonical.get(text, text)


def _height(match: re.Match[str]) -> JsonValue:
    if match["n"]:
        return whole(float(match["n"]))
    if match["metres"]:
        return whole(round(float(match["metres"]) * 100, 1))
    metres, rest = 2 if match["m"] == "2" else 1, match["cm"]
    digits = "".join(str(han_number(c)) for c in rest)
    return metres * 100 + int(digits) * (10 if len(digits) == 1 else 1)


def _number(text: str) -> float | None:
    """Digits, or numerals with 点 in place of the point (六点八)."""
    before, point, after = text.partition("点")
    if not point:
        return amount(text)
    parts = [amount(before), *(amount(each) for each in after)]
    return None if None in parts else float(f"{parts[0]}.{''.join(map(str, parts[1:]))}")
