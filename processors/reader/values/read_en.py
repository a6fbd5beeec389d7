"""What an English turn says of the profile's fields, by their values, beside what the rules found in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from inference.reader.protocol import FieldSpan
from processors.reader.rules.catalogue import fit, spec_of
from processors.reader.rules.found import Found
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.read_en import as_ones_own
from processors.reader.rules.text import prepare, sentences
from processors.reader.values.fields_en import FieldValue, field_values, not_meant
from processors.reader.values.found_en import Value, values
from processors.reader.values.kinds_en import KINDS
from processors.reader.values.lists_en import WORDS
from processors.reader.values.parts_en import Part, parts, without_conditions
from processors.reader.values.pointed_en import pointed_at
from processors.reader.values.readings_en import is_of_now, readings
from processors.reader.values.tasks_en import tasks
from processors.reader.values.wording_en import is_a_name
from schemas.base import JsonValue
from schemas.profile.model import FieldSpec, Profile

LONGEST = 1_500
"""Characters of a turn that is talk: in a longer one values may be anybody's."""
_GOES_ON, _TO_RECORD = re.compile(WORDS.goes_on, re.I), re.compile(WORDS.to_record, re.I)
_SHORT = 80
_GREETING = 24
"""Characters before a name that only greet."""
LITTLE = 6
"""Characters of a statement beside a value that say nothing more: ", yes"."""
_SAYS_NAME = re.compile(WORDS.says_name, re.I)
_HERE, _THIS_SIDE = re.compile(r" (?:here|speaking|this side)$", re.I), re.compile(WORDS.this_side, re.I)
_GREETS = re.compile(WORDS.greets, re.I)
_BESIDE_A_NAME = frozenset({"occupation", "age"})
_PERSONAL = frozenset(
    {"age", "nationality", "residence", "marital", "children", "occupation", "employer", "years", "height", "weight"}
)
"""Kinds of values that people say of themselves one after the other."""


def by_values(
    found: Sequence[Found], turn: TurnView, text: str, profile: Profile, pointed: Sequence[FieldSpan] = (),
    *, in_project: bool,
) -> list[Found]:  # fmt: skip
    """The values of fields that nothing `found` in a turn fills, and what a single user has to do."""
    if turn.language == "zh" or len(text) > LONGEST:
        return []
    own = as_ones_own(text, in_group=False, in_project=in_project)
    question = _question_before(turn)
    spoken = parts(own, question)
    opens = not turn.previous or turn.previous[-1][0] == "user"
    slots = _of_slots(spoken, question, profile, found, opens=opens)
    new = [*slots, *_of_fields(spoken, question, profile), *_read_off(spoken, question, profile)]
    known = {spec.name for spec, _ in new}
    words = {str(value).casefold() for f in (*found, *(f for _, f in new)) for _, value in f.slots}
    more = [(spec, f) for spec, f in pointed_at(pointed, spoken, profile) if spec.name not in known]
    new += [(spec, f) for spec, f in more if str(f.slots[0][1]).casefold() not in words]  # a word fills one field
    explicit = [f for f in found if f.source == "explicit"]
    slots_held = [(f, slot, value) for f in explicit for slot, value in f.slots]
    held = [(spec, value, f.negated) for f, slot, value in slots_held if (spec := spec_of(profile, slot)) is not None]
    kept = _beside(explicit, held, new, profile)
    alone = not in_project and turn.speaker is None
    whole = [f for f in found if not f.dangling]
    return [*kept, *(t for t in tasks(spoken) if alone and not any(f.overlaps(t.start, t.end) for f in whole))]


def joined(found: Sequence[Found], new: Sequence[Found], text: str) -> list[Found]:
    """Both, each thing told once: without the statements that say no more than a new value does, or what one takes
    back; a short statement of the turn's `text` that holds a value in its own words fills the field itself."""
    taken_back = {slot for n in new if n.negated for slot in n.slots}

    def again(f: Found) -> bool:
        if f.slots and not f.negated and taken_back.issuperset(f.slots):
            return True
        if f.slots and f.source == "inferred" and any(n.slots == f.slots and not n.negated for n in new):
            return True
        if f.kind == "intent" and not f.slots:
            return not_meant(text[f.start : f.end]) or any(_asks_the_same(f, n) for n in new)
        return _is_free(f) and any(f.text.startswith(n.text) and len(f.text) < len(n.text) + LITTLE for n in new)

    kept, left = [], list(new)
    for f in found:
        if again(f):
            continue
        same = [n for n in left if _is_free(f) and _tells(f, n, text)]
        if same and len({slot for n in same for slot, _ in n.slots}) < len(same):
            continue  # a list, each thing of which is told by itself
        if same:
            slots = tuple(slot for n in same for slot in n.slots)
            f = replace(f, kind=same[0].kind, episode_type=None, slots=slots, dated=True)
            left = [n for n in left if n not in same]
        kept.append(f)
    return [*kept, *left]


