"""The rule-based extractor: English and Chinese, no model, pure and deterministic (B1, B7, D2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Literal, TypedDict
from zoneinfo import ZoneInfo

from inference.reader.protocol import FieldReader, FieldSpan, TurnInput
from processors.language import times
from processors.language.statement_time import as_span, told_time, with_time
from processors.language.timespan import TimeSpan
from processors.reader.rules import dated_en, dated_zh, read_en, read_zh
from processors.reader.rules.answers import (
    answers_for_another,
    as_statement,
    person_asked_about_zh,
    restated_for,
    with_the_answer,
)
from processors.reader.rules.bare_turns_en import bare_values, with_bare_values
from processors.reader.rules.catalogue import filled, own_fields, resolve
from processors.reader.rules.combined import combined
from processors.reader.rules.confirm import apply_confirmation
from processors.reader.rules.domain import project_of, resolve_category
from processors.reader.rules.earlier_values import earlier_value
from processors.reader.rules.found import Found
from processors.reader.rules.group_talk_zh import Talker
from processors.reader.rules.helpers_en import of_their_life, speaks_for_work
from processors.reader.rules.hot import hot_entry
from processors.reader.rules.listed_zh import listed, with_listed, without_counts
from processors.reader.rules.ordered_zh import orders_of
from processors.reader.rules.patient_clauses_zh import told_to_doctor
from processors.reader.rules.patient_zh import patient
from processors.reader.rules.person_en import about
from processors.reader.rules.protocol import ENDS, Language, Reading, TurnView
from processors.reader.rules.readings import with_readings
from processors.reader.rules.scheduled import comes_again, scheduled, was
from processors.reader.rules.script_zh import in_script, read_simplified, script_of
from processors.reader.rules.self_corrections import (
    Correction,
    apply_correction_en,
    apply_correction_zh,
    correct_previous_turn,
)
from processors.reader.rules.team_statements import of_the_team
from processors.reader.rules.text import MASKED, answers_a_post, prepare, sentences
from processors.reader.rules.topic_zh import in_group, opens_about
from processors.reader.rules.two_languages import by_language, together
from processors.reader.rules.whole_sentences_zh import whole_sentences
from processors.reader.values.asked import asked_fields
from processors.reader.values.read_en import by_values, joined
from processors.reader.values.read_zh import field_values, without_free
from schemas.base import EARLIEST, JsonValue
from schemas.events.memory import (
    MAX_DROPPED,
    MAX_DROPPED_CHARS,
    MAX_SPANS,
    Candidate,
    DropLabel,
    Dropped,
    HotValue,
    Span,
)
from schemas.profile.model import Profile

EXPLICIT = Decimal("1.0")
INFERRED = Decimal("0.6")
"""Where confidence starts (D4)."""
_HAN = re.compile(r"[\u4e00-\u9fff]")
_WEEKDAY = re.compile(
    r"(?:on |by |before )?(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?:周|星期|礼拜)[一二三四五六日天]",
    re.I,
)
_MONTH = re.compile(
    r"(?:(?:in|on|by) )?(?:the )?(?:early |mid[- ]|late |\d{1,2}(?:st|nd|rd|th)? (?:of )?)?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?|(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?:份|底|初|中旬)?"
    r"(?:(?:\d{1,2}|[一二三四五六七八九十]{1,3})[日号])?",
    re.I,
)
_DAY_OF_MONTH = re.compile(r"the +\d{1,2}(?:st|nd|rd|th)", re.I)
OF_PROFILE: frozenset[DropLabel] = frozenset({"no_field", "dangling"})
"""Labels of what a profile of later may take."""
_BLANK = re.compile(r"_{3,}|\*{3,}")


class RuleExtractor:
    """Reads what users plainly say of themselves, in English and Chinese."""

    name = "rules"
    version = 8
    """Raised with every release whose rules word or find anything otherwise: one version of one turn is read once."""

    def __init__(self, fields: FieldReader | None = None) -> None:
        """`fields` points at values that the rules do not see."""
        self._fields = fields

    def extract(self, turn: TurnView, profile: Profile) -> list[Candidate]:
        """Return the turn's candidates; see `protocol.Extractor`."""
        return self.read(turn, profile).candidates

    def read(self, turn: TurnView, profile: Profile) -> Reading:
        """Return them with what was found and not taken."""
        if turn.role != "user" or speaks_for_work(turn.speaker) == "wholly":
            return Reading([])
        turn = apply_confirmation(turn)
        anchor = turn.occurred_at.astimezone(ZoneInfo(turn.time_zone))
        previous_question = _question_before(turn)
        among_people = bool(turn.previous) and turn.previous[-1][0] == "user"
        turn = _in_one_language(turn)
        written, turn = turn.content, read_simplified(turn)
        found: list[Found] = []
        corrected = [
            (language, (apply_correction_zh if language == "zh" else apply_correction_en)(text))
            for language, text in by_language(prepare(turn.content), turn.language)
        ]
        parts = [(language, each.text) for language, each in corrected]
        text = together([text for _, text in parts]) if len(parts) > 1 else parts[0][1]
        project = turn.project_id or project_of(profile, text, turn.reaches)
        of_a_team = project is not None or bool(profile.hot_keys)
        of_speaker = turn.language != "zh" or opens_about(turn) != "unnamed"
        parts_listed = listed(turn, text, profile.lexicon.get("university", {}))
        lists = len(parts_listed) > 1 or (parts_listed and parts_listed[0].end < len(text.rstrip()) - 1)
        read_alone = partial(_reader("en", None), profile=profile, question=None, among_people=True, in_project=False)
        bare = [replace(f, text=owned(f.text, turn)) for f in bare_values(turn, text, read_alone)]
        is_read_alone = bool(lists or bare) or not of_speaker
        if not is_read_alone and (stated := as_statement(turn) or correct_previous_turn(turn)) is not None:
            own = _reader(turn.language, None)(stated, profile, None, among_people=True, in_project=False)
            found = [
                replace(f, start=0, end=len(text), text=owned(f.text, turn))
                for f in own
                if f.dropped is None and (f.slots or f.kind == "relation")
            ]
        if not found and not is_read_alone:
            found = [replace(f, text=owned(f.text, turn)) for f in earlier_value(turn, text)]
        pointed = self._pointed_at(turn, text, profile)
        left: list[Found] = []
        helped = speaks_for_work(turn.speaker)
        if not found:
            for language, statement in parts:
                speaks = replace(turn, language=language)
                reader = _reader(language, turn)
                here = reader(statement, profile, previous_question, among_people=among_people, in_project=of_a_team)
                said_here = [replace(f, text=owned(f.text, speaks)) for f in here]
                found += [f for f in said_here if f.dropped is None and (helped is None or of_their_life(f))]
                left += [f for f in said_here if f.dropped is not None]
            if len(parts) > 1:
                found.sort(key=lambda f: f.start)
            found += [replace(f, text=owned(f.text, turn)) for f in _of_patient(turn, found) if not of_a_team]
            own_sentence = partial(_own_values, turn=turn, profile=profile)
            found = with_listed(without_counts(found, turn, text), parts_listed, own_sentence)
            if (whom := person_asked_about_zh(turn)) is not None:
                theirs = [restated_for(f, turn.speaker or "用户", whom) for f in found]
                found, left = [f for f in theirs if f.dropped is None], left + [f for f in theirs if f.dropped]
            found = with_bare_values(found, bare)
            found, left = with_the_answer(found, left, turn, len(text), partial(owned, turn=turn))
            if whom is None and (one := patient(turn)) is not None:
                owner = turn.speaker or "用户"
                theirs = [f if "我" in text[f.start : f.end] else restated_for(f, owner, one) for f in found]
                found, left = [f for f in theirs if f.dropped is None], left + [f for f in theirs if f.dropped]
            found += [] if of_a_team else orders_of(turn)
            if not bare and answers_for_another(turn):
                left += [replace(f, dropped="of_another") for f in found if f.slots]
                found = [f for f in found if not f.slots]
            else:
                more = by_values(found, turn, text, profile, pointed, in_project=of_a_team)
                new = [replace(f, text=owned(f.text, turn)) for f in more]
                found = joined(found, new, text)
        if turn.language == "zh" and turn.speaker is not None and not of_a_team:
            found, refused = whole_sentences(found, text, turn.speaker)
            left += refused
        by_type = field_values(turn, text, profile, found, pointed, in_project=of_a_team)
        found = [*without_free(found, by_type, profile), *(replace(f, text=owned(f.text, turn)) for f in by_type)]
        corrections = [each for _, one in corrected for each in one.corrections]
        script = script_of(written) if turn.language == "zh" else None
        found, left = ([in_script(f, script, profile) for f in each] for each in (found, left))
        placed = [_placed(f, corrections) for f in found], [_placed(f, corrections) for f in left]
        return with_readings(_reading(*placed, text, turn, profile, project, anchor), turn, profile)


    def _pointed_at(self, turn: TurnView, text: str, profile: Profile) -> list[FieldSpan]:
        if self._fields is None or not profile.fields:
            return []
        language: Literal["en", "zh"] = "zh" if turn.language == "zh" else "en"
        asked = TurnInput(text, turn.previous[-1:], language, turn.speaker or "")
        return self._fields.read(asked, asked_fields(profile))


