"""Score the recognisers of personal data on natural sentences, by kind, language and half.

Each line of `tests/data/pii/{en,zh}/KIND.jsonl` is a `PiiCase`: a sentence that shows the kind with every span of it,
or one that only looks like it (`shows` false). The texts go through the analyzer as the screen calls it, with the
language that `language_of` gives, under the default policy. Half a may be read while rules are written, half b not:
`--misses` prints sentences of half a alone.

    python -m evaluation.pii_cases
    python -m evaluation.pii_cases --kind card --misses
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from inference.language import language_of
from inference.protocols import EntitySpan
from memstream.workers.models import LazyAnalyzer
from processors.ports import EntityAnalyzer
from processors.screen.answers import answer_spans
from schemas.profile.pii_policy import DEFAULT_POLICY, PiiAction

CASES = Path(__file__).resolve().parents[1] / "tests" / "data" / "pii"
NAMES = frozenset({"PERSON", "ORGANIZATION", "LOCATION"})
KINDS: Mapping[str, frozenset[str]] = {
    "answer": frozenset(
        {
            "BANK_ACCOUNT", "CN_RESIDENT_ID", "CREDENTIAL", "CREDIT_CARD", "IBAN_CODE", "PASSPORT", "PHONE_NUMBER",
            "US_DRIVER_LICENSE", "US_SSN",
        }
    ),
    "bank-account": frozenset({"BANK_ACCOUNT", "IBAN_CODE"}),
    "card": frozenset({"CREDIT_CARD"}),
    "command-password": frozenset({"CREDENTIAL"}),
    "email": frozenset({"EMAIL_ADDRESS"}),
    "everyday-secret": frozenset({"CREDENTIAL", "CREDIT_CARD", "CN_RESIDENT_ID", "PASSPORT", "US_SSN"}),
    "ip": frozenset({"IP_ADDRESS"}),
    "location": frozenset({"LOCATION"}),
    "national-id": frozenset(
        {"CN_RESIDENT_ID", "CN_SOCIAL_CREDIT_CODE", "PASSPORT", "US_DRIVER_LICENSE", "US_ITIN", "US_SSN"}
    ),
    "organization": frozenset({"ORGANIZATION"}),
    "person": frozenset({"PERSON"}),
    "phone": frozenset({"PHONE_NUMBER"}),
    "prose-credential": frozenset({"CREDENTIAL"}),
}
"""Kinds by their file's name, and the entities that belong to each."""
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
"""A Chinese character, or a run of letters and digits of another script."""


class LabelledSpan(BaseModel):
    """`text` stands at `start` (code points) and is an `entity`, or one of `also`. A mask may cover `wide` (from
    `wide_start`), the option or title that the value is glued to, without swallowing a word."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: int
    text: str
    entity: str
    also: tuple[str, ...] = ()
    wide: str | None = None
    wide_start: int = 0

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def entities(self) -> frozenset[str]:
        return frozenset({self.entity, *self.also})

    @property
    def reach(self) -> tuple[int, int]:
        """What a mask may cover, as [start, end)."""
        if self.wide is None:
            return self.start, self.end
        return self.wide_start, self.wide_start + len(self.wide)


class PiiCase(BaseModel):
    """One sentence. `shows`: it holds the kind, and `spans` has every one; otherwise it only looks like it. `before`:
    the turn before, which asks for what `text` answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    language: Literal["en", "zh"]
    kind: str
    half: Literal["a", "b"]
    text: str
    spans: tuple[LabelledSpan, ...]
    shows: bool
    note: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class CaseScore:
    """What became of one sentence. `gold` and `found`: spans of the kind, and those that a mask of the right entity
    touches. `predicted` and `right`: masks of the kind, and those that touch such a span. `swallowed`: words under
    masks of the kind outside of every label. `false_kind`, `false_any`: masks outside of every label in a sentence
    that only looks like the kind, of the kind and of any entity."""

    gold: int
    found: int
    predicted: int
    right: int
    swallowed: int
    false_kind: int
    false_any: int

    @property
    def wrong(self) -> bool:
        return bool(self.found < self.gold or self.swallowed or self.false_any)


