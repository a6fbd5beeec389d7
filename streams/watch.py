"""What a runner tells of what it computes on, and the limits of who listens."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from streams.batch import Batch, Message
from streams.turns import Turn


@dataclass(frozen=True, slots=True)
class Limits:
    """In seconds. `step`: a step may compute so long on SECTION_BYTES of what it has in hand. `still`: the interpreter
    may be held so long; below the lease's limit less two looks, so that what was in hand is noted before the lease ends
    the process. `still_cpu`: CPU time in such a gap, below which it was frozen. `mark_cpu`: CPU time without a look,
    after which the file says so; `end`: time without a look, after which the process is ended. `look`: between two,
    and `look_alone` while a suspect computes. `load`: the process may load something of its own for so long, and never
    less than `step`.

    In bytes, what the process may grow by while a step computes on something: `growth`; and `growth_full` where it then
    holds `full` of what its container may. Well above what the largest record takes (216 MB, a document of 1.5 MB) and
    what the recognisers do that are loaded meanwhile (100 MB).

    While a suspect computes, the kernel refuses the process what is beyond `bound` times `growth`, so that a look comes
    before it; less where there is less room, but never the first `floor` bytes. These are virtual bytes (private, to be
    written to); reading a document took 159 MiB of them (1.5 MB of Chinese), and 317 MiB with a load of the
    recognisers in it, about as much as of resident ones."""

    step: float
    still: float = 4.0
    still_cpu: float = 1.0
    mark_cpu: float = 5.0
    end: float = 60.0
    look: float = 0.25
    look_alone: float = 0.02
    load: float = 300.0
    growth: int = 2 * 1024**3
    growth_full: int = 256 * 1024**2
    full: float = 0.9
    bound: float = 1.5
    floor: int = 512 * 1024**2


class Watch:
    """Watches nothing."""

    def over(
        self, step: str, messages: Sequence[Message], alone: bool = False, waits: bool = False
    ) -> AbstractContextManager[None]:
        """While this lasts, `step` has these in hand. It computes on them and waits for nobody; with `waits` it waits
        for a store or a broker in between: its time does not count, and nothing counts against these alone. Entered
        and left in one thread."""
        return contextlib.nullcontext()

    def over_all(self, step: str, batches: Sequence[Batch], waits: bool = False) -> AbstractContextManager[None]:
        """`over` whatever of these is new."""
        return self.over(step, [m for b in batches for m in b.fresh], any(b.alone for b in batches), waits)

    def waiting(self) -> AbstractContextManager[None]:
        """This thread waits for I/O of ours, or for a lock: what it computes on is not older for that. Who waits gives
        up by itself."""
        return contextlib.nullcontext()

    def loading(self, what: str) -> AbstractContextManager[None]:
        """This thread loads something of the process's own (models). No record is to blame for it: where it takes too
        long the process ends, and says so."""
        return contextlib.nullcontext()

    def refused(self, exc: BaseException) -> bool:
        """Whether this says that memory was refused, however it says so: that is no mistake of a step, and is not to be
        caught within `over`."""
        return isinstance(exc, MemoryError)

    @contextlib.asynccontextmanager
    async def turn(self, alone: bool) -> AsyncIterator[Turn]:
        """To be taken around all that is done with a batch, and around whatever else of a process takes time or memory.
        `alone`: nothing else of this process has one meanwhile. Who has one waits for no other."""
        yield Turn()
