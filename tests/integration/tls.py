"""Certificates of an authority made for the test, and TLS in front of servers that have none.

The embedded Postgres, Valkey and Milvus are built without TLS: a front ends it for them, byte by byte, so what is tried
is every client of ours, with the certificates, names and passwords that a server would be given.
"""

from __future__ import annotations

import select
import socket
import ssl
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HOST = "127.0.0.1"
KEY_PASSWORD = "of the key"
_SSL_REQUEST = (8).to_bytes(4, "big") + (80877103).to_bytes(4, "big")
"""What a Postgres client asks before TLS; the answer is one byte."""


class Authority:
    """Signs certificates into `folder`; `ca` is its own."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.ca = folder / f"{name}.pem"
        made = self._builder(self._name, self._key).add_extension(x509.BasicConstraints(True, 0), critical=True)
        usage = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
        self.ca.write_bytes(_pem(made.add_extension(usage, critical=True).sign(self._key, hashes.SHA256())))

    def issue(self, name: str, password: str = "") -> tuple[Path, Path]:
        """A certificate of 127.0.0.1 and localhost, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST)), x509.DNSName("localhost")])
        made = self._builder(subject, key).add_extension(names, critical=False)
        cert, path = self._folder / f"{name}-cert.pem", self._folder / f"{name}-key.pem"
        cert.write_bytes(_pem(made.sign(self._key, hashes.SHA256())))
        locked = serialization.BestAvailableEncryption(password.encode()) if password else serialization.NoEncryption()
        path.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked)
        )
        path.chmod(0o600)  # libpq refuses others
        return cert, path

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + timedelta(days=1))
        )  # fmt: skip


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


class TlsFront:
    """Listens with TLS and hands what is inside to `port`. `callers`: authority of the certificate that clients must
    show. `asks`: clients ask before TLS, as those of Postgres do."""

    def __init__(
        self, port: int, pair: tuple[Path, Path], callers: Path | None = None, *, asks: bool = False
    ) -> None:
        self._behind, self._asks = port, asks
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*pair)
        self._context.set_alpn_protocols(["h2"])
        if callers is not None:
            self._context.load_verify_locations(callers)
            self._context.verify_mode = ssl.CERT_REQUIRED
        self._listener = socket.create_server((HOST, 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), client:
            if self._asks:
                if client.recv(8, socket.MSG_WAITALL) != _SSL_REQUEST:
                    return  # without TLS nobody is served
                client.sendall(b"S")
            client.settimeout(30)
            inside = self._context.wrap_socket(client, server_side=True)
            with socket.create_connection((HOST, self._behind)) as server, inside:
                _pump(inside, server)


def _pump(inside: ssl.SSLSocket, server: socket.socket) -> None:
    """Both ways in one thread (a TLS connection is not to be read and written by two), until either side ends."""
    inside.setblocking(False)
    server.setblocking(False)
    to_server, to_client = bytearray(), bytearray()
    while True:
        moved = False
        for source, sink in ((inside, to_server), (server, to_client)):
            try:
                while len(sink) < 1 << 20:
                    part = source.recv(65_536)
                    if not part:
                        return
                    sink += part
                    moved = True
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
                pass
        for sink, target in ((to_server, server), (to_client, inside)):
            try:
                while sink:
                    del sink[: target.send(sink)]
                    moved = True
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
                pass
        if not moved:
            _wait(inside, server, bool(to_server), bool(to_client))


def _wait(inside: ssl.SSLSocket, server: socket.socket, to_server: bool, to_client: bool) -> None:
    writable = [s for s, wanted in ((server, to_server), (inside, to_client)) if wanted]
    select.select([inside, server], writable, [], 5)
