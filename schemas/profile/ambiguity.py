"""In how many ways a pattern may match one text, at most: so often `re` tries what is behind it before it gives up.

`(?:a{1,40}){1,40}b` has bounds and 40 to the 40th ways through forty letters. An estimate from the parse tree, above
the truth: what follows a repeat without sharing a character with it lets one of its lengths through (`[a-z]{1,9} and`).
"""

from __future__ import annotations

import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

MOST = 10**12
"""What is more counts as this many."""
_SAMPLE = "az09 _\n-,.'é李，。Σ"
_ONE = (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN)
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT)
_LOOKS = (codes.ASSERT, codes.ASSERT_NOT)
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: str.isdecimal, codes.CATEGORY_NOT_DIGIT: lambda c: not c.isdecimal(),
    codes.CATEGORY_SPACE: str.isspace, codes.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    codes.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    codes.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}  # fmt: skip
Node: TypeAlias = tuple[Any, Any]
Chars: TypeAlias = frozenset[str]


def ways(text: str) -> int:
    """The most of any part of a pattern that compiles, lookarounds included; no more than MOST."""
    return _Pattern(text).worst


@dataclass(frozen=True, slots=True)
class _Count:
    """`all`: ways from one place to anywhere; `same`: to one and the same end."""

    all: int
    same: int = 1