@dataclass(frozen=True, slots=True)
class KindScore:
    """Sums over the sentences of one kind, language and half; shares are 0 to 1, nan where nothing was there."""

    gold: int
    found: int
    predicted: int
    right: int
    swallowed: int
    look_alikes: int
    false_kind: int
    false_any: int

    @property
    def recall(self) -> float:
        return _share(self.found, self.gold)

    @property
    def precision(self) -> float:
        """Within the sentences that show the kind."""
        return _share(self.right, self.predicted)

    @property
    def f1(self) -> float:
        return _f1(self.precision, self.recall)

    @property
    def false_alarms(self) -> float:
        """Share of the sentences that only look like it in which something is masked as it."""
        return _share(self.false_kind, self.look_alikes)

    @property
    def any_false_alarms(self) -> float:
        """The same, masked as anything."""
        return _share(self.false_any, self.look_alikes)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def read_cases(folder: Path = CASES, kind: str | None = None, language: str | None = None) -> list[PiiCase]:
    """The cases of a kind and language, or of all. Raises ValueError naming the file for a line of another form."""
    found: list[PiiCase] = []
    for path in sorted(folder.glob(f"{language or '*'}/{kind or '*'}.jsonl")):
        try:
            found += [PiiCase.model_validate_json(line) for line in path.read_text("utf-8").splitlines()]
        except ValueError as exc:
            raise ValueError(f"{path}: {exc}") from None
    return found


def recognised(analyzer: EntityAnalyzer, cases: Sequence[PiiCase]) -> list[list[EntitySpan]]:
    """What the screen acts on in each text: spans of the default policy's score and more, and what answers the turn
    before."""
    texts = [c.text for c in cases]
    spans = analyzer.analyze(texts, [language_of(text) for text in texts])
    return [_answered(analyzer, c, found) for c, found in zip(cases, spans, strict=True)]


def _answered(analyzer: EntityAnalyzer, case: PiiCase, spans: Sequence[EntitySpan]) -> list[EntitySpan]:
    found = [s for s in spans if s.score >= DEFAULT_POLICY.min_score]
    given = answer_spans(case.before, case.text, analyzer, language_of, DEFAULT_POLICY.min_score)
    taken = [s for s in found if DEFAULT_POLICY.action(s.entity) is not PiiAction.ALLOW]
    return [*found, *(g for g in given if not any(g.start < s.end and s.start < g.end for s in taken))]


def score_case(case: PiiCase, found: Sequence[EntitySpan]) -> CaseScore:
    """Overlap in characters with the right entity counts as found. Of names every span counts, since policy allows
    them by default; of other kinds those that policy takes out."""
    mine = KINDS[case.kind]
    gold = [s for s in case.spans if s.entities & mine]
    kind_masks = [m for m in found if m.entity in mine or any(_hits(m, s) for s in gold)]
    unlabelled = [m for m in found if not any(_overlap(m, s) and _same(m, s) for s in case.spans)]
    acted = [m for m in unlabelled if (m.entity in NAMES and mine <= NAMES) or _masked(m)]
    return CaseScore(
        gold=len(gold),
        found=sum(any(_hits(m, s) for m in kind_masks) for s in gold),
        predicted=len(kind_masks),
        right=sum(any(_hits(m, s) for s in gold) for m in kind_masks),
        swallowed=sum(_swallowed(case, m) for m in kind_masks if any(_hits(m, s) for s in gold)),
        false_kind=0 if case.shows else sum(m.entity in mine for m in unlabelled),
        false_any=0 if case.shows else len(acted),
    )


def _overlap(mask: EntitySpan, span: LabelledSpan) -> bool:
    return mask.start < span.end and span.start < mask.end


def _same(mask: EntitySpan, span: LabelledSpan) -> bool:
    return mask.entity in span.entities


def _hits(mask: EntitySpan, span: LabelledSpan) -> bool:
    return _overlap(mask, span) and _same(mask, span)


def _masked(mask: EntitySpan) -> bool:
    return DEFAULT_POLICY.action(mask.entity) is not PiiAction.ALLOW


def _swallowed(case: PiiCase, mask: EntitySpan) -> int:
    """Words of which the mask covers some, and which lie outside of every label's reach."""
    reaches = [s.reach for s in case.spans]
    return sum(
        w.start() < mask.end
        and mask.start < w.end()
        and not any(w.start() < end and start < w.end() for start, end in reaches)
        for w in _WORD.finditer(case.text)
    )


