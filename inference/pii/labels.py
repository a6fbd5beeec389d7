"""Words of data/labels.toml as alternatives of regular expressions."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    return tomllib.loads(files("inference.pii").joinpath("data/labels.toml").read_text("utf-8"))


def labels(name: str) -> tuple[str, ...]:
    """The words of a list. Raises KeyError for a name that the file lacks."""
    return tuple(_lists()[name])


def alternatives(name: str) -> str:
    """The same, to stand inside of a group."""
    return "|".join(labels(name))
