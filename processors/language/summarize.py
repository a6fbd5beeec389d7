"""Extractive summaries in English and Chinese: what was said, chosen and not reworded. Pure; the encoder comes in.

Maximal marginal relevance (Carbonell and Goldstein 1998) over sentence vectors: each sentence that is taken is close to
what the whole is about and unlike what was taken before. Priors say what a conversation is remembered by: statements
over questions and small talk, the user over the assistant, what was summed up before over both, the latest a little.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from inference.protocols import Vectors
from processors.language.item_numbers import unnumbered
from processors.reader.rules.prefilter import promising
from processors.reader.rules.text import prepare, sentences

Role = Literal["user", "assistant", "system", "tool", "summary"]
Embed = Callable[[Sequence[str]], Vectors]
"""Texts to unit vectors, one row each."""

RELEVANCE = 0.7
"""Weight of relevance against novelty."""
SAME = 0.93
"""Cosine above which a sentence says nothing new."""
MAX_SENTENCES = 400
"""Read at most: those with the highest priors."""
_ROLES: dict[Role, float] = {"summary": 1.2, "user": 1.0, "assistant": 0.75, "system": 0.3, "tool": 0.3}
_LABELS: dict[str, dict[Role, str]] = {
    "en": {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"},
    "zh": {"user": "用户", "assistant": "助手", "system": "系统", "tool": "工具"},
}
_COLON = {"en": ": ", "zh": "："}
_FLOOR = 0.28
"""A prior below this is small talk: left out unless there is nothing else."""
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKS = ".!?。！？…；"


@dataclass(frozen=True, slots=True)
class Contribution:
    """One contribution, oldest first. Role "summary": an earlier summary as this module or a caller wrote it."""

    text: str
    role: Role = "user"
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    label: str
    prior: float
    order: int


def summarise(
    phrase: Sequence[Contribution],
    embed: Embed,
    count: Callable[[str], int],
    max_tokens: int,
    language: Literal["en", "zh"],
) -> str:
    """Return sentences of `phrase` in their order, a line a speaker, in at most `max_tokens` tokens by `count`.

    Empty where nothing was said. Deterministic for a deterministic `embed`. Time: one batch of vectors and a product
    of at most 400 by 400 a sentence taken.
    """
    found = _read(phrase, language)
    if not found or max_tokens <= 0:
        return ""
    vectors = np.asarray(embed([s.text for s in found]), dtype=np.float32)
    chosen: list[int] = []
    left = max_tokens
    for i in _by_marginal_relevance(found, vectors):
        cost = count(found[i].text) + 1
        if cost <= left:
            chosen.append(i)
            left -= cost
        if left < 4:
            break
    while chosen:
        text = _render([found[i] for i in sorted(chosen)], language)
        if count(text) <= max_tokens:
            return text
        chosen.pop()  # labels cost tokens too: the least relevant goes
    return _cut(max(found, key=lambda s: s.prior).text, count, max_tokens)


def _read(phrase: Sequence[Contribution], language: Literal["en", "zh"]) -> list[_Sentence]:
    """Sentences with their priors; the same sentence counts once, where it was said first."""
    out: dict[str, _Sentence] = {}
    for place, each in enumerate(phrase):
        for label, text in _lines(each, language):
            recent = 0.9 + 0.2 * (place + 1) / len(phrase)
            for s in sentences(text):
                whole = s.text + (text[s.end] if s.end < len(text) and text[s.end] in _MARKS else "")
                prior = _ROLES[each.role] * recent * _content(s.text, language) * _asked(s.asks, each.role)
                key = "".join(c for c in whole.casefold() if c.isalnum())
                out.setdefault(key, _Sentence(whole, label, prior, len(out)))
    worth = [s for s in out.values() if s.prior >= _FLOOR] or list(out.values())
    best = sorted(worth, key=lambda s: (-s.prior, s.order))[:MAX_SENTENCES]
    return sorted(best, key=lambda s: s.order)


def _lines(phrase: Contribution, language: Literal["en", "zh"]) -> list[tuple[str, str]]:
    """(label, text): an earlier summary has its labels in the text already."""
    text = prepare(_CODE.sub(" ", phrase.text))
    if phrase.role != "summary":
        return [(phrase.speaker or _LABELS[language][phrase.role], unnumbered(text))]
    out: list[tuple[str, str]] = []
    for line in text.splitlines():
        label, colon, rest = line.partition(_COLON[language].strip())
        known = colon and 0 < len(label) <= 40 and (label in _LABELS[language].values() or "." not in label)
        named = (label, rest.strip()) if known and rest.strip() else ("", line)
        out.append((named[0], unnumbered(named[1])))
    return out


def _asked(asks: bool, role: Role) -> float:
    """What a user asks is part of what a conversation was about; what they are asked shows in the answer."""
    return 1.0 if not asks else 0.6 if role == "user" else 0.35


def _content(text: str, language: Literal["en", "zh"]) -> float:
    """How much a sentence holds that is worth keeping, around 1."""
    words = len(text) / 2 if language == "zh" else len(text.split())
    length = 0.25 if words < 3 else 0.7 if words < 5 else 1.0 if words <= 45 else 0.75
    weight = length if promising(text, language) else 0.6 * length
    return weight * (1.15 if any(c.isdigit() for c in text) else 1.0)


def _by_marginal_relevance(found: Sequence[_Sentence], vectors: npt.NDArray[np.float32]) -> list[int]:
    """Indices, best first; what says nothing new is left out."""
    priors = np.array([s.prior for s in found], dtype=np.float32)
    centre = (vectors * priors[:, None]).sum(axis=0)
    norm = float(np.linalg.norm(centre))
    closeness = vectors @ (centre / norm) if norm > 0 else np.ones(len(found), dtype=np.float32)
    relevance = priors * (0.4 + 0.6 * np.clip(closeness, 0.0, 1.0))
    nearest = np.zeros(len(found), dtype=np.float32)
    open_ = np.ones(len(found), dtype=bool)
    order: list[int] = []
    while open_.any():
        score = np.where(open_, RELEVANCE * relevance - (1 - RELEVANCE) * nearest, -np.inf)
        i = int(np.argmax(score))
        order.append(i)
        open_[i] = False
        nearest = np.maximum(nearest, vectors @ vectors[i])
        open_ &= nearest < SAME
    return order


def _render(chosen: Sequence[_Sentence], language: Literal["en", "zh"]) -> str:
    gap = "" if language == "zh" else " "
    lines: list[tuple[str, list[str]]] = []
    for s in chosen:
        text = s.text if s.text[-1] in _MARKS else s.text + ("。" if language == "zh" else ".")
        if lines and lines[-1][0] == s.label:
            lines[-1][1].append(text)
        else:
            lines.append((s.label, [text]))
    return "\n".join((f"{label}{_COLON[language]}" if label else "") + gap.join(texts) for label, texts in lines)


def _cut(text: str, count: Callable[[str], int], max_tokens: int) -> str:
    """The longest beginning that fits, by bisection."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle]) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip()
