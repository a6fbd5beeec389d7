"""A profile that cannot be used: the message names the file, the key and what is allowed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.profile import PROFILES_DIR, ProfileError, load_profile, parse_profile

GENERAL = (PROFILES_DIR / "general.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"colour = 1\n{GENERAL}", ["mine.toml: colour: no such key", "time_zone"]),
        (GENERAL.replace("[[fields]]\n", "[[fields]]\ncolour = 1\n", 1), ["fields.0.colour: no such key", "aliases"]),
        (f'time_zone = "Mars/Base"\n{GENERAL}', ["mine.toml: time_zone: expected an IANA time zone"]),
        ("[pii", ["mine.toml: not TOML"]),
    ],
)
def test_the_message_names_file_key_and_what_is_allowed(text: str, told: list[str]) -> None:
    with pytest.raises(ProfileError) as refused:
        parse_profile(text, "mine.toml")
    assert all(part in str(refused.value) for part in told), str(refused.value)


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ProfileError, match=r"mine\.toml: not UTF-8 \(byte 0\)"):
        load_profile("mine", tmp_path)
