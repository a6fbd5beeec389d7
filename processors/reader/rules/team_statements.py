"""Who decides in a project: what "we" do in its shared talk is the team's. Pure.

"User and others decided to use Redis", in the memory of a project, would be of whoever reads it.
"""

from __future__ import annotations

import re

from processors.reader.rules.person_en import conjugate

_EN, _ZH = "the team", "团队"
_HAVE = {"are": "is", "were": "was", "have": "has", "do": "does", "haven't": "hasn't", "aren't": "isn't",
         "weren't": "wasn't", "don't": "doesn't"}  # fmt: skip
"""Of several, and of one."""


def of_the_team(statement: str, owner: str, language: str) -> str:
    """A statement of a project with the team in place of its `owner` and others."""
    if language == "zh":
        return statement.replace(f"{owner}等人", _ZH)
    group = re.compile(rf"\b{re.escape(owner)} and others\b", re.IGNORECASE)
    if (opens := group.match(statement)) is not None and statement[opens.end() :].startswith(" "):
        verb, space, rest = statement[opens.end() + 1 :].partition(" ")
        does = _HAVE[verb] + space + rest if verb in _HAVE else conjugate(verb + space + rest)
        statement = f"{_EN} {does}"
    reworded = group.sub(_EN, statement)
    return reworded[0].upper() + reworded[1:] if reworded != statement or opens is not None else statement
