"""The synchronous clients: the asynchronous ones on an event loop in a thread of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from functools import update_wrapper
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx

from memstream.client import calls
from memstream.client.aio import AsyncMemstream, AsyncProducer, OnRefused
from memstream.client.answers import Answer, MemoryRecord
from memstream.client.buffer import BufferLimits
from memstream.client.calls import Call
from memstream.client.errors import ClosedError
from memstream.client.http import HttpOptions
from memstream.client.messages import DEFAULT_TENANT, Item, Message
from schemas.log.codec import Codec
from schemas.storage.connections import Bootstrap

P = ParamSpec("P")
T = TypeVar("T", bound=Answer)
R = TypeVar("R")


class LoopThread:
    """An event loop in a daemon thread; `begin` runs a coroutine on it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="memstream client", daemon=True)
        self._thread.start()

    def begin(self, coroutine: Coroutine[Any, Any, R]) -> Future[R]:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Producer:
    """`AsyncProducer` for code that is not asynchronous; safe to share between threads."""

    def __init__(self, producer: AsyncProducer) -> None:
        self._async = producer
        self._thread: LoopThread | None = None

    @classmethod
    def over_http(
        cls, url: str, key: str = "", *, tenant: str = DEFAULT_TENANT, limits: BufferLimits | None = None,
        on_refused: OnRefused | None = None, options: HttpOptions | None = None,
    ) -> Producer:  # fmt: skip
        """Through the door of the service at `url`."""
        made = AsyncProducer.over_http(
            url, key, tenant=tenant, limits=limits, on_refused=on_refused, options=options
        )
        return Producer(made)

    @classmethod
    def over_kafka(
        cls, bootstrap: Bootstrap, *, tenant: str = DEFAULT_TENANT, limits: BufferLimits | None = None,
        on_refused: OnRefused | None = None, source: str = "client", codec: Codec | None = None,
    ) -> Producer:  # fmt: skip
        """As AsyncProducer.over_kafka."""
        made = AsyncProducer.over_kafka(
            bootstrap, tenant=tenant, limits=limits, on_refused=on_refused, source=source, codec=codec
        )
        return Producer(made)

    def __enter__(self) -> Self:
        self._thread = LoopThread()
        try:
            self._run(self._async.__aenter__())
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Waits for the buffer. Raises DeliveryError for what was not taken, unless another error is on its way."""
        try:
            self._run(self._async.__aexit__(kind, error, trace))
        finally:
            self._stop()

    def send(self, message: Message) -> str:
        """Put a message on its way; its id. Raises BufferFullError, InvalidError."""
        return self._run(self._async.send(message))

    def send_all(self, messages: Iterable[Message]) -> list[str]:
        """The same for several, in order."""
        return self._run(self._async.send_all(messages))

    def flush(self, seconds: float = 30.0) -> str:
        """Wait until the log has everything; the token of all that this client has written. Raises DeliveryError."""
        return self._run(self._async.flush(seconds))

    @property
    def waiting(self) -> int:
        """Messages in the buffer."""
        return self._async.waiting

    @property
    def aside(self) -> tuple[Item, ...]:
        """Messages that the service fails on however often they are sent; as AsyncProducer.aside."""
        return self._async.aside

    def take_aside(self) -> list[Item]:
        """The messages set aside are the caller's from here on."""
        return self._run(self._async.take_aside())

    def retry_aside(self) -> int:
        """Send the messages set aside again, with their ids, behind what waits; how many."""
        return self._run(self._async.retry_aside())

    def token(self, user_id: str | None = None) -> str:
        """The freshness token of this client's acknowledged writes, of one user or of all; empty before the first."""
        return self._async.token(user_id)

    def wait_for(self, token: str, users: Iterable[str] = ()) -> None:
        """Reads wait for this write, too: another process's, about these users (of none: about everybody). Raises
        InvalidError for what is no token."""
        self._async.wait_for(token, users)

    def _run(self, coroutine: Coroutine[Any, Any, R]) -> R:
        return self._begin(coroutine).result()

    def _begin(self, coroutine: Coroutine[Any, Any, R]) -> Future[R]:
        if self._thread is None:
            coroutine.close()
            raise ClosedError("the client is not open: use it as a context manager")
        return self._thread.begin(coroutine)

    def _stop(self) -> None:
        if self._thread is not None:
            self._thread.stop()
            self._thread = None


def _blocking(call: Callable[P, Call[T]]) -> Callable[Concatenate[Memstream, P], T]:
    """A call of the service as a method."""

    def method(self: Memstream, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.call(call(*args, **kwargs))

    update_wrapper(method, call)
    return method


class Memstream(Producer):
    """`AsyncMemstream` for code that is not asynchronous; safe to share between threads."""

    def __init__(
        self, url: str = "http://127.0.0.1:8900", key: str = "", *, kafka: Bootstrap = "", tenant: str = DEFAULT_TENANT,
        limits: BufferLimits | None = None, on_refused: OnRefused | None = None, options: HttpOptions | None = None,
        transport: httpx.AsyncBaseTransport | None = None, codec: Codec | None = None,
    ) -> None:  # fmt: skip
        """As AsyncMemstream."""
        self._client = AsyncMemstream(
            url, key, kafka=kafka, tenant=tenant, limits=limits, on_refused=on_refused, options=options,
            transport=transport, codec=codec,
        )  # fmt: skip
        super().__init__(self._client)

    def call(self, call: Call[T]) -> T:
        """Any call of `memstream.client.calls`. Raises a MemstreamError."""
        return self._run(self._client.call(call))

    async def acall(self, call: Call[T]) -> T:
        """The same for asynchronous code that was handed this client; on any event loop."""
        return await asyncio.wrap_future(self._begin(self._client.call(call)))

    def all_memories(self, user_id: str, *, kind: str | None = None) -> Iterator[MemoryRecord]:
        """Every active memory of a user, page by page."""
        cursor: str | None = None
        while True:
            page = self.call(calls.memories(user_id, kind=kind, limit=200, cursor=cursor))
            yield from page.memories
            cursor = page.cursor
            if cursor is None:
                return

    search = _blocking(calls.search)
    context = _blocking(calls.context)
    memories = _blocking(calls.memories)
    memory = _blocking(calls.memory)
    profile = _blocking(calls.profile)
    preferences = _blocking(calls.preferences)
    patterns = _blocking(calls.patterns)
    readings = _blocking(calls.readings)
    load_context = _blocking(calls.load_context)
    messages = _blocking(calls.messages)
    turn = _blocking(calls.turn)
    outcome = _blocking(calls.outcome)
    originals = _blocking(calls.originals)
    session = _blocking(calls.session)
    memory_context = _blocking(calls.memory_context)
    checkpoints = _blocking(calls.checkpoints)
    hot_memory = _blocking(calls.hot_memory)
    reports = _blocking(calls.reports)
    interaction = _blocking(calls.interaction)
    save_info = _blocking(calls.save_info)
    write_turn = _blocking(calls.write_turn)
    summarize = _blocking(calls.summarize)
    remember = _blocking(calls.remember)
    correct = _blocking(calls.correct)
    forget = _blocking(calls.forget)
    create_session = _blocking(calls.create_session)
    patch_session = _blocking(calls.patch_session)
    set_anchors = _blocking(calls.set_anchors)
    checkpoint = _blocking(calls.checkpoint)
    close_session = _blocking(calls.close_session)
    reset_session = _blocking(calls.reset_session)
    put_hot = _blocking(calls.put_hot)
    put_document = _blocking(calls.put_document)
    delete_document = _blocking(calls.delete_document)
    store = _blocking(calls.store)
