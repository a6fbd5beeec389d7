"""What steps are built from."""

from __future__ import annotations

from dataclasses import dataclass

from processors.ports import Models, ProfileBook
from processors.reader.rules.protocol import Extractor


@dataclass(frozen=True, slots=True)
class Parts:
    """`ask_model`: promising turns are read by a language model, as jobs."""

    models: Models
    book: ProfileBook
    extractor: Extractor
    ask_model: bool = False
