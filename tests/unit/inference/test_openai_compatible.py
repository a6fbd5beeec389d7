"""The client against a local endpoint over real HTTP (B7): what is away, what is no answer, what is counted."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from typing import Any

import pytest

from inference.openai_compatible import Away, EndpointConfig, Malformed, OpenAiCompatible
from tests.endpoint import Scripted, serving

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
SAY = [{"role": "system", "content": "Say a."}, {"role": "user", "content": "private words"}]
KEY = "sk-not-to-be-seen"


async def ask(endpoint: Scripted, **options: Any) -> tuple[OpenAiCompatible, Any]:
    """The client after one call, and its completion or what it raised."""
    async with serving(endpoint):
        config = EndpointConfig(endpoint.url, "m", KEY, first_wait=0.001, **options)
        client = OpenAiCompatible(config, jitter=lambda: 0.5)
        try:
            return client, await client.complete(SAY, schema=SCHEMA)
        except (Away, Malformed) as exc:
            return client, exc
        finally:
            await client.close()


def good(request: dict[str, Any]) -> Any:
    return {"a": 1}


async def test_an_answer_is_json_with_its_tokens_and_its_cost() -> None:
    endpoint = Scripted([good])
    client, answer = await ask(endpoint, prompt_price=2.0, completion_price=10.0)
    assert (json.loads(answer.text), answer.model, answer.finish_reason) == ({"a": 1}, "scripted-1", "stop")
    assert (client.usage.prompt_tokens, client.usage.completion_tokens, client.usage.calls) == (100, 10, 1)
    assert client.usage.cost == pytest.approx(0.0003)
    [request] = endpoint.seen
    assert (request["max_tokens"], request["temperature"], request["model"]) == (1_000, 0.0, "m")
    assert request["response_format"]["json_schema"]["schema"] == SCHEMA
    assert endpoint.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize(("schema", "json_object", "form"), [(False, True, "json_object"), (False, False, None)])
async def test_an_endpoint_that_knows_no_schema_is_asked_for_plain_json(
    schema: bool, json_object: bool, form: str | None
) -> None:
    endpoint = Scripted([good], takes_schema=schema, takes_json=json_object)
    async with serving(endpoint):
        client = OpenAiCompatible(EndpointConfig(endpoint.url, "m"))
        for _ in range(2):
            assert json.loads((await client.complete(SAY, schema=SCHEMA)).text) == {"a": 1}
        await client.close()
    assert [r.get("response_format", {}).get("type") for r in endpoint.seen] == [form, form]
    assert json.dumps(SCHEMA, separators=(",", ":")) in endpoint.seen[0]["messages"][1]["content"]
    # Found out once: the second call went out in the form that was taken.
    assert len(endpoint.keys) == (3 if form else 4)


@pytest.mark.parametrize("status", [401, 403, 404, 408, 429, 500, 502, 503, 529])
async def test_what_passes_by_itself_or_by_the_operator_is_away(status: int) -> None:
    endpoint = Scripted([status])
    client, failure = await ask(endpoint, tries=2)
    assert isinstance(failure, Away)
    assert str(failure) == f"status {status}"
    assert (len(endpoint.seen), client.usage.away) == (2, 2)


async def test_b7_a_call_that_failed_is_tried_again() -> None:
    endpoint = Scripted([503, 429, good])
    _, answer = await ask(endpoint, tries=3)
    assert json.loads(answer.text) == {"a": 1}
    assert len(endpoint.seen) == 3


async def test_how_long_to_wait_is_for_the_endpoint_to_say() -> None:
    _, failure = await ask(Scripted([429], retry_after="7"), tries=1)
    assert failure.retry_after == 7.0
    _, failure = await ask(Scripted([429], retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), tries=1)
    assert failure.retry_after is None


async def test_a_slow_endpoint_is_away() -> None:
    _, failure = await ask(Scripted(["slow"]), tries=1, timeout=0.2)
    assert isinstance(failure, Away)


async def test_nobody_there_is_away() -> None:
    client = OpenAiCompatible(EndpointConfig("http://127.0.0.1:9/v1", "m", tries=1))
    with pytest.raises(Away):
        await client.complete(SAY, schema=SCHEMA)
    await client.close()


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("malformed", "not_json"),
        ("refusing", "refused"),
        ("truncated", "truncated"),
        ("empty", "no_answer"),
        (400, "rejected"),
        (413, "rejected"),
    ],
)
async def test_what_is_no_answer_is_malformed_with_its_reason(word: str | int, reason: str) -> None:
    client, failure = await ask(Scripted([word]))
    assert isinstance(failure, Malformed)
    assert failure.reason == reason
    assert client.usage.malformed == 1


async def test_json_in_a_fence_is_an_answer() -> None:
    _, answer = await ask(Scripted(["fenced"]))
    assert json.loads(answer.text) == {"a": 1}


async def test_calls_keep_to_the_concurrency() -> None:
    endpoint = Scripted([good])
    async with serving(endpoint):
        client = OpenAiCompatible(EndpointConfig(endpoint.url, "m", concurrency=2))
        await asyncio.gather(*(client.complete(SAY, schema=SCHEMA) for _ in range(12)))
        await client.close()
    assert len(endpoint.seen) == 12
    assert endpoint.most_at_once <= 2


@pytest.mark.parametrize("move", [503, 400, "malformed", "slow"])
async def test_the_key_and_the_text_are_in_no_log_and_no_exception(
    move: str | int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client, failure = await ask(Scripted([move]), tries=1, timeout=0.2)
    records = caplog.text + "".join(traceback.format_exception(failure)) + repr(client.__dict__["_config"])
    assert KEY not in records
    assert "private words" not in records