def _own_values(sentence: str, turn: TurnView, profile: Profile) -> list[Found]:
    """What a sentence of the speaker's own says, in their name."""
    own = _reader(turn.language, None)(sentence, profile, None, among_people=True, in_project=False)
    return [replace(f, text=owned(f.text, turn)) for f in own]


def _of_patient(turn: TurnView, found: Sequence[Found]) -> list[Found]:
    """What a turn to a doctor says of the patient beside what is `found`; a mere mention says nothing of them."""
    return told_to_doctor(turn, [f for f in found if f.slots or not f.dangling])


def _placed(found: Found, corrections: Sequence[Correction]) -> Found:
    """The same with its places as the turn was said: what was meant stands at two of them."""
    for each in corrections:
        if found.overlaps(each.start, each.meant_end):
            end = each.end if found.end >= each.meant_end else min(found.end, each.end)
            found = replace(found, said_end=max(end, found.start + 1), more=(*found.more, each.by))
    return found


def _spans(found: Found, length: int) -> tuple[Span, ...]:
    """The head span first, then the others, never beyond the turn's `length`."""
    head = Span(start=min(found.start, length), end=min(found.said_end or found.end, length))
    more = sorted({(start, min(end, length)) for start, end in found.more} - {(head.start, head.end)})
    return (head, *(Span(start=start, end=end) for start, end in more[: MAX_SPANS - 1]))


