"""A running memstream for scenarios: turns in at the door or on the topic at a time of their own, ticks, profiles."""

from __future__ import annotations

import asyncio
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, LiteralString

import httpx
import psycopg
from confluent_kafka import KafkaError, Message, Producer

from memstream.settings import Settings
from memstream.stack.up import start
from memstream.workers.timer import send_tick
from schemas.events.envelope import UserEvent
from schemas.events.turns import Role, TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import partition, project
from schemas.log.progress import FreshnessToken, Written
from schemas.profile.model import PROFILES_DIR
from schemas.storage.layouts import postgres_schema
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
        """Reads wait for the newest write. One that was answered without a store which was late, and says so (D11), is
        asked again: other stacks are tested beside this one."""
        headers = {"Memstream-Wait-For": self.token, "Memstream-Wait-Ms": "30000"} if self.token else {}
        for pause in (1, 2, 4, 0):
            answer = self.http.request(method, path, json=body, headers=headers, params=query or None)
            assert answer.is_success, (path, answer.text)
            assert answer.headers.get("Memstream-Fresh") != "false", path
            value: dict[str, Any] = answer.json()
            if not value.get("degraded"):
                break
            time.sleep(pause)
        assert not value.get("degraded"), (path, value["degraded"])
        self.token = value.get("freshness_token", self.token)
        return value

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        return self.call("GET", path, **query)

    def post(self, path: str, body: Any = None) -> dict[str, Any]:
        return self.call("POST", path, body)

    def say(
        self, user: str, text: str, *, at: datetime | None = None, session: str = "s", role: Role = "user", **more: Any
    ) -> str:
        """A turn that happened and came in at a time of the test's: written to the topic, as any producer may. Back
        when it can be read; `wait=False`: at once, and the next read waits for it."""
        self._turns += 1
        when = at or datetime.now(UTC)
        metadata = more.pop("metadata", {})
        speaker = more.pop("speaker", None)
        wait = more.pop("wait", True)
        turn_id = f"{user}-{self._turns}"
        event = TurnEvent(
            tenant=TENANT, user_id=user, session_id=session, turn_id=turn_id, role=role, occurred_at=when,
            accepted_at=when, sealed=TurnBody(content=text, metadata=metadata, speaker=speaker), **more,
        )  # fmt: skip
        self.write(event, more.get("project_id"), wait)
        return turn_id

    def write(
        self, event: UserEvent, project_id: str | None = None, wait: bool = True, codec: Codec | None = None
    ) -> None:
        """One event on the turns topic; the next read waits for it. `codec`: one that seals, where the stack does."""
        encoded = (codec or Codec()).encode(event, "test", f"scenario-{self._turns}-{time.monotonic_ns()}")
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
        if not wait:
            return
        # Later writes have tokens of their own: this one is waited for here.
        self.get(f"/v1/users/{event.user_id}/memories", limit=1)
        if project_id:
            self.get(f"/v1/projects/{project_id}/hot-memory")

    def tick(self, now: datetime) -> None:
        assert send_tick(self.producer, now, PARTITIONS) == 0

    @contextmanager
    def own_time(self) -> Iterator[None]:
        """No ticks but the test's own: those of the real clock would tell the hour of the run."""
        self.stack.pause("timer")
        try:
            yield
        finally:
            self.stack.resume("timer")

    def tick_until(self, done: Callable[[], bool], now: datetime, seconds: float = 60) -> None:
        """Ticks from a time on, two minutes apart (sinks sweep once a minute of ticks), until it is so."""
        deadline = time.monotonic() + seconds
        for n in count():
            self.tick(now + timedelta(minutes=2 * n))
            soon = time.monotonic() + 0.5
            while time.monotonic() < soon:
                if done():
                    return
                time.sleep(0.05)
            assert time.monotonic() < deadline, "ticks never brought it"

    def until(self, path: str, good: Callable[[Any], bool], seconds: float = 60, **query: Any) -> Any:
        """What only time or a tick brings: asked for until it is there."""
        deadline = time.monotonic() + seconds
        body: Any = None
        while time.monotonic() < deadline:
            answer = self.http.get(path, params=query)
            body = answer.json() if answer.is_success else None
            if body is not None and good(body):
                return body
            time.sleep(0.05)
        raise AssertionError(f"{path} never was as expected: {str(body)[:2000]}")

    def run_on(self, profile: str) -> None:
        """The tenant's profile from here on."""
        self.run_on_this(tomllib.loads((PROFILES_DIR / f"{profile}.toml").read_text(encoding="utf-8")))

    def run_on_this(self, profile: dict[str, Any]) -> None:
        """Back when the workers and sinks, which follow the same topic, run on it, too."""
        answer = self.http.put("/v1/tenant/profile", json={"profile": profile})
        assert answer.status_code == 202, answer.text
        self.until("/v1/tenant/profile", lambda b: b["name"] == profile["name"])
        deadline = time.monotonic() + 60
        while not self._steps_run_on(profile["name"]):
            assert time.monotonic() < deadline, f"the workers never ran on {profile['name']}"

    def relation_of(self, table: str, row: dict[str, Any]) -> None:
        """Back when Postgres has a relation for a table of the profile: its sink, which follows the profiles as well,
        makes it with the first row."""
        deadline = time.monotonic() + 60
        while table not in self._relations():
            assert time.monotonic() < deadline, f"there never was a relation {table}"
            self.call("POST", f"/v1/users/probe/tables/{table}", row)

    def sql(self, query: LiteralString, *params: object) -> list[tuple[Any, ...]]:
        """Rows of the Postgres behind it; `{v}` is the schema of the views that are read now."""
        with psycopg.connect(self.stack.addresses.postgres) as conn:
            live = conn.execute("SELECT generation FROM ops.live_views WHERE store = 'postgres'").fetchone()
            schema = postgres_schema(int(live[0]) if live else 1)
            return conn.execute(query.replace("{v}", schema).encode(), params).fetchall()

    def _steps_run_on(self, profile: str) -> bool:
        """A statement of a stranger goes through: which profile did the steps take?"""
        turn = self.say("probe", f"We decided to move cupboard {self._turns} to room {self._turns + 7}.")
        names = self.sql(
            "SELECT profile FROM {v}.turns WHERE turn_id = %s UNION SELECT profile FROM {v}.memories "
            "WHERE user_id = 'probe' AND sources->0->>'turn_id' = %s", turn, turn,
        )  # fmt: skip
        return names == [(profile,)]

    def _relations(self) -> set[str]:
        found = self.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = '{v}'")
        return {name for (name,) in found}


@contextmanager
def world(**settings: Any) -> Iterator[World]:
    with temporary_folder() as folder, BackgroundStack(folder) as stack:
        given = Settings(data_dir=folder, port=0, log_level="WARNING", profile="general", **settings)

        async def everything() -> str:
            return await start(stack.stack, given, lambda name, state: None)

        caller = World(asyncio.run_coroutine_threadsafe(everything(), stack._loop).result(400), stack)
        yield caller
        caller.http.close()
