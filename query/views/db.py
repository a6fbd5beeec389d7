"""Postgres reads. A statement names its scope; without one it cannot be run, and none is built from input."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import psycopg
from psycopg import AsyncConnection, sql
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from query.circuit import OPEN, Circuit, TenantCircuits, near
from query.errors import store_down
from query.key_threads import KeyThreads
from query.views.bound import narrows
from query.views.sealed import PLACE, opened
from query.views.shares import Shares
from schemas.components.installed import components
from schemas.log.codec import Codec
from schemas.security.scope import OwnerScope, TenantScope
from schemas.security.sealed_rows import COLUMNS
from schemas.storage.layouts import postgres_schema

Row: TypeAlias = dict[str, Any]
_VIEWS = "{v}"
_LIVE = (
    b"SELECT l.store, l.generation, g.embedder FROM ops.live_views l"
    b" LEFT JOIN ops.generations g ON g.store = l.store AND g.generation = l.generation"
)
_AWAY = (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout, TimeoutError)
ANYBODY = "\x00"
"""In place of a tenant, which cannot be this: whatever role the connection has will do."""
_PINNED: ContextVar[Mapping[str, int] | None] = ContextVar("generations of this request", default=None)
_PATIENCE: ContextVar[float | None] = ContextVar("seconds that this reader waits for an answer", default=None)
BUSY = "busy"
"""What `degraded` says where so many queries of the tenant are under way that this one was not asked in time."""
LATE = "timeout"
"""What `degraded` says of a store that took longer than the profile's latency budget."""
_AS_TENANT = "SELECT set_config('role', 'memstream_reader', false), set_config('memstream.tenant', %s, false)"


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What an answer can do without: it is waited for no longer than the profile's latency budget (D11), once Postgres
    has answered this process at all. The query goes on until the store's time-out, where it is a failure."""
    token = _PATIENCE.set(seconds)
    try:
        yield
    finally:
        _PATIENCE.reset(token)


class StatementError(ValueError):
    """A statement that could read beyond its scope."""


@dataclass(frozen=True, slots=True)
class TenantStatement:
    """SQL over the live views `{v}` that is bound to a tenant."""

    text: str

    def __post_init__(self) -> None:
        if not narrows(self.text, "tenant = %(tenant)s"):
            raise StatementError("a statement over views must compare the tenant")
        if COLUMNS[-1] in self.text and PLACE not in self.text:
            raise StatementError("a statement that selects sealed text must tell its place")


@dataclass(frozen=True, slots=True)
class OwnerStatement(TenantStatement):
    """SQL that is bound to one owner: `%(owner_kind)s` and `%(owner_id)s` come from the scope."""

    def __post_init__(self) -> None:
        TenantStatement.__post_init__(self)
        if "%(owner_id)s" not in self.text:
            raise StatementError("a statement over an owner must compare the owner")


@dataclass(frozen=True, slots=True)
class SystemStatement:
    """SQL of operations: counts and progress, never content. `{v}` as above. `shared`: the tables have no tenant and
    the reading role sees them too, so the connection need not change its role for it."""

    text: str
    shared: bool = False


@dataclass(slots=True)
class _Pending:
    """A query: whose (None: the service's own), and whether it has got so far as to ask for a connection."""

    tenant: str | None
    begun: bool = False


@dataclass(frozen=True, slots=True)
class LiveViews:
    """Which generations are read (N1), by one look. `embedder`: the name of the model whose vectors they hold, empty
    for those that the log brings."""

    numbers: Mapping[str, int]
    embedder: str = ""


