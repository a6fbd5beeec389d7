"""One step of toy.py over turns, and what came of them."""

from __future__ import annotations

from schemas.events.sessions import SessionState
from schemas.log import topics
from schemas.log.codec import Codec, header
from schemas.log.owner import partition, user
from schemas.log.progress import load_progress
from streams.driver import TopologyDriver
from streams.runner import Message
from tests.unit.streams.toy import START, Counter, turn

P = partition(user("acme", "ann"), 8)
PLAIN = Codec()


def driver(batch: int = 64, coalesce: bool = False) -> TopologyDriver:
    return TopologyDriver([Counter(coalesce)], START, batch=batch, upstream={"up", "other"})


async def say(d: TopologyDriver, *contents: str, user: str = "ann") -> None:
    for content in contents:
        d.pipe(topics.TURNS, turn(content, user))
    await d.run()


def revisions(d: TopologyDriver) -> list[int]:
    return [e.revision for e in d.read(topics.SESSION_STATE) if isinstance(e, SessionState)]


def reasons(d: TopologyDriver) -> list[tuple[str, str]]:
    def text(m: Message, name: str) -> str:
        return (header(m.headers, name) or b"").decode()

    return [(text(m, "reason"), text(m, "message")) for m in d.dead_letters()]


def message(offset: int, content: str, codec: Codec = PLAIN) -> Message:
    return Message(topics.TURNS.name, P, offset, None, codec.value(turn(content)), [], int(START.timestamp() * 1000))


def progress_of(m: Message) -> dict[str, int]:
    return load_progress(header(m.headers, "progress"))
