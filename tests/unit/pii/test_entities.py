"""The entities that a profile may name are those that the screen finds, each of them documented."""

from __future__ import annotations

import re
from pathlib import Path

from inference.pii.analyzer import RULES
from inference.pii.presidio import PresidioPatterns
from schemas.profile.pii_policy import DEFAULT_POLICY, ENTITIES

NAMES = {"PERSON", "LOCATION", "ORGANIZATION", "NRP", "ADDRESS"}
"""Of the taggers of both languages."""


def test_d5_a_policy_can_name_what_is_found_and_nothing_else() -> None:
    presidio = {e for _, recognizer in PresidioPatterns()._recognizers for e in recognizer.supported_entities}
    assert {rule.entity for rule in RULES} | presidio | NAMES == ENTITIES
    assert set(DEFAULT_POLICY.actions) <= ENTITIES


def test_d5_the_documentation_lists_every_entity() -> None:
    text = (Path(__file__).parents[3] / "docs" / "pii.md").read_text(encoding="utf-8")
    table = text.split("## What is found", 1)[1].split("\n\n", 1)[0]
    named = {word for line in table.splitlines()[3:] for word in re.findall(r"\b[A-Z][A-Z_]{2,}\b", line.split("|")[1])}
    assert named - {"GB"} == ENTITIES
