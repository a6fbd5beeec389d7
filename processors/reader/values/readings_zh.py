"""Which numbers of Chinese talk a speaker read off now, of themselves."""

from __future__ import annotations

from dataclasses import replace

from processors.reader.rules.named_subjects_zh import is_name
from processors.reader.rules.wording_guards import label, leads_to_another, of_somebody, spoken_by_another
from processors.reader.values.kinds_zh import guard
from processors.reader.values.talk_zh import Part


def is_of_now(part: Part) -> bool:
    """May a number of a part that answers no question be a reading of now, of the speaker?"""
    before, beside = (guard("spoken_to").sub("", t) for t in (part.turn[: part.clause.start], part.clause.before))
    clause = replace(part.clause, before=beside)
    if guard("not_read_now").search(f"{label(before, 'zh')} {part.before} {part.text}") or of_somebody(clause):
        return False
    owner, of, _ = part.text.partition("的")
    if of and is_name(owner):
        return False
    unnamed = "我" not in part.text
    return not (spoken_by_another(beside, "zh") or (unnamed and leads_to_another(before, "zh")))
