"""`LanguageModel` over any endpoint that speaks OpenAI's chat completions (B7)."""

from __future__ import annotations

import asyncio
import random
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import orjson
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

from inference.protocols import Completion

_AWAY_STATUS = frozenset({401, 402, 403, 404, 408, 409, 425, 429})
"""Beside 5xx: what passes by itself, or when the operator mends key, quota or address. No call may be lost to it."""
_NO_SCHEMA_STATUS = frozenset({400, 404, 415, 422, 501})
_MAX_WAIT = 120.0


class Away(Exception):  # noqa: N818 - it names an outcome
    """The endpoint cannot answer now: pause, back off, ask again. Never a dead letter. The message names the status or
    the kind of failure, never content, address or key. `retry_after`: seconds that the endpoint asked for. `slow`: it
    took the request and had not answered when the time was over."""

    def __init__(self, message: str, retry_after: float | None = None, *, slow: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.slow = slow


class Malformed(Exception):  # noqa: N818
    """An answer that is none: `reason` is refused, truncated, not_json, no_answer or rejected (the request itself).
    `prompt_tokens`, `completion_tokens`: what it took all the same."""

    def __init__(self, reason: str, prompt_tokens: int = 0, completion_tokens: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.prompt_tokens, self.completion_tokens = prompt_tokens, completion_tokens


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """`url` ends before `/chat/completions` (`https://host/v1`). Prices: currency units a million tokens.

    `tries` at one call while the endpoint is away; who calls goes on waiting after that. The key is not shown by repr.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    concurrency: int = 4
    tries: int = 3
    first_wait: float = 0.5
    prompt_price: float = 0.0
    completion_price: float = 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used since the start; `cost` in the currency of the prices."""

    calls: int = 0
    away: int = 0
    malformed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


class OpenAiCompatible:
    """One endpoint and model. Calls may overlap up to `concurrency`; use it from one event loop, close it there.

    An endpoint that refuses `response_format` of type json_schema is asked for json_object, then for plain text, with
    the schema in the messages; the first form that it takes is kept.
    """

    FORMS = ("json_schema", "json_object", "text")

    def __init__(
        self, config: EndpointConfig, *, transport: httpx.AsyncBaseTransport | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:  # fmt: skip
        self._config = config
        headers = {"Authorization": f"Bearer {config.key}"} if config.key else {}
        # Without TLS a context that trusts nobody: the authorities take 30 ms to read.
        plain = config.url.startswith("http://")
        self._http = httpx.AsyncClient(
            base_url=config.url.rstrip("/"), headers=headers, timeout=config.timeout, transport=transport,
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True,
        )  # fmt: skip
        self._slots = asyncio.Semaphore(config.concurrency)
        self._form = 0
        self._jitter = jitter
        self._usage = Usage()
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        return self._config.model

    @property
    def usage(self) -> Usage:
        return self._usage

    async def close(self) -> None:
        await self._http.aclose()

    async def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        schema: Mapping[str, Any],
        max_tokens: int = 1_000,
        temperature: float = 0.0,
    ) -> Completion:
        """Return an answer whose text is a JSON value. Raises Away or Malformed; whether the value fits `schema` is
        for the caller to check, since not every endpoint holds a model to it."""
        async with self._slots:
            for form in range(self._form, len(self.FORMS)):
                answer = await self._call(self._body(messages, schema, max_tokens, temperature, self.FORMS[form]))
                if answer.status_code not in _NO_SCHEMA_STATUS:
                    # A request that is refused in every form says nothing of the forms.
                    self._form = max(self._form, form)
                    break
            return self._read(answer)

    async def _call(self, body: Mapping[str, Any]) -> httpx.Response:
        """One request, again while the endpoint is away, with growing waits. Raises Away."""
        again = AsyncRetrying(
            retry=retry_if_exception_type(Away),
            stop=stop_after_attempt(self._config.tries),
            wait=self._wait,
            reraise=True,
        )
        async for attempt in again:
            with attempt:
                return await self._once(body)
        raise AssertionError("unreachable")

    def _wait(self, state: RetryCallState) -> float:
        """Seconds: what the endpoint asked for, else doubling, each between its half and its whole."""
        failure = state.outcome.exception() if state.outcome else None
        requested_wait = failure.retry_after if isinstance(failure, Away) else None
        grown = self._config.first_wait * 2.0 ** (state.attempt_number - 1) * (0.5 + 0.5 * self._jitter())
        return min(max(grown, requested_wait or 0.0), _MAX_WAIT)

    async def _once(self, body: Mapping[str, Any]) -> httpx.Response:
        try:
            answer = await self._http.post(
                "/chat/completions", content=orjson.dumps(body), headers={"Content-Type": "application/json"}
            )
        except httpx.HTTPError as exc:
            self._count(away=1)
            # The chain would carry the request, and with it the key, into a traceback.
            raise Away(type(exc).__name__, slow=isinstance(exc, httpx.ReadTimeout)) from None
        status = answer.status_code
        fits = status == 404 and _names_the_format(answer)
        if (status in _AWAY_STATUS and not fits) or (status >= 500 and status != 501):
            self._count(away=1)
            raise Away(f"status {status}", _retry_after(answer))
        return answer

    def _body(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], max_tokens: int, temperature: float,
        form: str,
    ) -> dict[str, Any]:  # fmt: skip
        body: dict[str, Any] = {
            "model": self._config.model, "messages": [dict(m) for m in messages], "max_tokens": max_tokens,
            "temperature": temperature,
        }  # fmt: skip
        if form == "json_schema":
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)},
            }
            return body
        if form == "json_object":
            body["response_format"] = {"type": "json_object"}
        # Behind the system message, whose text stays the same for every call: endpoints cache a common prefix.
        note = "Answer with JSON only, of this JSON Schema:\n" + orjson.dumps(schema).decode()
        body["messages"].insert(1, {"role": "system", "content": note})
        return body

    def _read(self, answer: httpx.Response) -> Completion:
        """Raises Malformed, without the content."""
        if answer.status_code != 200:
            raise self._malformed("rejected")
        try:
            data = answer.json()
            choice = data["choices"][0]
            message = choice["message"]
            usage = data.get("usage") or {}
            used = int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)
            model, finish = str(data.get("model") or self._config.model), str(choice.get("finish_reason") or "")
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            raise self._malformed("no_answer") from None
        self._count(calls=1, prompt_tokens=used[0], completion_tokens=used[1], cost=self._cost(*used))
        if message.get("refusal") or finish == "content_filter":
            raise self._malformed("refused", *used)
        if finish == "length":
            raise self._malformed("truncated", *used)
        text = _json_text(message.get("content"))
        if text is None:
            raise self._malformed("not_json", *used)
        return Completion(text, used[0], used[1], model[:200], finish)

    def _cost(self, prompt: int, completion: int) -> float:
        c = self._config
        return (prompt * c.prompt_price + completion * c.completion_price) / 1_000_000

    def _malformed(self, reason: str, *used: int) -> Malformed:
        self._count(malformed=1)
        return Malformed(reason, *used)

    def _count(self, **more: float) -> None:
        with self._lock:
            changed = {name: getattr(self._usage, name) + n for name, n in more.items()}
            self._usage = replace(self._usage, **changed)


def _json_text(content: Any) -> str | None:
    """The JSON of an answer, also out of a Markdown fence; None where there is none."""
    if not isinstance(content, str):
        return None
    text = content.strip()
    if text.startswith("```"):
        text = text.split("\n", 1)[-1].removesuffix("```").strip()
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return text


def _names_the_format(answer: httpx.Response) -> bool:
    """A 404 may mean the address or the model; about the format it says so."""
    return "response_format" in answer.text[:2_000]


def _retry_after(answer: httpx.Response) -> float | None:
    try:
        return max(0.0, float(answer.headers["Retry-After"]))
    except (KeyError, ValueError):  # absent, or a date: the usual waits will do
        return None
