"""English or Chinese by script, the same every time."""

import pytest

from inference.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where is the station?", "en"),
        ("车站在哪里？", "zh"),
        ("我想用 Kubernetes 部署 PostgreSQL", "zh"),
        ("The Chinese word 你好 means hello", "en"),
        ("OK 好", "zh"),
        ("Où est la gare ?", "en"),
        ("", "und"),
        ("12:30 → 13:45 🙂", "und"),
        ("こんにちは", "und"),
        ("привет мир", "und"),
        ("𠮷", "zh"),
        ("车" + "a" * 5_000, "zh"),
    ],
)
def test_language_by_script(text: str, language: str) -> None:
    assert language_of(text) == language
