"""Cheap first: texts of ordinary words skip the network, texts that may hold a name never do."""

import pytest

from inference.pii.ordinary import is_ordinary


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok thanks, that works",
        "What are my options?",
        "I planned the cheapest trips. Running late! We'll see.",
        "i think it's well-known",
        "12:30 or 13:45?",
        "好的",
    ],
)
def test_ordinary(text: str) -> None:
    assert is_ordinary(text)


@pytest.mark.parametrize(
    "text",
    [
        "Grace called me",
        "tell krystyna that",
        "we went to Berlin",
        "ask Mark about it",
        "the Jones novel",
        "müller is here",
        "meet me at the Hilton.",
    ],
)
def test_not_ordinary(text: str) -> None:
    assert not is_ordinary(text)
