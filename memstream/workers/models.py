"""The default models, built once a process: what every worker and the query service share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from threading import Lock, Thread

from inference.embedding import UniversalSentenceEncoder
from inference.language import language_of
from inference.protocols import Embedder, EntitySpan, TokenCounter
from inference.terms import terms
from processors.ports import EntityAnalyzer, Models, TextLanguage
from streams.state.protocol import StoreAway
from streams.watch import Watch

_LOCK_SECONDS = 600.0
"""Longer than the watchdog lets anybody load, or analyse what is no large document."""


class ModelsBusy(StoreAway):
    """Somebody has had the recognisers for far too long. The record is sound, and waits as it does for a store."""


class LazyAnalyzer:
    """Loads the recognisers on the first text: processes that see no raw text never pay for them (half of a worker's
    start, and 100 MB). One text after the other, so that a thread may load them ahead of the first. `watch` hears
    who loads and who waits for it. `wait` in seconds."""

    def __init__(self, watch: Watch | None = None, wait: float = _LOCK_SECONDS) -> None:
        self._analyzer: EntityAnalyzer | None = None
        self._alone = Lock()
        self._watch, self._wait = watch or Watch(), wait

    def analyze(self, texts: Sequence[str], languages: Sequence[TextLanguage]) -> list[list[EntitySpan]]:
        """Raises ModelsBusy."""
        with self._watch.waiting():
            taken = self._alone.acquire(timeout=self._wait)
        if not taken:
            raise ModelsBusy(f"the recognisers are in use for more than {self._wait:.0f} s")
        try:
            return self._loaded().analyze(texts, languages)
        finally:
            self._alone.release()

    def _loaded(self) -> EntityAnalyzer:
        if self._analyzer is None:
            with self._watch.loading("recognisers"):
                self._analyzer = _recognisers()
        return self._analyzer


def _recognisers() -> EntityAnalyzer:
    from inference.pii.analyzer import PiiAnalyzer
    from inference.pii.chinese_names import LacRecognizer
    from inference.pii.english_names import SpacyRecognizer

    return PiiAnalyzer(SpacyRecognizer(), LacRecognizer())


@lru_cache(maxsize=4)
def counter(encoding: str) -> TokenCounter:
    """Raises ValueError for an encoding that no counter knows."""
    from inference.tokens import token_counter

    if encoding not in ("cl100k_base", "o200k_base"):
        raise ValueError(f"unknown encoding {encoding!r}: expected cl100k_base or o200k_base")
    return token_counter(encoding)


@lru_cache(maxsize=1)
def default_embedder() -> Embedder:
    """Loaded once a process: a second takes a second and 150 MB. Raises WeightsError."""
    return UniversalSentenceEncoder()


def _e5() -> Embedder:
    from inference.e5 import MultilingualE5Small

    return MultilingualE5Small()


DEFAULT = "use"
EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {DEFAULT: default_embedder, "e5": _e5}
"""Embedding models by the name that `memstream reembed` takes; the first is what the workers use."""


@lru_cache(maxsize=2)
def embedder_named(name: str) -> Embedder:
    """One of EMBEDDERS, loaded once a process. Raises ValueError for another name, EmbedderMissingError."""
    if name not in EMBEDDERS:
        raise ValueError(f"no embedding model {name!r}: expected {', '.join(EMBEDDERS)}")
    return EMBEDDERS[name]()


def recognise(analyzer: EntityAnalyzer, watch: Watch) -> None:
    """Load the recognisers of personal data, and use them: what they do first is a part of it."""
    with watch.loading("recognisers"):
        analyzer.analyze(["Anna lives in Rome.", "王伟住在北京。"], ["en", "zh"])


def recognise_beside(
    analyzer: EntityAnalyzer, watch: Watch | None = None, done: Callable[[], object] = lambda: None
) -> None:
    """The same beside other work: the first text waits for none of the seconds that it takes. `done` is called at its
    end, in the thread that loads."""

    def load() -> None:
        try:
            recognise(analyzer, watch or Watch())
        finally:
            done()

    Thread(target=load, name="recognisers", daemon=True).start()


def default_models(hash_key: bytes) -> Models:
    return Models(LazyAnalyzer(), default_embedder(), counter, language_of, terms, hash_key)
