"""Extraction, PII and de-duplication on annotated files: the pure measures of processors/, fed with default models."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from memstream.cli.formats import FileError
from memstream.workers.models import default_embedder
from schemas.profile.model import Profile


def text_of(path: Path) -> str:
    """Raises FileError naming the file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(f"{path}: no such file") from None
    except UnicodeDecodeError as exc:
        raise FileError(f"{path}: not UTF-8 (byte {exc.start})") from None


def pii(path: Path) -> dict[str, Any]:
    """Per language and entity: gold, precision, recall, F1 (overlapping spans), F1 of exact spans, beside Presidio's
    own engine over the same model in the same run (N7)."""
    from inference.pii.analyzer import default_analyzer
    from inference.pii.stock import StockPresidio
    from processors.pii.evaluate import evaluate, load_examples, rows

    try:
        examples = load_examples(text_of(path).splitlines())
    except ValueError as exc:
        raise FileError(f"{path}: {exc}") from None
    engines = (default_analyzer(), StockPresidio())
    report: dict[str, Any] = {"texts": len(examples), "languages": {}}
    for language in sorted({example.language for example in examples}):
        part = [example for example in examples if example.language == language]
        texts, languages = [e.text for e in part], [e.language for e in part]
        ours, stock = (evaluate(part, engine.analyze(texts, languages)) for engine in engines)
        report["languages"][language] = {"texts": len(part), "entities": rows(ours, stock)}
    return report


def dedup(path: Path) -> dict[str, Any]:
    """Labelled pairs, or stated facts with edits made of them."""
    from processors.dedupe.calibration import calibration_for
    from processors.dedupe.evaluate import evaluate_file

    text_of(path)
    embedder = default_embedder()
    try:
        report = evaluate_file(path, embedder.embed, calibration_for(embedder.model_id))
    except (ValueError, KeyError, TypeError) as exc:  # rows that are no objects
        raise FileError(f"{path}: {exc}") from None
    return asdict(report)


def extraction(path: Path, facts: Path | None, profile: Profile) -> dict[str, Any]:
    """Conversations with evidence (and, with `facts`, stated facts), or user turns with the values they inform."""
    from processors.reader.rules.evaluate import evaluate, read
    from processors.reader.rules.rules import RuleExtractor

    try:
        examples = read(text_of(path), "" if facts is None else text_of(facts))
    except (ValueError, KeyError) as exc:
        raise FileError(f"{path}: {exc}") from None
    report: dict[str, Any] = evaluate(examples, RuleExtractor(), profile).figures()
    return report
