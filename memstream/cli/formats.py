"""Files that `memstream ingest` reads: JSONL of turns, and the LoCoMo shape (CONTRACT "Command line")."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import ValidationError

from query.models import TurnIn

FileFormat = Literal["jsonl", "locomo"]
_LOCOMO = "not LoCoMo-shaped: expected an array of id, sessions[].date_time, turns[].dia_id"


class FileError(ValueError):
    """A file that cannot be read as turns; the message names the line or entry and what was expected."""


def read_turns(path: Path, kind: FileFormat | None = None) -> Iterator[dict[str, Any]]:
    """Turns as `POST /v1/turns` takes them. `kind` None: a JSON array is LoCoMo-shaped, else JSONL."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors put a byte order mark first
    except FileNotFoundError:
        raise FileError(f"{path}: no such file") from None
    except OSError as exc:  # a folder, no permission
        raise FileError(f"{path}: cannot be read ({exc.strerror})") from None
    except UnicodeDecodeError as exc:
        raise FileError(f"{path}: not UTF-8 (byte {exc.start})") from None
    if kind == "locomo" or (kind is None and text.lstrip().startswith("[")):
        return _locomo(path, text)
    return _jsonl(path, text)


def _jsonl(path: Path, text: str) -> Iterator[dict[str, Any]]:
    # Not splitlines(): JSON allows U+2028, U+0085 and the like inside a string.
    for n, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            turn = orjson.loads(line)
        except orjson.JSONDecodeError:
            raise FileError(f"{path}: line {n}: not JSON") from None
        if not isinstance(turn, dict):
            raise FileError(f"{path}: line {n}: expected a turn (user_id, session_id, role, content, occurred_at)")
        _check(path, n, line)
        yield turn


def _check(path: Path, n: int, line: str) -> None:
    """As the service does, which knows no lines: it would refuse `turns.20` of the call that this turn came in, when
    the stack is up and the calls before it are written."""
    try:
        TurnIn.model_validate_json(line)
    except ValidationError as exc:
        wrong = exc.errors(include_input=False, include_url=False, include_context=False)[0]
        field = ".".join(str(part) for part in wrong["loc"])
        messages = {"missing": "this field is required", "extra_forbidden": "no field of this name"}
        expected = messages.get(wrong["type"], wrong["msg"].removeprefix("Value error, "))
        raise FileError(f"{path}: line {n}: {field}: {expected}") from None


def _locomo(path: Path, text: str) -> Iterator[dict[str, Any]]:
    """user_id = conversation id, session_id = conversation id + session, turn_id = conversation id + ":" + dia_id.
    Both speakers speak for themselves: their role is user, their name the speaker."""
    try:
        conversations = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise FileError(f"{path}: not JSON") from None
    if not isinstance(conversations, list):
        raise FileError(f"{path}: {_LOCOMO}")
    for c in conversations:
        try:
            for s in c["sessions"]:
                when = locomo_time(s["date_time"])
                for t in s["turns"]:
                    caption = f" [image: {t['image_caption']}]" if t.get("image_caption") else ""
                    yield {
                        "turn_id": f"{c['id']}:{t['dia_id']}",
                        "user_id": str(c["id"]),
                        "session_id": f"{c['id']}-{s['session']}",
                        "role": "user",
                        "speaker": t["speaker"],
                        "content": t["text"] + caption,
                        "occurred_at": when.isoformat(),
                    }
        except FileError as exc:
            raise FileError(f"{path}: {exc}") from None
        except (KeyError, TypeError, AttributeError):
            raise FileError(f"{path}: {_LOCOMO}") from None


def locomo_time(text: str) -> datetime:
    """`1:56 pm on 8 May, 2023` as UTC. Raises FileError."""
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        raise FileError("date_time: expected the form `1:56 pm on 8 May, 2023`") from None
