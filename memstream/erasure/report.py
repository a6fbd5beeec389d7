"""The erasure report: canonical JSON with an Ed25519 signature (N6)."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from memstream.secretfile import key_from

KEY_FILE = "report.key"
_SIGNATURE = "signature"


class ReportError(ValueError):
    """Not a report, or not signed by the key that it names; the message says which."""


def signing_key(data_dir: Path, configured: str = "") -> Ed25519PrivateKey:
    """The configured key, 64 hex digits as the file has them; else the file's beside the hash key, made on first use.
    Raises ValueError."""
    if not configured:
        return Ed25519PrivateKey.from_private_bytes(key_from("", data_dir, KEY_FILE)[:32])
    try:
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(configured))
    except ValueError:
        raise ValueError("MEMSTREAM_REPORT_KEY: expected 64 hex digits") from None


def public_bytes(key: Ed25519PrivateKey | Ed25519PublicKey) -> bytes:
    public = key.public_key() if isinstance(key, Ed25519PrivateKey) else key
    return public.public_bytes_raw()


def key_id(public: bytes) -> str:
    """Fingerprint: what an operator publishes so that others can tell the key."""
    return hashlib.sha256(public).hexdigest()[:16]


def signed(report: dict[str, Any], key: Ed25519PrivateKey) -> dict[str, Any]:
    """The report with its signature over everything else, keys sorted, UTF-8, no spaces."""
    public = public_bytes(key)
    value = base64.b64encode(key.sign(_canonical(report))).decode()
    signature = {
        "alg": "Ed25519", "key_id": key_id(public), "public_key": base64.b64encode(public).decode(), "value": value,
    }  # fmt: skip
    return {**orjson.loads(_canonical(report)), _SIGNATURE: signature}


def verify(report: Any, known: str | None = None) -> str:
    """The key id that signed it. `known`: the only key id to accept. Raises ReportError."""
    try:
        signature = report[_SIGNATURE]
        public = base64.b64decode(signature["public_key"], validate=True)
        value = base64.b64decode(signature["value"], validate=True)
        key = Ed25519PublicKey.from_public_bytes(public)
    except (KeyError, TypeError, ValueError):
        raise ReportError("signature: expected alg, key_id, public_key and value of an erasure report") from None
    if known is not None and key_id(public) != known:
        raise ReportError(f"signature: made by the key {key_id(public)}, not by {known}")
    try:
        key.verify(value, _canonical({k: v for k, v in report.items() if k != _SIGNATURE}))
    except InvalidSignature:
        raise ReportError("signature: does not fit the report: it was changed, or signed by another key") from None
    return key_id(public)


def _canonical(report: dict[str, Any]) -> bytes:
    return orjson.dumps(report, option=orjson.OPT_SORT_KEYS | orjson.OPT_UTC_Z)
