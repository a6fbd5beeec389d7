"""A running memstream for scenarios: turns in at the door or on the topic at a time of their own, ticks, profiles."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
from confluent_kafka import KafkaError, Message, Producer

from memstream.settings import Settings
from memstream.timer import send_tick
from memstream.up import start
from schemas import topics
from schemas.codec import Codec
from schemas.envelope import UserEvent
from schemas.owner import partition, project
from schemas.profile import PROFILES_DIR
from schemas.progress import FreshnessToken, Written
from schemas.turns import TurnBody, TurnEvent
from tests.integration.conftest import BackgroundStack, temporary_folder

PARTITIONS = 8
TENANT = "default"


class World:
    """A caller of the service, who can also write to the log."""

    def __init__(self, url: str, stack: BackgroundStack) -> None:
        self.http = httpx.Client(base_url=url, timeout=60)
        self.stack = stack
        self.token = ""
        self.producer = Producer({"bootstrap.servers": stack.addresses.kafka, "linger.ms": 5, "log_level": 0})
        self._turns = 0

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> dict[str, Any]:
        """Reads wait for the newest write."""
        headers = {"Memstream-Wait-For": self.token, "Memstream-Wait-Ms": "30000"} if self.token else {}
        answer = self.http.request(method, path, json=body, headers=headers, params=query or None)
        assert answer.is_success, (path, answer.text)
        assert answer.headers.get("Memstream-Fresh") != "false", path
        value: dict[str, Any] = answer.json()
        self.token = value.get("freshness_token", self.token)
        return value

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        return self.call("GET", path, **query)

    def post(self, path: str, body: Any = None) -> dict[str, Any]:
        return self.call("POST", path, body)

    def say(
        self, user: str, text: str, *, at: datetime | None = None, session: str = "s", role: str = "user", **more: Any
    ) -> str:
        """A turn that happened and came in at a time of the test's: written to the topic, as any producer may."""
        self._turns += 1
        when = at or datetime.now(UTC)
        metadata = more.pop("metadata", {})
        speaker = more.pop("speaker", None)
        turn_id = f"{user}-{self._turns}"
        event = TurnEvent(
            tenant=TENANT, user_id=user, session_id=session, turn_id=turn_id, role=role, occurred_at=when,
            accepted_at=when, sealed=TurnBody(content=text, metadata=metadata, speaker=speaker), **more,
        )  # fmt: skip
        self.write(event, more.get("project_id"))
        return turn_id

    def write(self, event: UserEvent, project_id: str | None = None) -> None:
        """One event on the turns topic; the next read waits for it."""
        encoded = Codec().encode(event, "test", f"scenario-{self._turns}-{time.monotonic_ns()}")
        place = partition(event.owner, PARTITIONS)
        told: list[int] = []

        def delivered(error: KafkaError | None, message: Message) -> None:
            assert error is None, error
            told.append(int(message.offset() or 0))

        self.producer.produce(
            topics.TURNS.name, encoded.value, encoded.key, place, delivered, headers=list(encoded.headers)
        )
        assert self.producer.flush(30) == 0
        reach = (partition(project(TENANT, project_id), PARTITIONS),) if project_id else ()
        written = Written(topic=topics.TURNS.name, partition=place, offset=told[0], project_partitions=reach)
        self.token = str(FreshnessToken.of([written]))
        # Later writes have tokens of their own: this one is waited for here.
        self.get(f"/v1/users/{event.user_id}/memories", limit=1)
        if project_id:
            self.get(f"/v1/projects/{project_id}/hot-memory")

    def tick(self, now: datetime) -> None:
        assert send_tick(self.producer, now, PARTITIONS) == 0

    def until(self, path: str, good: Callable[[Any], bool], seconds: float = 60, **query: Any) -> Any:
        """What only time or a tick brings: asked for until it is there."""
        deadline = time.monotonic() + seconds
        body: Any = None
        while time.monotonic() < deadline:
            answer = self.http.get(path, params=query)
            body = answer.json() if answer.is_success else None
            if body is not None and good(body):
                return body
            time.sleep(0.2)
        raise AssertionError(f"{path} never was as expected: {str(body)[:2000]}")

    def run_on(self, profile: str) -> None:
        """The tenant's profile from here on."""
        text = (PROFILES_DIR / f"{profile}.toml").read_text(encoding="utf-8")
        answer = self.http.put("/v1/tenant/profile", json={"toml": text})
        assert answer.status_code == 202, answer.text
        self.until("/v1/tenant/profile", lambda b: b["name"] == profile)
        time.sleep(2.0)  # the workers read the same topic, by polls of half a second


@contextmanager
def world(**settings: Any) -> Iterator[World]:
    with temporary_folder() as folder, BackgroundStack(folder) as stack:
        given = Settings(data_dir=folder, port=0, log_level="WARNING", profile="general", **settings)

        async def everything() -> str:
            return await start(stack.stack, given, lambda name, state: None)

        caller = World(asyncio.run_coroutine_threadsafe(everything(), stack._loop).result(400), stack)
        yield caller
        caller.http.close()
