"""Chinese statements better than their turn: one thing said, of the speaker, resolved, sayable in a month.

The counterpart of `free_statements_en`. Clauses between commas that keep their subject are one statement, up to LONGEST
characters; one that asks, supposes, quotes, speaks to somebody or points at what nothing here names ends it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from processors.reader.rules.clauses_zh import ANIMALS, Clause, carried, clauses, runs_on
from processors.reader.rules.clauses_zh import Subject as About
from processors.reader.rules.common_zh import content_weight
from processors.reader.rules.found import Found
from processors.reader.rules.free_statement_subjects_zh import LEAST_SAID, Alone, named, of_the_one
from processors.reader.rules.left_out_subjects_zh import BEGINS_AGAIN, of_unknown, with_subject
from processors.reader.rules.own_state_zh import felt, object_last
from processors.reader.rules.persons_zh import Persons, kin_of, spoken_of
from processors.reader.rules.self_contained_zh import (
    ASKS,
    LABELLED,
    LED,
    LONGEST,
    OF_KIN,
    QUOTED_AFTER,
    QUOTES,
    SHORTEST,
    SPEAKER,
    SUPPOSED,
    WIDEST,
    YOU,
    by_nature,
    is_self_contained,
    opens_predicate,
    played,
    tells_of_speaker,
    weight,
)
from processors.reader.rules.text import Sentence
from processors.reader.rules.tidied_zh import opened, tidy, without_open_brackets

_CHILD = re.compile(rf"娃|宝宝|宝贝|孩子|小孩|儿子|女儿|闺女|孙子|孙女|{ANIMALS}")
_HAD = re.compile(r"(?:曾经?|以前|之前|小时候|高中|大学|初中)(?:时|的时候)?有过?(?:一?个|几个|一位)")
"""Who had somebody is the speaker: 曾经有一个男生，跟我不是一个中学."""
_CONSEQUENCE = re.compile(r"(?:[我咱俺]们?)?(?:也|就|才|便)(?:能|会|可以|不用|不会|要|算)")
"""What follows from a clause that supposes, asks or speaks to somebody is told only with it."""
_NOT_ON = re.compile(
    r"[他她佢它]|太[^，]{1,3}了?$|[真好]的?$|[点點]算|(?P<asked>[\u4e00-\u9fff])不(?P=asked)"
    r"|^(?:所以|因此|因为|可能|应该|估计|但愿)"
)
"""Somebody else, or what is thought of it: no more of what the clause before says."""
_ONCE = re.compile(r"以前|曾经|小时候|那时候?|当时")
_NOW = re.compile(r"现在|后来|如今|目前|今年|最近|[我俺咱]")
"""Where what was once ends: a clause behind it is not of today by itself."""
_VERB = re.compile(r"[是有在叫用做去来考买卖住养学教吃喝打看找换搬开租订要想会能没不了过着给得说写读玩跑靠属弄装修拿]")
_MOMENT = ("等一下", "稍等", "等等")


def free_statements(
    sentence: Sentence, original: str, taken: Sequence[Found], before: About, who: Persons, *,
    in_group: bool = False, among: bool = False,
) -> list[Alone]:  # fmt: skip
    """Return the statements of a sentence in order; those that do not stand alone are dropped. `original` is the
    sentence with its quotations, `taken` what is found in it already, `before` who the clause before was about, `who`
    those whom the sentences before speak of, `in_group` whether others speak too, `among` whether people of
    names speak."""
    addressed = sum(1 for part in re.split(r"[，,；\s]", original) if YOU.search(part))
    if addressed > 1 or YOU.match(original) or original.startswith(_MOMENT):
        return []  # what a letter to somebody says of its writer is said to them
    if played(original):
        return []
    found: list[Alone] = []
    run: list[Clause] = []
    led = past = False
    behind: Clause | None = None
    parts = clauses(sentence, before, in_group=in_group)
    subjects = _subjects(parts, who, in_group=in_group, among=among)
    for at, clause in enumerate(parts):
        phrase = tidy(original[clause.start - sentence.start : clause.end - sentence.start])
        if not phrase:
            continue
        if QUOTED_AFTER.search(phrase):
            break
        if not _usable(phrase, clause, taken):
            found += _closed(run, original, sentence, subjects, behind)
            run, led, behind = [], True, None
            continue
        if led and _CONSEQUENCE.match(opened(phrase)):
            continue
        if past and run and len(_joined([*run, clause], original, sentence)) > LONGEST and not _NOW.search(phrase):
            found += _closed(run, original, sentence, subjects, behind)
            run, behind, led = [], None, True
            continue
        past = (past or _ONCE.search(phrase) is not None) and not _NOW.search(phrase)
        if led and at and _may_go_on(parts[at - 1], taken):
            behind = parts[at - 1]
        led = False
        if run and (_begins(phrase, clause, run[-1]) or len(_joined([*run, clause], original, sentence)) > LONGEST):
            found += _closed(run, original, sentence, subjects, behind)
            run, behind = [], None
        run.append(clause)
    found += _closed(run, original, sentence, subjects, behind)
    so_far = {a.start: who.and_those(spoken_of([c for c in parts if c.end <= a.start])) for a in found}
    statements = [named(a, so_far[a.start]) for a in found]
    return [of_the_one(a, so_far[a.start]) if among else a for a in statements]


def _may_go_on(clause: Clause, taken: Sequence[Found]) -> bool:
    """Is something taken from a clause that does not say all of it?"""
    here = [f for f in taken if f.overlaps(clause.start, clause.end)]
    return clause.states and bool(here) and all(f.kind in {"fact", "relation"} and not f.dangling for f in here)


@dataclass(frozen=True, slots=True)
class _Subjects:
    """Of whom the clauses of a sentence speak, by their starts, where they may not say so."""

    named: Mapping[int, str]
    """Who a clause about a person of the speaker's speaks of."""
    of_child: frozenset[int]
    """Clauses behind one about a child or an animal, before the speaker is named again."""
    in_group: bool
    """Do others speak too?"""
    among: bool
    """Do people of names speak?"""

    def child_before(self, clause: Clause) -> bool:
        return clause.start in self.of_child


