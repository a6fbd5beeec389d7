"""kafka-python's admin client, without what it leaves behind. A module of its own: it is heavy to load."""

from __future__ import annotations

from typing import Any

from kafka.admin import KafkaAdminClient

from schemas.storage.connections import Bootstrap, kafka_python


class KafkaAdmin(KafkaAdminClient):  # type: ignore[misc]  # kafka-python ships no types
    """Closes its loop's thread and sockets, also where the brokers do not answer the constructor. kafka-python (3.0.12)
    then leaves them running: an hour without brokers would cost the service thousands of threads and descriptors."""

    def __init__(self, bootstrap: Bootstrap, client_id: str, **settings: Any) -> None:
        try:
            super().__init__(**kafka_python(bootstrap), client_id=client_id, **settings)
        except BaseException:
            self._closed = False  # which the constructor says at its end
            self.close()
            raise

    def close(self) -> None:
        loop = getattr(self, "_net", None)
        if loop is None or self._closed:
            return
        super().close()
        loop.close()
