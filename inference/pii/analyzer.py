"""The PII analyzer: patterns, Presidio's recognisers and the taggers of both languages over a batch (D5)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from inference.language import HAN, TextLanguage
from inference.pii import (
    accounts,
    cards,
    chinese,
    command_lines,
    common,
    credentials,
    distant_secrets,
    english,
    everyday_secrets,
    everyday_secrets_zh,
    facts,
    handed_secrets,
    handed_secrets_zh,
    opening_codes,
    phones,
    prose_secrets,
    thing_secrets,
    thing_secrets_zh,
    verb_secrets,
    verb_secrets_zh,
)
from inference.pii.english_places import call_towns
from inference.pii.english_refine import refine
from inference.pii.presidio import PresidioPatterns
from inference.pii.resolve import resolve
from inference.pii.rules import Rule, run_rules
from inference.protocols import EntityRecognizer, EntitySpan, Language
from schemas.profile.pii_policy import PLACEHOLDER

RULES: tuple[Rule, ...] = (
    *credentials.RULES,
    *command_lines.RULES,
    *prose_secrets.RULES,
    *everyday_secrets.RULES,
    *everyday_secrets_zh.RULES,
    *distant_secrets.RULES,
    *opening_codes.RULES,
    *verb_secrets.RULES,
    *verb_secrets_zh.RULES,
    *handed_secrets.RULES,
    *handed_secrets_zh.RULES,
    *thing_secrets.RULES,
    *thing_secrets_zh.RULES,
    *common.RULES,
    *cards.RULES,
    *phones.RULES,
    *accounts.RULES,
    *chinese.RULES,
    *english.RULES,
    *facts.RULES,
)
MIN_SCORE = 0.5

_PLACEHOLDER = re.compile(PLACEHOLDER)
"""What already stands for a value: its name ("PHONE_NUMBER:e0a6...") is nobody's."""
_HAN = re.compile(f"[{HAN}]")
_LATIN_NAME = re.compile(r"[A-Z\u00c0-\u00de][A-Za-z\u00c0-\u024f]")
_NO_HAN = re.compile(f"[^{HAN}《]{{1,4000}}")
_SMALL_WORD = re.compile(r"(?<![A-Za-z])[a-z]{2,20}(?![A-Za-z])")


class PiiAnalyzer:
    """Finds personal data and secrets in batches of texts; not thread-safe, one a worker."""

    def __init__(self, english_names: EntityRecognizer, chinese_names: EntityRecognizer) -> None:
        self._english = english_names
        self._chinese = chinese_names
        self._presidio = PresidioPatterns()

    def analyze(self, texts: Sequence[str], languages: Sequence[TextLanguage]) -> list[list[EntitySpan]]:
        """Return the spans of each text: sorted, none overlapping, scored 0.5 or more.

        Every rule runs on every text, since numbers and secrets know no language; names are looked for by the
        tagger of the text's language, and by the other where the text has its script too: the Chinese one reads it
        whole, the English one its English sentences.
        Raises ValueError when the lengths differ.
        """
        found = [[*run_rules(RULES, text), *self._presidio.find(text)] for text in texts]
        pairs = list(zip(texts, languages, strict=True))
        chinese_texts = [i for i, (text, _) in enumerate(pairs) if _HAN.search(text)]
        english_texts = [i for i, (text, language) in enumerate(pairs) if _wants_english(text, language)]
        in_english = list(texts)
        for i, (text, language) in enumerate(pairs):
            if language == "zh" and _LATIN_NAME.search(text):
                found[i].extend(refine(text, []))  # "我和 Peter 去": the lexicon alone, the network reads no Chinese
                in_english[i] = _english_part(text)
                if in_english[i]:
                    english_texts.append(i)
        self._names(self._chinese, "zh", chinese_texts, texts, found)
        self._names(self._english, "en", english_texts, in_english, found)
        return [
            resolve(_outside(text, call_towns(text, spans)), MIN_SCORE)
            for text, spans in zip(texts, found, strict=True)
        ]

    @staticmethod
    def _names(
        recognizer: EntityRecognizer,
        language: Language,
        chosen: Sequence[int],
        texts: Sequence[str],
        found: Sequence[list[EntitySpan]],
    ) -> None:
        if not chosen:
            return
        results: Iterable[list[EntitySpan]] = recognizer.recognize([texts[i] for i in chosen], language)
        for i, spans in zip(chosen, results, strict=True):
            found[i].extend(spans)


def _outside(text: str, spans: Sequence[EntitySpan]) -> list[EntitySpan]:
    """Leave out what lies in a placeholder; of what reaches into one the part before it stays, else that behind it."""
    held = [m.span() for m in _PLACEHOLDER.finditer(text)] if "<" in text else []
    kept = []
    for span in spans:
        start, end = span.start, span.end
        for begin, close in held:
            if start < begin < end:
                end = begin
            elif begin <= start < close:
                start = min(close, end)
        if start < end:
            kept.append(span if (start, end) == (span.start, span.end) else replace(span, start=start, end=end))
    return kept


def _wants_english(text: str, language: TextLanguage) -> bool:
    return language == "en" or (language == "und" and _LATIN_NAME.search(text) is not None)


def _english_part(text: str) -> str:
    """Return the English sentences of a Chinese text (a run of no Han with two words in small letters, and no title),
    as long as the text, blanks where the rest stands, so that places stay true; empty where there is none."""
    found = [run for run in _NO_HAN.finditer(text) if not text.startswith("《", run.start() - 1) or run.start() == 0]
    runs = [run for run in found if len(_SMALL_WORD.findall(run.group())) > 1]
    part = [" "] * len(text)
    for run in runs:
        part[run.start() : run.end()] = run.group()
    return "".join(part) if runs else ""


def default_analyzer() -> PiiAnalyzer:
    """Return the analyzer with the taggers that come inside packages: about 300 MB in a bare process."""
    from inference.pii.chinese_names import LacRecognizer
    from inference.pii.english_names import SpacyRecognizer

    return PiiAnalyzer(english_names=SpacyRecognizer(), chinese_names=LacRecognizer())
