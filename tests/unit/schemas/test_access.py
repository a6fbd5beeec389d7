"""How Milvus is reached."""

from __future__ import annotations

import pytest

from schemas.storage.connections import MilvusAccess, MilvusAddress, milvus_options

FIVE_MINUTES_MS = 300_000


@pytest.mark.parametrize("address", ["http://127.0.0.1:19530", MilvusAccess("https://milvus:1", "me:it", ca="c.pem")])
def test_a_connection_is_pinged_no_oftener_than_a_grpc_server_takes(address: MilvusAddress) -> None:
    """gRPC's own limit without other settings: one ping in five minutes, none where no call is under way; a server
    ends the connection at the third too many."""
    options = milvus_options(address)["grpc_options"]
    assert options["grpc.keepalive_time_ms"] > FIVE_MINUTES_MS
    assert not options["grpc.keepalive_permit_without_calls"]
