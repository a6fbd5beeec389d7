"""Irony and jest in a Chinese turn: 好极了，又堵车了, 我老公住在我手机里. What is said so is nobody's life.

Only what is known by its words is: praise of a mishap, thanks for one, exaggeration, a person who lives in a screen.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "irony_zh.toml").read_text(encoding="utf-8"))


def _lines(name: str) -> str:
    return "|".join(line for line in _DATA[name].splitlines() if line)


_SENTENCE = re.compile(r"[^。！？!?\n]+")
_CLAUSE = re.compile(r"[^，,；;]+")
_MEANS_NONE, _PRAISES, _MISHAP = (re.compile(_lines(name)) for name in ("sentence", "clause", "mishap"))
_PRAISE = rf"(?:{'|'.join(_DATA['praise'].split())})[啊呀吧哦]?"
_PRAISE_ALONE = re.compile(rf"(?:^|[，,；;])\s*{_PRAISE}\s*(?=[，,；;]|$)")
_BESIDE = re.compile(rf"\s*(?:{_PRAISE}|又.*|{_lines('beside')})\s*")
"""The praise, a mishap that names nobody, and what is said so beside one."""


def without_irony(text: str) -> str:
    """Return a turn with sentences and clauses of irony blanked, its length kept."""
    return _SENTENCE.sub(lambda m: _literal(m.group()), text)


def _literal(sentence: str) -> str:
    if _MEANS_NONE.search(sentence.strip()):
        return " " * len(sentence)
    ironic = _PRAISES.search(sentence) is not None or (
        _MISHAP.search(sentence) is not None and _PRAISE_ALONE.search(sentence) is not None
    )

    def clause(match: re.Match[str]) -> str:
        phrase = match.group()
        drop = _PRAISES.search(phrase) is not None or (ironic and _BESIDE.fullmatch(phrase) is not None)
        return " " * len(phrase) if drop else phrase

    return _CLAUSE.sub(clause, sentence) if ironic else sentence
