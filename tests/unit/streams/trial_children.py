"""What a child of a trial may do, without the models that a real one loads."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing.connection import Connection

from streams.batch import Message


def ends(step: str, message: Message, pipe: Connection) -> None:
    pipe.send("ready")
    pipe.send("ended")


def hangs(step: str, message: Message, pipe: Connection) -> None:
    pipe.send("ready")
    threading.Event().wait()


def is_killed(step: str, message: Message, pipe: Connection) -> None:
    pipe.send("ready")
    os.kill(os.getpid(), signal.SIGKILL)


def never_begins(step: str, message: Message, pipe: Connection) -> None:
    threading.Event().wait()


def is_killed_before(step: str, message: Message, pipe: Connection) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def is_away(step: str, message: Message, pipe: Connection) -> None:
    pipe.send("away")


def is_away_later(step: str, message: Message, pipe: Connection) -> None:
    pipe.send("ready")
    pipe.send("away")
