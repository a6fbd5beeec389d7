"""Which values of talk reach the fields that they fill, and which reach fields that they do not fill.

    python -m evaluation.marked_fields
    python -m evaluation.marked_fields --language en --show

The talks of the corpus that use a profile of the project go through screen, extraction and gate in memory. Counted are
pairs of a turn and a field. `found`: the turn fills the field, and a memory of that turn holds a value of it. `wrong`:
the field has a value from a turn in which only what does not fill it is marked, by the role of that. `unmarked`: from a
turn without a mark of that field; writers leave out some that are implied.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from evaluation.corpus.entries import Language
from evaluation.corpus.marked import ASSISTANT, FILLS, MarkedTalk, MarkedTurn, marked_talks
from evaluation.corpus.read import ROOT
from evaluation.in_memory import START, evaluation_models, remembered, rules
from inference.reader.tagger_card import FOLDER as TAGGER
from processors.ports import Models
from processors.reader.rules.protocol import Extractor
from schemas.base import JsonValue
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import TurnBody, TurnEvent

LANGUAGES: tuple[Language, ...] = ("en", "zh")
SHOWN = 110
"""Characters of a turn."""
Held = dict[int, dict[str, list[JsonValue]]]
"""Number of a turn -> field -> the values that were read from it."""


@dataclass(slots=True)
class Tally:
    """Pairs of a turn and a field."""

    asked: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    """By field, both."""
    wrong: Counter[str] = field(default_factory=Counter)
    """By role."""
    marked: Counter[str] = field(default_factory=Counter)
    """What does not fill, by role."""
    unmarked: int = 0
    notes: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        asked, found, wrong = self.asked.total(), self.found.total(), self.wrong.total()
        roles = ", ".join(f"{role} {self.wrong[role]} of {n}" for role, n in self.marked.most_common())
        return (
            f"{name:24} asked {asked:4}  found {_share(found, asked)}  wrong {_share(wrong, found + wrong)}  "
            f"unmarked {self.unmarked:3}  ({roles})"
        )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:3.0f} %" if whole else "  - "


def judge(talk: MarkedTalk, held: Held, tally: Tally) -> None:
    """Adds the turns of a talk to a tally."""
    for n, turn in enumerate(talk.turns):
        if turn.speaker != ASSISTANT:
            _judge_turn(turn, held.get(n, {}), tally)


def _judge_turn(turn: MarkedTurn, held: dict[str, list[JsonValue]], tally: Tally) -> None:
    roles: dict[str, set[str]] = defaultdict(set)
    for mark in turn.marks:
        if mark.field is not None:
            roles[mark.field].add(mark.role)
    for name, of in roles.items():
        if FILLS in of:
            tally.asked[name] += 1
            tally.found[name] += name in held
            if name not in held:
                tally.notes.append(f"missed {name}: {turn.text}")
            continue
        role = sorted(of)[0]
        tally.marked[role] += 1
        if name in held and held[name] != [False]:  # a field that is denied holds that it is not so
            tally.wrong[role] += 1
            tally.notes.append(f"WRONG {role} {name}={held[name]}: {turn.text}")
    for name in held.keys() - roles.keys():
        tally.unmarked += 1
        tally.notes.append(f"unmarked {name}={held[name]}: {turn.text}")


def values_by_turn(updates: Sequence[MemoryUpdate]) -> Held:
    found: Held = defaultdict(lambda: defaultdict(list))
    for u in updates:
        if u.negated:
            continue
        for name, value in _values(u):
            for source in u.sources:
                found[int(source.turn_id.rpartition("-")[2])][name].append(value)
    return found


def _values(u: MemoryUpdate) -> Iterator[tuple[str, JsonValue]]:
    if u.fields and isinstance(u.sealed.value, dict):
        yield from ((name, u.sealed.value.get(name)) for name in u.fields)
    elif u.field:
        yield u.field, u.sealed.value


def events(talk: MarkedTalk) -> list[TurnEvent]:
    """The turns as a chat service would send them, a minute apart; the assistant answers the user before."""
    user = next(t.speaker for t in talk.turns if t.speaker != ASSISTANT)
    found = []
    for n, turn in enumerate(talk.turns):
        user = user if turn.speaker == ASSISTANT else turn.speaker
        at = START + timedelta(minutes=n)
        found.append(
            TurnEvent(
                tenant="evaluation", user_id=user, session_id=f"{user}-{talk.id}", turn_id=f"{talk.id}-{n}",
                role="assistant" if turn.speaker == ASSISTANT else "user", occurred_at=at, accepted_at=at,
                sealed=TurnBody(content=turn.text),
            )
        )  # fmt: skip
    return found


async def measured(talks: Sequence[MarkedTalk], models: Models, extractor: Extractor) -> dict[str, Tally]:
    """By language and profile, and by language."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for talk in talks:
        held = values_by_turn(await remembered(events(talk), models, extractor, talk.profile))
        for name in (f"{talk.language} {talk.profile}", f"{talk.language} all"):
            judge(talk, held, tallies[name])
    return tallies


def of_fields(talk: MarkedTalk) -> bool:
    """Does it use a profile of the project, and is anything of its fields marked?"""
    return not talk.fields and any(mark.field for turn in talk.turns for mark in turn.marks)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=LANGUAGES)
    parser.add_argument("--show", action="store_true", help="print each pair that is missed, wrong or unmarked")
    parser.add_argument("--rules", action="store_true", help="without the tagger of fields")
    parser.add_argument("--tagger", type=Path, default=TAGGER, help="folder of its weights and card")
    parser.add_argument("--writers", default="", help="only these, as ids begin: fields_en1,fields_zh2")
    parser.add_argument("--folder", type=Path, default=ROOT, help="folder of the talks")
    options = parser.parse_args()
    writers = tuple(filter(None, options.writers.split(",")))
    talks = [talk for talk in marked_talks(options.folder, options.language) if of_fields(talk)]
    talks = [talk for talk in talks if not writers or talk.id.startswith(writers)]
    extractor = rules(fields=not options.rules, tagger=options.tagger)
    tallies = asyncio.run(measured(talks, evaluation_models(), extractor))
    for name in sorted(tallies):
        print(tallies[name].line(name))
        if options.show and not name.endswith(" all"):
            print("\n".join(f"    {note[:SHOWN]}" for note in tallies[name].notes))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
