"""The topics as others see them: JSON Schema (2020-12) a topic, and one AsyncAPI 3 document (CONTRACT "Topics").

The exported schemas leave unknown fields open, since a reader must pass over what a newer version adds; memstream's
own models refuse them. `sealed` is either the object as described or, under encryption, `{"alg", "kid", "ct"}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from schemas.base import SCHEMA_VERSION
from schemas.compatibility.breaking import breaks
from schemas.compatibility.breaking_topics import OWNERS, broken_topics
from schemas.log import codec, topics
from schemas.log.topics import Topic

Schema: TypeAlias = dict[str, Any]
PUBLISHED = Path(__file__).resolve().parent.parent / "published"
"""The schemas that were last published: what a change of the models is compared with."""
ASYNCAPI = "asyncapi.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SEALED: Schema = {
    "type": "object",
    "description": "A part that only the owner's data key opens (schemas/security/sealing.py).",
    "properties": {"alg": {"type": "string"}, "kid": {"type": "string"}, "ct": {"type": "string"}},
    "required": ["alg", "kid", "ct"],
}
_HEADERS: Schema = {
    "type": "object",
    "description": "CloudEvents 1.0 in binary mode, the owner, and the W3C trace context; values are UTF-8.",
    "properties": {
        "ce_specversion": {"const": "1.0"},
        "ce_id": {"type": "string", "description": "Unique within ce_source; the same on a redelivery."},
        "ce_type": {"type": "string", "description": f"memstream.<type>.v{SCHEMA_VERSION}"},
        "ce_source": {"type": "string", "description": "Who wrote it, such as memstream/gate."},
        "ce_subject": {"type": "string", "description": "What it is about; the record's key on compacted topics."},
        "ce_time": {"type": "string", "format": "date-time"},
        "content-type": {"const": "application/json"},
        "owner": {"type": "string", "description": "tenant/kind/id, percent-encoded: it decides the partition."},
        "traceparent": {"type": "string"},
        "src": {"type": "string", "description": "step/partition:offset:ordinal of the input it came from."},
        "progress": {"type": "string", "description": "First offset not yet emitted, a root partition (freshness)."},
        "reach": {"type": "string", "description": "Project partitions that its progress is to reach (freshness)."},
    },
}


class BreakingChangeError(ValueError):
    """An export would take away what a published version promised; `changes` says what."""

    def __init__(self, changes: list[str]) -> None:
        super().__init__(f"{len(changes)} breaking changes of version {SCHEMA_VERSION}: {'; '.join(changes[:5])}")
        self.changes = changes


def exported() -> dict[str, Schema]:
    """File name -> document."""
    files = {f"{t.name}.schema.json": topic_schema(t) for t in _described()}
    return {ASYNCAPI: asyncapi(), **files}


def _described() -> Iterator[Topic]:
    """Dead letters hold any topic's bytes."""
    return (t for t in topics.CATALOGUE if t is not topics.DEAD_LETTERS)


def topic_schema(topic: Topic) -> Schema:
    """The values of one topic."""
    return {
        "$schema": _DIALECT,
        "$id": f"urn:memstream:topic:{topic.name}",
        "title": topic.name,
        "description": topic.purpose,
        **_open(codec.adapter(topic.name).json_schema()),
    }


def _open(node: Any, name: str = "") -> Any:
    """As it is on the wire: unknown fields pass, bytes are base64, `sealed` may be encrypted."""
    if isinstance(node, list):
        return [_open(n) for n in node]
    if not isinstance(node, dict):
        return node
    if name == "properties":
        return {k: _sealed(_open(v)) if k == "sealed" else _open(v) for k, v in node.items()}
    if name in ("$defs", "patternProperties"):
        return {k: _open(v) for k, v in node.items()}
    if node.get("format") == "binary":
        node = {**{k: v for k, v in node.items() if k != "format"}, "contentEncoding": "base64"}
    dropped = {"title"} | ({"additionalProperties"} if node.get("additionalProperties") is False else set())
    return {k: _open(v, k) for k, v in node.items() if k not in dropped}


def _sealed(schema: Schema) -> Schema:
    plain = {k: v for k, v in schema.items() if k != "default"}
    kept = {"default": schema["default"]} if "default" in schema else {}
    return {"anyOf": [plain, _SEALED], **kept}