def _reader(language: Language, turn: TurnView | None) -> Callable[..., list[Found]]:
    """The reader of a language; without a `turn`, of a sentence that names its speaker."""
    if turn is None:
        return read_zh.read if language == "zh" else read_en.read
    if language == "zh":
        own = tuple(text for role, text in turn.previous if role == "user")
        opens = not (turn.previous or answers_a_post(turn.content))
        among = None if turn.speaker is None else Talker(turn.speaker, own, opens=opens)
        return partial(read_zh.read, about=opens_about(turn), in_group=in_group(turn), among=among, before=own)
    heard = turn.previous[-1][1] if turn.previous and turn.previous[-1][0] == "assistant" else ""
    before = _said_before(turn, answers=bool(heard))
    return partial(read_en.read, before=before, heard=prepare(heard), in_group=turn.speaker is not None)


def _said_before(turn: TurnView, *, answers: bool) -> list[str]:
    """The turns of the user before it. Who else speaks in a group is not known, so none of a group's, but for a turn
    that `answers` who answered the user."""
    if turn.speaker and not answers:
        return []
    return [prepare(text) for role, text in turn.previous if role == "user"]


def _in_one_language(turn: TurnView) -> TurnView:
    """A turn without letters ("32") is in the language of what it answers."""
    if turn.language == "und" and turn.previous and _HAN.search(turn.previous[-1][1]):
        return replace(turn, language="zh")
    return turn


def _question_before(turn: TurnView) -> str | None:
    """Return the question that the turn before asked, if it did."""
    if not turn.previous:
        return None
    questions = [s for s in sentences(prepare(turn.previous[-1][1])) if s.asks]
    return questions[-1].text[:200] if questions else None


