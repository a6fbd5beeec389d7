"""What several rules found in a turn, made one statement where it is one (B3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from processors.reader.rules.found import Found
from schemas.events.memory import MAX_SPANS
from schemas.profile.slots import OPPOSITES


def combined(found: Sequence[Found]) -> list[Found]:
    """Return the statements in their order: those with the same words, and what is denied and said anew, as one;
    without those that another one says too, and what the turn itself turns round."""
    return _last_said(_corrected(_wanted_once(_widest(_merged(found)))))


_UNNAMED = "用户"
"""A value's statement may leave its owner out where they have no name."""


def _merged(found: Sequence[Found]) -> list[Found]:
    """Make one statement of those with the same words: one memory may fill several fields (B3)."""
    merged: dict[tuple[str, str, bool], Found] = {}
    for each in found:
        key = (each.kind, each.text.removeprefix(_UNNAMED), each.negated)
        if key in merged:
            first = merged[key]
            slots = dict(each.slots) | dict(first.slots)
            more = (*first.more, (each.start, each.end), *each.more)[:MAX_SPANS]
            each = replace(first, slots=tuple(slots.items()), category=first.category or each.category, more=more)
        merged[key] = each
    return list(merged.values())


def _widest(found: Sequence[Found]) -> list[Found]:
    """Leave out a statement whose values another one of the same place holds too."""
    return [
        f
        for at, f in enumerate(found)
        if not f.slots
        or not any(
            set(map(repr, f.slots)) <= set(map(repr, o.slots))
            and f.overlaps(o.start, o.end)
            and f.negated == o.negated
            and (len(o.slots) > len(f.slots) or before < at)
            for before, o in enumerate(found)
            if o is not f
        )
    ]


def _wanted_once(found: Sequence[Found]) -> list[Found]:
    """Tell a wish that fills a field in the words of one that says all of it and more of the same place; a decision is
    told beside it."""
    findings = list(found)
    for wish in [f for f in found if f.kind == "intent" and f.slots and not f.negated]:
        phrase = wish.text.removeprefix(_UNNAMED)
        free = [f for f in findings if not f.slots and f.hot is None and f.episode_type != "decision"]
        more = [f for f in free if phrase in f.text and f.overlaps(wish.start, wish.end)]
        if more:
            longer = min(more, key=lambda f: len(f.text))
            findings = [f for f in findings if f not in more]
            end = max(wish.end, longer.end)
            findings[findings.index(wish)] = replace(
                wish, text=longer.text, start=min(wish.start, longer.start), end=end
            )
    return findings


def _corrected(found: Sequence[Found]) -> list[Found]:
    """Fold "not 32 but 33" into one statement that names what it replaces."""
    denied = {f.slots[0][0]: f for f in found if f.negated and not f.taken_back and len(f.slots) == 1}
    stated = {slot for f in found if not f.negated for slot, _ in f.slots}
    folded: list[Found] = []
    for each in found:
        slot = each.slots[0][0] if each.slots else None
        if each.negated and not each.taken_back and len(each.slots) == 1 and slot in stated:
            continue
        if slot in denied and not each.negated and len(each.slots) == 1:
            old = denied[slot]
            more = (*each.more, (old.start, old.end), *old.more)
            each = replace(each, attributes={**each.attributes, "replaces": old.slots[0][1]}, more=more)
        folded.append(each)
    return folded


def _last_said(found: list[Found]) -> list[Found]:
    """Leave out a value that the turn gives to the opposite slot behind it: "I love running. Well no, I hate running".
    """

    def turned_round(f: Found) -> bool:
        if len(f.slots) != 1 or (opposite := OPPOSITES.get(f.slots[0][0])) is None:
            return False
        turned = (opposite, str(f.slots[0][1]).casefold())
        return any(o.start >= f.end and turned in {(s, str(v).casefold()) for s, v in o.slots} for o in found)

    return [f for f in found if not turned_round(f)]
