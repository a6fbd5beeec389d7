"""What a record replaced is kept in case it holds again: of an erased session nothing is, of others all (C9)."""

from __future__ import annotations

from processors.erasure.steps import GateEraser
from processors.memory.replaced_versions import Replaced
from processors.ports import Models, ProfileBook
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate, parse
from schemas.log.owner import user
from schemas.profile.model import load_profile
from streams.state.cache import CachedOwner, OwnerOverlay
from tests.unit.gate.bench import DAY, START


class Space:
    """The state of one step, all in memory."""

    def __init__(self) -> None:
        self._owners: dict[str, OwnerOverlay] = {}

    def of(self, owner: str) -> OwnerOverlay:
        return self._owners.setdefault(owner, OwnerOverlay(CachedOwner(complete=True)))


def memory_of(record_id: str, session_id: str) -> MemoryUpdate:
    return parse(
        {
            "tenant": "acme", "owner_kind": "user", "owner_id": "ann", "record_id": record_id, "revision": 1,
            "kind": "episode", "state": "active", "reason": {"outcome": "kept", "gate": "dedupe", "rule": "new"},
            "occurred_at": START, "known_at": START, "last_accessed_at": START, "session_id": session_id,
            "sealed": {"text": f"said in {session_id}"},
        }
    )  # fmt: skip


def test_c9_an_erased_session_takes_only_its_own_out_of_what_was_replaced(models: Models) -> None:
    space = Space()
    rows = space.of(user("acme", "ann").key)
    replaced = Replaced(rows)
    both, mine, others = (memory_of("a", "s1"), memory_of("b", "s2")), (memory_of("c", "s1"),), (memory_of("d", "s2"),)
    for name, old in (("both", both), ("mine", mine), ("others", others)):
        replaced.note(name, old, START)
    erasure = Erasure(
        tenant="acme", erasure_id="e", scope="session", user_id="ann", session_id="s1", accepted_at=START + DAY
    )
    GateEraser(models, ProfileBook(load_profile("general"))).erase(erasure, space)
    left = {name: replaced.by(name, START + DAY) for name in ("both", "mine", "others")}
    assert left == {"both": [both[1]], "mine": [], "others": [others[0]]}
    assert b"said in s1" not in b"".join(rows.read(key) or b"" for key in rows.keys(""))
    assert replaced.by("both", START + 31 * DAY) == [], "no longer than before"
    assert rows.read("p/mine") is None
