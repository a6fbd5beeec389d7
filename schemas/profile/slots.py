"""What the rules can find in any talk of a person about themselves: a profile's field names one of these, or what its
wordings fill, as its source (`FieldSpec.slot`); its lexicon knows short forms for them."""

from __future__ import annotations

_SLOTS = """
    name age gender nationality residence origin language language_score education university major occupation employer
    years income monthly_income marital children pet hobby diet avoids likes dislikes prefers possession
    response_language response_style industry birthday
"""
SLOTS = frozenset(_SLOTS.split())
OPEN_SLOTS = ("favourite ", "最喜欢的")
"""Slots that go on with what it is of: "favourite colour", "最喜欢的颜色"."""
OPPOSITES = {"likes": "dislikes", "dislikes": "likes"}
"""Slots of which one says no to the same value of the other."""
