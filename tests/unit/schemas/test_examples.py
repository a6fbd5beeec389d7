"""Every example decodes, or is refused with its word; every event type has one, in English and Chinese."""

from __future__ import annotations

import orjson
import pytest

from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec, DecodeError
from tests.unit.schemas.examples import Example, invalid, valid
from tests.unit.schemas.test_codec import EVENTS

CODEC = Codec()


@pytest.mark.parametrize("example", valid(), ids=str)
def test_a_valid_example_decodes_and_encodes_to_itself(example: Example) -> None:
    event = CODEC.decode(example.topic, example.value)
    assert orjson.loads(CODEC.value(event)) == orjson.loads(example.value), "written as the codec writes it"


@pytest.mark.parametrize("example", invalid(), ids=str)
def test_an_invalid_example_is_refused_with_its_word(example: Example) -> None:
    with pytest.raises(DecodeError) as failure:
        CODEC.decode(example.topic, example.value)
    assert failure.value.reason == example.reason


def test_every_event_type_of_every_topic_has_an_example() -> None:
    def name(model: type[object]) -> str:  # kinds of memory are recorded: test_updates
        return "MemoryUpdate" if issubclass(model, MemoryUpdate) else model.__name__

    shown = {(e.topic, name(type(CODEC.decode(e.topic, e.value)))) for e in valid()}
    assert {(topic, name(model)) for topic, model in EVENTS} == shown


def test_every_topic_has_a_refused_example() -> None:
    assert {e.topic for e in invalid()} == {t.name for t in topics.CATALOGUE} - {topics.DEAD_LETTERS.name}


WITH_TEXT = (topics.TURNS, topics.HISTORY, topics.LEDGER, topics.PROJECT_EVENTS, topics.UPDATES, topics.DOCUMENTS)


@pytest.mark.parametrize("topic", [t.name for t in WITH_TEXT])
def test_examples_are_in_english_and_chinese(topic: str) -> None:
    texts = [e.value.decode() for e in valid(topic)]
    assert any(any(c >= "\u4e00" for c in t) for t in texts)
    assert any(not any(c >= "\u4e00" for c in t) for t in texts)
