"""A step as a worker runs it, and what ends a worker that hangs in one."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

from memstream.profiles import FollowedBook, Following, ProfileFollower
from memstream.settings import Settings
from processors.step import Step
from streams.faust.app import DIED
from streams.faust.lease import end_at_once
from streams.suspects import Suspects
from streams.topology import Parts, topology
from streams.watchdog import Limits, Watchdog
from streams.work_record import InHand

log = logging.getLogger(__name__)
_HELD = b"a step computed for too long: this process ends, uncommitted\n"


def step_of(name: str, parts: Parts, profiles: ProfileFollower) -> Step:
    """By the profiles of now. Raises ComponentError."""
    book = FollowedBook(profiles)
    return Following(topology()[name].build(replace(parts, book=book)), book)


def worker_name(settings: Settings, steps: Sequence[str]) -> str:
    return settings.instance or f"worker-{'-'.join(steps)}"


def watchdog_of(settings: Settings, steps: Sequence[str], suspects: Suspects) -> Watchdog:
    """Where the data folder takes no file, a record that holds the interpreter until its process is ended is not
    noted."""
    in_hand = None
    try:
        in_hand = InHand(settings.data_dir / "in-hand", quote(worker_name(settings, steps), safe=""))
    except OSError as exc:
        log.warning("what steps have in hand is not kept in the data folder", extra={"error": type(exc).__name__})
    return Watchdog(Limits(settings.record_seconds), suspects, end_at_once(DIED, _HELD), in_hand)