def _subjects(parts: Sequence[Clause], who: Persons, *, in_group: bool, among: bool) -> _Subjects:
    named: dict[int, str] = {}
    of_child: set[int] = set()
    one = who.the_one
    kin, child = one.kin if one is not None else "", False
    for clause in parts:
        if clause.subject == "亲友":
            kin = kin_of(clause.body) or kin
            if kin:
                named[clause.start] = f"我{kin}"
        spoken_of = _CHILD.search(clause.raw) is not None
        child = spoken_of or (child and not SPEAKER.match(opened(clause.raw)))
        if child and not spoken_of:
            of_child.add(clause.start)
    return _Subjects(named, frozenset(of_child), in_group, among)


def _usable(text: str, clause: Clause, taken: Sequence[Found]) -> bool:
    if not clause.states or len(text) > WIDEST or LABELLED.match(clause.raw):
        return False
    if any(p.search(text) for p in (QUOTES, YOU, ASKS, SUPPOSED)):
        return False
    return not any(f.overlaps(clause.start, clause.end) for f in taken)


def _begins(text: str, clause: Clause, before: Clause) -> bool:
    """Does a clause begin another statement: the speaker named again, another subject, another of their measures?"""
    if SPEAKER.match(opened(text)) or (by_nature(text) and by_nature(opened(tidy(before.raw)))):
        return True
    if before.subject == "unnamed":
        return clause.subject == "亲友"
    return clause.subject != before.subject and clause.subject != "other"


def _joined(run: Sequence[Clause], original: str, sentence: Sentence) -> str:
    text = original[run[0].start - sentence.start : run[0].end - sentence.start]
    for before, clause in pairwise(run):
        text += "，" if runs_on(before, clause) else ""
        text += original[before.end - sentence.start : clause.end - sentence.start]
    return opened(without_open_brackets(tidy(text)))


def _cut_short(text: str, last: Clause, original: str, sentence: Sentence) -> bool:
    """Is this a head whose predicate stands behind a space: 我期末 GPA 只有两点几?"""
    more = original[last.end - sentence.start :]
    return more[:1].isspace() and bool(more.strip()) and text[-1:].isascii() and _VERB.search(text) is None