class Database:
    """The pool and the live generation of the views. Every failure of the store is ProblemError `store-unavailable`."""

    def __init__(
        self, pool: AsyncConnectionPool[Any], generation_seconds: float, timeout: float, codec: Codec | None = None,
        circuit: Circuit | None = None, key_threads: KeyThreads | None = None, shares: Shares | None = None,
    ) -> None:  # fmt: skip
        """`codec` opens rows whose text is sealed (C7). While `circuit` is open nothing is asked. `shares`: of the
        pool's connections, between tenants."""
        self._pool = pool
        self._circuit = circuit or Circuit()
        self._tenants = TenantCircuits(near)
        self._shares = shares or Shares()
        self._codec = codec or Codec()
        self._key_threads = key_threads or KeyThreads()
        self._remember = generation_seconds
        self._timeout = timeout
        self._live = LiveViews(dict.fromkeys(components().sinks, 1))
        self._read_at = float("-inf")
        self._looking: asyncio.Task[None] | None = None
        self._looked_at = float("-inf")
        self._left: set[asyncio.Task[list[Row]]] = set()
        self._acting: WeakKeyDictionary[AsyncConnection[Any], str | None] = WeakKeyDictionary()

    async def of_owner(self, scope: OwnerScope, statement: OwnerStatement, /, **values: Any) -> list[Row]:
        owner = scope.owner
        bound = {"tenant": owner.tenant, "owner_kind": owner.kind.value, "owner_id": owner.id}
        return await self._fetch(statement.text, {**values, **bound}, owner.tenant)

    async def of_tenant(self, scope: TenantScope, statement: TenantStatement, /, **values: Any) -> list[Row]:
        if isinstance(statement, OwnerStatement):
            raise StatementError("this statement needs an owner's scope")
        return await self._fetch(statement.text, {**values, "tenant": scope.tenant}, scope.tenant)

    async def of_system(self, statement: SystemStatement, /, **values: Any) -> list[Row]:
        return await self._fetch(statement.text, values, ANYBODY if statement.shared else None)

    async def generation(self, store: str) -> int:
        """The generation of a store's views that is read now (N1), or that the request stays with."""
        pinned = _PINNED.get()
        return (pinned or (await self.live()).numbers)[store]

    @staticmethod
    @contextmanager
    def reading(numbers: Mapping[str, int]) -> Iterator[None]:
        """What is asked inside reads these generations, though others are switched to meanwhile: vectors of two models
        cannot be compared."""
        token = _PINNED.set(numbers)
        try:
            yield
        finally:
            _PINNED.reset(token)

    async def live(self) -> LiveViews:
        """What is read now, of all stores at one moment: one look for all who ask."""
        if time.monotonic() - self._read_at > self._remember:
            if self._looking is None or self._looking.done():
                self._looked_at = time.monotonic()
                self._looking = asyncio.create_task(self._look())
                self._looking.add_done_callback(_consume_failure)
            elif self._circuit.is_open:  # who looks may wait for long
                raise store_down("postgres", OPEN)
            look, patience = self._looking, self._patience()
            left = None if patience is None else max(0.0, self._looked_at + patience - time.monotonic())
            done, _ = await asyncio.wait({look}, timeout=left)
            if not done:
                raise store_down("postgres", LATE)
            look.result()
        return self._live

    async def _look(self) -> None:
        _PATIENCE.set(None)  # of this task alone: others wait for it too
        self._look_at(await self._run(_LIVE, {}, None))

    def _patience(self) -> float | None:
        """Seconds that the reader waits where that is shorter than the store's time-out."""
        given = _PATIENCE.get()
        if given is None or given >= self._timeout or self._read_at == float("-inf"):
            return None
        return given

    async def ping(self) -> None:
        """Asks in any case, what is read now; an answer closes the circuit. Raises ProblemError."""
        self._look_at(await self._ask(_LIVE, {}, None))

    def _look_at(self, rows: list[Row]) -> None:
        numbers = {r["store"]: r["generation"] for r in rows}
        models = {r["store"]: r["embedder"] for r in rows}
        self._live = LiveViews({**self._live.numbers, **numbers}, models.get("milvus") or "")
        self._read_at = time.monotonic()

    def last_live(self) -> LiveViews:
        """The same as last read: for answers from memory while Postgres is away."""
        return self._live

    def last_generation(self, store: str) -> int:
        return self._live.numbers[store]

    async def _fetch(self, text: str, values: dict[str, Any], tenant: str | None) -> list[Row]:
        if _VIEWS not in text:
            return await self._opened(await self._run(text.encode(), values, tenant))
        try:
            rows = await self._run(_located(text, await self.generation("postgres")), values, tenant)
        except psycopg.errors.UndefinedTable:  # that generation was dropped since it was looked at
            self._read_at = float("-inf")
            rows = await self._run(_located(text, (await self.live()).numbers["postgres"]), values, tenant)
        return await self._opened(rows)

    async def _opened(self, rows: list[Row]) -> list[Row]:
        return await opened(self._codec, rows, self._key_threads)

    async def _run(self, query: bytes, values: dict[str, Any], tenant: str | None) -> list[Row]:
        # The tenant's first: one that is shut out must not use up the one call that the store's circuit lets through.
        if tenant is not None and tenant != ANYBODY and not self._tenants.lets_through(tenant):
            raise store_down("postgres", OPEN)
        if not self._circuit.lets_through():
            raise store_down("postgres", OPEN)
        return await self._ask(query, values, tenant)

    async def _ask(self, query: bytes, values: dict[str, Any], tenant: str | None) -> list[Row]:
        """Whatever the circuit says. In a task of its own: a cancelled query asks the server to stop and waits up to
        ten seconds for that, which is not the caller's to wait for where the server hangs."""
        statement = _Pending(None if tenant == ANYBODY else tenant)
        task = asyncio.create_task(self._query(query, values, tenant, statement))
        patience = self._patience()
        try:
            done, _ = await asyncio.wait({task}, timeout=self._timeout if patience is None else patience)
        except asyncio.CancelledError:
            self._leave(task)
            raise
        if not done and not statement.begun:
            self._leave(task)
            raise store_down("postgres", BUSY)
        if not done and patience is not None:
            self._goes_on(task, self._timeout - patience, statement)
            raise store_down("postgres", LATE)
        if not done:
            self._leave(task)
            self._late(statement)
            raise store_down("postgres")
        try:
            rows = task.result()
        except _AWAY as exc:
            self._failed(exc, statement)
            raise store_down("postgres") from None
        self._answered(statement)
        return rows

    def _answered(self, pending: _Pending) -> None:
        self._circuit.succeeded()
        if pending.tenant is not None:
            self._tenants.succeeded(pending.tenant)

    def _failed(self, exc: BaseException, pending: _Pending) -> None:
        if isinstance(exc, psycopg.errors.QueryCanceled):  # by a time limit of the server's
            self._late(pending)
        else:
            self._circuit.failed()

    def _late(self, pending: _Pending) -> None:
        """No answer in time: of a tenant's query that may lie in what it asks for, and is no failure of the store."""
        if pending.tenant is None:
            self._circuit.failed()
        else:
            self._tenants.failed(pending.tenant)

    def _leave(self, task: asyncio.Task[list[Row]]) -> None:
        """Nobody waits for it any more; its connection goes back to the pool when it is over."""
        self._left.add(task)
        task.add_done_callback(self._over)
        task.cancel()

    def _over(self, task: asyncio.Task[list[Row]]) -> None:
        self._left.discard(task)
        _consume_failure(task)

    def _goes_on(self, task: asyncio.Task[list[Row]], seconds: float, pending: _Pending) -> None:
        """The reader has gone; the circuit is told what became of the query."""
        too_late = asyncio.get_running_loop().call_later(seconds, self._too_late, task, pending)
        self._left.add(task)

        def ended(done: asyncio.Task[list[Row]]) -> None:
            too_late.cancel()
            self._over(done)
            if done.cancelling():  # too late, and counted
                return
            if (exc := done.exception()) is None:
                self._answered(pending)
            elif isinstance(exc, _AWAY):
                self._failed(exc, pending)

        task.add_done_callback(ended)

    def _too_late(self, task: asyncio.Task[list[Row]], pending: _Pending) -> None:
        self._late(pending)
        task.cancel()

    async def _query(
        self, query: bytes, values: dict[str, Any], tenant: str | None, pending: _Pending
    ) -> list[Row]:
        """A place of the tenant's is held until the query is over, though nobody may wait for it any more."""
        async with nullcontext() if pending.tenant is None else self._shares.of(pending.tenant):
            pending.begun = True
            async with self._pool.connection(timeout=self._timeout) as connection:
                await self._become(connection, tenant)
                # Binary: embeddings are a kilobyte each, and hexadecimal text would be read character by character.
                cursor = connection.cursor(row_factory=dict_row, binary=True)
                await cursor.execute(query, values)
                rows: list[Row] = await cursor.fetchall()
                return rows

    async def _become(self, connection: AsyncConnection[Any], tenant: str | None) -> None:
        """The second wall (C7): a connection that reads for a tenant is the reading role, to which every table shows
        the rows of that tenant only, whatever a statement forgets. None: our own role, for statements of operations."""
        if tenant == ANYBODY or self._acting.get(connection, ANYBODY) == tenant:
            return
        self._acting.pop(connection, None)
        if tenant is None:
            await connection.execute("RESET ROLE")
        else:
            await connection.execute(_AS_TENANT, (tenant,))
        self._acting[connection] = tenant


def _consume_failure(task: asyncio.Task[Any]) -> None:
    """Looked at, though nobody may wait for it any more, or asyncio would log its failure."""
    if not task.cancelled():
        task.exception()


@lru_cache(maxsize=1024)
def _located(text: str, generation: int) -> bytes:
    name = sql.Identifier(postgres_schema(generation)).as_bytes()
    return text.encode().replace(_VIEWS.encode(), name)
