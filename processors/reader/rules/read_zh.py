"""Reads a Chinese turn: plain statements, atoms, what the profile looks for, then what else is worth keeping."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from processors.reader.rules import (
    atoms,
    clauses_zh,
    free_statements_zh,
    group_talk_zh,
    persons_zh,
    self_contained_zh,
    statements_zh,
    worth_zh,
)
from processors.reader.rules.avoidance import avoids_zh
from processors.reader.rules.changes_zh import changed
from processors.reader.rules.completeness_zh import advised, whole
from processors.reader.rules.domain import profile_fields, without_jobs
from processors.reader.rules.found import Found
from processors.reader.rules.free_statement_subjects_zh import Alone
from processors.reader.rules.hot import hot_status, with_sentence, with_status
from processors.reader.rules.irony_zh import without_irony
from processors.reader.rules.life_zh import life_statements
from processors.reader.rules.manner import manner, said_once
from processors.reader.rules.orders_zh import orders, to_remember
from processors.reader.rules.own_state_zh import HAD, HEALED
from processors.reader.rules.pasted_text_zh import labels_another, without_given
from processors.reader.rules.plain_orders_zh import called, plain_orders
from processors.reader.rules.project_talk import is_mused, settled, with_decisions
from processors.reader.rules.remember_requests import to_keep_zh
from processors.reader.rules.self_named_zh import as_first_person
from processors.reader.rules.self_zh import self_statements
from processors.reader.rules.text import Sentence, sentences, without_quotes
from processors.reader.rules.tidied_zh import tidy
from processors.reader.rules.withdrawals import ended, withdrawn
from processors.reader.rules.wordings import LOOKED_BACK, wordings_zh
from processors.reader.rules.work_requests import asks_for_work_zh
from schemas.profile.model import Profile

_FROM_NOW = re.compile(r"以[后後]|从(?:现在|今)")
_RELATIVE = re.compile(clauses_zh.FAMILY)
_ALL = re.compile(rf"大家|全[组队体]|(?:{clauses_zh.CIRCLES})")
_TOPIC_FIRST = re.compile(
    r"在?(?:这个?|本|该)[\u4e00-\u9fff]{1,4}?(?:里面?|中|上)?(?=我(?:现在|目前)?(?:是|做|当|搞|负责|担任|管|带))"
)
"""Where something is so stands before who: 这个项目里我是..."""
_DOCTOR_SAYS = re.compile(r"[^，]{0,6}(?:医生|大夫|护士)(?:[们都也就当时还])*(?:说|讲|告诉|建议)")
"""Where a sentence ends with what a doctor says, the next one is not of the doctor."""
_MORE = re.compile(r"(?:时间|价格|费用|速度)?越.{1,4}越|最好|尽量")


def read(
    text: str, profile: Profile, question: str | None, *, among_people: bool, in_project: bool,
    about: clauses_zh.Subject = "我", in_group: bool = False, among: group_talk_zh.Talker | None = None,
    before: Sequence[str] = (),
) -> list[Found]:  # fmt: skip
    """Return what a turn holds in the order of the text; the arguments are those of `read_en.read`. `about` is whom a
    first clause without a subject is about, `in_group` whether others speak too, `among` who speaks where they have
    a name, None where one without a name speaks to an assistant, `before` the turns of the speaker before it."""
    found: list[Found] = []
    statements: list[Alone] = []
    weak: list[Sentence] = []
    who = persons_zh.of_turns(before)
    alone = partial(free_statements_zh.free_statements, in_group=in_group, among=among is not None)
    text = without_irony(without_given(text, in_project=in_project))
    text, asked_from = to_keep_zh(text) if among is None else (text, frozenset[int]())
    text = called(text) if among is None else as_first_person(text, among.name)
    for_work = asks_for_work_zh(text)
    text = _as_premises(text)
    alone_with_it = among is None and not (among_people or in_group)
    own_words = without_quotes(text)
    spoken = sentences(own_words)
    decisions = settled(spoken, text, "zh") if in_project else []
    for sentence in spoken:
        original = text[sentence.start : sentence.end]
        if over := withdrawn(sentence, "zh", lambda statements: _stated(statements, profile)):
            found.extend(over)
            continue
        about_before = about
        sentence = _asked_on(sentence, own_words)
        parts = clauses_zh.clauses(sentence, about, in_group=in_group)
        lead = own_words[max(0, sentence.start - LOOKED_BACK) : sentence.start]
        anothers = in_project and labels_another(sentence.text)
        own_family = among is None and not (in_project or in_group)
        here = [] if anothers else _statements(
            sentence, original, profile, parts, in_project=in_project, lead=lead, own_family=own_family
        )  # fmt: skip
        if not any(f.slots for f in here):
            found.extend(ended(sentence, "zh", lambda statements: _stated(statements, profile)))
        about = about if not parts or _DOCTOR_SAYS.match(parts[-1].body) else parts[-1].subject
        told_to = [] if among_people else _told_to(
            sentence, original, parts, here, in_project=in_project, plainly=alone_with_it, for_work=for_work
        )  # fmt: skip
        mused = in_project and is_mused(spoken, sentence, "zh")
        if not (told_to or among_people or mused) and sum(len(f.text) for f in here) < 0.6 * len(original):
            here = here + _asked_for(sentence, original, parts, in_group=in_group)
        here = [h for h in here if not any(h.overlaps(f.start, f.end) for f in told_to)] + told_to
        whole_said = None
        if in_project and all(f.dangling for f in here):
            whole_said = statements_zh.of_project(sentence, original)
        here = [whole_said] if whole_said is not None else here
        here = with_status(here, sentence, profile, clauses_zh.SUPPOSED) if in_project else here
        here = with_decisions(here, decisions, sentence, "zh") if in_project else here
        found.extend(here)
        weak += [] if here else [sentence]
        if not in_project:
            taken = [f for f in here if not f.dangling]
            own = alone(sentence, original, taken, about_before, who)
            if changes := _changes(parts, [*taken, *worth_zh.well_told(own)]):
                found.extend(changes)
                own = alone(sentence, original, [*taken, *changes], about_before, who)
            found, own = _lengthened(found, own)
            statements.extend(worth_zh.asked_to_keep(own, asked_from))
        who = who.and_those(persons_zh.spoken_of(parts))
    episodes = [statements_zh.episode(each) for each in worth_zh.worth(statements, text, to_assistant=among is None)]
    found.extend(f for f in episodes if f.dropped is None)
    found = [f for f in found if not (f.slots and _healed_of(f, own_words))]
    if not (found or among_people or in_project) and 0 < len(weak) < 3:
        found.extend(filter(None, [statements_zh.fragment(weak[0], text[weak[0].start : weak[0].end], question)]))
    left = [f for f in episodes if f.dropped is not None]
    if among is not None:
        found, refused = group_talk_zh.sifted(found, text, among, in_project=in_project)
        left = [*refused, *left]
    return [*found, *left]


def _healed_of(found: Found, text: str) -> bool:
    """Is it a value of what the speaker had once, and does the turn say that they are healed?"""
    return HAD.match(text, found.start) is not None and HEALED.search(text, found.end) is not None


_WHY_I = re.compile(
    r"(?:^|(?<=[，,。！!？?；;\s]))(?P<why>(?:请问|那么?|所以)?(?:到底)?(?:为什么|为何|为啥|怎么))"
    r"(?P<told>我(?:总|老|一直|每次|每天|经常|常常|从来|从小|还是|现在|最近|就是|明明|这么|那么|特别|很)[^。！!？?…\n]{3,60})(?P<end>[？?]?)"
)
"""Why the speaker is so: that they are is said."""


def _as_premises(text: str) -> str:
    """Return a turn with what a question takes for granted of its speaker as a statement, its length kept."""

    def replacement(match: re.Match[str]) -> str:
        if _ASKS_MORE.search(match["told"]):
            return match.group()
        return " " * len(match["why"]) + match["told"] + "。" * len(match["end"])

    return _WHY_I.sub(replacement, text) if "我" in text else text


_ASKS_MORE = re.compile(r"什么|怎么|如何|[吗呢]$|还是[^，]{1,10}$|是不是|谁|哪[个里些儿]")


def _asked_on(sentence: Sentence, text: str) -> Sentence:
    """The second half of a question asks: 硕士毕业就当老师吗？还是博士啊."""
    goes_on = sentence.text.startswith("还是") and text[: sentence.start].rstrip().endswith(("?", "？"))
    return replace(sentence, asks=True) if goes_on else sentence


def _stated(stated_sentence: Sentence, profile: Profile) -> list[Found]:
    """What the speaker states in a sentence."""
    parts = clauses_zh.clauses(stated_sentence, "我")
    return _statements(stated_sentence, stated_sentence.text, profile, parts, in_project=False)


def _lengthened(found: list[Found], own: list[Alone]) -> tuple[list[Found], list[Alone]]:
    """Relations with what goes on with them, and the statements that are left."""
    left: list[Alone] = []
    for each in own:
        at = next((n for n, f in enumerate(found) if f.kind == "relation" and f.overlaps(each.start, each.end)), None)
        if at is None or not each.goes_on:
            left.append(each)
        else:
            found[at] = replace(found[at], end=each.end, text=statements_zh.episode(each).text)
    return found, left


def _changes(parts: Sequence[clauses_zh.Clause], taken: Sequence[Found | Alone]) -> list[Found]:
    """What clauses without their doer say, where nothing else tells them."""
    free = [c for c in clauses_zh.joined(parts) if not any(t.start < c.end and c.start < t.end for t in taken)]
    return [f for c in free for f in changed(c)]


def _told_to(
    sentence: Sentence, original: str, parts: Sequence[clauses_zh.Clause], here: Sequence[Found], *, in_project: bool,
    plainly: bool, for_work: bool,
) -> list[Found]:  # fmt: skip
    """What the assistant is to do from now on, or to remember; a project's sentences are told as they were said.
    `plainly`: one speaks to an assistant alone; `for_work`: the turn asks for something to be made."""
    if any(f.kind == "preference" for f in here) or (in_project and statements_zh.of_project(sentence, original)):
        return []
    others = [h for h in here if h.episode_type != "decision"]
    orders_found = [f for f in orders(sentence, original, parts) if not any(h.overlaps(f.start, f.end) for h in others)]
    if plainly and not orders_found:
        plain = plain_orders(sentence, original, parts, for_work=for_work)
        orders_found = [f for f in plain if not any(h.overlaps(f.start, f.end) for h in others)]
    return orders_found or to_remember(sentence, original, parts, here, at_once=plainly)


def _statements(
    sentence: Sentence, original: str, profile: Profile, parts: Sequence[clauses_zh.Clause], *, in_project: bool,
    lead: str = "", own_family: bool = False,
) -> list[Found]:  # fmt: skip
    """`lead`: what the turn says before the sentence; `own_family`: relatives without a word of whose they are are the
    speaker's."""
    found: list[Found] = []
    for reader in (atoms.task_zh, atoms.decision_zh):
        atom = reader(sentence, original)
        if atom is not None and (in_project or atom.episode_type != "decision" or _decides(atom, original)):
            found.append(atom)
            break
    wishes = manner(sentence, profile, "zh")
    found.extend(wishes)
    for at, clause in enumerate(parts):
        if at and _of_the_speaker(found, parts[at - 1]):
            clause = clauses_zh.having_more(clause)
        found.extend(self_statements(clause, profile.lexicon))
        found.extend(life_statements(clause))
        found.extend(avoids_zh(clause))
        found.extend(atoms.relations_zh(clause) if whole(clause.raw) else [])
        if not clause.states:
            continue
        is_own = not advised(clause.raw)
        found.extend(wordings_zh(profile, clause, found, lead) if is_own else [])
        of_family = own_family and clause.subject == "other" and _RELATIVE.match(clause.body) is not None
        if (of_family or clause.subject not in {"other", "unnamed"}) and is_own:
            more = "，" + parts[at + 1].raw if at + 1 < len(parts) and _MORE.match(parts[at + 1].raw) else ""
            phrase = statements_zh.unnamed(clause.raw + more)
            of_kin = of_family or clause.subject == "亲友"
            own = profile_fields(profile, clause.raw, clause.start, phrase, of_kin=of_kin)
            found = [*without_jobs(found, own, profile, in_project=in_project), *own]
        elif is_own and (topic := _TOPIC_FIRST.match(clause.raw)):
            phrase = statements_zh.unnamed(clause.raw)
            found.extend(profile_fields(profile, clause.raw[topic.end() :], clause.start + topic.end(), phrase))
        phrase, end = _with_what_follows(sentence, parts, at)
        if (hot := hot_status(profile, phrase)) is not None:
            hot = with_sentence(profile, hot, sentence.text)
            found.append(Found(clause.start, end, "episode", phrase, episode_type="fact", hot=hot))
    return said_once(found, wishes)


