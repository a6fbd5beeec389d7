"""Imagined answers (D12): a model's passage is searched with, and a model that is away costs only itself."""

from __future__ import annotations

import pytest

from inference.openai_compatible import EndpointConfig, OpenAiCompatible
from inference.terms import terms
from query.search.hypothesis import Hypotheses, NoHypothesisError, is_complex
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
        with pytest.raises(NoHypothesisError) as told:
            await Hypotheses(model, 0.05 if reason == "timeout" else 5.0).passage("what colour is my bike?")
        assert told.value.reason == reason
        await model.close()


@pytest.mark.parametrize(("text", "wanted"), [
    ("How does the consent procedure differ between phase two and three?", True),
    ("苍穹项目的数据库为什么从MySQL换成了Postgres?", True),
    ("Where do I live?", False), ("我住在哪里?", False),
    ("I talked to my sister about the garden and the new fence today.", False),
])  # fmt: skip
def test_d12_only_a_complex_question_is_worth_a_model(text: str, wanted: bool) -> None:
    assert is_complex(text, terms(text)) is wanted