def _is_free(f: Found) -> bool:
    return f.kind == "episode" and not (f.slots or f.hot or f.category) and f.episode_type in {None, "fact"}


def _asks_the_same(request: Found, value: Found) -> bool:
    """Does a request ask no more than that a value be kept, or how one wants to be answered? Or does it say less
    plainly than `value` what its speaker has to do?"""
    if not request.overlaps(value.start, value.end) or (value.kind == "intent" and value.slots):
        return False
    same = value.kind == "preference" or _TO_RECORD.search(request.text) is not None
    return (same and len(request.text) < _SHORT) or (value.kind == "intent" and request.dangling)


def _tells(statement: Found, value: Found, text: str) -> bool:
    """Does a short statement tell a value in its own words?"""
    spoken = text[value.start : value.end].strip(" .,;!").lower()
    short = len(statement.text) < _SHORT and statement.overlaps(value.start, value.end)
    return short and bool(spoken) and not value.negated and spoken in statement.text.lower()


def _question_before(turn: TurnView) -> str:
    """What the assistant asked just before, or before the turn that this one goes on from: "asthma", "n eczema"."""
    before = turn.previous
    if before and before[-1][0] == "user" and _GOES_ON.match(turn.content):
        before = before[:-1]
    if not before or before[-1][0] != "assistant":
        return ""
    return without_conditions(" ".join(s.text for s in sentences(prepare(before[-1][1])) if s.asks))


def _of_slots(
    spoken: Sequence[Part], question: str, profile: Profile, before: Sequence[Found], *, opens: bool
) -> list[tuple[FieldSpec, Found]]:
    specs = {k.slot: spec for k in KINDS.values() if (spec := spec_of(profile, k.slot)) and spec.takes is None}
    whole = [v for kind in KINDS.values() for part in spoken for v in values(kind, part, question)]
    whole = [v for v in whole if _may_be_read(v, specs.get(v.kind.slot), spoken, question)]
    stated_at = [f.start for f in before if f.slots] + [v.start for v in whole if v.kind.slot in _PERSONAL]
    names = _introduced(spoken, whole, specs, stated_at, opens=opens)
    found = _grounded(whole, introduced=bool(names))
    return [*names, *((specs[v.kind.slot], _of_value(v)) for v in found if v.kind.slot in specs)]


def _may_be_read(v: Value, spec: FieldSpec | None, spoken: Sequence[Part], question: str) -> bool:
    """Where its field holds readings, is it one of now, or was it asked for?"""
    if spec is None or spec.reading is None or v.ground == "listed":
        return True
    asked = bool(question) and v.kind.asked is not None and v.kind.asked.search(question) is not None
    return asked or all(is_of_now(part) for part in spoken if part.start <= v.start < part.end)


def _introduced(
    spoken: Sequence[Part], found: Sequence[Value], specs: Mapping[str, FieldSpec], stated_at: Sequence[int],
    *, opens: bool,
) -> list[tuple[FieldSpec, Found]]:
    """The name before what somebody is: "Solveig, ios dev." at the beginning of a talk, "hi, I'm Kate, nurse".
    `stated_at`: where the turn says what somebody is, has or does."""
    if "name" not in specs:
        return []
    for part, following in pairwise(spoken[:4]):
        match = _SAYS_NAME.match(part.text)
        begin = match.end() if match else len(part.text) - len(part.text.lstrip())
        shown = part.text[begin:].strip()
        greeted = part.at == 0 and len(part.before) < _GREETING
        here = (_HERE if match else _THIS_SIDE).search(shown)
        shown = shown[: here.start()] if here else shown
        plain = match is None and opens and ((greeted and not following.named) or here is not None)
        beside = [v for v in found if v.kind.slot in _BESIDE_A_NAME and following.start <= v.start < following.end]
        greets = match is not None and _GREETS.fullmatch(part.before.strip()) is not None
        told_next = greets and any(following.start <= at < following.end for at in stated_at)
        greeted_by = match is not None and match["greets"] is not None
        shown = shown.capitalize() if greeted_by and shown.islower() else shown
        if (beside or told_next or here) and not part.asks and (match or plain) and is_a_name(shown):
            says = f"{{owner}}'s name is {shown}"
            return [(specs["name"], Found(part.start + begin, part.end, "fact", says, (("name", shown),)))]
    return []


