"""What the judge measures of a statement beside its embedding: its length, what it points at, its kind."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import get_args

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from schemas.events.memory import CandidateKind

Floats = npt.NDArray[np.float32]
KINDS: tuple[str, ...] = get_args(CandidateKind)
MOST_READ = 2_000
"""Characters of a statement, and of its turn, that are measured."""
_WORD = re.compile(r"[A-Za-z']+")
_DIGIT = re.compile(r"\d")
_FEW = 4


class _Words(BaseModel):
    """The words of a language, as the file explains them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    refers: str
    passes: str
    chats: str


_EN = _Words.model_validate(tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))["en"])
_REFERS, _PASSES, _CHATS = (frozenset(words.split()) for words in (_EN.refers, _EN.passes, _EN.chats))


def measures(text: str, said: str, kind: str) -> Floats:
    """Shape (measures,): `text` is an English statement of `kind`, `said` the turn that it was read from."""
    text, said = text[:MOST_READ], said[:MOST_READ]
    spelled = _WORD.findall(text)
    words, theirs = [w.lower() for w in spelled], [w.lower() for w in _WORD.findall(said)]
    shared = set(words) & set(theirs)
    refers = sum(w in _REFERS for w in words)
    found = [
        np.log1p(len(text)),
        np.log1p(len(words)),
        np.log1p(len(said)),
        min(4.0, len(words) / max(1, len(theirs))),
        len(shared) / max(1, len(set(words))),
        min(_FEW, refers),
        refers > 0,
        min(_FEW, sum(w in _PASSES for w in words)),
        min(_FEW, sum(w in _CHATS for w in words)),
        _DIGIT.search(text) is not None,
        min(_FEW, sum(w[0].isupper() for w in spelled[1:])),
        "?" in said,
        min(_FEW, text.count(",")),
        len(words) <= _FEW,
        *(kind == name for name in KINDS),
    ]
    return np.asarray(found, np.float32)
