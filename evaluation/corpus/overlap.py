"""Finds turns that share a run of words with texts on which a reader is measured.

A run is 8 words, or 12 Chinese characters; punctuation, capitals and white space do not count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.corpus.entries import MAX_BEFORE
from evaluation.corpus.read import ROOT, contexts
from schemas.base import Json

WORDS = 8
CHARACTERS = 12
_WORD = re.compile(r"[^\W_\u3400-\u9fff]+(?:['’][^\W_\u3400-\u9fff]+)*")
_HAN = re.compile(r"[\u3400-\u9fff0-9a-z]")


@dataclass(frozen=True)
class Shared:
    """A turn of the corpus and a file that hold the same run."""

    place: str
    file: str
    run: str


def runs(text: str) -> Iterator[str]:
    """All runs of a text: of words, and of characters where it is Chinese."""
    low = text.lower().replace("’", "'")
    words = _WORD.findall(low)
    for i in range(len(words) - WORDS + 1):
        yield " ".join(words[i : i + WORDS])
    characters = "".join(_HAN.findall(low))
    if re.search(r"[\u3400-\u9fff]", characters):
        for i in range(len(characters) - CHARACTERS + 1):
            run = characters[i : i + CHARACTERS]
            if re.search(r"[\u3400-\u9fff]", run):
                yield run


def texts(value: Json) -> Iterator[str]:
    """All strings in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts(each)


def shared_runs(measured: Path, folder: Path = ROOT) -> list[Shared]:
    """The first shared run of each turn of the corpus, its turns before and its memories included.

    Args:
        measured: a folder; all its `*.jsonl` and `*.json` files are read.
        folder: the corpus.
    Raises:
        FileNotFoundError: the folder holds no such file.
    """
    known: dict[str, str] = {}
    paths = [path for path in sorted(measured.rglob("*.json*")) if path.suffix in (".jsonl", ".json")]
    if not paths:
        raise FileNotFoundError(f"no JSON in {measured}")
    for path in paths:
        whole = path.read_text(encoding="utf-8")
        for value in map(json.loads, whole.splitlines()) if path.suffix == ".jsonl" else [json.loads(whole)]:
            for text in texts(value):
                for run in runs(text):
                    known.setdefault(run, path.name)
    found: list[Shared] = []
    for context in contexts(folder):
        turn_texts = (context.turn.text, *(before.text for before in context.before[-MAX_BEFORE:]))
        memories = (statement.memory for statement in context.kept())
        met = next((run for text in (*turn_texts, *memories) for run in runs(text) if run in known), None)
        if met is not None:
            found.append(Shared(context.place, known[met], met))
    return found
