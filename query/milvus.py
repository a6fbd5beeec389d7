"""The Milvus client of the query service: made when first needed, made again after a failure, not asked while it is
known to fail (D11)."""

from __future__ import annotations

import logging
import threading
from typing import Any
from urllib.parse import urlsplit

import grpc
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from query.circuit import Circuit
from schemas.storage.connections import MilvusAddress, milvus_options

# pymilvus logs each failed call with its filter, and filters hold ids of users.
logging.getLogger("pymilvus").setLevel(logging.CRITICAL + 1)


class MilvusAwayError(OSError):
    """Milvus did not answer, or is not asked for now; the message never holds a filter."""


class Milvus:
    """Blocking; call it from a thread."""

    def __init__(self, address: MilvusAddress, timeout: float, circuit: Circuit | None = None) -> None:
        self._address, self._timeout = address, timeout
        self._client: Any = None
        self._lock = threading.Lock()
        self.circuit = circuit or Circuit()

    def call(self, method: str, *args: Any, timeout: float | None = None, **options: Any) -> Any:
        """Call a method of MilvusClient. Raises MilvusAwayError for whatever goes wrong on the way or there, and at
        once while the circuit is open."""
        if not self.circuit.lets_through():
            raise MilvusAwayError("circuit open")
        return self._call(method, *args, timeout=timeout, **options)

    def ping(self) -> None:
        """Asks in any case; an answer closes the circuit. Raises MilvusAwayError."""
        self._call("list_collections")

    def _call(self, method: str, *args: Any, timeout: float | None = None, **options: Any) -> Any:
        try:
            client = self._connected()
            try:
                answer = getattr(client, method)(*args, timeout=timeout or self._timeout, **options)
            except MilvusException:
                if method != "search" or not self._never_filled(client, str(args[0])):
                    raise
                answer = [[] for _ in options["data"]]
        except (MilvusException, grpc.RpcError, OSError, ValueError) as exc:
            self.circuit.failed()
            self.close()
            raise MilvusAwayError(type(exc).__name__) from None
        self.circuit.succeeded()
        return answer

    def _never_filled(self, client: Any, collection: str) -> bool:
        """The embedded server fails a BM25 search of a collection that never had a row: it has no mean length."""
        return not client.get_collection_stats(collection, timeout=self._timeout)["row_count"]

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                if not urlsplit(str(self._address)).hostname:
                    raise MilvusAwayError("no address")
                self._client = MilvusClient(**milvus_options(self._address), timeout=self._timeout)
            return self._client
