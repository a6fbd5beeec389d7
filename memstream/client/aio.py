"""The asynchronous clients: `AsyncProducer` sends, `AsyncMemstream` also reads and commands."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from functools import update_wrapper
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx

from memstream.client import calls
from memstream.client.answers import Answer, MemoryRecord
from memstream.client.buffer import Buffer, BufferLimits, Transport
from memstream.client.calls import Call
from memstream.client.errors import ClosedError, InvalidError, MemstreamError
from memstream.client.http import Http, HttpOptions, HttpTransport
from memstream.client.messages import DEFAULT_TENANT, Item, Message, item_of
from schemas.log.codec import Codec
from schemas.log.freshness_tokens import Tokens
from schemas.storage.connections import Bootstrap

P = ParamSpec("P")
T = TypeVar("T", bound=Answer)
OnRefused = Callable[[Item, MemstreamError], None]


class AsyncProducer:
    """Sends turns, feedback and memories through a bounded buffer, over HTTP or Kafka alike (K5).

    `send` returns as soon as the message is in the buffer; the message's id makes sending it again harmless. While
    the log is away messages wait, up to the bound; then `send` waits too, and at last raises BufferFullError.
    """

    def __init__(
        self, transport: Transport, tokens: Tokens, *, tenant: str = DEFAULT_TENANT,
        limits: BufferLimits | None = None, on_refused: OnRefused | None = None, close_seconds: float = 30.0,
    ) -> None:  # fmt: skip
        """`on_refused` is called for every message that will never be taken, and with a SetAsideError for one that the
        service fails on whenever it is sent (kept: see `aside`). `tenant` names turns that come without
        an id; the credential decides whose they are."""
        self._transport, self._tokens, self._tenant = transport, tokens, tenant
        self._limits, self._on_refused, self._close_seconds = limits, on_refused, close_seconds
        self._buffer: Buffer | None = None

    @classmethod
    def over_http(
        cls, url: str, key: str = "", *, tenant: str = DEFAULT_TENANT, limits: BufferLimits | None = None,
        on_refused: OnRefused | None = None, options: HttpOptions | None = None,
    ) -> AsyncProducer:  # fmt: skip
        """Through the door of the service at `url`."""
        tokens = Tokens()
        http = Http(url, key, options or HttpOptions(), tokens, None)
        return AsyncProducer(HttpTransport(http), tokens, tenant=tenant, limits=limits, on_refused=on_refused)

    @classmethod
    def over_kafka(
        cls, bootstrap: Bootstrap, *, tenant: str = DEFAULT_TENANT, limits: BufferLimits | None = None,
        on_refused: OnRefused | None = None, source: str = "client", codec: Codec | None = None,
    ) -> AsyncProducer:  # fmt: skip
        """Straight to the topics: for producers that the broker trusts with the tenant. `codec`
        (memstream.keyring.wiring) seals what is sent; without, it is sent in the clear and sealed behind screen."""
        from memstream.client.kafka import KafkaTransport  # librdkafka only where it is used

        tokens = Tokens()
        transport = KafkaTransport(bootstrap, tenant, tokens, codec=codec, source=source)
        return AsyncProducer(transport, tokens, tenant=tenant, limits=limits, on_refused=on_refused)

    async def __aenter__(self) -> Self:
        await self._transport.open()
        self._buffer = Buffer(self._transport, self._limits, self._on_refused)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Waits for the buffer. Raises DeliveryError for what was not taken, unless another error is on its way."""
        try:
            if self._buffer is not None:
                await self._buffer.close(self._close_seconds)
        except MemstreamError:
            if error is None:
                raise
        finally:
            self._buffer = None
            await self._transport.close()

    async def send(self, message: Message) -> str:
        """Put a message on its way; its id. Raises BufferFullError, InvalidError."""
        item = item_of(message, self._tenant)
        await self._open_buffer().put(item)
        return item.id

    async def send_all(self, messages: Iterable[Message]) -> list[str]:
        """The same for several, in order."""
        return [await self.send(m) for m in messages]

    async def flush(self, seconds: float = 30.0) -> str:
        """Wait until the log has everything; the token of all that this client has written. Raises DeliveryError."""
        await self._open_buffer().flush(seconds)
        return self._tokens.of(None)

    @property
    def waiting(self) -> int:
        """Messages in the buffer."""
        return 0 if self._buffer is None else len(self._buffer)

    @property
    def aside(self) -> tuple[Item, ...]:
        """Messages that the service fails on (HTTP 500) however often they are sent: kept out of the others' way,
        within the buffer's bound, until they are taken or sent again."""
        return () if self._buffer is None else self._buffer.aside

    async def take_aside(self) -> list[Item]:
        """The messages set aside are the caller's from here on."""
        return await self._open_buffer().take_aside()

    async def retry_aside(self) -> int:
        """Send the messages set aside again, with their ids, behind what waits; how many."""
        return await self._open_buffer().retry_aside()

    def token(self, user_id: str | None = None) -> str:
        """The freshness token of this client's acknowledged writes, of one user or of all; empty before the first."""
        return self._tokens.of(user_id)

    def wait_for(self, token: str, users: Iterable[str] = ()) -> None:
        """Reads wait for this write, too: another process's, about these users (of none: about everybody). Raises
        InvalidError for what is no token."""
        try:
            self._tokens.note(token, users)
        except ValueError as exc:
            raise InvalidError(str(exc), [("token", str(exc))]) from None

    def _open_buffer(self) -> Buffer:
        if self._buffer is None:
            raise ClosedError("the client is not open: use it as a context manager")
        return self._buffer


