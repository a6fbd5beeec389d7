"""Content words for a second look by the encoder, in both languages."""

import pytest

from inference.condense import condense


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("What did the painters recommend to me?", "painters recommend"),
        ("I'm sure I don't like well-known kites!", "sure don't like well-known kites"),
        ("我特别喜欢在海边放风筝。", "特别喜欢海边放风筝"),
        ("我想买 iPhone 15 的手机壳", "买 iPhone 15 手机壳"),
        ("who are you", "who are you"),
        ("是谁", "是谁"),
        ("", ""),
        ("?!", "?!"),
    ],
)
def test_condense(text: str, kept: str) -> None:
    assert condense(text) == kept
