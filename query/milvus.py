"""The Milvus client of the query service: made when first needed, made again after a failure."""

from __future__ import annotations

import logging
import threading
from typing import Any
from urllib.parse import urlsplit

import grpc
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

# pymilvus logs each failed call with its filter, and filters hold ids of users.
logging.getLogger("pymilvus").setLevel(logging.CRITICAL + 1)


class MilvusAwayError(OSError):
    """Milvus did not answer; the message never holds a filter."""


class Milvus:
    """Blocking; call it from a thread."""

    def __init__(self, uri: str, timeout: float) -> None:
        self._uri, self._timeout = uri, timeout
        self._client: Any = None
        self._lock = threading.Lock()

    def call(self, method: str, *args: Any, timeout: float | None = None, **options: Any) -> Any:
        """Call a method of MilvusClient. Raises MilvusAwayError for whatever goes wrong on the way or there."""
        try:
            client = self._connected()
            return getattr(client, method)(*args, timeout=timeout or self._timeout, **options)
        except (MilvusException, grpc.RpcError, OSError, ValueError) as exc:
            self.close()
            raise MilvusAwayError(type(exc).__name__) from None

    def ping(self) -> None:
        """Raises MilvusAwayError."""
        self.call("list_collections")

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                if not urlsplit(self._uri).hostname:
                    raise MilvusAwayError("no address")
                self._client = MilvusClient(self._uri, timeout=self._timeout)
            return self._client