def _decides(atom: Found, original: str) -> bool:
    """Is a decision outside of a project whole, somebody's, and no part of a letter to another?"""
    phrase = tidy(original)
    if "{owner}" not in atom.text and re.search(r"自己|的决定", phrase):
        return False
    of_a_letter = self_contained_zh.YOU.search(phrase) and not (
        _FROM_NOW.match(phrase) or self_contained_zh.resolved(phrase)
    )
    return whole(self_contained_zh.YOU.sub("", phrase)) and not of_a_letter


def _of_the_speaker(found: Sequence[Found], clause: clauses_zh.Clause) -> bool:
    """Does what was found hold a fact of the speaker's from this clause?"""
    own = clause.subject in {"我", "我们"} and clause.states
    return own and any(f.kind == "fact" and f.slots and not f.negated and f.start >= clause.start for f in found)


def _with_what_follows(sentence: Sentence, parts: Sequence[clauses_zh.Clause], at: int) -> tuple[str, int]:
    """A clause and its end; one that a colon ends says its status behind that, and a number that only a space
    parts from the clause before it is of what that names: CPU 90%."""
    clause = parts[at]
    if at and clause.raw[:1].isdigit() and not any(c.isdigit() for c in parts[at - 1].raw):
        named = sentence.text[parts[at - 1].start - sentence.start : clause.end - sentence.start]
        if not named[len(parts[at - 1].raw) : -len(clause.raw)].strip():
            return named, clause.end
    if at + 1 == len(parts) or not parts[at + 1].states:
        return clause.raw, clause.end
    between = sentence.text[clause.end - sentence.start : parts[at + 1].start - sentence.start].strip()
    if between not in ("：", ":"):
        return clause.raw, clause.end
    return f"{clause.raw}：{parts[at + 1].raw}", parts[at + 1].end


def _may_want(clause: clauses_zh.Clause, *, in_group: bool) -> bool:
    """To an assistant one tells also what all want: 大家希望, 公司要求."""
    of_all = not in_group and _ALL.match(clause.body) is not None
    return of_all or clause.subject not in {"other", "unnamed"}


def _asked_for(sentence: Sentence, original: str, parts: Sequence[clauses_zh.Clause], *, in_group: bool) -> list[Found]:
    """What is asked for or wanted; who wants it is the speaker only where no other may."""
    may_want = any(_may_want(clause, in_group=in_group) for clause in parts)
    if statements_zh.requests(sentence.text):
        finding = statements_zh.request(sentence, original, in_group=in_group)
        return [] if finding is None else [finding]
    wish = statements_zh.wish(sentence, original) if statements_zh.wants(original) and may_want else None
    if wish is None and sentence.asks and not statements_zh.wants(original):
        wish = statements_zh.inquiry(sentence, original)
    return [] if wish is None else [wish]
