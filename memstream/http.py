"""A small HTTP client of the service for the command line: retries what the contract calls safe to repeat."""

from __future__ import annotations

import ssl
import weakref
from collections.abc import Mapping
from typing import Any

import httpx
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_random_exponential


class ServiceError(Exception):
    """The service refused; the message is its problem detail (which never echoes content)."""


class BusyError(ServiceError):
    """Away or overloaded (503, 429): the same call may be repeated."""


class Service:
    """Calls one memstream service. `key`: bearer credential, empty on loopback without keys."""

    def __init__(self, url: str, key: str = "", timeout: float = 60.0, verify: ssl.SSLContext | bool = True) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
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
        service stays away for a minute."""
        return self._call("POST", path, body, token, wait_ms, headers)

    def get(self, path: str, token: str | None = None, wait_ms: int = 30_000) -> dict[str, Any]:
        return self._call("GET", path, None, token, wait_ms)

    def delete(self, path: str) -> dict[str, Any]:
        return self._call("DELETE", path, None, None, 0)

    @retry(
        retry=retry_if_exception_type((BusyError, httpx.TransportError)),
        wait=wait_random_exponential(multiplier=0.2, max=5),
        stop=stop_after_delay(60),
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
        if answer.status_code in (429, 503):
            raise BusyError(_problem(answer))
        if answer.is_error:
            raise ServiceError(_problem(answer))
        value: dict[str, Any] = answer.json()
        value["_fresh"] = answer.headers.get("Memstream-Fresh") != "false"
        return value


def _problem(answer: httpx.Response) -> str:
    try:
        p = answer.json()
    except ValueError:
        return f"{answer.status_code}"
    if not isinstance(p, dict):  # of something in between, as a proxy
        return f"{answer.status_code}"
    errors = "; ".join(f"{e.get('field')}: {e.get('detail') or e.get('expected')}" for e in p.get("errors", []))
    return f"{p.get('title', answer.status_code)}: {errors or p.get('detail', '')}"
