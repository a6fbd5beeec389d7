"""Generations of the views (N1): which stand, which is read, which is being built. The rows of `ops`.

Every function takes an open connection in autocommit mode and is one transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from psycopg import Connection
from psycopg.types.json import Jsonb

from schemas.storage.layouts import WITH_VECTORS

State = Literal["building", "standing", "dropping", "dropped"]
_DRIVER = 0x6D736762
"""Advisory lock class of who drives a rebuild: (class, store)."""


class GenerationError(ValueError):
    """What was asked for does not fit the generations that stand; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of a store's views. `live`: it is the one that is read. `embedder`: the name of the model whose
    vectors it holds, empty for those that the records bring."""

    store: str
    number: int
    state: State
    live: bool
    embedder: str = ""


def all_of(conn: Connection[Any], store: str | None = None) -> list[Generation]:
    """Those that are not dropped, ascending."""
    rows = conn.execute(
        "SELECT g.store, g.generation, g.state, coalesce(l.generation = g.generation, false), g.embedder"
        " FROM ops.generations g LEFT JOIN ops.live_views l USING (store)"
        " WHERE g.state <> 'dropped' AND (%(store)s::text IS NULL OR g.store = %(store)s) ORDER BY 1, 2",
        {"store": store},
    )
    return [Generation(*r) for r in rows]


def live(conn: Connection[Any], store: str) -> Generation:
    """The one that is read. Raises GenerationError when the row is gone."""
    found = next((g for g in all_of(conn, store) if g.live), None)
    if found is None:
        raise GenerationError(f"ops.live_views names no generation of {store} that stands")
    return found


def building(conn: Connection[Any], store: str) -> Generation | None:
    return next((g for g in all_of(conn, store) if g.state == "building"), None)


def begin(conn: Connection[Any], store: str, embedder: str = "") -> Generation:
    """The generation that is being built, a new one where there is none. Raises GenerationError when the one that is
    being built has another embedder."""
    with conn.transaction():
        conn.execute("SELECT 1 FROM ops.live_views WHERE store = %s FOR UPDATE", (store,))
        found = building(conn, store)
        if found is None:
            conn.execute(
                "INSERT INTO ops.generations (store, generation, state, embedder)"
                " SELECT %s, max(generation) + 1, 'building', %s FROM ops.generations WHERE store = %s",
                (store, embedder, store),
            )
            found = building(conn, store)
    assert found is not None  # noqa: S101 - inserted above
    if found.embedder != embedder:
        cause = f"with the embedder {found.embedder}" if found.embedder else "by a plain rebuild"
        raise GenerationError(
            f"generation {found.number} of {store} is being built {cause}: finish it with the same command, or give it "
            f"up with `memstream rebuild drop {store}`"
        )
    return found


def settle(conn: Connection[Any], store: str, number: int, report: dict[str, Any]) -> None:
    """Note what a comparison found."""
    conn.execute(
        "UPDATE ops.generations SET report = %s, changed_at = now() WHERE store = %s AND generation = %s",
        (Jsonb(report), store, number),
    )


def companions(conn: Connection[Any], store: str, number: int) -> dict[str, int]:
    """What must be switched together so that every store with vectors is read with one model: the store itself, and
    the newest standing generation with the same model of each other one whose live model is another. Raises
    GenerationError where there is none."""
    found = all_of(conn)
    target = next((g for g in found if g.store == store and g.number == number and g.state == "standing"), None)
    if target is None:
        known = ", ".join(str(g.number) for g in found if g.store == store and g.state == "standing") or "none"
        raise GenerationError(f"no generation {number} of {store} that stands (there are: {known})")
    out = {store: number}
    for other in WITH_VECTORS if store in WITH_VECTORS else ():
        read = next((g for g in found if g.store == other and g.live), None)
        if other == store or read is None or read.embedder == target.embedder:
            continue
        fit = [g.number for g in found if (g.store, g.embedder, g.state) == (other, target.embedder, "standing")]
        if not fit:
            raise GenerationError(
                f"generation {number} of {store} holds vectors of {target.embedder or 'the log'}, and no generation of "
                f"{other} that stands does: one model is read at a time (`memstream reembed` makes both)"
            )
        out[other] = max(fit)
    return out


def switch(conn: Connection[Any], to: dict[str, int]) -> None:
    """From the next look on, readers read these generations: all in one transaction. Raises GenerationError for one
    that does not stand."""
    with conn.transaction():
        for store, number in sorted(to.items()):
            done = conn.execute(
                "UPDATE ops.generations SET state = 'standing', changed_at = now() WHERE store = %s AND generation = %s"
                " AND state IN ('building', 'standing')",
                (store, number),
            )
            if done.rowcount != 1:
                raise GenerationError(f"there is no generation {number} of {store} to switch to")
            conn.execute(
                "UPDATE ops.live_views SET generation = %s, switched_at = now() WHERE store = %s AND generation <> %s",
                (number, store, number),
            )


def mark(conn: Connection[Any], store: str, number: int, state: Literal["dropping", "dropped"]) -> None:
    """Raises GenerationError for the live one."""
    with conn.transaction():
        row = conn.execute("SELECT generation FROM ops.live_views WHERE store = %s FOR UPDATE", (store,)).fetchone()
        if row is not None and row[0] == number:
            raise GenerationError(f"generation {number} of {store} is live: switch to another before dropping it")
        conn.execute(
            "UPDATE ops.generations SET state = %s, changed_at = now() WHERE store = %s AND generation = %s",
            (state, store, number),
        )


def drive(conn: Connection[Any], name: str) -> bool:
    """Be the one that drives this work (a store's rebuild, a regate): held until the connection closes, so a killed
    driver leaves nothing behind. False when another one does."""
    row = conn.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (_DRIVER, name)).fetchone()
    return bool(row and row[0])
