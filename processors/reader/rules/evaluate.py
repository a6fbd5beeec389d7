"""How much of what a conversation says is extracted, and how much else: pure counts over annotated turns.

Two kinds of file. *Evidence* (LoCoMo's shape): turns of long talks, some of which later questions or observed facts
cite; the share of cited turns that a memory was kept from, at so many memories a turn, beside the share that as many
memories from turns drawn at random would reach. *State* (dialogue state): user turns with the values they inform;
the share of those that stand in the turn's own words and in one of its kept memories.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from processors.reader.rules.common_en import CHAT, FUNCTION
from processors.reader.rules.protocol import Extractor, Language, Role, TurnView
from schemas.base import JsonValue
from schemas.events.memory import Candidate
from schemas.profile.model import Profile

_ANCHOR = datetime(2024, 1, 15, 12, tzinfo=UTC)  # of files without times
_WORD = re.compile(r"[a-z][a-z'-]+|\d+|[\u4e00-\u9fff]{2}")


@dataclass(frozen=True, slots=True)
class Example:
    """A turn, whether something cites it, the facts told of it, and the values it informs."""

    turn: TurnView
    cited: bool = False
    facts: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    """Per informed slot the ways to say its value."""


@dataclass(slots=True)
class Report:
    """Counts; shares are None where there is nothing to divide by."""

    turns: int = 0
    memories: int = 0
    turns_kept: int = 0
    cited: int = 0
    cited_kept: int = 0
    from_cited: int = 0
    matching_fact: int = 0
    values: int = 0
    values_literal: int = 0
    values_kept: int = 0
    kinds: dict[str, int] = field(default_factory=dict)

    def figures(self) -> dict[str, JsonValue]:
        """Return the shares, rounded to four places, and the counts behind them."""
        return {
            "turns": self.turns,
            "memories": self.memories,
            "memories_per_turn": _share(self.memories, self.turns),
            "kinds": dict(sorted(self.kinds.items())),
            "cited_turns": self.cited,
            "cited_recall": _share(self.cited_kept, self.cited),
            "cited_recall_at_random": _share(min(self.memories, self.turns), self.turns) if self.cited else None,
            "memories_from_cited_turns": _share(self.from_cited, self.memories) if self.cited else None,
            "memories_matching_a_fact": _share(self.matching_fact, self.memories) if self.cited else None,
            "values_literal": self.values_literal,
            "values_not_literal": self.values - self.values_literal,
            "values_kept": _share(self.values_kept, self.values_literal),
        }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def evaluate(examples: Iterable[Example], extractor: Extractor, profile: Profile) -> Report:
    """Run the extractor over annotated turns and count."""
    report = Report()
    for example in examples:
        kept = extractor.extract(example.turn, profile)
        report.turns += 1
        report.memories += len(kept)
        report.turns_kept += bool(kept)
        report.cited += example.cited
        report.cited_kept += example.cited and bool(kept)
        for candidate in kept:
            report.kinds[candidate.kind] = report.kinds.get(candidate.kind, 0) + 1
            report.from_cited += example.cited
            report.matching_fact += any(matches(candidate.text, fact) for fact in example.facts)
        _count_values(report, example, kept)
    return report


def _count_values(report: Report, example: Example, kept: Sequence[Candidate]) -> None:
    phrase = _folded(example.turn.content)
    texts = [_folded(c.text) for c in kept]
    for ways in example.values:
        report.values += 1
        literal = [_folded(way) for way in ways if _folded(way) in phrase]
        if literal:
            report.values_literal += 1
            report.values_kept += any(way in text for way in literal for text in texts)


def _folded(text: str) -> str:
    return re.sub(r"\s+", "", text).lower()


def matches(statement: str, fact: str) -> bool:
    """Do they speak of the same: two content words in common (by their first five letters), or all of a short one?"""
    ours, theirs = _content(statement), _content(fact)
    common = len(ours & theirs)
    return common >= 2 or (common >= 1 and min(len(ours), len(theirs)) <= 2)


def _content(text: str) -> set[str]:
    names = {word.lower() for word in re.findall(r"(?<![.!?] )\b[A-Z][a-z]+", text)}
    words = set(_WORD.findall(text.lower()))
    return {w[:5] for w in words if w not in FUNCTION and (w not in CHAT or w in names)}


def read_state(lines: Iterable[str]) -> Iterator[Example]:
    """Read JSON lines of {lang, text, informs: [{value} or {values}]}, one user turn each."""
    for line in lines:
        row = json.loads(line)
        values = tuple(tuple(i["values"]) if "values" in i else (str(i["value"]),) for i in row["informs"])
        language: Language = "zh" if row["lang"] == "zh" else "en"
        yield Example(TurnView(row["text"], "user", language, _ANCHOR), values=values)


def read_evidence(conversations: Sequence[JsonValue], facts: Iterable[str] = ()) -> Iterator[Example]:
    """Read LoCoMo's conversations with, where given, the JSON lines of observed facts that cite their turns."""
    sessions: dict[tuple[str, str], list[str]] = {}
    for line in facts:
        row = json.loads(line)
        for turn in row["evidence"]:
            sessions.setdefault((row["id"].rsplit("_", 1)[0], turn), []).append(row["fact"])
    for talk in conversations:
        evidence_ids = {turn for question in talk["qa"] for turn in question.get("evidence", [])}
        for session in talk["sessions"]:
            at = datetime.strptime(session["date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            before: tuple[tuple[Role, str], ...] = ()
            for turn in session["turns"]:
                known = sessions.get((talk["id"], turn["dia_id"]), [])
                view = TurnView(turn["text"], "user", "en", at, speaker=turn["speaker"], previous=before)
                yield Example(view, bool(known) or turn["dia_id"] in evidence_ids, tuple(known))
                before = (("user", turn["text"]),)


def read(text: str, facts: str = "") -> list[Example]:
    """Read either kind of file from its text. Raises ValueError for neither."""
    start = text.lstrip()[:1]
    if start == "[":
        return list(read_evidence(json.loads(text), facts.splitlines()))
    if start == "{":
        return list(read_state(line for line in text.splitlines() if line.strip()))
    raise ValueError("expected JSON conversations with evidence, or JSON lines of turns with informed values")
