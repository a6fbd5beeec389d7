"""Reads an English turn: plain statements, atoms, what the profile looks for, then what else is worth keeping."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from processors.reader.rules import atoms, clauses_en, free_statements_en, self_en, statements_en
from processors.reader.rules.agreed_en import agreed_with
from processors.reader.rules.answered_en import answered, by_kind
from processors.reader.rules.avoidance import avoids_en
from processors.reader.rules.completeness_en import leaves_open
from processors.reader.rules.domain import profile_fields, resolve_category
from processors.reader.rules.found import Found
from processors.reader.rules.full_names_en import with_full_names
from processors.reader.rules.hot import hot_status, with_sentence, with_status
from processors.reader.rules.instructed_en import instruction_en
from processors.reader.rules.ironic_en import is_ironic, sounds_ironic
from processors.reader.rules.joint_subjects_en import another_first
from processors.reader.rules.life_en import life_statements
from processors.reader.rules.likes_en import liked_en
from processors.reader.rules.lists_en import listed_en
from processors.reader.rules.manner import manner, said_once
from processors.reader.rules.mentioned_en import mentioned
from processors.reader.rules.others import about_kin_en
from processors.reader.rules.others_words_en import quotes_a_text, without_others_words
from processors.reader.rules.people_en import People
from processors.reader.rules.plain_orders_en import plain_order_en
from processors.reader.rules.possessions_en import had_en
from processors.reader.rules.project_talk import is_mused, is_settled, settled, with_decisions
from processors.reader.rules.remember_requests import to_keep_en
from processors.reader.rules.resolved_en import resolved
from processors.reader.rules.run_on_en import apart
from processors.reader.rules.self_contained_en import is_self_contained
from processors.reader.rules.short_statements_en import shortly_en
from processors.reader.rules.text import Sentence, sentences, without_quotes
from processors.reader.rules.third_person_en import spliced, starts_a_statement
from processors.reader.rules.topic_en import Topic
from processors.reader.rules.typed_en import typed
from processors.reader.rules.withdrawals import ended, withdrawn
from processors.reader.rules.wordings import LOOKED_BACK, wordings_en
from processors.reader.rules.words_en import alternatives
from processors.reader.rules.work_requests import work_asked_en
from processors.reader.rules.worth_en import KEEP, Alone, worth
from schemas.profile.model import Profile

_GREETS = re.compile(r"(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening)|nice to meet you)\b", re.I)
_CALLS = re.compile(r"\bcall(?:ing)? me\b", re.I)
_QUOTED = "__"
"""A quotation is masked in what is read for values, and stands in full in what is told."""
ANSWER = 300
"""Characters of a turn in which the answer to a question ends."""
_JOINS = re.compile(r"[\s,;]*(?:\b(?:and|so|but)\b)?[\s,;]*(?:please\b)?[\s,;]*$", re.I)
_PLEASE = re.compile(r"^please,? ", re.I)
_AS_PREDICATE = re.compile(r"^(?=[a-z]{3,}(?:ic|ant|itive) to\b)", re.I)
"""What one is, said without a verb: it takes one, "tolerant to heat"."""
_SAYS_I = re.compile(r"\bI\b")
_NAMES_ONESELF = re.compile(r"\b(?:I|im|ive|me|my|mine|we|our|us)\b", re.I)
_OPENS_WITH_A_TIME = re.compile(
    r"(?:(?:and|but|so|well|ok|okay)[, ]{1,2})?"
    r"(?P<time>(?:today|yesterday|since \w{1,20}|(?:this|last) \w{1,20}"
    r"|(?:in|over|during) the (?:past|last) \w{1,20})\b)",
    re.I,
)
_MADE_UP = re.compile(rf"\b(?:{alternatives('made_up')})\b[^.!?\n:]{{0,80}}:(?= ?[A-Za-z'\"])", re.I)
"""What follows is a story's, or a text to work on."""
_PASTED = re.compile(
    rf"(?:^|\b(?:this|the|an?|my|our) )(?:{alternatives('pasted')})(?: [\w.-]+){{0,4}}:[ \t]*\n", re.I
)
"""An error or a log that stands under its name."""
_WORKED_ON = re.compile(
    r"(?:^|[.!?\n][ \t]*|\b(?:you|please|pls|you to|and),? )"
    rf"(?:{alternatives('worked_on')})\b(?:(?!\b(?:my|our) (?:{alternatives('ones_state')})\b)[^.!?\n:]){{0,80}}"
    r":[ \t]*\n",
    re.I,
)
"""A text to work on: what stands under it, up to an empty line."""
_LETTER = re.compile(
    r"\bDear (?:Sirs?|Madam|[A-Z])[^\n,:]{0,40}[,:]"
    r".{1,3000}?\b(?:Yours|Regards|Kind regards|Best wishes|Sincerely|Love),[^\n.!?/]{0,60}",
    re.DOTALL,
)
_PLAYED = re.compile(rf"\b(?:[Mm]y|[Oo]ur) (?:[\w'-]+ ){{0,2}}?(?:{alternatives('played')})\b[^\n]*")
_ROLES = re.compile(
    r"\b(?:you(?:'re| are|'ll be)|you be) (?:the|an?|my) [^.!?\n]{2,60}?,? (?:and )?"
    r"(?:I'm|I am|I'll be|I be) (?:the|an?|your) [^.!?\n]*",
    re.I,
)
_ROLES_OF_TWO = re.compile(
    r"\b(?:you'll be|you be) (?:the|an?|my) [^.!?\n]{2,60}?,? (?:and )?(?:I'll be|I be) (?:the|an?|your) [^.!?\n]*",
    re.I,
)
"""With an assistant: "you are an AI, I am a nurse" is true of both."""
_EXERCISE = re.compile(
    r"^[^\n]*?(?=\b(?:that's|that is|that was|this is|it's) (?:just |only )?(?:the|an?|from the) "
    rf"(?:{alternatives('practised')})(?: again)?\s*(?:[.,;!?)]|$)|\b(?:just|only) a joke\b)",
    re.I,
)
_JOKED = re.compile(
    r"(?:^|(?<=[.!?] )|(?<=\n))[^.!?\n]*[.!?]{1,3} "
    r"(?=(?:i'm |im |i am )?(?:just |only )?(?:kidding|joking)[ \t]*(?:[.!?)\n]|$))",
    re.I,
)
"""A sentence that the next one takes back."""
"""Who is who in a game, and what its speaker says was said for practice."""
_IF_WANTED = re.compile(
    r",? (?:if|in case) (?:you (?:need|want) (?:that|it|them|to know)\b"
    r"|(?:that|it|this)(?:'s| is)? (?:matters|helps|relevant|useful|important|possible|of (?:any )?"
    r"(?:use|help|interest))\b)(?: at all)?(?=\s*(?:$|[.,;!\n]))",
    re.I,
)
"""It supposes nothing of what it is said with."""
_IN_A_ROLE = re.compile(
    r"\s*\"_+[.?!,_]?\" I (?!(?:am|have|had|was|do|did|said|told|asked|got|went|think|know|mean|need|want|like"
    r"|love|hate|feel|would|will|can|could|get|live|work|never|always|just|really|still|also)\b|[a-z]+ed\b)"
    r"[a-z]+ [^\n]*"
)
"""A letter pasted whole, somebody of a game, a line spoken in a role and what is done in it."""


