"""The client's models of answers and the service's description of them are written apart, so that neither drags the
other along: here they are held together."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from memstream.client import answers
from query.answers import memories, places

CARRIED = {"fresh"}
"""What the client itself adds."""
TWINS: tuple[tuple[type[BaseModel], type[BaseModel]], ...] = (
    (answers.SearchAnswer, memories.SearchAnswer),
    (answers.ContextAnswer, memories.ContextAnswer),
    (answers.MemoryPage, memories.MemoriesAnswer),
    (answers.MemoryDetail, memories.MemoryAnswer),
    (answers.ProfileAnswer, memories.ProfileAnswer),
    (answers.PreferencesAnswer, memories.PreferencesAnswer),
    (answers.PatternsAnswer, memories.PatternsAnswer),
    (answers.ReadingsAnswer, memories.ReadingsAnswer),
    (answers.LoadedContext, memories.LoadedAnswer),
    (answers.TurnAnswer, places.TurnAnswer),
    (answers.OutcomeAnswer, places.OutcomeAnswer),
    (answers.OriginalsAnswer, places.OriginalsAnswer),
    (answers.SessionAnswer, places.SessionAnswer),
    (answers.MemoryContext, places.MemoryContextAnswer),
    (answers.CheckpointsAnswer, places.CheckpointsAnswer),
    (answers.HotMemory, places.HotMemoryAnswer),
    (answers.ReportsAnswer, places.ReportsAnswer),
    (answers.StoreAnswer, places.BatchAnswer),
    (answers.SavedInfo, places.SavedInfoAnswer),
    (answers.WrittenTurn, places.WrittenTurnAnswer),
    (answers.MessagesAnswer, places.MessagesAnswer),
)


def parts(kind: Any) -> list[Any]:
    """The alternatives of a type."""
    return [p for k in get_args(kind) for p in parts(k)] if get_origin(kind) in (Union, UnionType) else [kind]


def within(kind: Any) -> list[Any]:
    """What a list is of; nothing of other types."""
    return [p for k in get_args(kind) for p in parts(k)] if get_origin(kind) is list else []


def models(kinds: list[Any]) -> list[type[BaseModel]]:
    return [k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)]


def differences(read: type[BaseModel], model: type[BaseModel], where: str = "", one_of: bool = False) -> list[str]:
    """What a reader expects and the service does not tell, or tells otherwise. `one_of`: others may be told in its
    place, so that what may be missing may be theirs."""
    found: list[str] = []
    for name, field in read.model_fields.items():
        if name in CARRIED:
            continue
        place, other = f"{where}{name}", model.model_fields.get(name)
        if other is None:
            found += [f"{place}: not told"] if field.is_required() or not one_of else []
            continue
        if field.is_required() and not other.is_required():
            found.append(f"{place}: may be missing")
        found += _types(field, other, place)
    return found


def _types(field: FieldInfo, other: FieldInfo, place: str) -> list[str]:
    mine, theirs = parts(field.annotation), parts(other.annotation)
    if Any in mine:
        return []
    found = [f"{place}: may be null"] if NoneType in theirs and NoneType not in mine else []
    if (list in [get_origin(t) for t in mine]) != (list in [get_origin(t) for t in theirs]) and Any not in theirs:
        found.append(f"{place}: a list on one side")
    for plain in (str, int, float, bool):
        if plain in theirs and not {plain, float if plain is int else plain} & set(mine):
            found.append(f"{place}: {plain.__name__} is told")
    mine += [p for kind in mine for p in within(kind)]
    theirs += [p for kind in theirs for p in within(kind)]
    result = models(theirs)
    pairs = [(m, t) for m in models(mine) for t in result]
    return found + [d for m, t in pairs for d in differences(m, t, f"{place}.", len(result) > 1)]


@pytest.mark.parametrize(("read", "model"), TWINS, ids=lambda m: m.__name__)
def test_the_client_reads_what_the_service_says_that_it_tells(read: type[BaseModel], model: type[BaseModel]) -> None:
    assert differences(read, model) == []


def test_every_answer_of_the_client_is_held_to_one() -> None:
    written = {answers.Answer, answers.Accepted}  # of writes: no description beside the handler's own model
    read = {m for m in vars(answers).values() if isinstance(m, type) and issubclass(m, answers.Answer)}
    assert read - written == {mine for mine, _ in TWINS}


class Answer(BaseModel):
    same: str
    null: str | None
    sometimes: str = ""
    number: int
    rows: list[places.SavedMemory]


class Read(BaseModel):
    same: str
    null: str
    sometimes: str
    number: str
    gone: str
    never: str = ""
    rows: list[memories.Because]


def test_a_difference_is_seen() -> None:
    assert differences(Read, Answer) == [
        "null: may be null", "sometimes: may be missing", "number: int is told", "gone: not told",
        "never: not told", *(f"rows.{name}: not told" for name in memories.Because.model_fields),
    ]  # fmt: skip