def _awaited(
    call: Callable[P, Call[T]],
) -> Callable[Concatenate[AsyncMemstream, P], Coroutine[Any, Any, T]]:
    """A call of the service as a method."""

    async def method(self: AsyncMemstream, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.call(call(*args, **kwargs))

    update_wrapper(method, call)
    return method


class AsyncMemstream(AsyncProducer):
    """Sends, reads and commands. Every read waits for this client's own acknowledged writes about the same user;
    what is still in the buffer is not among them before `flush`."""

    def __init__(
        self, url: str = "http://127.0.0.1:8900", key: str = "", *, kafka: Bootstrap = "", tenant: str = DEFAULT_TENANT,
        limits: BufferLimits | None = None, on_refused: OnRefused | None = None, options: HttpOptions | None = None,
        transport: httpx.AsyncBaseTransport | None = None, codec: Codec | None = None,
    ) -> None:  # fmt: skip
        """With `kafka` (bootstrap servers) what is sent goes straight to the topics, sealed by `codec` where one is
        given. `transport`: for tests and for services that run in the same process."""
        tokens = Tokens()
        self._http = Http(url, key, options or HttpOptions(), tokens, transport)
        way: Transport = HttpTransport(self._http)
        if kafka:
            from memstream.client.kafka import KafkaTransport

            way = KafkaTransport(kafka, tenant, tokens, codec=codec)
        super().__init__(way, tokens, tenant=tenant, limits=limits, on_refused=on_refused)

    async def __aenter__(self) -> Self:
        await self._http.open()
        return await super().__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await super().__aexit__(kind, error, trace)
        finally:
            await self._http.close()

    async def call(self, call: Call[T]) -> T:
        """Any call of `memstream.client.calls`. Raises a MemstreamError."""
        return await self._http.call(call)

    async def all_memories(self, user_id: str, *, kind: str | None = None) -> AsyncIterator[MemoryRecord]:
        """Every active memory of a user, page by page."""
        cursor: str | None = None
        while True:
            page = await self.call(calls.memories(user_id, kind=kind, limit=200, cursor=cursor))
            for found in page.memories:
                yield found
            cursor = page.cursor
            if cursor is None:
                return

    search = _awaited(calls.search)
    context = _awaited(calls.context)
    memories = _awaited(calls.memories)
    memory = _awaited(calls.memory)
    profile = _awaited(calls.profile)
    preferences = _awaited(calls.preferences)
    patterns = _awaited(calls.patterns)
    readings = _awaited(calls.readings)
    load_context = _awaited(calls.load_context)
    messages = _awaited(calls.messages)
    turn = _awaited(calls.turn)
    outcome = _awaited(calls.outcome)
    originals = _awaited(calls.originals)
    session = _awaited(calls.session)
    memory_context = _awaited(calls.memory_context)
    checkpoints = _awaited(calls.checkpoints)
    hot_memory = _awaited(calls.hot_memory)
    reports = _awaited(calls.reports)
    interaction = _awaited(calls.interaction)
    save_info = _awaited(calls.save_info)
    write_turn = _awaited(calls.write_turn)
    summarize = _awaited(calls.summarize)
    remember = _awaited(calls.remember)
    correct = _awaited(calls.correct)
    forget = _awaited(calls.forget)
    create_session = _awaited(calls.create_session)
    patch_session = _awaited(calls.patch_session)
    set_anchors = _awaited(calls.set_anchors)
    checkpoint = _awaited(calls.checkpoint)
    close_session = _awaited(calls.close_session)
    reset_session = _awaited(calls.reset_session)
    put_hot = _awaited(calls.put_hot)
    put_document = _awaited(calls.put_document)
    delete_document = _awaited(calls.delete_document)
    store = _awaited(calls.store)
