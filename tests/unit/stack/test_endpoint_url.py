"""A model's key goes out with every call: not in the clear to a public host."""

from __future__ import annotations

import pytest
from pydantic import SecretStr, ValidationError

from memstream.endpoint_url import public_and_plain
from memstream.settings import Settings

PUBLIC = (
    "http://api.example.com/v1", "http://8.8.8.8/v1", "http://127.0.0.1@api.example.com/v1", "http://[2606:4700::1]/v1",
    "http://api.example.com.:80/v1", "http://[::1/v1",
)  # fmt: skip
NEAR = (
    "https://api.example.com/v1", "http://127.0.0.1:8000/v1", "http://localhost/v1", "http://vllm:8000/v1",
    "http://10.0.0.3/v1", "http://[::1]:8000/v1", "http://vllm.models.svc/v1", "http://vllm.models.svc.cluster.local/v1",
    "",
)  # fmt: skip


@pytest.mark.parametrize("url", PUBLIC)
def test_a_key_is_not_sent_to_a_public_host_in_the_clear(url: str) -> None:
    assert public_and_plain(url)
    with pytest.raises(ValidationError, match="must begin with https"):
        Settings(model_url=url, model_name="m", model_key=SecretStr("secret"))
    Settings(model_url=url, model_name="m")


@pytest.mark.parametrize("url", NEAR)
def test_a_key_goes_to_hosts_of_ones_own_network(url: str) -> None:
    assert not public_and_plain(url)
    Settings(model_url=url, model_name="m", model_key=SecretStr("secret"))
