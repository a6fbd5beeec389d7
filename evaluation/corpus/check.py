"""Checks every rule of corpus/GUIDE.md that a program can check."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.corpus.entries import (
    NEVER_KEPT,
    PARTLY_LABELLED,
    Chat,
    Entry,
    Pair,
    Statement,
    Turn,
    Utterance,
    Verdict,
    known_text,
)
from evaluation.corpus.marked import FILE_PATTERN, MarkedTalk, talk_faults
from evaluation.corpus.read import (
    CHATS,
    PAIRS,
    ROOT,
    SECOND,
    VERDICTS,
    WRITERS,
    Context,
    chat_contexts,
    contexts,
    lines,
)
from processors.reader.wording.realise import WordingError, realise
from processors.reader.wording.tables import tables

MIN_REBUILT = 0.92
"""Least share of the memories of a language that a program builds."""
LABELS = ("predicate", "value", "owner", "person", "polarity", "modality", "time", "kind", "attribute", "value_type")


@dataclass
class Report:
    """What a check found."""

    faults: list[str] = field(default_factory=list)
    """`file:line: fault`."""
    counts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """How often each value of each label stands."""

    def add(self, place: str, faults: Sequence[str]) -> None:
        self.faults += [f"{place}: {fault}" for fault in faults]


def statement_faults(statement: Statement, turn: Turn, known: str, partly: bool) -> Iterator[str]:
    """What is wrong with one statement of a turn; `known` is the text of the turn and of those before it."""
    if statement.clause not in turn.text:
        yield "clause is no part of the text"
    for name, part in (("predicate", statement.predicate), ("value", statement.value)):
        if part is not None and part not in statement.clause:
            yield f"{name} is no part of the clause"
    if statement.person is not None and statement.person not in known:
        yield "person is no part of the turns"
    if not partly and [name for name in LABELS if getattr(statement, name) is None]:
        yield "a label is missing"
    if statement.person is not None and (statement.owner == "person") != bool(statement.person):
        yield "a person is named where the owner is a person, and only there"
    if statement.keep != bool(statement.memory):
        yield "a kept statement has a memory, another has none"
    if statement.keep and statement.modality in NEVER_KEPT:
        yield f"kept though {statement.modality}"
    if statement.program is not None and not statement.keep:
        yield "a program without a memory"


def turn_faults(turn: Turn, before: Sequence[Utterance], partly: bool = False) -> Iterator[str]:
    """What is wrong with a labelled turn."""
    known = known_text(turn, before)
    for i, statement in enumerate(turn.statements):
        for fault in statement_faults(statement, turn, known, partly):
            yield f"statement {i}: {fault}"
    if any(statement.keep for statement in turn.statements) == bool(turn.nothing):
        yield "nothing says why where no statement is kept, and only there"


def program_faults(context: Context) -> Iterator[str]:
    """Which programs of a turn do not build their memory byte for byte."""
    for i, statement in enumerate(context.turn.statements):
        if statement.program is None:
            continue
        try:
            built = realise(statement.program, context.turn, context.before, tables(context.language))
        except WordingError as error:
            yield f"statement {i}: program: {error}"
            continue
        if built != statement.memory:
            yield f"statement {i}: the program builds another sentence"


def entry_faults(entry: Entry) -> Iterator[str]:
    """What is wrong with an entry by itself."""
    if not entry.id.startswith(entry.language) or entry.id.rstrip("abcdefghijklmnopqrstuvwxyz") != entry.group:
        yield "id, group and language do not fit"
    if bool(entry.twin) != (entry.id != entry.group):
        yield "a twin has a letter, a base turn has none"
    if entry.twin == "variant" and entry.writer not in PARTLY_LABELLED:
        yield "what a twin changes is labelled"
    yield from turn_faults(entry, entry.before, entry.writer in PARTLY_LABELLED)


def check_programs(folder: Path, report: Report) -> None:
    """Programs build their memories, and enough memories have one."""
    for context in contexts(folder):
        report.add(context.place, list(program_faults(context)))
        for statement in context.kept():
            report.counts["kept, by language"][context.language] += 1
            report.counts["rebuilt"][context.language] += statement.program is not None
    for language, kept in report.counts["kept, by language"].items():
        if report.counts["rebuilt"][language] < MIN_REBUILT * kept:
            report.add(language, [f"less than {MIN_REBUILT:.0%} of the memories have a program"])


def count(report: Report, name: str, turn: Turn) -> None:
    report.counts["turns"][name] += 1
    report.counts["nothing"][turn.nothing or "kept"] += 1
    for statement in turn.statements:
        report.counts["statements"][name] += 1
        report.counts["kept statements"][name] += statement.keep
        for label in ("owner", "polarity", "modality", "time", "kind", "value_type"):
            report.counts[label][str(getattr(statement, label))] += 1


def check_entries(paths: Sequence[Path], report: Report) -> None:
    ids: set[str] = set()
    texts: set[tuple[str, str]] = set()
    for path in paths:
        for line in lines(path, Entry):
            report.add(line.place, line.faults)
            if (entry := line.value) is None:
                continue
            report.add(line.place, list(entry_faults(entry)))
            turn_texts = (entry.text, "\n".join(before.text for before in entry.before))
            if entry.id in ids or turn_texts in texts:
                report.add(line.place, ["an id or a turn again"])
            ids.add(entry.id)
            texts.add(turn_texts)
            report.counts["twin"][entry.twin or "base"] += 1
            report.counts["language"][entry.language] += 1
            count(report, path.stem, entry)


def check_chats(paths: Sequence[Path], report: Report) -> None:
    """A chat is checked as if each of its turns were an entry with all turns before it."""
    openings: set[str] = set()
    for path in paths:
        for line in lines(path, Chat):
            report.add(line.place, line.faults)
            if (chat := line.value) is None:
                continue
            if chat.turns[0].text in openings:
                report.add(line.place, ["an opening again"])
            openings.add(chat.turns[0].text)
            report.counts["chats"][path.stem] += 1
            for context in chat_contexts(chat):
                report.add(f"{path.name}: {context.place}", list(turn_faults(context.turn, context.before)))
                count(report, path.stem, context.turn)


def check_pairs(paths: Sequence[Path], report: Report) -> None:
    seen: set[tuple[str, str]] = set()
    for path in paths:
        for line in lines(path, Pair):
            report.add(line.place, line.faults)
            if (pair := line.value) is None:
                continue
            if (pair.old, pair.new) in seen:
                report.add(line.place, ["a pair again"])
            seen.add((pair.old, pair.new))
            report.counts["pairs"][path.stem] += 1
            report.counts["relation"][pair.relation] += 1


def check_second(paths: Sequence[Path], first: set[str], report: Report) -> None:
    """Second labels are entries whose first labels stand in a writer's file."""
    for path in paths:
        for line in lines(path, Entry):
            report.add(line.place, line.faults)
            if (entry := line.value) is not None:
                report.add(line.place, list(entry_faults(entry)))
                if entry.id not in first:
                    report.add(line.place, ["no first labels"])
                report.counts["labelled twice"][path.stem] += 1


