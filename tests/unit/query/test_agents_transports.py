"""The agents' door over the wire: the official client by HTTP and by stdio, against the real application."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from schemas.log import topics
from tests.unit.query.memory_log import MemoryLog


class Announcing(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


@asynccontextmanager
async def served(deps: Deps) -> AsyncIterator[str]:
    """The application on a free port, without the parts that need servers beside it."""
    app = create_app(QueryConfig(), deps)
    server = Announcing(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))
    async with app.state.agents.running():
        task = asyncio.create_task(server.serve())
        await server.listening.wait()
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        server.should_exit = True
        await task


@pytest.mark.slow
@pytest.mark.parametrize("way", ["http", "stdio"])
async def test_the_official_client_lists_tools_and_adds_a_memory(deps: Deps, log: MemoryLog, way: str) -> None:
    async with served(deps) as url:
        target: Any = f"{url}/mcp"
        if way == "stdio":
            arguments = ["-m", "memstream", "mcp", "--url", url, "--user", "ana"]
            target = StdioServerParameters(command=sys.executable, args=arguments)
        async with Client(target, read_timeout_seconds=60) as agent:
            assert len((await agent.list_tools()).tools) == 13
            assert agent.server_info is not None
            assert agent.server_info.version == version("memstream")
            done = await agent.call_tool("add_memory", {"text": "安娜喜欢茶 Ana likes tea", "user_id": "ana"})
    assert not done.is_error, done.content
    [record] = [r for r in log.records if r.topic == topics.LEDGER.name]
    assert dict(record.headers)["owner"] == b"default/user/ana"


@pytest.mark.slow
async def test_over_stdio_the_log_names_no_user(deps: Deps, tmp_path: Path) -> None:
    """Programs that start their servers keep what these write on standard error."""
    statement = tmp_path / "stderr"
    async with served(deps) as url:
        arguments = ["-m", "memstream", "mcp", "--url", url, "--user", "zoe-the-user"]
        server = StdioServerParameters(command=sys.executable, args=arguments)
        with statement.open("w", encoding="utf-8") as stderr:
            async with Client(stdio_client(server, errlog=stderr), read_timeout_seconds=60) as agent:
                done = await agent.call_tool("delete_memory", {"memory_id": "none-such"})
    assert not done.is_error, done.content
    lines = statement.read_text(encoding="utf-8").splitlines()
    assert "zoe" not in "".join("".join(line.split()) for line in lines)
    assert all(json.loads(line)["process"] == "mcp" for line in lines)
