"""A running memstream for scenarios: turns in at the door or on the topic at a time of their own, ticks, profiles."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
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
from tests.integration.conftest import BackgroundStack, started
from tests.patience import CALM, PATIENCE, until
from tests.wide_limits import wide_values

PARTITIONS = 8
TENANT = "default"


def whole(
    http: httpx.Client, method: str, path: str, body: Any, token: str, query: dict[str, Any], logs: Path
) -> dict[str, Any]:
    """An answer that saw the write of the token and every store. While the service is away, an answer is late or lacks
    a store it is asked again, which is safe for writes, too (K4). Raises AssertionError for a refusal at once."""
    headers = {"Memstream-Wait-For": token, "Memstream-Wait-Ms": "30000"} if token else {}

    def ask() -> httpx.Response:
        answer = http.request(method, path, json=body, headers=headers, params=query or None)
        stale = answer.headers.get("Memstream-Fresh") == "false"
        late = answer.status_code == 503 or (answer.status_code == 404 and stale)
        assert answer.is_success or late, (path, answer.status_code, answer.text, dict(answer.headers))
        return answer

    def good(answer: httpx.Response) -> bool:
        fresh = answer.headers.get("Memstream-Fresh") != "false"
        return answer.is_success and fresh and not answer.json().get("degraded")

    answer = until(f"{method} {path}", ask, good, errors=(httpx.TransportError,), pause=0.5, logs=logs)
    value: dict[str, Any] = answer.json()
    return value


class World:
    """A caller of the service, who can also write to the log."""

    def __init__(self, url: str, stack: BackgroundStack) -> None:
        self.http = httpx.Client(base_url=url, timeout=PATIENCE)
        self.stack = stack
        self.token = ""
        self.producer = Producer({"bootstrap.servers": stack.addresses.kafka, "linger.ms": 5, "log_level": 0})
        self._turns = 0

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> dict[str, Any]:
        """Reads wait for the newest write; one that is not fresh, or was answered without a store, is asked again."""
        value = whole(self.http, method, path, body, self.token, query, self.stack.logs)
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
        result: list[int] = []

        def delivered(error: KafkaError | None, message: Message) -> None:
            assert error is None, error
            result.append(int(message.offset() or 0))

        self.producer.produce(
            topics.TURNS.name, encoded.value, encoded.key, place, delivered, headers=list(encoded.headers)
        )
        assert self.producer.flush(PATIENCE) == 0
        reach = (partition(project(TENANT, project_id), PARTITIONS),) if project_id else ()
        written = Written(topic=topics.TURNS.name, partition=place, offset=result[0], project_partitions=reach)
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

    def tick_until(self, what: str, done: Callable[[], bool], now: datetime) -> None:
        """Ticks from a time on, two minutes apart (sinks sweep once a minute of ticks), until it is so."""
        request = count()

        def ticked() -> bool:
            n = next(request)
            if n % 10 == 0:
                self.tick(now + timedelta(minutes=2 * (n // 10)))
            return done()

        until(what, ticked, logs=self.stack.logs)

    def until(self, path: str, good: Callable[[Any], Any], *, calm: float = CALM, **query: Any) -> Any:
        """What only time or a tick brings: asked for until it is there."""

        def ask() -> Any:
            answer = self.http.get(path, params=query)
            return answer.json() if answer.is_success else answer

        def there(found: Any) -> bool:
            return not isinstance(found, httpx.Response) and bool(good(found))

        message = f"GET {path} to be as expected"
        return until(message, ask, there, calm=calm, errors=(httpx.TransportError,), logs=self.stack.logs)

    def run_on(self, profile: str) -> None:
        """The tenant's profile from here on."""
        self.run_on_this(tomllib.loads((PROFILES_DIR / f"{profile}.toml").read_text(encoding="utf-8")))

    def run_on_this(self, profile: dict[str, Any]) -> None:
        """Back when the workers and sinks, which follow the same topic, run on it, too."""
        self.call("PUT", "/v1/tenant/profile", {"profile": wide_values(profile)})
        name = profile["name"]
        self.until("/v1/tenant/profile", lambda b: b["name"] == name)
        until(f"the workers to run on {name}", lambda: self._steps_run_on(name), logs=self.stack.logs)

    def relation_of(self, table: str, row: dict[str, Any]) -> None:
        """Back when Postgres has a relation for a table of the profile: its sink, which follows the profiles as well,
        makes it with the first row."""

        def there() -> bool:
            if table in self._relations():
                return True
            self.call("POST", f"/v1/users/probe/tables/{table}", row)
            return False

        until(f"a relation {table}", there, logs=self.stack.logs)

    def sql(self, query: LiteralString, *params: object) -> list[tuple[Any, ...]]:
        """Rows of the Postgres behind it; `{v}` is the schema of the views that are read now."""
        with psycopg.connect(self.stack.addresses.postgres) as conn:
            live = conn.execute("SELECT generation FROM ops.live_views WHERE store = 'postgres'").fetchone()
            schema = postgres_schema(int(live[0]) if live else 1)
            return conn.execute(query.replace("{v}", schema).encode(), params).fetchall()

    def _steps_run_on(self, profile: str) -> bool:
        """A statement of a stranger goes through: which profile did the steps take? Told by the decision about it,
        which there is of any outcome; a memory there is not always, since strangers say much the same."""
        turn = self.say(
            "probe", f"We decided to move cupboard {self._turns} to room {self._turns + 7}.", wait=False
        )
        self.get(f"/v1/turns/{turn}/outcome", user_id="probe")
        screened = self.sql("SELECT profile FROM {v}.turns WHERE turn_id = %s", turn)
        decided = self.sql("SELECT DISTINCT profile FROM {v}.decisions WHERE turn_id = %s", turn)
        return screened == decided == [(profile,)]

    def _relations(self) -> set[str]:
        found = self.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = '{v}'")
        return {name for (name,) in found}


@contextmanager
def world(**settings: Any) -> Iterator[World]:
    """A running memstream of the test's own."""
    with started("a running memstream", lambda folder, seconds: _world(folder, seconds, settings)) as caller:
        yield caller


@contextmanager
def _world(folder: Path, seconds: float, settings: dict[str, Any]) -> Iterator[World]:
    with BackgroundStack(folder, seconds=seconds) as stack:
        given = Settings(data_dir=folder, port=0, log_level="WARNING", profile="general", **settings)
        caller = World(stack.call(start(stack.stack, given, lambda name, state: None), seconds), stack)
        with closing(caller.http):
            yield caller
