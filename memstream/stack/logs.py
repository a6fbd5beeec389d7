"""Log files of children: the child writes to the file itself, so it never blocks on the supervisor."""

import os
import shutil
from pathlib import Path
from typing import IO

MAX_BYTES = 10 * 1024 * 1024
_CHUNK = 64 * 1024


def open_log(folder: Path, name: str) -> IO[bytes]:
    """NAME.log for appending: append mode is what makes truncation by `rotate` safe."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return (folder / f"{name}.log").open("ab", buffering=0)


def rotate(folder: Path, name: str, max_bytes: int = MAX_BYTES) -> bool:
    """Copy a log above `max_bytes` to NAME.log.1 and empty it; at most twice that size is kept.

    Lines written between copy and truncation are lost, which a log may and a pipe through the supervisor need not risk.
    """
    path = folder / f"{name}.log"
    try:
        if path.stat().st_size <= max_bytes:
            return False
    except FileNotFoundError:
        return False
    shutil.copyfile(path, folder / f"{name}.log.1")
    os.truncate(path, 0)
    return True


def tail(folder: Path, name: str, lines: int = 15) -> str:
    """The last lines of NAME.log, or nothing."""
    try:
        with (folder / f"{name}.log").open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _CHUNK))
            return "\n".join(file.read().decode(errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""