def _reading(
    found: list[Found], left: list[Found], text: str, turn: TurnView, profile: Profile, project: str | None,
    anchor: datetime,
) -> Reading:  # fmt: skip
    team = project is not None or bool(profile.hot_keys)

    def made(ordinal: int, each: Found, values: list[tuple[str, JsonValue]]) -> Candidate:
        to_do = turn.language == "en" and turn.speaker is not None and each.episode_type == "task"
        stated = to_do or each.episode_type == "fact" or each.kind in ("intent", "relation")
        free = each.dated or (stated and each.dropped is None and not (each.slots or team))
        if free:
            each = replace(each, text=_with_dates(each, text[each.start : each.end], turn.language, anchor))
        if each.of_time is not None:
            language: Literal["en", "zh"] = "zh" if turn.language == "zh" else "en"
            measured = any(isinstance(v, int | float) for _, v in each.slots)
            stated_time = told_time(text, each.start, each.end, anchor, language, measured=measured)
            phrase = with_time(each.text, stated_time, anchor if each.of_time == "said" else None, language)
            candidate = _candidate(ordinal, each, values, phrase, text, turn, profile, project, anchor)
            return candidate.model_copy(update=_spanned(as_span(stated_time)))
        return _candidate(ordinal, each, values, each.text, text, turn, profile, project, anchor)

    taken, more = _taken(found, profile, project)
    candidates = [made(n, each, values) for n, (each, values) in enumerate(taken)]
    seen = {c.text for c in candidates}
    dropped: list[Dropped] = []
    for each in sorted((*more, *left), key=lambda f: f.dropped not in OF_PROFILE):
        if len(dropped) == MAX_DROPPED:
            break
        if each.dropped is None or each.text in seen or len(each.text) > MAX_DROPPED_CHARS:
            continue
        if any(_hidden(v) for _, v in each.slots):
            continue
        seen.add(each.text)
        stated_candidate = made(len(candidates) + len(dropped), each, own_fields(profile, resolve(profile, each.slots)))
        slots = dict(each.slots) if each.dropped == "no_field" else {}
        dropped.append(Dropped(label=each.dropped, candidate=stated_candidate, slots=slots))
    return Reading(candidates, tuple(dropped))


def _taken(
    found: list[Found], profile: Profile, project: str | None
) -> tuple[list[tuple[Found, list[tuple[str, JsonValue]]]], list[Found]]:
    """Statements with their fields, each once, and those that this profile has no place for."""
    taken: list[tuple[Found, list[tuple[str, JsonValue]]]] = []
    left: list[Found] = []
    seen: set[tuple[str, str]] = set()
    stated: set[str] = set()
    """Words of statements; what ended with one is no statement of its own."""
    for each in combined(found):
        values = own_fields(profile, resolve(profile, each.slots))
        if each.dangling and not (values or project or each.category or resolve_category(profile, each.text)):
            if each.kind == "relation":
                left.append(replace(each, dropped="dangling"))
                continue
            each = replace(each, source="inferred")
        if each.slots and not values:
            left.append(replace(each, dropped="no_field"))
        elif each.kind == "episode" and not values and each.text in stated:
            continue
        elif (each.kind, each.text) not in seen and not any(_hidden(v) for _, v in values):
            seen.add((each.kind, each.text))
            stated |= set() if each.attributes.get(ENDS) else {each.text}
            taken.append((each, values))
    return taken, left


def _hidden(value: JsonValue) -> bool:
    """A value that the screen masked, or that stood in quotation marks, is no value."""
    return isinstance(value, str) and (MASKED.search(value) or _BLANK.search(value)) is not None


def _candidate(
    ordinal: int,
    found: Found,
    values: list[tuple[str, JsonValue]],
    statement: str,
    text: str,
    turn: TurnView,
    profile: Profile,
    project: str | None,
    anchor: datetime,
) -> Candidate:
    name, names, value = filled(values)
    attributes = dict(found.attributes)
    if turn.speaker:
        attributes["about"] = turn.speaker
    where = _place(values, profile, project, text[found.start : found.end], turn)
    if where or project:
        statement = of_the_team(statement, turn.speaker or owner_in(turn.language), turn.language)
    span = _when(text[found.start : found.end], anchor, found)
    return Candidate(
        ordinal=ordinal,
        kind=found.kind,
        text=statement,
        field=name,
        fields=names,
        value=value,
        approximate=found.approximate,
        category=found.category or (resolve_category(profile, statement) if found.kind == "intent" else None),
        episode_type=found.episode_type,
        scope=where or "global",
        project_id=where or project,
        importance=profile.importance[found.kind],
        confidence=INFERRED if found.source == "inferred" else EXPLICIT,
        source=found.source,
        negated=found.negated,
        **_spanned(span),
        hot=_hot(found, values, statement, profile, project),
        attributes=attributes,
        reading=found.reading,
        spans=_spans(found, len(text)),
    )


class _Times(TypedDict):
    occurred_from: datetime | None
    occurred_to: datetime | None
    time_text: str | None


def _spanned(span: TimeSpan | None) -> _Times:
    """The time of a candidate."""
    early = span is None or span.start < EARLIEST
    return {
        "occurred_from": None if span is None or early else span.start,
        "occurred_to": None if span is None or early else span.end,
        "time_text": None if span is None else span.text,
    }


