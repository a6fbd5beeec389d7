"""JSON logs on standard error: time, level, logger, message, error class. Content and personal data never."""

from __future__ import annotations

import logging
import sys

from pythonjsonlogger.json import JsonFormatter


def configure(level: str, process: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter(
            "%(asctime)s %(levelname)s %(name)s %(message)s",
            rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
            static_fields={"process": process},
        )
    )
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # Client libraries repeat themselves while a server is away.
    for name in ("faust", "mode", "aiokafka", "kafka", "httpx", "uvicorn.access", "presidio-analyzer", "jieba"):
        logging.getLogger(name).setLevel("ERROR" if name in ("aiokafka", "kafka") else "WARNING")
