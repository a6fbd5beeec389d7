"""What a single user wants or likes, said without a verb: "window seat, always", "Thrillers, yes. Westerns, no.", "tea
while I read, coffee when I drive"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from processors.reader.rules.words_en import alternatives

_WORD = rf"(?!(?:{alternatives('no_part_of_a_thing')})\b)[a-z][\w'-]*"
_THING = rf"(?:the )?(?:{_WORD} ){{0,2}}(?:{alternatives('ordered')})"
_ANYTHING = rf"(?:the )?(?:{_WORD} ){{0,2}}{_WORD}"
"""Said against another thing."""
_END = r"(?=\s*(?:$|[,.;!]|[-\u2013\u2014] | (?:and|but|because|cos|since|so|please|thanks)\b))"
_ALWAYS = re.compile(
    rf"(?:(?P<what>{_THING}),? (?P<how>always|every time|only(?=,? (?:not|none of|never|no)\b)|or nothing)"
    rf"|always (?P<ever>(?:the|an?) {_THING})){_END}",
    re.I,
)
_NEVER = re.compile(rf"never (?P<what>(?:the|an?) {_THING}){_END}", re.I)
_YES_NO = re.compile(
    rf"(?P<what>{_THING})(?:,| -) (?P<how>yes(?: please)?|no(?: thanks?| thank you| way)?){_END}", re.I
)
_OF_ANYTHING = re.compile(rf"(?P<what>{_ANYTHING})(?:,| -) (?P<how>yes|no){_END}", re.I)
"""Said against what one orders or chooses: "Horror films, yes. Gore, no."."""
_WHILE = re.compile(
    rf"(?P<what>{_THING}) (?P<when>(?:while|when|whenever) I(?:'m)? [a-z]+(?: (?!(?:i|we|it|he|she)\b)[\w'-]+){{0,3}}?)"
    r"(?=\s*(?:$|[,.;!]| and\b))",
    re.I,
)
_WHEN_I = r"(?:while|when|whenever) I(?:'m)? [a-z]+(?: (?!(?:i|we|it|he|she)\b)[\w'-]+){0,3}?"
_EACH_WHILE = re.compile(
    rf"(?P<what>{_ANYTHING}) (?P<when>{_WHEN_I})"
    rf"(?=(?:,| and|, and) {_ANYTHING} {_WHEN_I}\s*(?:$|[,.;!])|\s*(?:$|[,.;!]))",
    re.I,
)
_TWICE = re.compile(rf"{_ANYTHING} {_WHEN_I}(?:,| and|, and) {_ANYTHING} {_WHEN_I}\s*(?:$|[,.;!])", re.I)
_NEXT = re.compile(r"\s*[,;.]?\s*(?:and |but )?")


_YES = re.compile(r"\w(?:,| -) yes\b", re.I)
_NO = re.compile(r"\w(?:,| -) no\b", re.I)
_LOOKED_AT = 500
"""Characters of a turn in which one thing is set against another: a single yes may answer anything."""


def liked_en(statement: str, turn: str) -> Iterator[tuple[str, int, int]]:
    """Yield what a sentence of a turn says its speaker wants or likes, with an owner in place of the speaker, and the
    place of its words. Only its beginning is read, as far as it goes on in that way."""
    at = 0
    set_against = all(each.search(turn, 0, _LOOKED_AT) for each in (_YES, _NO))
    of_things = set_against and _YES_NO.search(turn, 0, _LOOKED_AT) is not None
    while at < len(statement):
        found = _one(statement, at, set_against=set_against, of_things=of_things)
        if found is None:
            return
        text, end = found
        yield text, at, end
        following = _NEXT.match(statement, end)
        at = following.end() if following else len(statement)


def _one(text: str, at: int, *, set_against: bool, of_things: bool) -> tuple[str, int] | None:
    if match := _ALWAYS.match(text, at):
        what = _lower(match["what"] or match["ever"])
        if match["how"] and match["how"].lower() in {"only", "or nothing"}:
            return f"{{owner}} wants only {what}", match.end()
        return f"{{owner}} always wants {what}", match.end()
    if match := _NEVER.match(text, at):
        return f"{{owner}} never wants {_lower(match['what'])}", match.end()
    if set_against and (match := _YES_NO.match(text, at) or (_OF_ANYTHING.match(text, at) if of_things else None)):
        likes = "likes" if match["how"].lower().startswith("yes") else "does not like"
        return f"{{owner}} {likes} {_lower(match['what'])}", match.end()
    match = _WHILE.match(text, at) or (_EACH_WHILE.match(text, at) if _TWICE.match(text) else None)
    if match and (at or match["when"].lower().startswith("while")):
        what = _lower(match["what"]) if " " in match["what"] else match["what"].lower()
        return f"{{owner}} likes {what} {_lower(match['when'])}", match.end()
    return None


def _lower(words: str) -> str:
    """With a small letter, where it is no name for sure."""
    _, _, more = words.partition(" ")
    return f"{words[0].lower()}{words[1:]}" if more[:1].islower() else words
