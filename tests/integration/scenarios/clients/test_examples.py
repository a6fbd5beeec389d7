"""The programs of examples/ do what docs/clients.md and docs/agents.md say."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from examples import agent as agents
from examples import chat_service
from memstream.client import Memory, Memstream
from tests.integration.scenarios.clients.conftest import Live

pytestmark = pytest.mark.integration


class Scripted(BaseChatModel):
    """Says what it is told to, in order; keeps what it was shown."""

    says: list[AIMessage]
    shown: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Scripted:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.shown.append(messages)
        return ChatResult(generations=[ChatGeneration(message=self.says[len(self.shown) - 1])])


def calls(name: str, **arguments: Any) -> AIMessage:
    return AIMessage(content="", tool_calls=[{"name": name, "args": arguments, "id": uuid4().hex}])


def test_the_chat_service_remembers_what_was_said(live: Live) -> None:
    user = f"chat-{uuid4().hex[:8]}"
    shown: list[str] = []

    def model(prompt: str) -> str:
        shown.append(prompt)
        return "好的"

    with TestClient(chat_service.create(model, live.url)) as chat:
        fields = {"user_id": user, "session_id": "s1"}
        first = chat.post("/chat", json={**fields, "text": "I'm 36 and I work as a nurse."})
        assert first.json()["reply"] == "好的"
        assert chat.get(f"/about/{user}").json()["memories"]
        chat.post("/chat", json={**fields, "text": "What do you know about me?"})
        judged = {"user_id": user, "context_id": first.json()["context_id"], "rating": "good"}
        assert chat.post("/feedback", json=judged).json()["feedback_id"]
    assert "nurse" in shown[1]


async def test_the_agent_notes_looks_up_and_is_told_what_matters(memory: Memstream) -> None:
    user = f"agent-{uuid4().hex[:8]}"
    memory.remember(Memory(user_id=user, kind="fact", text="Ana is allergic to peanuts"))
    model = Scripted(
        says=[
            calls("note", key="trip", text="五月去奥斯陆 flies to Oslo in May"),
            calls("look_up", query="travel plans"),
            AIMessage(content="You fly to Oslo in May."),
        ]
    )
    agent = agents.create(model, memory)
    request = {"messages": [{"role": "user", "content": "Note my trip. May I eat satay?"}]}
    done = await agent.ainvoke(request, context=agents.Who(user))
    assert done["messages"][-1].content == "You fly to Oslo in May."
    assert "peanuts" in str(model.shown[0][0].content)
    assert "trip: 五月去奥斯陆 flies to Oslo in May" in str(model.shown[2][-1].content)
