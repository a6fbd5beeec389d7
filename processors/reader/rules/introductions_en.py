"""Who somebody is that opens a talk in a word or two: "hi, bram here", "Lucia, 33, vet, based in Turin", "Leo from the
platform team", "27f", and how a name is spelled: "it's Aoife with an e"."""

from __future__ import annotations

import re

from processors.reader.rules.bare_values_en import DATA, NAME, Bare, Part, answers, is_name, parts

_KINDS = frozenset({"occupation", "residence", "age"})
_GREETS = (
    rf"(?P<greets>{DATA['greets']})(?:(?:it's|its|it is|this is|i'm|im|i am|(?:my )?(?:name's|name is)) (?=\w+[, ]))?"
)
_HERE = re.compile(
    rf"{_GREETS}(?P<name>[A-Za-z][\w'’-]{{1,20}}(?: {NAME})?) here(?P<btw> btw| by the way)?"
    r"(?=\s*(?:$|[,.!;\n-]|\u2013|\u2014))",
    re.I,
)
_LISTED = re.compile(rf"{_GREETS}(?P<name>[A-Za-z][\w'’-]{{1,20}}(?: {NAME})?),(?= ?\S)", re.I)
_OF_A_TEAM = re.compile(
    rf"{_GREETS}(?P<name>[A-Za-z][\w'’-]{{1,20}}) from (?:the )?(?:[\w&-]{{1,20}} ){{0,3}}{DATA['team']}"
    r"(?=\s*(?:$|[,.!]))",
    re.I,
)
_SPELLED = re.compile(
    rf"\b(?:it's|its|it is|that's|I'm|I am|name's|name is) (?P<name>{NAME}) with (?:an?|one|two|no|a double|a silent)"
    r" ['\"]?[A-Za-z]['\"]?s?(?![\w-])",
    re.I,
)
_AGED = re.compile(r"(?:hi+[, ]+|hey[, ]+|hello[, ]+)?(?P<age>[1-9]\d) ?(?:m|f|male|female)(?=\s*(?:$|[,.!]))", re.I)
_SEX_FIRST = re.compile(r"(?P<sex>(?:fe)?male|man|woman), (?P<age>[1-9]\d)(?=\s*(?:$|[,.!]))", re.I)
_SPEAKS = re.compile(r"(?:I|I'm|I've|i|i'm|im|my|we)\b")
_NOT = re.compile(r"not [A-Z]")


def introduced(text: str, *, opens: bool) -> list[Bare]:
    """What a turn says of who its speaker is. `opens`: nothing was said before it."""
    if (match := _SPELLED.search(text)) and is_name(match["name"]):
        return [_named(match)]
    if (match := _HERE.match(text)) and _may_be(match):
        more, rest = _behind(text, match.end())
        speaks = not rest or _SPEAKS.match(rest[0].text) or _NOT.match(rest[0].text)
        if match["greets"] or match["btw"] or more or speaks:
            return [_named(match), *more]
    if not opens:
        return []
    if (match := _OF_A_TEAM.match(text)) and is_name(match["name"], cased=not text.islower()):
        return [_named(match)]
    if (match := _LISTED.match(text)) and _may_be(match):
        more, rest = _behind(text, match.end())
        near = bool(more) and rest[0].start <= more[0].start < rest[0].end
        aged = bool(more) and more[0].kind == "age" and text[more[0].start : more[0].end].isdigit()
        if near and (aged or more[0].kind != "age") and (match["name"][0].isupper() or (match["greets"] and aged)):
            return [_named(match), *more]
    if match := _AGED.match(text) or _SEX_FIRST.match(text):
        return [Bare(match.start("age"), match.end("age"), f"I am {match['age']}", "age"), *_after(text, match.end())]
    return []


def _may_be(match: re.Match[str]) -> bool:
    """A name as it is written: without a capital by those who use none."""
    return is_name(match["name"], cased=False)


def _named(match: re.Match[str]) -> Bare:
    name = match["name"]
    return Bare(match.start("name"), match.end("name"), f"{{owner}}'s name is {name}", "name", name)


def _behind(text: str, at: int) -> tuple[list[Bare], list[Part]]:
    """The values that are listed behind a name, and all that is said there."""
    rest = [p for p in parts(text) if p.start >= at]
    return _after(text, at), rest


def _after(text: str, at: int) -> list[Bare]:
    return [b for b in answers(" " * at + text[at:], _KINDS) if b.kind != "industry"]