def _closed(
    run: Sequence[Clause], original: str, sentence: Sentence, subjects: _Subjects, behind: Clause | None
) -> list[Alone]:
    """The statement of a run of clauses; shorter where its end does not stand alone. Where the subject of its begin
    stands in the sentence before, from a clause that names its own. Where no part stands alone, with the clause that it
    stands `behind`, of which a value is taken; dropped where that does not help."""
    heads = [opened(tidy(clause.raw)) for clause in run]
    for first, head in enumerate(heads):
        about = run[first].subject
        if first and not (SPEAKER.match(head) or OF_KIN.match(head) or (about == "我" and BEGINS_AGAIN.match(head))):
            continue
        for last in range(len(run), first, -1):
            text = object_last(_joined(run[first:last], original, sentence))
            if about == "亲友" and not (SPEAKER.match(text) or OF_KIN.match(text)):
                text = (subjects.named.get(run[first].start, "他") if opens_predicate(text) else "其") + text
            if _HAD.match(text) and SPEAKER.search(text):
                text = f"我{text}"
            elif about == "我" or carried(run[first]):
                text = with_subject(text, about)
                if of_unknown(text):
                    break
            anothers = subjects.child_before(run[first]) and by_nature(text)
            if "：" in text and last < len(run) and not SPEAKER.match(text):
                break  # words of a letter, a rule or the like, cut
            if anothers or _cut_short(text, run[last - 1], original, sentence):
                continue
            if about == "unnamed" and not (
                tells_of_speaker(text) or OF_KIN.match(text) or by_nature(text) or felt(text)
            ):
                continue
            of_other, of_kin = about == "other", about == "亲友"
            if is_self_contained(
                text, of_other=of_other, of_kin=of_kin, in_group=subjects.in_group, among=subjects.among
            ):
                single = _singly(run[first:last], original, sentence, subjects)
                alone = Alone(run[first].start, run[last - 1].end, text, weight(text), clauses=single)
                return [alone, *_closed(run[last:], original, sentence, subjects, None)]
    if behind is not None and run and (more := _with_before(behind, run, original, sentence, subjects)):
        return [more]
    text = _joined(run, original, sentence) if run else ""
    return [Alone(run[0].start, run[-1].end, text, weight(text), "unresolved")] if len(text) >= SHORTEST else []


def _with_before(
    behind: Clause, run: Sequence[Clause], original: str, sentence: Sentence, subjects: _Subjects
) -> Alone | None:
    """What goes on with a clause about the speaker, or a person of theirs, told with it: 我对虾过敏，一碰就肿."""
    head = opened(tidy(behind.raw))
    if run[0].subject != behind.subject or not carried(run[0]) or not (SPEAKER.match(head) or OF_KIN.match(head)):
        return None
    for last in range(len(run), 0, -1):
        text = _joined([behind, *run[:last]], original, sentence)
        of_kin = behind.subject == "亲友"
        on = all(c.subject == behind.subject and not _NOT_ON.search(c.raw) for c in run[:last])
        if not on or len(text) > LONGEST:
            continue
        if is_self_contained(text, of_other=False, of_kin=of_kin, in_group=subjects.in_group, among=subjects.among):
            return Alone(behind.start, run[last - 1].end, text, weight(text), goes_on=True)
    return None


def _singly(run: Sequence[Clause], original: str, sentence: Sentence, subjects: _Subjects) -> tuple[Alone, ...]:
    if len(run) < 2 or "：" in original or ":" in original:
        return ()
    own = list(takewhile(lambda clause: clause.subject == "我", run)) or run[:1]  # another's own predicate may follow
    clause_texts = [(clause, clause.end, _joined([clause], original, sentence)) for clause in own]
    for n, (clause, _, text) in enumerate(clause_texts):
        if n + 1 < len(run) and _cut_short(text, clause, original, sentence):
            clause_texts[n : n + 2] = [
                (clause, run[n + 1].end, _joined(run[n : n + 2], original, sentence)),
                *((after, end, "") for after, end, _ in clause_texts[n + 1 : n + 2]),
            ]
    return tuple(
        Alone(clause.start, end, text, weight(text))
        for clause, end, text in clause_texts
        if not LED.match(text)
        and (SPEAKER.match(text) or OF_KIN.match(text) or not SPEAKER.search(text))
        and content_weight(text) >= LEAST_SAID
        and is_self_contained(
            text,
            of_other=clause.subject == "other",
            of_kin=clause.subject == "亲友",
            in_group=subjects.in_group,
            among=subjects.among,
        )
    )
