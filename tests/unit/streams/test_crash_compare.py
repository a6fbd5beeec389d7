"""The crash test's own comparison, where only some of the owners are compared."""

from __future__ import annotations

from schemas.log import topics
from streams.batch import Message
from tests.crash.compare import Differences, topic_records

NAME = topics.SESSION_STATE.name


def closed(at: int, ordinal: int, session: str, value: bytes = b"{}") -> Message:
    source = ("src", f"session/0:{at}:{ordinal}".encode())
    return Message(NAME, 0, 0, session.encode(), value, [source], 0)


def differences(want: list[Message], have: list[Message], *, part: bool) -> list[str]:
    d = Differences()
    topic_records(d, topics.SESSION_STATE, "session", {(NAME, 0): want}, {(NAME, 0): have}, part=part)
    return d.lines()


def test_a_ticks_records_of_a_part_are_known_by_their_key() -> None:
    """What it sends to others of a part stands between them."""
    want, have = [closed(9, 0, "a"), closed(9, 1, "b")], [closed(9, 4, "a"), closed(9, 7, "b")]
    assert differences(want, have, part=True) == []
    assert differences(want, have, part=False)
    assert differences(want, have[:1], part=True)
    assert differences(want, [have[0], closed(9, 7, "b", b'{"revision": 2}')], part=True)
    assert differences(want[:1], have, part=True)


def test_a_record_of_a_kept_log_is_known_without_what_sending_adds_to_its_key() -> None:
    """The oracle sends nothing."""
    key = b"acme/user/ann/extract/0/4/0"

    def differs(sent: bytes | None, value: bytes = b"{}") -> list[str]:
        def log(key: bytes | None, value: bytes) -> dict[tuple[str, int], list[Message]]:
            return {(name, 0): [Message(name, 0, 0, key, value, [("src", b"extract/0:4:0")], 0)]}

        d, name = Differences(), topics.LEDGER.name
        topic_records(d, topics.LEDGER, "extract", log(key, b"{}"), log(sent, value), part=True)
        return d.lines()

    assert differs(topics.sent_key(topics.LEDGER.name, key)) == []
    assert differs(topics.sent_key(topics.LEDGER.name, key), b'{"rules": 2}')
    assert differs(topics.sent_key(topics.LEDGER.name, key.replace(b"ann", b"bob")))