def check_verdicts(paths: Sequence[Path], places: set[str], report: Report) -> None:
    seen: set[tuple[str, str]] = set()
    for path in paths:
        for line in lines(path, Verdict):
            report.add(line.place, line.faults)
            if (verdict := line.value) is None:
                continue
            if verdict.place not in places:
                report.add(line.place, [f"no turn {verdict.place}"])
            if (verdict.place, verdict.memory) in seen:
                report.add(line.place, ["a verdict again"])
            seen.add((verdict.place, verdict.memory))
            report.counts["verdicts"][path.stem] += 1
            report.counts["good"][path.stem] += verdict.good


def check_marked(paths: Sequence[Path], report: Report) -> None:
    """Talks with marked values."""
    ids: set[str] = set()
    for path in paths:
        for line in lines(path, MarkedTalk):
            report.add(line.place, line.faults)
            if (talk := line.value) is None:
                continue
            report.add(line.place, list(talk_faults(talk, talk.field_names())))
            if talk.id in ids:
                report.add(line.place, ["an id again"])
            ids.add(talk.id)
            report.counts["talks with marks"][path.stem] += 1
            for mark in (mark for turn in talk.turns for mark in turn.marks):
                report.counts["marks of fields" if mark.field else "marks of projects"][mark.role] += 1


def check(folder: Path = ROOT) -> Report:
    """Everything in a folder of the corpus.

    Raises:
        FileNotFoundError: the folder holds no turns.
    """
    report = Report()
    writers = sorted(folder.glob(WRITERS))
    if not writers:
        raise FileNotFoundError(f"no labelled turns in {folder}")
    check_entries(writers, report)
    check_chats(sorted(folder.glob(CHATS)), report)
    check_pairs(sorted(folder.glob(PAIRS)), report)
    check_programs(folder, report)
    first = {line.value.id for path in writers for line in lines(path, Entry) if line.value is not None}
    check_second(sorted(folder.glob(SECOND)), first, report)
    check_verdicts(sorted(folder.glob(VERDICTS)), {context.place for context in contexts(folder)}, report)
    check_marked(sorted(folder.glob(FILE_PATTERN)), report)
    return report
