"""Before a process joins the log: is the broker there, are the topics what the catalogue says?"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_exponential

from memstream.settings import Settings
from schemas.log.topics import CATALOGUE
from schemas.storage.connections import Bootstrap, librdkafka

log = logging.getLogger(__name__)


class PreflightError(RuntimeError):
    """The process cannot start; the message names the setting or the command that mends it."""


def check_topics(
    settings: Settings, names: Iterable[str] = (), patience: float = 90.0, *, more: Iterable[str] = ()
) -> None:
    """`names`: those to look for, without any those of this release; `more`: beside them. Raises PreflightError for a
    broker that stays away for `patience` seconds, a missing topic, or another partition count than configured."""
    wanted = (set(names) or {t.name for t in CATALOGUE}) | set(more)
    have = _partitions(settings.brokers, patience)
    if missing := sorted(wanted - have.keys()):
        raise PreflightError(f"topic {missing[0]} does not exist: run `memstream topics apply`")
    for name in sorted(wanted):
        if have[name] != settings.partitions:
            raise PreflightError(
                f"topic {name} has {have[name]} partitions and MEMSTREAM_PARTITIONS is {settings.partitions}: "
                "set it to the broker's count"
            )


def _partitions(bootstrap: Bootstrap, patience: float) -> dict[str, int]:
    client = AdminClient({**librdkafka(bootstrap), "log_level": 0, "socket.timeout.ms": 5_000})
    attempts = Retrying(
        retry=retry_if_exception_type(KafkaException),
        wait=wait_exponential(multiplier=0.5, max=5),
        stop=stop_after_delay(patience),
        before_sleep=lambda state: log.warning(
            "the broker does not answer yet", extra={"attempt": state.attempt_number}
        ),
        reraise=True,
    )
    try:
        metadata = attempts(client.list_topics, timeout=3)
    except KafkaException as exc:
        raise PreflightError(
            f"no Kafka broker answers at {bootstrap} ({exc.args[0].name()}): check MEMSTREAM_KAFKA, or start the "
            "embedded one with `memstream up`"
        ) from None
    return {name: len(t.partitions) for name, t in metadata.topics.items()}