def as_ones_own(text: str, *, in_group: bool, in_project: bool) -> str:
    """The text with what is quoted masked, and without what is played, pasted or to be worked on; its length stays. A
    project's figures may be anybody's."""
    phrase = without_quotes(text) if in_project else without_others_words(without_quotes(text))
    for played in (_IF_WANTED, _LETTER, _PLAYED, _ROLES if in_group else _ROLES_OF_TWO, _EXERCISE, _JOKED):
        phrase = played.sub(lambda m: " " * len(m.group()), phrase)
    if (role := _IN_A_ROLE.match(phrase)) is not None:
        phrase = " " * role.end() + phrase[role.end() :]
    if (under := _WORKED_ON.search(phrase) or _PASTED.search(phrase)) is not None:
        phrase = _without_paragraph(phrase, under.end())
    made_up = _MADE_UP.search(phrase)
    return phrase if made_up is None else _without_paragraph(phrase, made_up.end())


def _without_paragraph(text: str, start: int) -> str:
    """The text with what stands at `start` masked up to the next empty line."""
    begin = start + len(text[start:]) - len(text[start:].lstrip("\n \t"))
    end = text.find("\n\n", begin)
    end = len(text) if end < 0 else end
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def read(
    text: str, profile: Profile, question: str | None, *, among_people: bool, in_project: bool,
    before: Sequence[str] = (), heard: str = "", in_group: bool = False,
) -> list[Found]:
    """Return what a turn holds in the order of the text, and then what it says that is dropped.

    `question`: the question of the turn before; `among_people`: the turn before was another person's, so there is
    nobody whom one sends for things and short answers mean nothing alone; `in_project`: figures, problems and solutions
    are kept that are nobody's own; `before`: turns of the same speaker before it, which say who their people are;
    `heard`: what somebody told the speaker, whose "your brother" is theirs; `in_group`: the turn names its speaker, as
    a group's do. A single user tells an assistant what is to be known.
    """
    text = apart(another_first(typed(text)))
    text, to_keep = (text, frozenset[int]()) if in_group else to_keep_en(text)
    found: list[Found] = []
    statements: list[Alone] = []
    weak: list[Sentence] = []
    people, topic = People(before, heard), Topic(heard, before[-1] if before else "")
    greeted = False
    work = work_asked_en(text)
    own = as_ones_own(text, in_group=in_group, in_project=in_project)
    ironic = sounds_ironic(text)
    spoken = sentences(own)
    decisions = settled(spoken, text, "en") if in_project else []
    for sentence in spoken:
        original = text[sentence.start : sentence.end]
        if is_ironic(sentence.text, among=ironic) or quotes_a_text(sentence.text):
            continue
        if over := withdrawn(
            sentence, "en", lambda statements: _statements(statements, statements.text, profile, greeted=False)
        ):
            found.extend(over)
            continue
        greeted = greeted or _GREETS.match(sentence.text) is not None
        lead = own[max(0, sentence.start - LOOKED_BACK) : sentence.start]
        names = question or ("What shall I call you?" if _CALLS.search(text) else None)
        here = _statements(sentence, original, profile, greeted=greeted, in_group=in_group, question=names, lead=lead)
        if not any(f.slots for f in here):
            found.extend(
                ended(
                    sentence, "en", lambda statements: _statements(statements, statements.text, profile, greeted=False)
                )
            )
        if not (here or in_project or sentence.asks or sentence.excited):
            for statement, start, end in had_en(sentence.text, in_group=in_group):
                here = [*here, *_stated(statement, sentence.start + start, sentence.start + end, profile)]
        if not (in_project or sentence.asks):
            here = [*here, *_shortly(sentence, text, here, profile)]
        if not (sentence.asks or in_group or any(f.slots for f in here)):
            here = [*here, *_without_a_verb(sentence, text, question, profile)]
        order = None if among_people else instruction_en(sentence, original)
        if order is None and not in_group:
            order = plain_order_en(sentence, original, whole=original.strip() == text.strip(" .!\n"), work=work)
        if order is not None and not any(_says_it(f, order) for f in here):
            others = [f for f in here if not f.overlaps(order.start, order.end) or _begins_before(f, order)]
            here = [order, *(others or _before_it(sentence, order, profile))]
        greeted = greeted and len(sentence.text) < 30 and not here
        wants = statements_en.wants(original) and clauses_en.DOUBTING.search(original) is None
        decided = any(f.episode_type == "decision" for f in here)
        more = wants and sum(len(f.text) for f in here) < 0.7 * len(original)
        mused = in_project and is_mused(spoken, sentence, "en")
        if not (among_people or decided or mused) and (not here or more):
            here = here + _asked_for(sentence, original, profile, wants=wants, in_group=in_group)
        here = with_status(here, sentence, profile, clauses_en.SUPPOSED) if in_project else here
        here = with_decisions(here, decisions, sentence, "en") if in_project else here
        found.extend(here)
        weak += [] if sentence.asks or here else [sentence]
        if in_project and not is_settled(decisions, sentence):
            parts = statements_en.of_project(sentence, original)
            found.extend(p for p in parts if not any(f.overlaps(p.start, p.end) for f in here))
        if not in_project:
            kept = [f for f in here if not (f.dangling or _QUOTED in f.text)]
            asked_for = sentence.start in to_keep
            statements.extend(
                free_statements_en.free_statements(
                    sentence, original, kept, people, topic, in_group=in_group, to_keep=asked_for
                )
            )
    episodes = [statements_en.episode(each) for each in worth(statements, text)]
    found.extend(f for f in episodes if f.dropped is None)
    if question and not among_people:
        told_by_it = _answer(question, text, found, profile, in_group=in_group)
        if told_by_it and by_kind(question, text):
            found = [f for f in found if f.slots or not f.overlaps(0, told_by_it[0].end)]
        found.extend(told_by_it)
    if heard and (agreed := agreed_with(heard, text)) is not None and is_self_contained(agreed[0], in_group=in_group):
        found.extend(_stated(agreed[0], 0, agreed[1], profile))
    if in_group and not in_project:
        phrases = [f.text for f in found if f.dropped is None and not f.dangling]
        for sentence in sentences(own):
            for phrase, start, end in mentioned(sentence.text, phrases, before):
                phrases.append(phrase)
                found.extend(_stated(phrase, sentence.start + start, sentence.start + end, profile))
    if not (found or among_people or in_project) and 0 < len(weak) < 3:
        found.extend(filter(None, [statements_en.fragment(weak[0], text[weak[0].start : weak[0].end], question)]))
    found += [f for f in episodes if f.dropped is not None]
    return with_full_names(found, [text, heard, *before]) if in_group and not in_project else found


