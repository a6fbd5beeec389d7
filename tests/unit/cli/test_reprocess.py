"""The group `memstream reprocess`, the names that its commands had, and what `reprocess read` prints."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from memstream.cli import reprocess
from memstream.cli.app import application
from memstream.reprocess import reread, reread_run
from tests.unit.cli.instances import CommandLine

FOUND: dict[str, Any] = {
    "applied": False, "reader": "rules@6", "turns": 12, "older": 9, "left": {"turns_are_gone": 4, "the_users_own": 1},
    "memories": [
        {"what": "kept", "kind": "fact", "field": "age", "differs": ["state"], "records": 7, "examples": ["a1"]},
        {"what": "retired", "kind": "episode", "field": None, "differs": [], "records": 2, "examples": ["b1", "b2"]},
    ],
}  # fmt: skip


class Ran:
    """Stands for the servers: notes how a command was run, and answers `found`."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.found = found
        self.dry: bool | None = None
        self.work: Callable[..., Any]

    def __call__(self, name: str, data: object, work: Callable[..., Any], *, dry: bool) -> dict[str, Any]:
        self.name, self.work, self.dry = name, work, dry
        return self.found


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    fake = Ran(dict(FOUND))
    monkeypatch.setattr(reprocess, "_ran", fake)
    return fake


def test_the_group_has_all_that_decides_again() -> None:
    group = application().commands["reprocess"]
    assert set(group.commands) == {"screen", "dates", "gate", "read"}


@pytest.mark.parametrize(("new", "old"), reprocess.OLD_NAMES.items())
def test_an_old_name_is_the_same_command_and_says_what_to_type(memstream: CommandLine, new: str, old: str) -> None:
    commands = application().commands
    now, before = commands["reprocess"].commands[new], commands[old]
    assert [p.opts for p in before.params] == [p.opts for p in now.params]
    assert before.callback.__wrapped__ is now.callback.__wrapped__
    assert before.deprecated
    assert f"Deprecated: `memstream reprocess {new}`" in memstream(old, "--help").out
    assert "deprecated" in memstream("--help").out.split(old)[1].split("\n")[0].lower()


def test_read_is_dry_without_apply_and_prints_by_kind_and_field(memstream: CommandLine, ran: Ran) -> None:
    done = memstream("reprocess", "read")
    assert (done.status, ran.name, ran.dry) == (0, "read", True)
    assert " ".join(done.out.split()) == " ".join([
        "12 turns are stored; 9 would be read again by rules@6",
        "kept 7 fact age (state) a1",
        "retired 2 episode b1 b2",
        "4 memories of an older version stay as they are: their turns are stored no more",
        "1 statements change nothing: the user wrote, corrected or confirmed what they speak of",
        "nothing is changed yet: `memstream reprocess read --apply` does that",
    ]), "however wide the terminal is"  # fmt: skip


def test_read_with_apply_says_what_is_left_and_ends_with_1(memstream: CommandLine, ran: Ran) -> None:
    ran.found |= {"applied": True, "still_there": 3}
    done = memstream("reprocess", "read", "--apply")
    assert (done.status, ran.dry) == (1, False)
    assert "9 were read again by rules@6" in done.out
    assert "3 turns are still of an older version" in done.out
    ran.found["still_there"] = 0
    assert memstream("reprocess", "read", "--apply").status == 0


def test_read_as_json_is_what_was_found(memstream: CommandLine, ran: Ran) -> None:
    assert json.loads(memstream("reprocess", "read", "--json").out) == FOUND


def test_read_takes_whose_turns_and_how_fast(
    memstream: CommandLine, ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []
    monkeypatch.setattr("memstream.reprocess.reread_run.Reread", lambda *parts: given.append(parts[3:]))
    memstream("reprocess", "read", "--rate", "5", "--tenant", "acme", "--user", "ann")
    ran.work(None, None, None)
    [(only, rate)] = given
    assert (only.tenant, only.user, rate) == ("acme", "ann", 5.0)
    assert memstream("reprocess", "read", "--rate", "0").status == 2


def test_every_reason_to_leave_something_has_its_words() -> None:
    source = "".join(inspect.getsource(module) for module in (reread, reread_run))
    assert set(re.findall(r'left\["(\w+)"\]', source)) == set(reprocess._LEFT)
