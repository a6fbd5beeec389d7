"""Who reads the report of an erasure, and whose signature it has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from memstream.cli.erasure import _verify
from memstream.erasure.report import key_id, public_bytes, signed
from query.reading.erasures import _reached
from schemas.security.scope import Permission, TenantScope


@pytest.mark.parametrize(("users", "projects", "of_ann", "of_bob", "of_all"), [
    (None, None, True, True, True), (frozenset({"ann"}), frozenset(), True, False, False),
    (None, frozenset({"p1"}), True, True, False),
])  # fmt: skip
def test_c7_a_bound_key_reads_no_report_of_a_whole_tenants_erasure(
    users: frozenset[str] | None, projects: frozenset[str] | None, of_ann: bool, of_bob: bool, of_all: bool
) -> None:
    """It counts what everybody had."""
    scope = TenantScope("acme", "key:k", frozenset({Permission.WRITE}), users, projects)
    assert [_reached(scope, name) for name in ("ann", "bob", None)] == [of_ann, of_bob, of_all]


@pytest.mark.parametrize("expected", [True, False])
def test_n6_verify_says_whether_it_was_told_whose_signature_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], expected: bool
) -> None:
    """Anybody can sign a report with a key of their own: it verified like any other."""
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    file = tmp_path / "report.json"
    file.write_text(json.dumps(signed({"erasure_id": "e1"}, key)))
    known = key_id(public_bytes(key))
    _verify(file, known if expected else None, as_json=True)
    assert json.loads(capsys.readouterr().out) == {"valid": True, "key_id": known, "expected": expected}
