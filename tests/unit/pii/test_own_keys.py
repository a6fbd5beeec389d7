"""D5: memstream's own API key, pasted into a chat, is a credential."""

from __future__ import annotations

import pytest

from inference.pii.credentials import RULES

KEY = "ms_abcdefgh2345_" + "aB3-_xYz9QwErTyUiOpLkJhGfDsAzXcVbNm01234567"


@pytest.mark.parametrize("text", [KEY, f"my key is {KEY}, keep it", f"密钥是{KEY}。"])
def test_d5_an_api_key_of_memstream_is_found_whole(text: str) -> None:
    (rule,) = [r for r in RULES if r.name == "key:memstream"]
    assert [m.group(0) for m in rule.pattern.finditer(text)] == [KEY]
