"""HTTP: one request, repeated while that is safe and may help; and the buffer's way to the log over it."""

from __future__ import annotations

import asyncio
import random
import ssl
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx
from pydantic import ValidationError

from memstream.client.answers import Accepted, Answer
from memstream.client.buffer import Delivered
from memstream.client.calls import Call
from memstream.client.errors import (
    ClosedError,
    InvalidError,
    MemstreamError,
    ServerError,
    StaleError,
    UnavailableError,
    from_problem,
)
from memstream.client.messages import Feedback, Item, Turn
from schemas.log.freshness_tokens import Tokens

T = TypeVar("T", bound=Answer)
WAIT_FOR, WAIT_MS, FRESH = "Memstream-Wait-For", "Memstream-Wait-Ms", "Memstream-Fresh"


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """`wait_ms`: how long a read waits for the client's own writes; `require_fresh`: raise StaleError where that was
    not enough; `retry_seconds`: how long a call is repeated while the service is away or too busy. `verify`: what an
    https service is checked by, as httpx takes it."""

    timeout: float = 30.0
    wait_ms: int = 2_000
    require_fresh: bool = False
    retry_seconds: float = 10.0
    max_connections: int = 20
    verify: ssl.SSLContext | bool = True


class Http:
    """One service and one key. Every call of the contract may be repeated: what writes is idempotent by its id."""

    def __init__(
        self, url: str, key: str, options: HttpOptions, tokens: Tokens, transport: httpx.AsyncBaseTransport | None
    ) -> None:
        self._url, self._key, self._options, self._transport = url, key, options, transport
        self.tokens = tokens
        self._http: httpx.AsyncClient | None = None

    async def open(self) -> None:
        if self._http is None:
            limits = httpx.Limits(max_connections=self._options.max_connections)
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            self._http = httpx.AsyncClient(
                base_url=self._url, headers=headers, timeout=self._options.timeout, limits=limits,
                transport=self._transport, verify=self._options.verify,
            )  # fmt: skip

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def call(self, call: Call[T]) -> T:
        """Raises a MemstreamError."""
        waiting = self.tokens.of(call.user)
        headers = dict(call.headers)
        if waiting:
            headers |= {WAIT_FOR: waiting, WAIT_MS: str(self._options.wait_ms)}
        answer = await self._patiently(call, headers)
        fresh = answer.headers.get(FRESH) != "false"
        if not fresh and self._options.require_fresh:
            raise StaleError(f"not everything that was written was readable within {self._options.wait_ms} ms")
        body = _body_of(answer)
        if body.get("freshness_token"):
            self.note(body, call.also if call.user is None else call.also | {call.user})
        try:
            return call.answer.model_validate({**body, "fresh": fresh})
        except ValidationError as exc:
            where = ".".join(str(p) for p in exc.errors(include_input=False)[0]["loc"])
            raise ServerError(f"an answer of this service is not understood at {where}") from None

    def note(self, body: Mapping[str, Any], users: Collection[str]) -> None:
        """The token of a write. Raises ServerError where there is none."""
        try:
            self.tokens.note(str(body.get("freshness_token")), users)
        except ValueError:
            raise ServerError("an answer of this service is not understood at freshness_token", again=True) from None

    async def _patiently(self, call: Call[Any], headers: Mapping[str, str]) -> httpx.Response:
        deadline = time.monotonic() + self._options.retry_seconds
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self.once(call, headers)
            except UnavailableError:
                pause = random.uniform(0, min(2.0, 0.05 * 2**attempt))  # noqa: S311 - spread, not secrecy
                if time.monotonic() + pause >= deadline:
                    raise
                await asyncio.sleep(pause)

    async def once(self, call: Call[Any], headers: Mapping[str, str]) -> httpx.Response:
        """One try. Raises UnavailableError where another may help, else the error of the answer."""
        if self._http is None:
            raise ClosedError("the client is not open: use it as a context manager")
        try:
            answer = await self._http.request(
                call.method, call.path, json=call.body, params=dict(call.params), headers=dict(headers)
            )
        except httpx.RequestError as exc:
            raise UnavailableError(f"the service does not answer ({type(exc).__name__})") from None
        if not answer.is_success:
            raise from_problem(answer.status_code, _problem(answer))
        return answer


def _body_of(answer: httpx.Response) -> dict[str, Any]:
    """A proxy, a login page or a captive portal answers 200, too. Raises ServerError."""
    try:
        body = answer.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise ServerError(f"what answers is not this service: HTTP {answer.status_code} without JSON", again=True)
    return body


def _problem(answer: httpx.Response) -> Mapping[str, object]:
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


class HttpTransport:
    """The buffer's way to the log through the service's door."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def open(self) -> None:
        await self._http.open()

    async def close(self) -> None:
        await self._http.close()

    async def deliver(self, items: Sequence[Item]) -> Delivered:
        """Turns go together, up to the first that is none; feedback and memories one by one."""
        turns = []
        for item in items:
            if not isinstance(item.message, Turn):
                break
            turns.append(item)
        return await (self._turns(turns) if turns else self._one(items[0]))

    async def _turns(self, items: Sequence[Item]) -> Delivered:
        body = {"turns": [_body(i) for i in items]}
        try:
            await self._send("/v1/turns", body, items)
        except InvalidError as exc:
            named = _named(items, exc)
            if not named and len(items) > 1:  # too large together, or an item that is not named: halves find it
                return await self._turns(items[: len(items) // 2])
            return Delivered(refused=named or {items[0].ref: exc})
        except MemstreamError as exc:
            return _undelivered(items, exc)
        return Delivered(frozenset(i.ref for i in items))

    async def _one(self, item: Item) -> Delivered:
        path = "/v1/feedback" if isinstance(item.message, Feedback) else "/v1/memories"
        try:
            await self._send(path, _body(item), [item])
        except MemstreamError as exc:
            return _undelivered([item], exc)
        return Delivered(frozenset({item.ref}))

    async def _send(self, path: str, body: Mapping[str, Any], items: Sequence[Item]) -> None:
        headers = {"Idempotency-Key": items[0].once} if items[0].once else {}
        answer = await self._http.once(Call("POST", path, Accepted, body=body), headers)
        self._http.note(_body_of(answer), {i.user_id for i in items})


def _undelivered(items: Sequence[Item], error: MemstreamError) -> Delivered:
    """Only what was refused may be given up. A 500 may be about one of the messages; whatever else says that the
    service is away, or is not what answers, is about none."""
    if isinstance(error, ServerError) and error.again:
        return Delivered(reason=error, failing=len(items) if error.status == 500 else 0)
    if isinstance(error, UnavailableError):
        return Delivered(reason=error)
    return Delivered(refused={i.ref: error for i in items})


def _body(item: Item) -> dict[str, Any]:
    return item.message.model_dump(mode="json", exclude_none=True)


def _named(items: Sequence[Item], error: InvalidError) -> dict[str, MemstreamError]:
    """The door refuses the whole call and names items as `turns.3.field`."""
    places = (f.split(".") for f, _ in error.fields if f.startswith("turns."))
    found = {int(p[1]) for p in places if len(p) > 1 and p[1].isdigit()}
    return {items[n].ref: error for n in found if n < len(items)}
