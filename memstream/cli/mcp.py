"""`memstream mcp`: the agents' tools over standard input and output, for clients that start their servers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memstream.cli.target import Data, Url


def mcp(
    url: Url = None,
    user: Annotated[str, typer.Option("--user", help="Whose memory, where a tool call names no user.")] = "",
    key: Annotated[str, typer.Option("--key", envvar="MEMSTREAM_KEY", help="API key; best in the environment.")] = "",
    data: Data = None,
) -> None:
    """Serve the memory tools to an agent over stdio (MCP).

    Example: memstream mcp --url http://127.0.0.1:8900 --user ana

    In an agent's settings, whose programs start in any folder:
    {"command": "memstream", "args": ["mcp", "--url", "http://127.0.0.1:8900", "--user", "ana"]}
    """
    import logging

    import anyio
    import httpx

    from memstream.cli.target import address, settings_of
    from memstream.connect import verification
    from memstream.logs import configure
    from query.agents.service import Service
    from query.agents.tools import server

    settings = settings_of(data)
    called = address(data, url)
    authorization = f"Bearer {key}" if key else ""
    # Before the SDK sets up its own, which writes the address of every request, and with it the user's id.
    configure(settings.log_level, settings.instance or "mcp")
    logging.getLogger(__name__).info("service: %s", called)

    async def caller(ctx: Any) -> tuple[str, str | None]:
        return authorization, user or None

    async def run() -> None:
        async with httpx.AsyncClient(base_url=called, timeout=60, verify=verification(settings)) as http:
            await server(Service(http), caller).run_stdio_async()

    anyio.run(run)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(mcp)
