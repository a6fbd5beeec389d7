"""Headless Chromium over its DevTools protocol: a page at a size and theme, what it logs, and a picture of it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import websockets

from tests.patience import PATIENCE
from tests.tools import program

CHROMIUM = program("chromium")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--remote-debugging-port=0",
)  # fmt: skip


class Tab:
    """One page. `said`: messages of console and policy, as text."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self.said: list[str] = []
        self._reader = asyncio.create_task(self._read())

    async def call(self, method: str, **params: Any) -> Any:
        self._number += 1
        answer = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        await self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        async with asyncio.timeout(PATIENCE):
            return await answer

    async def _read(self) -> None:
        async for raw in self._socket:
            message = json.loads(raw)
            if "id" in message:
                self._waiting.pop(message["id"]).set_result(message.get("result", message.get("error")))
            elif message["method"] == "Log.entryAdded":
                self.said.append(message["params"]["entry"]["text"])
            elif message["method"] == "Runtime.exceptionThrown":
                self.said.append(json.dumps(message["params"]["exceptionDetails"])[:500])

    async def open(self, url: str, width: int, height: int, theme: Literal["light", "dark"] = "light") -> None:
        """Until the page's own script has filled it."""
        for domain in ("Page", "Runtime", "Log"):
            await self.call(f"{domain}.enable")
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        await self.call("Page.navigate", url=url)
        await self.until("document.readyState === 'complete' && document.querySelectorAll('[data-chart] *').length > 3")

    async def until(self, condition: str) -> None:
        """Raises TimeoutError after the patience of tests."""
        async with asyncio.timeout(PATIENCE):
            await self.value(f"new Promise(y => {{ const f = () => {condition} ? y(1) : setTimeout(f, 30); f(); }})")

    async def value(self, expression: str) -> Any:
        """What an expression (or its promise) is, as JSON."""
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise AssertionError(json.dumps(found["exceptionDetails"])[:500])
        return found["result"].get("value")

    async def picture(self, path: Path) -> None:
        """The whole page."""
        size = (await self.call("Page.getLayoutMetrics"))["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6_000), "scale": 1}
        shot = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        await asyncio.to_thread(path.write_bytes, base64.b64decode(shot["data"]))

    def close(self) -> None:
        self._reader.cancel()


@asynccontextmanager
async def browser() -> AsyncIterator[str]:
    """Starts Chromium; the address of its browser endpoint."""
    if CHROMIUM is None:
        raise RuntimeError("no Chromium on this machine")
    with tempfile.TemporaryDirectory(prefix="memstream-chromium-", ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            CHROMIUM, *_FLAGS, f"--user-data-dir={profile}", "about:blank",
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=_environment(),
        )  # fmt: skip
        try:
            yield await _endpoint(process)
        finally:
            process.terminate()
            await process.wait()


def _environment() -> dict[str, str]:
    """Without the libraries that move the clock (tests/calendar_days.py): threads of the browser that wait for a moment
    of the true clock by the moved one do so in a loop."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


async def _endpoint(process: asyncio.subprocess.Process) -> str:
    """What Chromium says when it listens. Raises TimeoutError after the patience of tests."""
    assert process.stderr is not None
    async with asyncio.timeout(PATIENCE):
        while line := await process.stderr.readline():
            if line.startswith(b"DevTools listening on "):
                return line.decode().removeprefix("DevTools listening on ").strip()
    raise RuntimeError("Chromium ended before it listened")


@asynccontextmanager
async def tab(endpoint: str) -> AsyncIterator[Tab]:
    """A fresh tab of the browser."""
    base = endpoint.split("/devtools/")[0]
    async with websockets.connect(endpoint, max_size=None) as control:
        await control.send(json.dumps({"id": 1, "method": "Target.createTarget", "params": {"url": "about:blank"}}))
        target = json.loads(await control.recv())["result"]["targetId"]
        async with websockets.connect(f"{base}/devtools/page/{target}", max_size=None) as socket:
            page = Tab(socket)
            try:
                yield page
            finally:
                page.close()
