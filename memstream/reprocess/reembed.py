"""`memstream reembed`: the vectors of both stores that hold them made anew with another model, switched as one (N1)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing

from inference.protocols import EmbedderMissingError
from memstream.reprocess.driver import Options, Outcome, Progress, Rebuild
from memstream.reprocess.errors import RebuildError
from memstream.reprocess.ports import Connection, of_servers
from memstream.reprocess.stores import WITH_VECTORS, store
from memstream.settings import Settings
from memstream.workers.models import DEFAULT, EMBEDDERS, embedder_named
from schemas.storage import generations


def name_of(model: str) -> str:
    """What `ops.generations` holds for a model: nothing for the one whose vectors the log brings. Raises RebuildError
    for a model that is unknown or does not load here."""
    if model == DEFAULT:
        return ""
    try:
        embedder_named(model)
    except ValueError:
        raise RebuildError(f"model: expected {', '.join(EMBEDDERS)}, not {model!r}") from None
    except EmbedderMissingError as exc:
        raise RebuildError(str(exc)) from None
    return model


class Reembed:
    """Both stores, one after the other; the readers move once, when both agree. `connected` opens a connection."""

    def __init__(
        self, settings: Settings, progress: Progress, options: Options, connected: Callable[[], Connection]
    ) -> None:
        self._settings, self._progress, self._options, self._connected = settings, progress, options, connected

    def run(self, embedder: str) -> list[Outcome]:
        """`embedder` as `name_of` says. Raises RebuildError, and what a rebuild raises."""
        with ExitStack() as stack:
            # Each connection holds its store's lock until everything is switched.
            conns = {name: stack.enter_context(self._connected()) for name in WITH_VECTORS}
            self._wanted(conns[WITH_VECTORS[0]], embedder)
            outcomes: list[Outcome] = []
            rebuilds: dict[str, Rebuild] = {}
            alone = Options(repair=self._options.repair, switch=False, stall_seconds=self._options.stall_seconds)
            for name in WITH_VECTORS:
                s = store(self._settings, name)
                stack.enter_context(closing(s.contents))
                rebuilds[name] = Rebuild(of_servers(self._settings, s, conns[name]), s, self._progress, alone)
                outcomes.append(rebuilds[name].run(embedder))
                if not outcomes[-1].comparison.agrees:
                    return outcomes
            if self._options.switch:
                self._switch(conns, rebuilds, outcomes)
            return outcomes

    def _wanted(self, conn: Connection, embedder: str) -> None:
        live = {name: generations.live(conn, name).embedder for name in WITH_VECTORS}
        if set(live.values()) == {embedder}:
            raise RebuildError(f"model: the live generations hold the vectors of {embedder or DEFAULT} already")

    def _switch(self, conns: dict[str, Connection], rebuilds: dict[str, Rebuild], outcomes: list[Outcome]) -> None:
        generations.switch(conns[WITH_VECTORS[0]], {o.store: o.generation for o in outcomes})
        for o in outcomes:
            o.switched = True
            self._progress.step(o.store, f"generation {o.generation} is read from now on")
        for o in outcomes if self._options.drop_old else ():
            rebuilds[o.store].drop(o.live_before)
            o.dropped = True