def _place(
    values: Sequence[tuple[str, JsonValue]], profile: Profile, project: str | None, text: str, turn: TurnView
) -> str | None:
    """Return the project in which a value holds that has one for each: that which its own words name, else the turn's;
    None for what holds anywhere."""
    specs = [profile.field(name) for name, _ in values]
    if not specs or any(spec is None or spec.by_project is None for spec in specs):
        return None
    return project_of(profile, text, turn.reaches) or project


def _hot(
    found: Found, values: list[tuple[str, JsonValue]], text: str, profile: Profile, project: str | None
) -> HotValue | None:
    """What a project's hot memory takes: stated status, every decision, preferences (A4)."""
    if project is None:
        return None
    if found.hot is not None:
        return found.hot
    if found.episode_type == "decision":
        return hot_entry(profile, "decision", text, text, text)
    if found.kind == "preference" and values:
        name, value = values[0]
        return hot_entry(profile, "preference", text, name, value)
    return None


def _with_dates(found: Found, spoken: str, language: Language, anchor: datetime) -> str:
    """Return the statement with the dates that its relative times mean, and the year of a month that it names."""
    dated, with_year = (
        (dated_zh.dated, dated_zh.with_year) if language == "zh" else (dated_en.dated, dated_en.with_year)
    )
    span = _when(spoken, anchor, found)
    text = dated(found.text, anchor)
    if span is None or comes_again(spoken) or (_WEEKDAY.fullmatch(span.text) and span.start <= anchor < span.end):
        return text
    sure = found.kind == "intent" or scheduled(spoken, span.text) or was(spoken, span.text)
    return with_year(text, span) if sure else text


def _when(text: str, anchor: datetime, found: Found) -> TimeSpan | None:
    """Return the time that a statement refers to (N8).

    A bare month looks back, which is no time for a plan; "this year" beside what simply holds ("今年32岁") is now.
    """
    spans = times.find(text, anchor)
    if not spans:
        return None
    span = spans[0]
    coming = scheduled(text, span.text)
    ahead = coming or found.kind == "intent" or found.episode_type in {"task", "decision"}
    if ahead and span.end <= anchor:
        if (coming or found.kind == "intent") and _MONTH.fullmatch(span.text):
            return _next_year(span)
        if _DAY_OF_MONTH.fullmatch(span.text):
            return _next_month(span)
        return _next(span) if _WEEKDAY.fullmatch(span.text) else None
    if any(slot == "birthday" for slot, _ in found.slots):
        return None
    holds = found.slots or found.kind == "relation"
    return None if holds and span.start <= anchor < span.end and span.precision != "day" else span


def _next(span: TimeSpan) -> TimeSpan:
    """A bare weekday looks back; a task's looks ahead."""
    week = timedelta(days=7)
    return replace(span, start=span.start + week, end=span.end + week)


def _next_month(span: TimeSpan) -> TimeSpan | None:
    """A bare day of the month looks back; what is to come on it is that of the month after."""
    first = (span.start.replace(day=1) + timedelta(days=32)).replace(day=1)
    try:
        start = first.replace(day=span.start.day)
    except ValueError:  # the 31st of a short month
        return None
    return replace(span, start=start, end=start + timedelta(days=1))


def _next_year(span: TimeSpan) -> TimeSpan | None:
    """A bare month or day looks back; what is to come in it is that of the year after."""
    try:
        start, end = (t.replace(year=t.year + 1) for t in (span.start, span.end))
    except ValueError:  # the 29th of February
        return None
    return replace(span, start=start, end=end)


def _beside_digits(text: str, owner: str) -> str:
    """Put the name into Chinese, apart from a Latin letter or digit beside it: "Bob 18岁"."""
    if owner[-1:].isascii():
        text = re.sub(r"\{owner\}(?=[A-Za-z0-9])", "{owner} ", text)
    if owner[:1].isascii():
        text = re.sub(r"(?<=[A-Za-z0-9])\{owner\}", " {owner}", text)
    return text.replace("{owner}", owner)


def owner_in(language: Language) -> str:
    """What the user is called who has no name."""
    return "用户" if language == "zh" else "User"


def owned(text: str, turn: TurnView) -> str:
    """Put the owner into a statement. In Chinese `{of}` drops an unnamed owner, as people do (B8)."""
    if turn.language == "zh":
        return _beside_digits(text.replace("{of}", "{owner}" if turn.speaker else ""), turn.speaker or owner_in("zh"))
    owner = turn.speaker or owner_in("en")
    reworded = about(text.replace("{owner}", owner), owner)
    return reworded[0].upper() + reworded[1:]