def asyncapi() -> Schema:
    """One AsyncAPI 3 document of every topic; what memstream receives and what it sends are its operations."""
    channels: Schema = {}
    operations: Schema = {}
    messages: Schema = {}
    models: Schema = {}
    for topic in _described():
        schema = _open(codec.adapter(topic.name).json_schema(ref_template="#/components/schemas/{model}"))
        models |= schema.pop("$defs", {})
        names = [r.rsplit("/", 1)[-1] for r in _alternatives(schema)]
        if not names:
            names = [_camel(topic.name)]
            models[names[0]] = schema
        channel = _identifier(topic.name)
        for name in names:
            messages[name] = _message(name, models[name])
        channels[channel] = _channel(topic, names)
        actions = ["receive"] if topic.root else ["send"]
        if topic in (topics.LEDGER, topics.PROJECT_EVENTS):
            actions.append("send")
        for action in actions:
            operations[f"{action}_{channel}"] = {"action": action, "channel": {"$ref": f"#/channels/{channel}"}}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "memstream topics",
            "version": str(SCHEMA_VERSION),
            "description": "Turns in; screened, de-duplicated, gated memories out. See docs/clients.md.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {"embedded": {"host": "127.0.0.1:9092", "protocol": "kafka"}},
        "channels": channels,
        "operations": operations,
        "components": {"messages": messages, "schemas": {**models, "Headers": _HEADERS}},
    }


def _alternatives(schema: Schema) -> list[str]:
    return [one["$ref"] for one in schema.get("oneOf", [])]


def _channel(topic: Topic, names: list[str]) -> Schema:
    kept = {k: v for k, v in topic.config().items() if k in ("cleanup.policy", "retention.ms")}
    config = {"cleanup.policy": kept["cleanup.policy"].split(",")}
    if "retention.ms" in kept:
        config["retention.ms"] = int(kept["retention.ms"])  # type: ignore[assignment]
    return {
        "address": topic.name,
        "description": f"{topic.purpose}; owners: {', '.join(o.value for o in topic.owners)}",
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
        "bindings": {"kafka": {"topicConfiguration": config, "bindingVersion": "0.5.0"}},
        OWNERS: [o.value for o in topic.owners],
    }


def _message(name: str, model: Schema) -> Schema:
    description = str(model.get("description", "")).strip()
    return {
        "name": name,
        "summary": description.split("\n\n", 1)[0].replace("\n", " ") or name,
        "contentType": "application/json",
        "headers": {"$ref": "#/components/schemas/Headers"},
        "payload": {"$ref": f"#/components/schemas/{name}"},
        "bindings": {"kafka": {"key": {"type": "string"}, "bindingVersion": "0.5.0"}},
    }


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"[.\-]", name)[:-1])


def _identifier(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name)


def breaking_changes(folder: Path = PUBLISHED) -> list[str]:
    """What the models of now take away from the schemas in a folder; additions are no break."""
    found: list[str] = []
    current = {t.name: t for t in _described()}
    for path in sorted(folder.glob("*.schema.json")):
        name = path.name.removesuffix(".schema.json")
        topic = current.get(name)
        if topic is None:
            found.append(f"{name}: the topic is gone")
            continue
        old = orjson.loads(path.read_bytes())
        found += [f"{name}{where}" for where in breaks(old, topic_schema(topic), written=not topic.root)]
    document = folder / ASYNCAPI
    if document.exists():
        found += broken_topics(orjson.loads(document.read_bytes()), asyncapi())
    return found


def stale(folder: Path = PUBLISHED) -> list[str]:
    """Documents of a folder that are not what an export would write now; additions count, too: a later change is
    compared with what is published, so what is not published can be taken away unseen."""
    documents = {name: _written(document) for name, document in exported().items()}
    there = {p.name: p.read_bytes() for p in folder.glob("*.json")}
    return sorted(name for name in documents.keys() | there.keys() if documents.get(name) != there.get(name))


def _written(document: Schema) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def write(folder: Path) -> list[Path]:
    """Write every document. Raises BreakingChangeError, and writes nothing, where the folder holds a published form
    that the models of now would break."""
    if folder.is_dir() and (changes := breaking_changes(folder)):
        raise BreakingChangeError(changes)
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for name, document in exported().items():
        path = folder / name
        path.write_bytes(_written(document))
        out.append(path)
    return out
