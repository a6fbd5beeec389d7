"""The rule engine: patterns with a check and context, linear in the text.

Linear on any input, because of two rules that every pattern here keeps (a test measures them on adversarial
strings): each quantifier has an upper bound, so an attempt at one start takes at most a constant number of steps,
and no pattern nests a quantifier over alternatives that can match the same text in more than a bounded number of
ways. `re` then does a bounded amount of work at each of the text's positions.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from inference.protocols import EntitySpan

# The matched value and whether context stands near, to a score; None: it is not that after all.
Check: TypeAlias = Callable[[str, bool], float | None]

# Full-width ASCII, blanks and hyphens of other widths, one for one, so that offsets stay; and the Traditional and
# Cantonese characters of the rules' own words, so that a rule is written once.
_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_TRADITIONAL = str.maketrans(
    "碼門號證護驗機鎖係電話開銀帳賬車庫報櫃險儲閘單網絡認復備動態啟權憑據萬夾設換對過個嘅冇幾邊時問題還後線無紀誰麼嗎記講順輸"
    "訊聯繫撥傳來簡帖詞標撳",
    "码门号证护验机锁是电话开银帐账车库报柜险储闸单网络认复备动态启权凭据万夹设换对过个的没几边时问题还后线无纪谁么吗记讲顺输"
    "讯联系拨传来简帖词标揿",
)
_WIDTH |= _TRADITIONAL | dict.fromkeys((0xA0, 0x2007, 0x202F), 0x20) | dict.fromkeys((0x2010, 0x2011), 0x2D)
_WIDE = re.compile("[\u00a0\u2007\u202f\u2010\u2011\u3000\uff01-\uff5e" + "".join(map(chr, _TRADITIONAL)) + "]")
_DIGIT = re.compile(r"[0-9]")
# Not where a dial is turned on: 左转到14，再右转到32.
_PARTS = re.compile("[，；：！？（）](?!(?:再|然后|最后|接着)?(?:向|往)?[左右顺逆])")
_LEAST_SECRET = 4  # characters

DIGIT = "\0digit"  # in `Rule.needs`: the text has an ASCII digit


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern of one entity.

    The span is the group "value" where the pattern has one, else the whole match. `needs`: the rule is skipped
    unless the text has one of these substrings, lower-cased (or `DIGIT`). `context` is looked for in the 40
    characters before the span and the 20 after it; with `context_required` nothing counts without it. Nothing counts
    either where `unless_after` is found in the 40 characters before the span (it ends in "$"), or `unless_before`
    matches directly behind it.
    """

    name: str
    entity: str
    pattern: re.Pattern[str]
    score: float
    needs: tuple[str, ...] = ()
    check: Check | None = None
    context: re.Pattern[str] | None = None
    context_required: bool = False
    unless_after: re.Pattern[str] | None = None
    unless_before: re.Pattern[str] | None = None

    def find(self, text: str) -> Iterable[EntitySpan]:
        """Yield the spans of this rule in width-folded `text`, in order."""
        group: str | int = "value" if "value" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(text):
            start, end = match.span(group)
            near = self.context is not None and _has_context(self.context, text, start, end)
            if (self.context_required and not near) or self._is_other(text, start, end):
                continue
            score: float | None = self.score if self.check is None else self.check(text[start:end], near)
            if score is not None:
                yield EntitySpan(self.entity, start, end, score, self.name)

    def _is_other(self, text: str, start: int, end: int) -> bool:
        """Do the words beside the span say that it is something else?"""
        if self.unless_after is not None and self.unless_after.search(text[max(0, start - 40) : start]):
            return True
        return self.unless_before is not None and self.unless_before.match(text, end) is not None


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
    return spans if folded is text else [_cut(text, span) for span in spans]


def _cut(text: str, span: EntitySpan) -> EntitySpan:
    """End a secret where the sentence goes on: full-width punctuation parts Chinese sentences, and no secret has it."""
    if span.entity != "CREDENTIAL":
        return span
    mark = _PARTS.search(text, span.start + _LEAST_SECRET, span.end)
    return span if mark is None else replace(span, end=mark.start())


def fold_width(text: str) -> str:
    """Return `text` with full-width ASCII as ASCII, the same length."""
    return text.translate(_WIDTH) if _WIDE.search(text) else text


def digits_of(value: str) -> str:
    """Return the ASCII digits of `value`, joined."""
    return "".join(character for character in value if "0" <= character <= "9")


def _has_context(context: re.Pattern[str], text: str, start: int, end: int) -> bool:
    return bool(context.search(text[max(0, start - 40) : start]) or context.search(text[end : end + 20]))
