"""What the rounds share: small models, made once."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from streams.topology import Parts
from tests.simulation import models


@pytest.fixture(scope="session")
def parts() -> Parts:
    return models.parts()


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """What processes log of faults that are meant to be is not worth its time, and a line takes the machine's clock."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
