"""The rule-based extractor: English and Chinese, no model, pure and deterministic (B1, B7, D2)."""

from __future__ import annotations

from decimal import Decimal

from processors.extract import clauses_en, clauses_zh, self_en, self_zh
from processors.extract.catalogue import resolve
from processors.extract.found import Found
from processors.extract.person_en import about
from processors.extract.protocol import TurnView
from processors.extract.text import Sentence, prepare, sentences, without_quotes
from schemas.memory import Candidate
from schemas.profile import Profile

EXPLICIT = Decimal("1.0")
INFERRED = Decimal("0.6")
"""Where confidence starts (D4)."""


class RuleExtractor:
    """Reads what users plainly say of themselves, in English and Chinese."""

    name = "rules"
    version = 1

    def extract(self, turn: TurnView, profile: Profile) -> list[Candidate]:
        if turn.role != "user":
            return []
        text = without_quotes(prepare(turn.content))
        found: list[Found] = []
        for sentence in sentences(text):
            found.extend(_read(sentence, turn, profile))
        return _candidates(found, turn, profile)


def _read(sentence: Sentence, turn: TurnView, profile: Profile) -> list[Found]:
    found: list[Found] = []
    if turn.language == "zh":
        for zh in clauses_zh.clauses(sentence):
            found.extend(self_zh.self_statements(zh, profile.lexicon))
        return found
    for en in clauses_en.clauses(sentence):
        found.extend(self_en.self_statements(en))
    return found


def _candidates(found: list[Found], turn: TurnView, profile: Profile) -> list[Candidate]:
    candidates: list[Candidate] = []
    seen: set[tuple[str, str]] = set()
    for each in found:
        values = resolve(profile, each)
        text = owned(each.text, turn)
        key = (each.kind, text)
        if key in seen or (each.slots and not values):
            continue
        seen.add(key)
        single = values[0] if len(values) == 1 else None
        several = values if len(values) > 1 else []
        attributes = dict(each.attributes)
        if turn.speaker:
            attributes["about"] = turn.speaker
        candidates.append(
            Candidate(
                ordinal=len(candidates),
                kind=each.kind,
                text=text,
                field=single[0] if single else None,
                fields=tuple(name for name, _ in several),
                value=single[1] if single else (dict(several) or None),
                approximate=each.approximate,
                category=each.category,
                episode_type=each.episode_type,
                project_id=turn.project_id,
                importance=profile.importance[each.kind],
                confidence=INFERRED if each.source == "inferred" else EXPLICIT,
                source=each.source,
                negated=each.negated,
                hot=each.hot,
                attributes=attributes,
            )
        )
    return candidates


def owned(text: str, turn: TurnView) -> str:
    """Put the owner into a statement. In Chinese `{of}` drops an unnamed owner, as people do (B8)."""
    if turn.language == "zh":
        return text.replace("{owner}", turn.speaker or "用户").replace("{of}", turn.speaker or "")
    owner = turn.speaker or "User"
    return about(text.replace("{owner}", owner), owner)
