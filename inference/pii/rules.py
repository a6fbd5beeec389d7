"""The rule engine: patterns with a check and context, linear in the text.

Linear on any input, because of two rules that every pattern here keeps (a test measures them on adversarial
strings): each quantifier has an upper bound, so an attempt at one start takes at most a constant number of steps,
and no pattern nests a quantifier over alternatives that can match the same text in more than a bounded number of
ways. `re` then does a bounded amount of work at each of the text's positions.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from inference.protocols import EntitySpan

# The matched value and whether context stands near, to a score; None: it is not that after all.
Check: TypeAlias = Callable[[str, bool], float | None]

# Full-width ASCII and the ideographic space, one for one, so that offsets stay.
_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_WIDE = re.compile(r"[\u3000\uff01-\uff5e]")
_DIGIT = re.compile(r"[0-9]")

DIGIT = "\0digit"  # in `Rule.needs`: the text has an ASCII digit


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern of one entity.

    The span is the group "value" where the pattern has one, else the whole match. `needs`: the rule is skipped
    unless the text has one of these substrings, lower-cased (or `DIGIT`). `context` is looked for in the 40
    characters before the span and the 20 after it; with `context_required` nothing counts without it.
    """

    name: str
    entity: str
    pattern: re.Pattern[str]
    score: float
    needs: tuple[str, ...] = ()
    check: Check | None = None
    context: re.Pattern[str] | None = None
    context_required: bool = False

    def find(self, text: str) -> Iterable[EntitySpan]:
        """Yield the spans of this rule in width-folded `text`, in order."""
        group: str | int = "value" if "value" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(text):
            start, end = match.span(group)
            near = self.context is not None and _has_context(self.context, text, start, end)
            if self.context_required and not near:
                continue
            score: float | None = self.score if self.check is None else self.check(text[start:end], near)
            if score is not None:
                yield EntitySpan(self.entity, start, end, score, self.name)


def run_rules(rules: Sequence[Rule], text: str) -> list[EntitySpan]:
    """Return the spans of all `rules` in `text`, unordered, overlaps kept; offsets are those of `text`."""
    folded = fold_width(text)
    lowered = folded.lower()
    has_digit = _DIGIT.search(folded) is not None
    spans: list[EntitySpan] = []
    for rule in rules:
        if rule.needs and not any(has_digit if need is DIGIT else need in lowered for need in rule.needs):
            continue
        spans.extend(rule.find(folded))
    return spans


def fold_width(text: str) -> str:
    """Return `text` with full-width ASCII as ASCII, the same length."""
    return text.translate(_WIDTH) if _WIDE.search(text) else text


def digits_of(value: str) -> str:
    """Return the ASCII digits of `value`, joined."""
    return "".join(character for character in value if "0" <= character <= "9")


def _has_context(context: re.Pattern[str], text: str, start: int, end: int) -> bool:
    return bool(context.search(text[max(0, start - 40) : start]) or context.search(text[end : end + 20]))
