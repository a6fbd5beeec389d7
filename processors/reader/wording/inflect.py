"""English inflection by rule and table: the form of a word, whichever form it stands in."""

from __future__ import annotations

import re

from processors.reader.wording.program import Form
from processors.reader.wording.tables import Tables

_VERB: tuple[Form, ...] = ("base", "third", "past", "participle", "ing")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
_DOUBLES = re.compile(r"^[^aeiou]*[aeiou][bdgmnprt]$")
"""Short words of one vowel and one consonant double it: stop, stopped."""
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")
_SILENT = re.compile(r"(?:v|[^s]c|dg|u)$")
"""Stems that always take an e again when -ing or -ed is removed."""


def _plus_s(stem: str) -> str:
    if stem.endswith("y") and stem[-2:-1] not in "aeiou":
        return stem[:-1] + "ies"
    return stem + ("es" if _SIBILANT.search(stem) else "s")


def _minus_s(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("es") and re.search(r"(?:ss|x|zz|ch|sh)$", word[:-2]):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _restored(stem: str, tables: Tables) -> str:
    """The base of a stem that lost its end before -ing or -ed."""
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if any(stem.endswith(end) for end in tables.silent_e) or _SILENT.search(stem):
        return stem + "e"
    return stem[:-1] if _DOUBLED.search(stem) and not re.search(r"(?:dd|rr|tt)$", stem[:-1]) else stem


def base(word: str, tables: Tables) -> str:
    """The base of a regular verb in any form."""
    for end in ("ing", "ed"):
        stem = word.removesuffix(end)
        if stem != word and len(stem) > 2 and re.search(r"[aeiouy]", stem):
            return _restored(stem, tables)
    return _minus_s(word)


def _regular(stem: str, form: Form) -> str:
    if form in ("base", "singular"):
        return stem
    if form in ("third", "plural"):
        return _plus_s(stem)
    end = "ing" if form == "ing" else "ed"
    if stem.endswith("e") and not (end == "ing" and stem.endswith(("ee", "oe", "ye"))):
        return stem[:-1] + end
    if end == "ed" and stem.endswith("y") and stem[-2:-1] not in "aeiou":
        return stem[:-1] + "ied"
    return stem + (stem[-1] if _DOUBLES.match(stem) else "") + end


def inflected(word: str, form: Form, tables: Tables) -> str:
    """A word in a form; capitals of its first letter stay."""
    low = word.lower()
    known = tables.irregular.get(low, {})
    if form in known:
        found = known[form]
    elif form in _VERB:
        found = _regular(low if low in tables.verbs else known.get("base") or base(low, tables), form)
    else:
        found = _regular(low if low in tables.nouns else _minus_s(low), form)
    return found[:1].upper() + found[1:] if word[:1].isupper() else found
