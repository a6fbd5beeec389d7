"""JSON logs on standard error: time, level, logger, message, error class. Content and personal data never."""

from __future__ import annotations

import copy
import logging
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

from pythonjsonlogger.json import JsonFormatter

OURS = frozenset({"memstream", "streams", "sinks", "query", "schemas", "processors", "inference"})
_FRAMES = 12


class ClassesOnly(JsonFormatter):
    """Of an exception its class and where it came from: its text may quote what a caller sent or a store holds."""

    def format(self, record: logging.LogRecord) -> str:
        if record.exc_info and record.name.split(".", 1)[0] not in OURS:
            # Libraries write the exception into their message; their template says enough.
            record = copy.copy(record)
            record.args = ()
        return super().format(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        return "\n".join(_exception_lines(ei[1], ei[2]))


def _exception_lines(exc: BaseException | None, trace: TracebackType | None) -> list[str]:
    """Class and frames, innermost last, then those of its cause."""
    if exc is None:
        return []
    frames = traceback.extract_tb(trace)[-_FRAMES:]
    where = [f"  {Path(f.filename).name}:{f.lineno} {f.name}" for f in frames]
    cause = exc.__cause__ or (None if exc.__suppress_context__ else exc.__context__)
    return [type(exc).__name__, *where, *_exception_lines(cause, cause.__traceback__ if cause else None)]


def formatter(process: str) -> logging.Formatter:
    """One JSON object a line."""
    return ClassesOnly(
        "%(asctime)s %(levelname)s %(name)s %(message)s",
        rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
        static_fields={"process": process},
    )


def configure(level: str, process: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(process))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # Client libraries repeat themselves while a server is away.
    for name in ("faust", "mode", "aiokafka", "kafka", "httpx", "uvicorn.access", "presidio-analyzer", "jieba"):
        logging.getLogger(name).setLevel("ERROR" if name in ("aiokafka", "kafka") else "WARNING")
