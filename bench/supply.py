"""`python -m bench.supply FILE`: the licence of every installed package as a Markdown table."""

from __future__ import annotations

import sys
from importlib.metadata import Distribution, PackageMetadata, distributions
from pathlib import Path


def _field(meta: PackageMetadata, name: str) -> str:
    return str(meta[name]) if name in meta else ""


def licence(package: Distribution) -> str:
    """As the package states it: an SPDX expression, else its classifiers, else the first line of the field."""
    meta = package.metadata
    if stated := _field(meta, "License-Expression"):
        return stated
    classes = [c.rsplit(" :: ", 1)[1] for c in meta.get_all("Classifier") or () if c.startswith("License :: ")]
    if classes:
        return "; ".join(classes)
    return _field(meta, "License").strip().split("\n")[0][:60] or "not stated"


def table() -> str:
    rows = {(p.metadata["Name"], p.version, licence(p)) for p in distributions()}
    lines = [
        f"| {name} | {version} | {licence} |" for name, version, licence in sorted(rows, key=lambda r: r[0].lower())
    ]
    head = ["# Licences of the installed packages", "", "| package | version | licence |", "|---|---|---|"]
    return "\n".join([*head, *lines])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(table() + "\n", encoding="utf-8")
