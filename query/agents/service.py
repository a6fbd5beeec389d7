"""What the tools call: the endpoints of the service, in this process or over the network, under the caller's key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import httpx
from mcp.server.mcpserver.exceptions import ToolError

from schemas.log.freshness_tokens import Tokens

WAIT_MS = "5000"
"""How long a read waits for what the same agent has written."""
CALLERS, USERS = 1_000, 64
"""Callers whose writes are remembered, and of each the users whose own token is."""


class Service:
    """One service, many callers. Each caller's reads wait for that caller's own writes (N3)."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._tokens: OrderedDict[str, Tokens] = OrderedDict()

    async def call(
        self, method: str, path: str, *, key: str, user: str, body: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None, once: str | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """`key`: the Authorization header; `user`: empty where the call names none, which then waits for the caller's
        writes of all users. Raises ToolError with the problem's detail, which holds no content."""
        caller = sha256(key.encode()).hexdigest()[:16]
        tokens = self._of(caller)
        headers = {"Authorization": key} if key else {}
        if waiting := tokens.of(user):
            headers |= {"Memstream-Wait-For": waiting, "Memstream-Wait-Ms": WAIT_MS}
        if once:
            headers["Idempotency-Key"] = once
        try:
            answer = await self._http.request(method, path, json=body, params=dict(params or {}), headers=headers)
        except httpx.HTTPError as exc:
            raise ToolError(f"memstream does not answer ({type(exc).__name__})") from None
        answer_body = _json(answer)
        if answer.is_error:
            raise ToolError(
                f"{answer_body.get('title', answer.status_code)}: {answer_body.get('detail', '')}".removesuffix(": ")
            )
        if token := answer_body.get("freshness_token"):
            tokens.note(str(token), {user, ""})
        return answer_body

    def _of(self, caller: str) -> Tokens:
        """Each caller's apart: one that writes about many users makes its own reads wait, nobody else's."""
        found = self._tokens.pop(caller, None) or Tokens(USERS)
        self._tokens[caller] = found
        if len(self._tokens) > CALLERS:
            self._tokens.popitem(last=False)
        return found


def _json(answer: httpx.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