def _grounded(found: Sequence[Value], *, introduced: bool) -> list[Value]:
    """Without the values that only stand beside others, where there are none, and the languages that are no nation."""
    tongues = {(v.start, v.end) for v in found if v.kind.slot == "language"}
    found = [v for v in found if v.kind.slot != "nationality" or (v.start, v.end) not in tongues]
    kinds = {v.kind.slot for v in found if v.kind.slot in _PERSONAL}
    certain = [v for v in found if v.ground == "said"]
    of_speaker = introduced or any(v.kind.slot in _PERSONAL for v in certain)
    listed = [v for v in found if v.ground == "listed" and (len(kinds) > 2 or of_speaker)]
    return [*certain, *listed]


def _of_value(v: Value) -> Found:
    return Found(
        v.start, v.end, v.kind.kind, v.text, ((v.kind.slot, v.value),), v.approximate, v.ends,
        taken_back=v.ends and v.kind.many,
    )  # fmt: skip


def _read_off(spoken: Sequence[Part], question: str, profile: Profile) -> list[tuple[FieldSpec, Found]]:
    known = frozenset(spec.slot or spec.name for spec in profile.fields)
    found: list[tuple[FieldSpec, Found]] = []
    for m in readings(spoken, question, known):
        spec = spec_of(profile, m.slots[0][0])
        if spec is not None:
            found.append((spec, Found(m.start, m.end, "fact", m.text, m.slots, of_time="said")))
    return found


def _of_fields(spoken: Sequence[Part], question: str, profile: Profile) -> list[tuple[FieldSpec, Found]]:
    return [(spec, _of_field(spec, v)) for spec in profile.fields for v in field_values(spec, spoken, question)]


def _of_field(spec: FieldSpec, v: FieldValue) -> Found:
    ends = v.ends and spec.many
    return Found(v.start, v.end, spec.kind, v.text, ((v.field, v.value),), negated=v.ends, taken_back=ends)


def _beside(
    found_before: Sequence[Found],
    held: Iterable[tuple[FieldSpec, JsonValue, bool]],
    new: Sequence[tuple[FieldSpec, Found]],
    profile: Profile,
) -> list[Found]:
    """The new values, each where its field has none yet; of a field of several those that it has not, and the ends of
    others; of several for one the last."""
    held = list(held)
    filled = {spec.name for spec, _, negated in held if not negated}
    had = {(spec.name, _key(profile, spec, value), negated) for spec, value, negated in held}
    found: dict[tuple[str, str], Found] = {}
    for spec, each in sorted(new, key=lambda one: one[1].start):
        key = (spec.name, _key(profile, spec, each.slots[0][1]))
        again = any(_same_thing(spec, each, f, profile) for f in found_before)
        ends_another = each.negated and (*key, False) not in had
        beside = spec.many and (spec.kind == "fact" or ends_another)
        if again or (*key, each.negated) in had or (spec.name in filled and not beside):
            continue
        found[key if spec.many else (spec.name, "")] = each
    return sorted(found.values(), key=lambda f: f.start)


def _same_thing(spec: FieldSpec, new: Found, held: Found, profile: Profile) -> bool:
    """Does a statement of the same words hold the same thing in other words: "ovary removal", "ovaries removed"?"""
    if not spec.many or not held.overlaps(new.start, new.end) or held.negated != new.negated:
        return False
    begins = str(new.slots[0][1]).casefold().split()[0][:4]
    return any(spec_of(profile, slot) == spec and str(value).casefold()[:4] == begins for slot, value in held.slots)


def _key(profile: Profile, spec: FieldSpec, value: JsonValue) -> str:
    return str(fit(profile, spec, spec.slot or spec.name, value)).casefold()
