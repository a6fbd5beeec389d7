"""Whether an AsyncAPI document takes away what an older one promised of its topics: addresses, messages, operations,
keys, and how long and in which partitions records lie. What a value holds is `schemas.compatibility.breaking`'s."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schemas.compatibility.breaking import Schema, breaks

OWNERS = "x-memstream-owners"
"""Of a channel: whose records these are. The owner decides the partition, and so what is read in order."""
_KAFKA = ("partitions", "replicas")


def broken_topics(old: Schema, new: Schema) -> list[str]:
    """Places and what was taken away."""
    return list(_broken(old, new))


def _broken(old: Schema, new: Schema) -> Iterator[str]:
    had, has = _channels(old), _channels(new)
    for address, before in had.items():
        if address not in has:
            yield f"{address}: the topic is gone"
            continue
        yield from _channel(address, before, has[address], old, new)
    done = _operations(new)
    for action, address in sorted(_operations(old)):
        if (action, address) not in done and address in has:
            yield f"{address}: memstream does not {action} it any more"


def _channels(document: Schema) -> dict[str, Schema]:
    return {str(c["address"]): c for c in document.get("channels", {}).values()}


def _operations(document: Schema) -> set[tuple[str, str]]:
    return {
        (str(o["action"]), str(_followed(document, o["channel"])["address"]))
        for o in document.get("operations", {}).values()
    }


def _followed(document: Schema, node: Schema) -> Schema:
    """What a reference within the document leads to."""
    while isinstance(name := node.get("$ref"), str):
        found: Any = document
        for step in name.removeprefix("#/").split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        node = found
    return node


def _channel(address: str, before: Schema, after: Schema, old: Schema, new: Schema) -> Iterator[str]:
    if OWNERS in before and before[OWNERS] != after.get(OWNERS):
        yield f"{address}: was partitioned by {_list(before[OWNERS])}, is by {_list(after.get(OWNERS, []))}"
    yield from _kafka(address, _binding(before), _binding(after))
    for name, message in before.get("messages", {}).items():
        if name not in after.get("messages", {}):
            yield f"{address}: the message {name} is gone"
            continue
        was, now = _followed(old, message), _followed(new, after["messages"][name])
        yield from _message(f"{address}[{name}]", was, now, old, new)


def _kafka(address: str, was: Schema, now: Schema) -> Iterator[str]:
    for name in _KAFKA:
        if name in was and was[name] != now.get(name):
            yield f"{address}: {name} were {was[name]}, are {now.get(name, 'not said')}"
    before, after = was.get("topicConfiguration", {}), now.get("topicConfiguration", {})
    policy = "cleanup.policy"
    if sorted(before.get(policy, ())) != sorted(after.get(policy, ())):
        yield f"{address}: {policy} was {_list(before.get(policy, []))}, is {_list(after.get(policy, []))}"
    kept, keeps = _kept(before), _kept(after)
    if keeps < kept:
        yield f"{address}: retention.ms {keeps:.0f} is shorter"


def _kept(configuration: Schema) -> float:
    """Milliseconds; for ever where nothing is said, or -1."""
    found = configuration.get("retention.ms", -1)
    return float("inf") if found == -1 else float(found)


def _message(at: str, was: Schema, now: Schema, old: Schema, new: Schema) -> Iterator[str]:
    if was.get("contentType") != now.get("contentType"):
        yield f"{at}: was {was.get('contentType')}, is {now.get('contentType')}"
    key, keyed = _binding(was).get("key"), _binding(now).get("key")
    if key is not None:
        if keyed is None:
            yield f"{at}: the key is gone"
        else:
            yield from (f"{at}.key{where}" for where in breaks(key, keyed, written=True))
    if "headers" in was:
        shapes = [{**_followed(d, m.get("headers", {})), "$defs": _models(d)} for d, m in ((old, was), (new, now))]
        yield from (f"{at}.headers{where}" for where in breaks(*shapes, written=False))


def _binding(node: Schema) -> Schema:
    found: Schema = node.get("bindings", {}).get("kafka", {})
    return found


def _models(document: Schema) -> Schema:
    found: Schema = document.get("components", {}).get("schemas", {})
    return found


def _list(words: list[str]) -> str:
    return ", ".join(words) or "nothing"
