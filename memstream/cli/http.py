"""A small HTTP client of the service for the command line: retries what the contract calls safe to repeat."""

from __future__ import annotations

import ssl
import weakref
from collections.abc import Mapping
from typing import Any, NoReturn

import httpx
from tenacity import RetryCallState, retry, retry_if_exception_type, wait_random_exponential

PATIENCE = 60.0
FIRST_PATIENCE = 5.0
"""Seconds for which a call is repeated; the second where nobody listens and nobody has answered yet: as a rule nothing
runs there, and who asks for the status should not wait a minute to hear it."""


class ServiceError(Exception):
    """The service refused; the message is its problem detail (which never echoes content)."""


class BusyError(ServiceError):
    """Away or overloaded (503, 429): the same call may be repeated."""


class Answer(dict[str, Any]):
    """What a service answered. A field that each memstream service sends and this one did not is a ServiceError."""

    def __init__(self, value: dict[str, Any], url: str) -> None:
        super().__init__(value)
        self._url = url

    def __missing__(self, field: str) -> NoReturn:
        raise ServiceError(f"what answers at {self._url} is no memstream service of this release: no {field!r} in it")


class Service:
    """Calls one memstream service, that at `url`. `key`: bearer credential, empty on loopback without keys."""

    def __init__(self, url: str, key: str = "", timeout: float = 60.0, verify: ssl.SSLContext | bool = True) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.url = url
        self._answered = False
        if verify is True and url.startswith("http://"):
            verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody: authorities are read in 30 ms a command
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout, verify=verify)
        # Commands make one and end: whoever lets go of it, or ends the process, has closed its connections.
        self.close = weakref.finalize(self, self._http.close)

    def post(
        self,
        path: str,
        body: Any,
        token: str | None = None,
        wait_ms: int = 30_000,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Raises ServiceError for a refusal (BusyError when it was overloaded for a minute), httpx.HTTPError when the
        service stays away for a minute, or for 5 seconds where it was never there."""
        return self._call("POST", path, body, token, wait_ms, headers)

    def get(self, path: str, token: str | None = None, wait_ms: int = 30_000) -> dict[str, Any]:
        return self._call("GET", path, None, token, wait_ms)

    def delete(self, path: str) -> dict[str, Any]:
        return self._call("DELETE", path, None, None, 0)

    @staticmethod
    def _enough(state: RetryCallState) -> bool:
        service: Service = state.args[0]
        raised = state.outcome.exception() if state.outcome is not None else None
        never = isinstance(raised, httpx.ConnectError) and not service._answered
        past = state.seconds_since_start or 0.0
        return past + state.upcoming_sleep >= FIRST_PATIENCE if never else past >= PATIENCE

    @retry(
        retry=retry_if_exception_type((BusyError, httpx.TransportError)),
        wait=wait_random_exponential(multiplier=0.2, max=5),
        stop=_enough,
        reraise=True,
    )
    def _call(
        self,
        method: str,
        path: str,
        body: Any,
        token: str | None,
        wait_ms: int,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        waiting = {"Memstream-Wait-For": token, "Memstream-Wait-Ms": str(wait_ms)} if token else {}
        answer = self._http.request(method, path, json=body, headers={**waiting, **(headers or {})})
        self._answered = True
        if answer.status_code in (429, 503):
            raise BusyError(_problem(answer))
        if answer.is_error:
            raise ServiceError(_problem(answer))
        value = _object(answer)
        if value is None:  # a redirect, or the page of something else
            raise ServiceError(f"what answers at {self.url} ({answer.status_code}) is no memstream service")
        value["_fresh"] = answer.headers.get("Memstream-Fresh") != "false"
        return Answer(value, self.url)


def _object(answer: httpx.Response) -> dict[str, Any] | None:
    try:
        value = answer.json()
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _problem(answer: httpx.Response) -> str:
    p = _object(answer)
    if p is None:  # of something in between, as a proxy
        return f"{answer.status_code}"
    errors = "; ".join(f"{e.get('field')}: {e.get('detail') or e.get('expected')}" for e in p.get("errors", []))
    return f"{p.get('title', answer.status_code)}: {errors or p.get('detail', '')}"