class _Pattern:
    """Of each node the answers are kept: repeats ask for what is inside them more than once."""

    def __init__(self, text: str) -> None:
        tree = parser.parse(text)
        some = {*_SAMPLE, *_characters(tree)}
        self._alphabet = frozenset(f for c in some for f in (c, *_folded(c)))
        self._classes: dict[tuple[Any, int], Chars] = {}
        self._counts: dict[int, _Count] = {}
        self._chars: dict[int, Chars] = {}
        self._firsts: dict[int, tuple[Chars, bool]] = {}
        self.worst = 1
        self._sequence(_flat(tree))

    def _sequence(self, nodes: Sequence[Node]) -> int:
        """Ways through all of them, from the last to the first."""
        total, behind, may_end = 1, frozenset[str](), True
        for node in reversed(nodes):
            count = self._count(node)
            through = count.all
            if not may_end and behind.isdisjoint(self._consumed([node])):
                # Where what follows begins, a longer match of this goes on: one end at most is followed.
                through = count.same
            total = min(total * through, MOST)
            first, nullable = self._first(node)
            behind, may_end = (behind | first, may_end) if nullable else (first, False)
        self.worst = max(self.worst, total)
        return total

    def _same(self, nodes: Sequence[Node]) -> int:
        """Ways through all of them to one end: where all lengths but one are given, so is that one."""
        total, freest = 1, 1
        for count in map(self._count, nodes):
            total = min(total * count.all, MOST)
            freest = max(freest, count.all // count.same)
        return max(1, -(-total // freest))

    def _count(self, node: Node) -> _Count:
        code, value = node
        if code in _ONE or code in (codes.AT, codes.GROUPREF):
            return _Count(1)
        found = self._counts.get(id(value))
        if found is None:
            found = self._counts[id(value)] = self._counted(code, value)
        return found

    def _counted(self, code: Any, value: Any) -> _Count:
        if code in _REPEATS:
            return self._repeated(*value)
        if code is codes.BRANCH:
            return self._branched([_flat(b) for b in value[1]])
        if code is codes.POSSESSIVE_REPEAT or code in _LOOKS or code is codes.ATOMIC_GROUP:  # never entered again
            self._sequence(_flat(value if code is codes.ATOMIC_GROUP else value[-1]))
            return _Count(1)
        return _Count(MOST, MOST)  # a condition on a group

    def _repeated(self, low: int, high: int, inner: Any) -> _Count:
        body = _flat(inner)
        if self._single(body) is not None:
            return _Count(high - low + 1)
        once, same = self._sequence(body), self._same(body)
        more = max(1, -(-self._sequence([*body, *body]) // once))
        total, power = int(low == 0), once
        for times in range(1, min(high, 10_000) + 1):
            total += power if times >= low else 0
            power = min(power * more, MOST)
        total = min(total, MOST)
        if high == 1:
            return _Count(total, same)
        return _Count(total, 1 if once == same == 1 else max(1, -(-total // once)))

    def _branched(self, options: list[list[Node]]) -> _Count:
        """Of the options that one character may begin."""
        counts = [(self._sequence(o), self._same(o), _text(o), *self._starts(o)) for o in options]
        most = same = 1
        begins = [frozenset(n for n, c in enumerate(counts) if c[4] or char in c[3]) for char in self._alphabet]
        for together in set(begins):
            here = [counts[n] for n in together]
            texts = [t for _, _, t, *_ in here if t is not None]
            within = max((sum(t.startswith(x) for x in texts) for t in texts), default=0)
            most = max(most, within + sum(n for n, _, t, *_ in here if t is None))
            equal = max(map(texts.count, texts), default=0)
            same = max(same, equal + sum(n for _, n, t, *_ in here if t is None))
        return _Count(min(most, MOST), min(same, most))

    def _starts(self, nodes: Sequence[Node]) -> tuple[Chars, bool]:
        """The characters that may come first, and whether it may match without any."""
        out = frozenset[str]()
        for node in nodes:
            first, nullable = self._first(node)
            out |= first
            if not nullable:
                return out, False
        return out, True

    def _first(self, node: Node) -> tuple[Chars, bool]:
        code, value = node
        if code in _ONE:
            return self._class(node), False
        found = self._firsts.get(id(value))
        if found is None:
            found = self._firsts[id(value)] = self._first_of(code, value)
        return found

    def _first_of(self, code: Any, value: Any) -> tuple[Chars, bool]:
        if code in _REPEATS or code is codes.POSSESSIVE_REPEAT:
            first, nullable = self._starts(_flat(value[2]))
            return first, nullable or value[0] == 0
        if code is codes.BRANCH:
            starts = [self._starts(_flat(b)) for b in value[1]]
            return frozenset().union(*(f for f, _ in starts)), any(n for _, n in starts)
        if code is codes.ATOMIC_GROUP:
            return self._starts(_flat(value))
        return (frozenset(), True) if code is codes.AT or code in _LOOKS else (self._alphabet, True)

    def _consumed(self, nodes: Sequence[Node]) -> Chars:
        """The characters that a match of these may hold."""
        single = self._single(nodes)
        return frozenset().union(*map(self._held, nodes)) if single is None else single

    def _held(self, node: Node) -> Chars:
        code, value = node
        if code in _ONE:
            return self._class(node)
        found = self._chars.get(id(value))
        if found is None:
            found = self._chars[id(value)] = self._held_of(code, value)
        return found

    def _held_of(self, code: Any, value: Any) -> Chars:
        if code in _REPEATS or code is codes.POSSESSIVE_REPEAT:
            return self._consumed(_flat(value[2]))
        if code is codes.BRANCH:
            return frozenset().union(*(self._consumed(_flat(b)) for b in value[1]))
        if code is codes.ATOMIC_GROUP:
            return self._consumed(_flat(value))
        return frozenset() if code is codes.AT or code in _LOOKS else self._alphabet

    def _single(self, nodes: Sequence[Node]) -> Chars | None:
        """What one character is matched by, without those that a look ahead excludes; None: by something else."""
        if len(nodes) == 1 and nodes[0][0] in _ONE:
            return self._class(nodes[0])
        if len(nodes) == 2 and nodes[0][0] is codes.ASSERT_NOT and nodes[0][1][0] == 1 and nodes[1][0] in _ONE:
            excluded = _flat(nodes[0][1][1])
            if len(excluded) == 1 and excluded[0][0] in _ONE:
                return self._class(nodes[1]) - self._class(excluded[0])
        return None

    def _class(self, node: Node) -> Chars:
        code, value = node
        if code is codes.LITERAL:
            return _cases(value)
        kept = code, value if isinstance(value, int) else id(value)
        found = self._classes.get(kept)
        if found is None:
            found = self._classes[kept] = frozenset(c for c in self._alphabet if _matches(node, c))
        return found


def _flat(tree: Any) -> list[Node]:
    """Groups are where they stand: what they capture is no matter."""
    return [n for code, value in tree for n in (_flat(value[3]) if code is codes.SUBPATTERN else [(code, value)])]


def _text(nodes: Sequence[Node]) -> str | None:
    return "".join(chr(v).lower() for _, v in nodes) if all(code is codes.LITERAL for code, _ in nodes) else None


def _characters(tree: Any) -> Iterator[str]:
    """Those that tell classes apart: what a pattern names, and what lies beside its ranges."""
    for code, value in tree:
        if code in (codes.LITERAL, codes.NOT_LITERAL):
            yield chr(value)
        elif code is codes.IN:
            for kind, x in value:
                points: tuple[int, ...] = (x,) if kind is codes.LITERAL else ()
                points = (x[0] - 1, x[0], sum(x) // 2, x[1], x[1] + 1) if kind is codes.RANGE else points
                yield from (chr(p) for p in points if 0 <= p < 0x110000)
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _characters(branch)
        elif code is codes.ATOMIC_GROUP:
            yield from _characters(value)
        elif code in _REPEATS or code in _LOOKS or code in (codes.POSSESSIVE_REPEAT, codes.SUBPATTERN):
            yield from _characters(value[-1])


@lru_cache(maxsize=4_096)
def _cases(point: int) -> Chars:
    """A character and the other case of it."""
    return frozenset((chr(point), *_folded(chr(point))))


@lru_cache(maxsize=4_096)
def _points(char: str) -> tuple[int, ...]:
    return tuple(map(ord, (char, *_folded(char))))


def _folded(char: str) -> tuple[str, ...]:
    return tuple(c for c in (char.lower(), char.upper()) if len(c) == 1)


def _matches(node: Node, char: str) -> bool:
    """Whatever its case: most patterns are used so."""
    code, value = node
    if code is codes.ANY:
        return char != "\n"
    same = _points(char)
    if code is codes.NOT_LITERAL:
        return bool(value != ord(char))
    hit = any(
        x in same if kind is codes.LITERAL
        else any(x[0] <= c <= x[1] for c in same) if kind is codes.RANGE
        else kind is codes.CATEGORY and _CATEGORIES[x](char)
        for kind, x in value
    )  # fmt: skip
    return bool(hit) != (value[0][0] is codes.NEGATE)
