"""A LangChain agent with memstream as its long-term memory: what it keeps goes into the LangGraph store, what it should
know comes as a cited prompt.

Any chat model of LangChain works; the tests run it with a scripted one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import ModelRequest, dynamic_prompt
from langchain.tools import ToolRuntime, tool
from langchain_core.language_models import BaseChatModel

from memstream.client import Memstream
from memstream.langgraph import MemstreamStore


@dataclass(frozen=True)
class Who:
    """Given to every run: `agent.invoke(..., context=Who("ana"))`."""

    user_id: str


@tool
def note(key: str, text: str, runtime: ToolRuntime[Who]) -> str:
    """Keep a note about the user under a short key."""
    assert runtime.store is not None  # noqa: S101 - the agent is made with one
    runtime.store.put(("notes", runtime.context.user_id), key, {"text": text})
    return f"noted as {key}"


@tool
def look_up(query: str, runtime: ToolRuntime[Who]) -> str:
    """Find notes about the user by meaning."""
    assert runtime.store is not None  # noqa: S101
    found = runtime.store.search(("notes", runtime.context.user_id), query=query, limit=3)
    return "\n".join(f"{item.key}: {item.value['text']}" for item in found) or "nothing is noted"


def prompt_from(memory: Memstream) -> Any:
    """Middleware: before each call of the model, what is known about the user and matters now."""

    @dynamic_prompt
    def known(request: ModelRequest[Who]) -> str:
        question = next(m.text for m in reversed(request.messages) if m.type == "human")
        return memory.context(question, user_id=request.runtime.context.user_id, budget_tokens=600).prompt

    return known


def create(model: BaseChatModel, memory: Memstream) -> Any:
    """A compiled LangGraph graph."""
    return create_agent(
        model, tools=[note, look_up], middleware=[prompt_from(memory)], context_schema=Who, store=MemstreamStore(memory)
    )
