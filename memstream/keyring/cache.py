"""The copy of data keys that a process keeps: bounded on every path, and forgotten an owner at a time."""

from __future__ import annotations

from collections import OrderedDict


class KeyCache:
    """At most `most` keys and `most` newest generations; those used longest ago leave first. Not thread-safe."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._keys: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._generations: dict[str, set[int]] = {}
        """Of each owner in `_keys`, which: so that forgetting an owner does not go through all keys."""
        self._newest: OrderedDict[str, int] = OrderedDict()

    def key(self, owner: str, generation: int) -> bytes | None:
        place = owner, generation
        found = self._keys.get(place)
        if found is not None:
            self._keys.move_to_end(place)
        return found

    def keep_key(self, owner: str, generation: int, key: bytes) -> None:
        self._keys[owner, generation] = key
        self._keys.move_to_end((owner, generation))
        self._generations.setdefault(owner, set()).add(generation)
        while len(self._keys) > self._most:
            (evicted, number), _ = self._keys.popitem(last=False)
            left = self._generations[evicted]
            left.remove(number)
            if not left:
                del self._generations[evicted]

    def newest(self, owner: str) -> int | None:
        found = self._newest.get(owner)
        if found is not None:
            self._newest.move_to_end(owner)
        return found

    def keep_newest(self, owner: str, generation: int) -> None:
        self._newest[owner] = generation
        self._newest.move_to_end(owner)
        while len(self._newest) > self._most:
            self._newest.popitem(last=False)

    def forget_newest(self, owner: str) -> None:
        self._newest.pop(owner, None)

    def forget(self, owner: str) -> None:
        """Every generation of an owner, and which is the newest."""
        self._newest.pop(owner, None)
        for generation in self._generations.pop(owner, ()):
            del self._keys[owner, generation]

    def clear(self) -> None:
        self._keys.clear()
        self._generations.clear()
        self._newest.clear()
