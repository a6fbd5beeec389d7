"""The flow as a picture: where each stage stands, and what connects them. Pure.

The stages of this release have places of their own; those of installed packages get a free one behind what they read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from schemas.components.declared import SinkDeclaration, StepDeclaration
from schemas.components.installed import Components
from schemas.log.topics import BY_NAME, DOCUMENTS, TURNS, UPDATES

COLUMNS, ROWS = 5, 4
MOST_ROWS = 12
"""Places that the style sheet knows; what comes behind them shares the last."""
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
_SOURCES = {TURNS.name: "turns", DOCUMENTS.name: "documents"}
_BETWEEN = (
    ("turns", "screen"), ("screen", "extract"), ("screen", "session"), ("extract", "jobs"), ("extract", "gate"),
    ("jobs", "gate"), ("gate", "project"), ("documents", "chunk"),
)  # fmt: skip
_TO_BUS = ("gate", "project", "session", "chunk")
_FROM_BUS = ("sink-postgres", "sink-milvus", "sink-redis")


@dataclass(frozen=True, slots=True)
class Picture:
    """`between`: from one node to another. The bus hands updates from the steps `to_bus` to the nodes `from_bus`."""

    nodes: tuple[Node, ...] = NODES
    between: tuple[tuple[str, str], ...] = _BETWEEN
    to_bus: tuple[str, ...] = _TO_BUS
    from_bus: tuple[str, ...] = _FROM_BUS

    @property
    def rows(self) -> int:
        return 1 + max(n.row for n in self.nodes)

    def edges(self, rates: dict[str, float], bad: frozenset[str]) -> list[dict[str, Any]]:
        """Paths in a box of 1000 by 400, with how much flows (0 to 3) and whether its end is in trouble."""
        at = {n.name: n for n in self.nodes}
        out = [_edge(self._between(at[a], at[b]), rates.get(b, 0.0), b in bad) for a, b in self.between]
        out += [_edge(self._to_bus(at[a]), rates.get(a, 0.0), False) for a in self.to_bus]
        last = max(at[n].row for n in (*self.to_bus, *self.from_bus))
        bus = f"M{_x(BUS)},{self._y(0)} L{_x(BUS)},{self._y(last)}"
        out.append(_edge(bus, sum(rates.get(a, 0.0) for a in self.to_bus), False))
        out += [_edge(self._from_bus(at[b]), rates.get(b, 0.0), b in bad) for b in self.from_bus]
        return out

    def _between(self, a: Node, b: Node) -> str:
        if a.column == b.column:
            return f"M{_x(_center(a))},{self._y(a.row)} L{_x(_center(b))},{self._y(b.row)}"
        x1, x2 = (a.column + 0.5 + HALF) / COLUMNS, (b.column + 0.5 - HALF) / COLUMNS
        middle = _x((x1 + x2) / 2)
        return (
            f"M{_x(x1)},{self._y(a.row)} C{middle},{self._y(a.row)} {middle},{self._y(b.row)} {_x(x2)},{self._y(b.row)}"
        )

    def _to_bus(self, a: Node) -> str:
        return f"M{_x((a.column + 0.5 + HALF) / COLUMNS)},{self._y(a.row)} L{_x(BUS)},{self._y(a.row)}"

    def _from_bus(self, b: Node) -> str:
        return f"M{_x(BUS)},{self._y(b.row)} L{_x((b.column + 0.5 - HALF) / COLUMNS)},{self._y(b.row)}"

    def _y(self, row: float) -> float:
        return round((row + 0.5) / self.rows * 400, 1)

    def with_step(self, step: StepDeclaration, found: Components) -> Picture:
        """It stands one column behind what writes the topic that it reads."""
        at = {n.name: n for n in self.nodes}
        writers = _writers(step.reads.name, found, at)
        fed_by_bus = step.reads == UPDATES
        column = COLUMNS - 1 if fed_by_bus else 1 + max((at[name].column for name in writers), default=0)
        node = self._node(step.name, step.name, step.says, min(column, COLUMNS - 1), "step")
        handed_on = any(topic.name in sink.feed.topics for topic in step.writes for sink in _stores_of_bus(found))
        return Picture(
            (*self.nodes, node),
            self.between if fed_by_bus else (*self.between, *((name, step.name) for name in writers)),
            (*self.to_bus, step.name) if handed_on else self.to_bus,
            (*self.from_bus, step.name) if fed_by_bus else self.from_bus,
        )

    def with_store(self, sink: SinkDeclaration, found: Components) -> Picture:
        """It stands among the stores; what packages' steps write comes from them, the rest from the bus."""
        name, at = f"sink-{sink.name}", {n.name: n for n in self.nodes}
        node = self._node(name, sink.name, sink.says, COLUMNS - 1, "store")
        own = [topic for topic in sink.feed.topics if topic not in BY_NAME]
        writers = dict.fromkeys(writer for topic in own for writer in _writers(topic, found, at))
        return Picture(
            (*self.nodes, node),
            (*self.between, *((writer, name) for writer in writers)),
            self.to_bus,
            (*self.from_bus, name) if len(own) < len(sink.feed.topics) else self.from_bus,
        )

    def _node(self, name: str, title: str, says: str, column: int, kind: Literal["step", "store"]) -> Node:
        taken = {n.row for n in self.nodes if n.column == column}
        row = next(row for row in range(len(self.nodes) + 1) if row not in taken)
        return Node(name, title.replace("-", " ").capitalize(), says, column, min(row, MOST_ROWS - 1), kind)


def picture(found: Components) -> Picture:
    """Of all steps and stores."""
    out = Picture()
    placed = {n.name for n in NODES}
    for step in _in_order(s for s in found.steps.values() if s.name not in placed):
        out = out.with_step(step, found)
    for sink in found.sinks.values():
        if f"sink-{sink.name}" not in placed:
            out = out.with_store(sink, found)
    return out


def _in_order(steps: Iterable[StepDeclaration]) -> list[StepDeclaration]:
    """Each behind those that write what it reads, as far as they do not read from each other in a circle."""
    left, out = list(steps), []
    while left:
        free = [s for s in left if not any(s.reads in other.writes for other in left if other is not s)] or left[:1]
        out += free
        left = [s for s in left if s not in free]
    return out


def _writers(topic: str, found: Components, at: dict[str, Node]) -> list[str]:
    source = _SOURCES.get(topic)
    if source is not None:
        return [source]
    return [name for name, step in found.steps.items() if name in at and topic in {t.name for t in step.writes}]


def _stores_of_bus(found: Components) -> list[SinkDeclaration]:
    return [found.sinks[name.removeprefix("sink-")] for name in _FROM_BUS]


def _edge(path: str, rate: float, bad: bool) -> dict[str, Any]:
    weight = 0 if rate < 0.05 else 1 if rate < 5 else 2 if rate < 50 else 3
    return {"d": path, "weight": weight, "bad": bad}


def _center(n: Node) -> float:
    return (n.column + 0.5) / COLUMNS


def _x(part: float) -> float:
    return round(part * 1000, 1)
