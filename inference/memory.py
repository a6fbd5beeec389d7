"""Memory that loading models leaves behind."""

import ctypes
import gc
import sys


def return_freed_memory() -> bool:
    """Hand freed heap pages back to the system: after models are loaded (40 MB of a screening worker, measured), and
    once a minute where the heap is small and work comes in bursts, since glibc keeps what a burst has needed (159 of
    193 MB of a sink behind outages of its store: 5 to 20 ms). In a heap of many hundred megabytes it may take a second.

    Returns whether anything was released; False where the C library is not glibc.
    """
    gc.collect()
    if sys.platform != "linux":
        return False
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return bool(trim(0)) if trim is not None else False


def calm_collector() -> None:
    """Once everything is loaded: what is there is never looked at again by the collector of cycles, and full
    collections, which stop every thread for tens of milliseconds, become rare."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


def keep_from_collector() -> None:
    """After loading what stays: its cycles, if it has any, are collected while it is young, and then it is not looked
    at again. Without, each collection of what is younger stops every thread for as long as it takes to walk over it:
    250 ms for 40,000 documents of scopes."""
    gc.collect(1)
    gc.freeze()