def _statements(
    sentence: Sentence, original: str, profile: Profile, *, greeted: bool, in_group: bool = False,
    question: str | None = None, lead: str = "",
) -> list[Found]:
    """`lead`: what the turn says before the sentence."""
    found: list[Found] = []
    for atom in (
        atoms.task_en(sentence, original, in_group=in_group),
        atoms.decision_en(sentence, original, in_group=in_group),
    ):
        if atom is not None:
            found.append(atom)
            break
    wishes = manner(sentence, profile, "en")
    found.extend(wishes)
    for clause in clauses_en.clauses(sentence):
        found.extend(self_en.self_statements(clause))
        found.extend(life_statements(clause, greeted=greeted, question=question))
        found.extend(avoids_en(clause))
        found.extend(atoms.relations_en(clause, in_group=in_group))
        as_said = sentence.text[clause.start - sentence.start : clause.end - sentence.start]
        named = _NAMES_ONESELF.search(as_said) is not None
        of_first = clause if in_group else next(spliced(clause, as_said))
        in_words = wordings_en(profile, clause, found, lead, named=named)
        if of_first is not clause:
            in_words = _narrowed(in_words, wordings_en(profile, of_first, found, lead, named=named))
        found.extend(in_words)
        if clause.states and clause.subject != "other":
            body = clause.body
            named_first = clause.subject == "none" and starts_a_statement(body)
            whole = clause.subject == "my" or named_first or _SAYS_I.search(body) is not None
            phrase = body if whole else f"I {_AS_PREDICATE.sub('am ', _PLEASE.sub('ask to ', body))}"
            kin = clause.subject == "my" and about_kin_en(body)
            own = profile_fields(profile, body, clause.start, phrase, of_kin=kin)
            found.extend(_worded_once(own, in_words))
        dated = (_with_its_time(sentence, text) for text in (clause.body, as_said))
        if clause.states and (hot := next(filter(None, (hot_status(profile, s) for s in dated)), None)) is not None:
            text = f"{clause.subject} {clause.body}" if clause.subject in {"I", "we"} else clause.body
            hot = with_sentence(profile, hot, sentence.text)
            found.append(Found(clause.start, clause.end, "episode", text, episode_type="fact", hot=hot))
    return said_once(found, wishes)


