"""Kafka records to items and progress: what the worker hands to a sink, and what it dead-letters unread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from schemas.components.installed import topic_named
from schemas.events.envelope import Tick
from schemas.log.codec import ERASED, Codec, DecodeError, header, parsed
from schemas.log.dead_letters import meant_for_another
from schemas.log.owner import Owner
from schemas.log.progress import load_progress, load_source
from schemas.log.topics import Cleanup
from schemas.security.sealed_rows import sealed_part
from schemas.security.sealing import KeysAway
from schemas.storage.layouts import stage
from sinks.protocol import Item, Mark, Message, Tombstone, Transient


@dataclass(frozen=True, slots=True)
class Poison:
    """A record that is no event of its topic. `reason` is a stable word, the message holds no content."""

    message: Message
    reason: str
    text: str


@dataclass(slots=True)
class Decoded:
    items: list[Item] = field(default_factory=list)
    poison: list[Poison] = field(default_factory=list)
    progress: dict[Mark, int] = field(default_factory=dict)
    sweep: datetime | None = None


def decode(codec: Codec, messages: Sequence[Message], reader: str = "") -> Decoded:
    """In the order given. Progress counts for poison too: its dead letter is its outcome. `reader`: the sink's step
    name; a record that was put back for another reader is passed by."""
    out = Decoded()
    for m in messages:
        try:
            if meant_for_another(m.headers, reader):
                continue
            _progress(out.progress, m)
            event = _event(codec, m)
        except KeysAway as exc:
            raise Transient(f"keyring: {exc}") from None
        except DecodeError as exc:
            if exc.reason == ERASED:
                continue
            out.poison.append(Poison(m, exc.reason, str(exc)))
            continue
        except ValueError as exc:
            out.poison.append(Poison(m, "headers", f"headers: {type(exc).__name__}"))
            continue
        if isinstance(event.event, Tick):
            now = event.event.now
            out.sweep = now if out.sweep is None else max(out.sweep, now)
        out.items.append(event)
    return out


def _event(codec: Codec, m: Message) -> Item:
    if m.value is not None or topic_named(m.topic).cleanup is Cleanup.DELETE:
        data = parsed(m.value)
        return Item(codec.event(m.topic, data), m, sealed=sealed_part(data))
    owner = header(m.headers, "owner")
    if owner is None or not m.key:
        raise DecodeError("null_value", "owner: a null value needs its key and the header owner")
    try:
        return Item(Tombstone(m.topic, Owner.parse(owner.decode()), m.key.decode()), m)
    except ValueError:
        raise DecodeError("null_value", "owner: expected tenant/kind/id") from None


def _progress(into: dict[Mark, int], m: Message) -> None:
    """Raises ValueError when the headers are not what a step writes."""
    reached = load_progress(header(m.headers, "progress"))
    if not reached:
        return
    source = load_source(header(m.headers, "src"))
    if source is None:
        raise DecodeError("headers", "src: must stand beside progress")
    name = stage(source.step, m.topic)
    for root, offset in reached.items():
        mark = Mark(name, m.partition, root)
        into[mark] = max(offset, into.get(mark, 0))
