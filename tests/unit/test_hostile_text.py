"""Whatever reads a caller's text ends soon, whatever the text: no regular expression of ours backtracks for long, no
parser falls over (hypothesis), and what is found lies within the text."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.condense import condense
from inference.language import language_of
from inference.terms import terms
from processors.dedupe.features import extract_features
from processors.knowledge.chunking import chunks
from processors.language import times
from processors.reader.rules.prefilter import promising
from query.deadletters.preview import outline, preview
from query.prompt.intents import route
from schemas.log.codec import Codec, DecodeError
from schemas.log.topics import CATALOGUE, DEAD_LETTERS
from schemas.profile.model import load_profile
from tests.examples import examples
from tests.linear import assert_linear
from tests.unit.extract.support import extract

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
GENERAL = load_profile("general")
READERS: dict[str, Callable[[str], Any]] = {
    "extract": lambda t: extract(t, GENERAL),
    "promising": lambda t: [promising(t, lang, answers=True) for lang in ("en", "zh")],
    "features": extract_features,
    "times": lambda t: times.find(t, NOW),
    "chunks": lambda t: chunks(t, len, 400),
    "terms": terms,
    "language": language_of,
    "condense": condense,
    "intents": lambda t: route(GENERAL, t, None, NOW),
    "outline": outline,
}
SEEDS = (
    "a", "A", "Aa", "1", " ", "\n", ".", "...", "-", "_", "@", "#", "`", "|", "*", "[", "<", "evev", "any", "I. ",
    "and ", "last ", "in two ", "中", "嗯", "三", "每", "上周", "去年的", "，", "# ", "- ", "> ", "| a ", "```\n",
    "\u2028", "1/",
)  # fmt: skip
SIZE = 8_000
NASTY = st.text(
    alphabet="aA1 .,-_#|`*<>[]()'\"\\/\n\r\t\u2028中一年月日上周每嗯，。？\u200b\ufeff😀e\u0301", max_size=120
)


@pytest.mark.parametrize("reader", READERS)
def test_no_text_makes_a_reader_backtrack_for_long(reader: str) -> None:
    """Thirty-seven texts of 8,000 characters."""
    for seed in SEEDS:
        assert_linear(READERS[reader], lambda size, seed=seed: (seed * size)[:size] + "\x01!", SIZE)  # type: ignore[misc]


@settings(max_examples=examples(150), deadline=None)
@given(NASTY)
def test_any_text_is_read_without_an_error(text: str) -> None:
    for read in READERS.values():
        read(text)
    for span in times.find(text, NOW):
        assert span.start <= span.end
    for chunk in chunks(text, len, 40):
        assert chunk.text.strip()


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(
        ["type", "tenant", "user_id", "sealed", "schema_version", "alg", "kid", "ct", "owner_kind", "owner_id", "kind",
         "content", "embedding", "candidates", "x"]), inner, max_size=6),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=examples(250), deadline=None)
@given(st.sampled_from([t.name for t in CATALOGUE if t is not DEAD_LETTERS]), st.binary(max_size=200) | JSON)
def test_any_bytes_are_an_event_or_a_refusal(topic: str, given_value: Any) -> None:
    codec = Codec()
    with suppress(DecodeError):
        if isinstance(given_value, bytes):
            preview(given_value)
            codec.decode(topic, given_value)
        elif isinstance(given_value, dict):
            codec.event(topic, given_value)
