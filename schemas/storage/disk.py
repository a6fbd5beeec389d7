"""Room on the disk of a store that does not say when it has none."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Reserve:
    """Bytes that are to stay free on the disk of a folder."""

    folder: Path
    least: int

    def missing(self) -> str | None:
        """What is wrong, None while there is room. A folder that is not there (yet) has room."""
        try:
            free = shutil.disk_usage(self.folder).free
        except OSError:
            return None
        if free >= self.least:
            return None
        return f"disk nearly full: {free // MB} MB left, nothing is written below {self.least // MB}"
