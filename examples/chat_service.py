"""A chat service that remembers: FastAPI in front, any model behind, memstream beside it.

Run it beside `memstream up`:  uvicorn examples.chat_service:app --port 8000
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import Depends, FastAPI, Request
from pydantic import BaseModel

from memstream.client import AsyncMemstream, BufferFullError, Feedback, Turn

Model = Callable[[str], str]
"""Prompt in, reply out: put your model here."""


class Said(BaseModel):
    user_id: str
    session_id: str
    text: str


class Judged(BaseModel):
    user_id: str
    context_id: str
    rating: Literal["good", "neutral", "bad"]


def echo(prompt: str) -> str:
    """No model: the line of the prompt that was found for the request."""
    found = [line for line in prompt.splitlines() if line.startswith("[Source")]
    return f"I remember {len(found)} things about that."


async def memory_of(request: Request) -> AsyncMemstream:
    found: AsyncMemstream = request.app.state.memory
    return found


# At module level, because FastAPI looks for the names of annotations there.
Memory = Annotated[AsyncMemstream, Depends(memory_of)]


def create(model: Model = echo, url: str = "", key: str = "") -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        address = url or os.environ.get("MEMSTREAM_URL", "http://127.0.0.1:8900")
        async with AsyncMemstream(address, key or os.environ.get("MEMSTREAM_KEY", "")) as memory:
            app.state.memory = memory
            yield  # leaving waits until the log has every turn

    app = FastAPI(lifespan=lifespan)

    @app.post("/chat")
    async def chat(message: Said, memory: Memory) -> dict[str, str]:
        context = await memory.context(
            message.text, user_id=message.user_id, session_id=message.session_id, budget_tokens=800
        )
        reply = model(context.prompt)
        await remember(memory, message, "user", message.text, context.context_id)
        await remember(memory, message, "assistant", reply, context.context_id)
        return {"reply": reply, "context_id": context.context_id}

    @app.post("/feedback")
    async def feedback(judged: Judged, memory: Memory) -> dict[str, str]:
        given = Feedback.model_validate(judged.model_dump())
        return {"feedback_id": await memory.send(given)}

    @app.get("/about/{user_id}")
    async def about(user_id: str, memory: Memory) -> dict[str, list[str]]:
        await memory.flush()  # what was said in this process is among what is read
        return {"memories": [m.text async for m in memory.all_memories(user_id)]}

    return app


async def remember(memory: AsyncMemstream, message: Said, role: str, text: str, context_id: str) -> None:
    """Returns at once: the buffer sends it. With a full buffer a chat goes on without a memory of this turn."""
    turn = Turn.model_validate(
        {
            "user_id": message.user_id,
            "session_id": message.session_id,
            "role": role,
            "content": text,
            "occurred_at": datetime.now(UTC),
            "context_id": context_id,
        }
    )
    with suppress(BufferFullError):
        await memory.send(turn)


app = create()