def _narrowed(found: Sequence[Found], of_first: Sequence[Found]) -> list[Found]:
    """What the profile's words find in a clause, in the place of its first part where that part says it by itself:
    what another subject is said to do behind it is not told with it."""
    return [next((f for f in of_first if (f.slots, f.negated) == (w.slots, w.negated)), w) for w in found]


def _worded_once(own: Sequence[Found], in_words: Sequence[Found]) -> list[Found]:
    """What the profile's patterns find, told as its words tell the same value of the same clause."""

    def told_as(f: Found) -> Found:
        for w in in_words:
            same = [v for _, v in f.slots] == [v for _, v in w.slots] and (f.kind, f.negated) == (w.kind, w.negated)
            if same and f.overlaps(w.start, w.end):
                return replace(f, text=w.text)
        return f

    return [told_as(f) for f in own]


def _answer(
    question: str, text: str, found: Sequence[Found], profile: Profile, *, in_group: bool
) -> list[Found]:
    """What the beginning of a turn says as the answer to a question, where nothing is found in it."""
    answer = answered(question, without_quotes(text[:ANSWER]))
    if answer is None:
        return []
    phrase, end = answer
    if not is_self_contained(phrase) and (in_group or not phrase.startswith("the ") or not resolved(phrase)):
        return []
    if in_group and leaves_open(phrase, in_group=True):
        return []
    said_itself = any(f.overlaps(0, end) and f.source == "explicit" and not f.dangling for f in found)
    if said_itself and not by_kind(question, text):
        return []
    return _stated(phrase, 0, end, profile)


