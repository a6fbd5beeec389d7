"""The flow as a picture: where each stage stands, and what connects them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

COLUMNS, ROWS = 5, 4
BUS = 0.795
"""Where updates are handed to the stores, as a part of the width."""
HALF = 0.41
"""Half a node's width, in columns."""


@dataclass(frozen=True, slots=True)
class Node:
    """`name`: the stage, or the store behind the sink of its name."""

    name: str
    title: str
    says: str
    column: int
    row: int
    kind: Literal["source", "step", "store", "letters"]


NODES: tuple[Node, ...] = (
    Node("turns", "Turns", "what chat services send", 0, 0, "source"),
    Node("screen", "Screen", "personal data out, language, vector", 1, 0, "step"),
    Node("extract", "Extract", "what was said, as candidates", 2, 0, "step"),
    Node("jobs", "Model work", "calls that block nobody", 2, 1, "step"),
    Node("session", "Session", "window, summary, checkpoint", 2, 2, "step"),
    Node("gate", "Gate", "known? newer? sure? allowed?", 3, 0, "step"),
    Node("project", "Project", "hot memory, weekly reports", 3, 1, "step"),
    Node("documents", "Documents", "knowledge in Markdown", 0, 3, "source"),
    Node("chunk", "Chunk", "documents into sections", 1, 3, "step"),
    Node("sink-postgres", "Postgres", "truth that is read", 4, 0, "store"),
    Node("sink-milvus", "Milvus", "vectors and words", 4, 1, "store"),
    Node("sink-redis", "Redis", "sessions, hot memory", 4, 2, "store"),
    Node("letters", "Dead letters", "what could not be taken", 4, 3, "letters"),
)
_BY_NAME = {n.name: n for n in NODES}
_BETWEEN = (
    ("turns", "screen"), ("screen", "extract"), ("screen", "session"), ("extract", "jobs"), ("extract", "gate"),
    ("jobs", "gate"), ("gate", "project"), ("documents", "chunk"),
)  # fmt: skip
_TO_BUS = ("gate", "project", "session", "chunk")
_FROM_BUS = ("sink-postgres", "sink-milvus", "sink-redis")


def edges(rates: dict[str, float], bad: frozenset[str]) -> list[dict[str, Any]]:
    """Paths in a box of 1000 by 400, with how much flows (0 to 3) and whether its end is in trouble."""
    out = [_edge(_between(_BY_NAME[a], _BY_NAME[b]), rates.get(b, 0.0), b in bad) for a, b in _BETWEEN]
    out += [_edge(_to_bus(_BY_NAME[a]), rates.get(a, 0.0), False) for a in _TO_BUS]
    last = max(_BY_NAME[n].row for n in _TO_BUS)
    bus = f"M{_x(BUS)},{_y(0)} L{_x(BUS)},{_y(last)}"
    out.append(_edge(bus, sum(rates.get(a, 0.0) for a in _TO_BUS), False))
    out += [_edge(_from_bus(_BY_NAME[b]), rates.get(b, 0.0), b in bad) for b in _FROM_BUS]
    return out


def _edge(path: str, rate: float, bad: bool) -> dict[str, Any]:
    weight = 0 if rate < 0.05 else 1 if rate < 5 else 2 if rate < 50 else 3
    return {"d": path, "weight": weight, "bad": bad}


def _between(a: Node, b: Node) -> str:
    if a.column == b.column:
        return f"M{_x(_center(a))},{_y(a.row)} L{_x(_center(b))},{_y(b.row)}"
    x1, x2 = (a.column + 0.5 + HALF) / COLUMNS, (b.column + 0.5 - HALF) / COLUMNS
    middle = _x((x1 + x2) / 2)
    return f"M{_x(x1)},{_y(a.row)} C{middle},{_y(a.row)} {middle},{_y(b.row)} {_x(x2)},{_y(b.row)}"


def _to_bus(a: Node) -> str:
    return f"M{_x((a.column + 0.5 + HALF) / COLUMNS)},{_y(a.row)} L{_x(BUS)},{_y(a.row)}"


def _from_bus(b: Node) -> str:
    return f"M{_x(BUS)},{_y(b.row)} L{_x((b.column + 0.5 - HALF) / COLUMNS)},{_y(b.row)}"


def _center(n: Node) -> float:
    return (n.column + 0.5) / COLUMNS


def _x(part: float) -> float:
    return round(part * 1000, 1)


def _y(row: float) -> float:
    return round((row + 0.5) / ROWS * 400, 1)
