"""What steps and jobs compute with, made from the settings; without the clients of the log."""

from __future__ import annotations

from memstream.secretfile import key_from
from memstream.settings import Settings
from memstream.workers.models import default_models
from processors.ports import ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.profile.model import load_profile
from streams.topology import Parts


def parts_of(settings: Settings) -> Parts:
    """Models, profile and extractor of this process."""
    key = key_from(settings.hash_key.get_secret_value(), settings.data_dir)
    book = ProfileBook(load_profile(settings.profile, settings.profiles_dir))
    return Parts(default_models(key), book, RuleExtractor(), ask_model=bool(settings.model_url))