def _stated(statement: str, start: int, end: int, profile: Profile) -> list[Found]:
    """What the rules find in a sentence that was made of the words at `start:end`; else the sentence."""
    found = _statements(Sentence(statement, 0, len(statement), asks=False), statement, profile, greeted=False)
    over = statement.startswith(("I have never ", "I have not "))
    valued = [replace(f, start=start, end=end) for f in found if f.slots and not over]
    third = statement.startswith("the ")
    text = f"{statement[0].upper()}{statement[1:]}" if third else statement
    return valued or [statements_en.episode(Alone(start, end, text, KEEP, of_a_third=third))]


def _without_a_verb(sentence: Sentence, turn: str, question: str | None, profile: Profile) -> list[Found]:
    """What a single user lists, wants or likes without saying so in a verb; a question asked may want that answered."""
    at = sentence.start
    found = [one for text, a, b in listed_en(sentence.text) for one in _stated(text, at + a, at + b, profile)]
    if found or question:
        return found
    return [Found(at + a, at + b, "preference", text) for text, a, b in liked_en(sentence.text, turn)]


def _begins_before(f: Found, order: Found) -> bool:
    """Is it a fact that a sentence says before its order: "I'm a vegetarian, so never suggest meat"?"""
    return bool(f.slots) and f.kind == "fact" and f.start < order.start


def _says_it(f: Found, order: Found) -> bool:
    """Does a value say what an order does?"""
    return bool(f.slots) and f.overlaps(order.start, order.end) and not _begins_before(f, order)


def _before_it(sentence: Sentence, order: Found, profile: Profile) -> list[Found]:
    """What a sentence says before an order at its end: "I prefer two options over one, and cite the source"."""
    phrase = _JOINS.sub("", sentence.text[: order.start - sentence.start])
    remainder = Sentence(phrase, sentence.start, sentence.start + len(phrase), asks=False)
    return [f for f in _statements(remainder, phrase, profile, greeted=False) if f.slots] if phrase else []


def _shortly(sentence: Sentence, turn: str, here: Sequence[Found], profile: Profile) -> list[Found]:
    """What a sentence says in a word that none of `here` says."""
    at, out = sentence.start, list[Found]()
    for text, start, end in shortly_en(sentence.text, turn[:at]):
        held = {slot for f in here for slot in f.slots}
        made = [f for f in _stated(text, at + start, at + end, profile) if held.isdisjoint(f.slots)]
        if text.startswith("I am a") and not any(f.slots for f in made):
            continue  # "as a child I lived in York"
        out += made
    return out


def _with_its_time(sentence: Sentence, body: str) -> str:
    """A clause with the time that opens its sentence: "Since Monday, we have ..." counts since then, not by now."""
    opened = _OPENS_WITH_A_TIME.match(sentence.text)
    if opened is None or body.lower().startswith(opened["time"].lower()):
        return body
    return f"{opened['time']} {body}"


def _asked_for(sentence: Sentence, original: str, profile: Profile, *, wants: bool, in_group: bool) -> list[Found]:
    def names_application(text: str) -> bool:
        return resolve_category(profile, text) is not None

    if (intent := statements_en.request(sentence, original, names_application, in_group=in_group)) is not None:
        return [intent]
    finding = statements_en.wish(sentence, original, in_group=in_group) if wants else None
    if finding is None and sentence.asks and not wants:
        finding = statements_en.inquiry(sentence, original)
    return [] if finding is None else [finding]