def total(cases: Sequence[PiiCase], scores: Sequence[CaseScore]) -> KindScore:
    return KindScore(
        gold=sum(s.gold for c, s in zip(cases, scores, strict=True) if c.shows),
        found=sum(s.found for c, s in zip(cases, scores, strict=True) if c.shows),
        predicted=sum(s.predicted for c, s in zip(cases, scores, strict=True) if c.shows),
        right=sum(s.right for c, s in zip(cases, scores, strict=True) if c.shows),
        swallowed=sum(s.swallowed for c, s in zip(cases, scores, strict=True) if c.shows),
        look_alikes=sum(not c.shows for c in cases),
        false_kind=sum(s.false_kind > 0 for s in scores),
        false_any=sum(s.false_any > 0 for s in scores),
    )


HEAD = "| kind | language | half | recall | precision | F1 | false alarms | of any kind | words swallowed |"


def table(cases: Sequence[PiiCase], scores: Sequence[CaseScore]) -> Iterable[str]:
    """A Markdown table: a row a kind, language and half."""
    yield HEAD
    yield "|---|---|---|---|---|---|---|---|---|"
    pairs = list(zip(cases, scores, strict=True))
    for kind, language, half in sorted({(c.kind, c.language, c.half) for c in cases}):
        part = [(c, s) for c, s in pairs if (c.kind, c.language, c.half) == (kind, language, half)]
        k = total([c for c, _ in part], [s for _, s in part])
        yield (
            f"| {kind} | {language} | {half} | {k.recall:.3f} | {k.precision:.3f} | {k.f1:.3f} "
            f"| {k.false_alarms:.3f} | {k.any_false_alarms:.3f} | {k.swallowed} |"
        )


NAMES_HEAD = "| names in all their sentences | language | half | labelled | precision | recall | F1 |"


def name_table(cases: Sequence[PiiCase], found: Sequence[Sequence[EntitySpan]]) -> Iterable[str]:
    """A Markdown table: people, organisations and places over all sentences of the three kinds, look-alikes too. A
    mask is right where it touches a label of its entity; a label is found where such a mask touches it."""
    yield NAMES_HEAD
    yield "|---|---|---|---|---|---|---|"
    pairs = [(c, m) for c, m in zip(cases, found, strict=True) if KINDS[c.kind] <= NAMES]
    for entity in sorted(NAMES):
        for language, half in sorted({(c.language, c.half) for c, _ in pairs}):
            part = [(c, m) for c, m in pairs if (c.language, c.half) == (language, half)]
            masks = [(m, c) for c, ms in part for m in ms if m.entity == entity]
            gold = [(s, ms) for c, ms in part for s in c.spans if s.entity == entity]
            right = sum(any(_hits(m, s) for s in c.spans) for m, c in masks)
            precision = _share(right, len(masks))
            recall = _share(sum(any(_hits(m, s) for m in ms) for s, ms in gold), len(gold))
            yield (
                f"| {entity} | {language} | {half} | {len(gold)} | {precision:.3f} | {recall:.3f} "
                f"| {_f1(precision, recall):.3f} |"
            )


def shown(case: PiiCase, found: Sequence[EntitySpan]) -> str:
    """A sentence with its labels and masks, for who writes rules."""
    labels = ", ".join(f"{s.entity} {s.text!r}" for s in case.spans) or "none"
    masks = ", ".join(f"{m.entity} {case.text[m.start : m.end]!r} ({m.recognizer})" for m in found) or "none"
    return f"{case.id}: {case.text}\n  labels: {labels}\n  masks:  {masks}"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=CASES)
    parser.add_argument("--kind", choices=sorted(KINDS))
    parser.add_argument("--language", choices=("en", "zh"))
    parser.add_argument("--misses", action="store_true", help="the sentences of half a that go wrong")
    return parser.parse_args()


def main() -> None:
    a = arguments()
    cases = read_cases(a.folder, a.kind, a.language)
    if not cases:
        sys.exit(f"{a.folder}: no cases")
    found = recognised(LazyAnalyzer(), cases)
    scores = [score_case(c, f) for c, f in zip(cases, found, strict=True)]
    print("\n".join(table(cases, scores)))
    if any(KINDS[c.kind] <= NAMES for c in cases):
        print("\n" + "\n".join(name_table(cases, found)))
    if a.misses:
        for case, masks, score in zip(cases, found, scores, strict=True):
            if case.half == "a" and score.wrong:
                print(shown(case, masks))


if __name__ == "__main__":
    main()
