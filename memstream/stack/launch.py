"""The last step before a child's own program: drop privileges, tie its life to the supervisor's, exec.

Run as a script, `python -I -S launch.py DEATH_SIGNAL PARENT_PID UID GID NICE ARGV...`, with the standard library only.
It stands in for subprocess's preexec_fn, which may deadlock in a process with threads (Kafka and gRPC clients have
many).
Order matters: the kernel clears the parent-death signal when credentials change, and keeps it across execve.
ARGV[0] is a path, not a name to look for: after the drop this interpreter may not reach its own library any more.
The child's own variables come under PREFIX, so that an LD_LIBRARY_PATH meant for it does not reach this interpreter.
"""

import contextlib
import ctypes
import os
import sys

PREFIX = "MEMSTREAM_EXEC_"
PR_SET_PDEATHSIG = 1


def main(args: list[str]) -> None:
    """Never returns: the program in `args` replaces this one, or the process exits."""
    death_signal, parent, uid, gid, nice = (int(value) for value in args[:5])
    argv = args[5:]
    if nice:
        give_way(nice)
    if gid >= 0:
        os.setgroups([])
        os.setgid(gid)
    if uid >= 0:
        os.setuid(uid)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
        if os.getppid() != parent:  # it died before the signal was set
            sys.exit(1)
    own = {key.removeprefix(PREFIX): value for key, value in os.environ.items() if key.startswith(PREFIX)}
    rest = {key: value for key, value in os.environ.items() if not key.startswith(PREFIX)}
    try:
        os.execve(argv[0], argv, rest | own)  # noqa: S606 - no shell is wanted
    except OSError as error:
        sys.exit(f"cannot run {argv[0]}: {error.strerror}")


def give_way(nice: int) -> None:
    """Run behind others where cores are short. Linux on a desktop shares time between sessions, not processes, and each
    child leads a session of its own: the session is told, too."""
    os.nice(nice)
    with contextlib.suppress(OSError), open("/proc/self/autogroup", "w") as group:
        group.write(str(nice))


if __name__ == "__main__":
    main(sys.argv[1:])
