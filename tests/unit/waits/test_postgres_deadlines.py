"""No connection to Postgres waits for an answer without a deadline, whether its host or the server stands still."""

from __future__ import annotations

import ast
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

import memstream
from memstream.keyring.master import LocalMasterKeys
from memstream.keyring.store import Keyring
from schemas.security.sealing import KeysAway
from schemas.storage import postgres_connections

ROOT = Path(memstream.__file__).parent.parent
PRODUCT = ("inference", "memstream", "messaging", "processors", "query", "schemas", "sinks", "streams")
OWN = "schemas/storage/postgres_connections.py"
OPENERS = ("connect", "AsyncConnectionPool", "ConnectionPool")


def opened_elsewhere(source: str) -> list[int]:
    """Lines that open a connection or a pool of psycopg's by themselves."""
    found = list[int]()
    if not any(word in source for word in OPENERS):
        return found
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        last = name.rpartition(".")[2]
        own = name.startswith(("psycopg.", "Connection.", "AsyncConnection."))
        if last in OPENERS and (own or last != "connect"):
            found.append(node.lineno)
    return found


def test_every_connection_is_opened_in_one_place() -> None:
    files = [p for folder in PRODUCT for p in (ROOT / folder).rglob("*.py")]
    found = {
        f"{p.relative_to(ROOT)}:{line}"
        for p in files
        if str(p.relative_to(ROOT)) != OWN
        for line in opened_elsewhere(p.read_text(encoding="utf-8"))
    }
    assert len(files) > 100
    assert found == set()


def test_that_place_is_found_by_the_same_look() -> None:
    assert opened_elsewhere("psycopg.connect(dsn)\nAsyncConnectionPool(dsn)") == [1, 2]


def test_the_kernel_gives_up_a_host_that_vanished() -> None:
    assert postgres_connections.LIVENESS["tcp_user_timeout"] == 30_000
    opened = postgres_connections.pool("host=nowhere.invalid", min_size=1, max_size=1, options={"connect_timeout": 3})
    assert isinstance(opened.kwargs, dict)
    assert opened.kwargs["tcp_user_timeout"] == 30_000
    assert opened.kwargs["connect_timeout"] == 3


class FrozenServer:
    """Takes the handshake and then answers nothing, as Postgres does that was stopped (SIGSTOP)."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._clients: list[socket.socket] = []
        self.dsn = f"host=127.0.0.1 port={self._server.getsockname()[1]} user=x dbname=x sslmode=disable"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            self._clients.append(client)
            length = struct.unpack("!I", client.recv(4))[0]
            client.recv(length - 4)
            fields = {"server_version": "17.0", "client_encoding": "UTF8", "standard_conforming_strings": "on"}
            pairs = [_message(b"S", f"{k}\0{v}\0".encode()) for k, v in fields.items()]
            ready = [_message(b"K", struct.pack("!II", 1, 1)), _message(b"Z", b"I")]
            client.sendall(b"".join([_message(b"R", struct.pack("!I", 0)), *pairs, *ready]))

    def close(self) -> None:
        self._server.close()
        for client in self._clients:
            client.close()


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


@pytest.fixture
def frozen() -> Iterator[FrozenServer]:
    server = FrozenServer()
    yield server
    server.close()


def test_a_server_that_stands_still_is_given_up(frozen: FrozenServer) -> None:
    conn = postgres_connections.connect(frozen.dsn, autocommit=True, answer_seconds=0.2)
    with pytest.raises(postgres_connections.NoAnswerError, match="no answer within"):
        conn.execute("SELECT 1")
    assert conn.closed


async def test_so_it_is_on_an_event_loop(frozen: FrozenServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_connections.AnsweringAsync, "answer_seconds", 0.2)
    conn = await postgres_connections.connect_async(frozen.dsn, autocommit=True)
    with pytest.raises(psycopg.OperationalError, match="no answer within"):
        await conn.execute("SELECT 1")
    assert conn.closed


def test_what_goes_through_all_there_is_has_longer(frozen: FrozenServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep that is given up and begun again would never end."""
    monkeypatch.setattr(postgres_connections, "LONG_SECONDS", 0.2)
    conn = postgres_connections.connect(frozen.dsn, autocommit=True, answer_seconds=1e6)
    with (
        pytest.raises(postgres_connections.NoAnswerError, match="no answer within"),
        postgres_connections.patient(conn),
    ):
        conn.execute("SELECT 1")
    assert isinstance(conn, postgres_connections.Answering)
    assert conn.answer_seconds == 1e6


def test_a_keyring_says_that_it_is_away(frozen: FrozenServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """H4: an open connection that was not answered held its caller for ever."""
    monkeypatch.setattr("memstream.keyring.store.ANSWER_SECONDS", 0.2)
    keyring = Keyring(frozen.dsn, LocalMasterKeys.of_environment("11" * 32))
    with pytest.raises(KeysAway):
        keyring.current("acme/user/ana")
