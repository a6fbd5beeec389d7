"""Imagined answers (D12): a model's passage is searched with, and a model that is away costs only itself."""

from __future__ import annotations

import pytest

from inference.openai_compatible import EndpointConfig, OpenAiCompatible
from inference.terms import terms
from processors.ports import Models, ProfileBook
from processors.screen.callers import CallersScreen
from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.search.embedders import Serving
from query.search.hypothesis import Hypotheses, NoHypothesisError, is_complex
from query.search.request import Found, Question
from schemas.profile.model import Profile
from schemas.profile.pii_policy import CREDENTIAL, PiiAction
from schemas.security.scope import Permission, TenantScope
from tests.endpoint import Scripted, serving


def endpoint(url: str) -> OpenAiCompatible:
    return OpenAiCompatible(EndpointConfig(url, "scripted-1", tries=1))


async def test_d12_the_model_is_asked_once_for_a_question() -> None:
    async with serving(Scripted([lambda request: {"passage": "我去年夏天在杭州买了一辆红色自行车"}])) as scripted:
        model = endpoint(scripted.url)
        hypotheses = Hypotheses(model, 5.0)
        first = await hypotheses.passage("我的自行车是什么颜色?")
        assert await hypotheses.passage("我的自行车是什么颜色?") == first == "我去年夏天在杭州买了一辆红色自行车"
        assert len(scripted.seen) == 1
        assert scripted.seen[0]["messages"][-1]["content"] == "我的自行车是什么颜色?"
        await model.close()


@pytest.mark.parametrize(("move", "reason"), [("malformed", "malformed"), (503, "unreachable"), ("slow", "timeout")])
async def test_d12_what_goes_wrong_is_named(move: str | int, reason: str) -> None:
    async with serving(Scripted([move])) as scripted:
        model = endpoint(scripted.url)
        with pytest.raises(NoHypothesisError) as raised:
            await Hypotheses(model, 0.05 if reason == "timeout" else 5.0).passage("what colour is my bike?")
        assert raised.value.reason == reason
        await model.close()


@pytest.mark.parametrize(("text", "wanted"), [
    ("How does the consent procedure differ between phase two and three?", True),
    ("苍穹项目的数据库为什么从MySQL换成了Postgres?", True),
    ("Where do I live?", False), ("我住在哪里?", False),
    ("I talked to my sister about the garden and the new fence today.", False),
])  # fmt: skip
def test_d12_only_a_complex_question_is_worth_a_model(text: str, wanted: bool) -> None:
    assert is_complex(text, terms(text)) is wanted


@pytest.mark.parametrize(("statement", "received"), [
    ("How does the consent procedure that Ann told us at 415-555-0132 differ between phase two and three?", "<PHONE"),
    ("Why does the door of the office open with password: hunter2secret99 now?", None),
])  # fmt: skip
async def test_m4_a_model_hears_of_a_question_what_policy_leaves(
    deps: Deps, models: Models, statement: str, received: str | None
) -> None:
    """It went to the endpoint as it was typed."""
    policy = Profile(name="test", version=1, pii={CREDENTIAL: PiiAction.REFUSE})
    deps.screen = CallersScreen(models, ProfileBook(policy))
    async with serving(Scripted([lambda request: {"passage": "They asked for it."}])) as scripted:
        deps.hyde = model = endpoint(scripted.url)
        app = create_app(QueryConfig(), deps)
        scope = TenantScope("acme", "k", frozenset(Permission))
        question = Question(text=statement, kinds=frozenset({"fact"}), limit=5, tenant=scope, user=scope.user("u"))
        serving_now = Serving(deps.embedder, {})
        await app.state.retriever._understood(question, serving_now, found := Found())
        await model.close()
    results = [request["messages"][-1]["content"] for request in scripted.seen]
    assert len(results) == (received is not None)
    assert all("0132" not in text and (received or "") in text for text in results)
    assert [d["reason"] for d in found.degraded] == ([] if received else ["refused"])
