"""Services under test have limits so wide that no slow machine reaches them: what is late is late, and no store is left
out for it. Tests about a limit set their own. TEST_SHIPPED_LIMITS=1 runs all of them with the limits as shipped."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schemas.profile.model import PROFILES_DIR, Profile

SHIPPED = os.environ.get("TEST_SHIPPED_LIMITS") == "1"
BUDGET_MS = 30_000
"""Latency budget of the profiles under test."""
STORE_SECONDS = 30.0
"""Longest wait of a service under test for one answer of one store."""


def wide(profile: Profile) -> Profile:
    """The profile with the wide latency budget."""
    if SHIPPED:
        return profile
    return profile.model_copy(update={"ranking": profile.ranking.model_copy(update={"latency_budget_ms": BUDGET_MS})})


def wide_values(profile: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a profile as a caller sends it."""
    if SHIPPED:
        return dict(profile)
    return {**profile, "ranking": {"latency_budget_ms": BUDGET_MS, **profile.get("ranking", {})}}


def wide_text(profile: str) -> str:
    """The same for a profile's TOML."""
    if SHIPPED:
        return profile
    budget = f"latency_budget_ms = {BUDGET_MS}\n"
    if re.search(r"^\[ranking\]$", profile, re.M):
        return re.sub(r"^\[ranking\]\n", f"[ranking]\n{budget}", profile, count=1, flags=re.M)
    return f"{profile.rstrip()}\n\n[ranking]\n{budget}"


def wide_profiles(folder: Path) -> Path:
    """The shipped profiles with the wide latency budget, in a folder that this makes."""
    shutil.copytree(PROFILES_DIR, folder)
    for path in folder.glob("*.toml"):
        path.write_text(wide_text(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder
