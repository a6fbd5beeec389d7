"""What steps and jobs compute with, made from the settings; without the clients of the log."""

from __future__ import annotations

from inference.reader.protocol import FieldReader
from memstream.secretfile import key_from
from memstream.settings import Settings
from memstream.workers.models import default_embedder, default_models
from processors.ports import ProfileBook
from processors.reader.learned_gate import GatedExtractor
from processors.reader.rules.protocol import Extractor
from processors.reader.rules.rules import RuleExtractor
from schemas.profile.model import load_profile
from streams.topology import Parts


def parts_of(settings: Settings) -> Parts:
    """Models, profile and extractor of this process. Raises WeightsError."""
    key = key_from(settings.hash_key.get_secret_value(), settings.data_dir)
    book = ProfileBook(load_profile(settings.profile, settings.profiles_dir))
    return Parts(default_models(key), book, extractor_of(settings), ask_model=bool(settings.model_url))


def extractor_of(settings: Settings) -> Extractor:
    """The rules, with the learned tagger of fields and behind the learned gate where they are on. Raises WeightsError
    for missing or altered weights."""
    rules = RuleExtractor(_tagger() if settings.learned_fields else None)
    if not settings.learned_gate:
        return rules
    from inference.reader.turn_gate import LearnedGate

    gate = LearnedGate.of()
    return GatedExtractor(rules, gate, gate.card)


def _tagger() -> FieldReader:
    from inference.reader.field_tagger import FieldTagger

    return FieldTagger.of(default_embedder())
