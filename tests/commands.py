"""The command line without its second of imports: `commands.py SOCKET` imports it once and waits there,
`commands.py SOCKET WORD...` runs `memstream WORD...` in a fork of it, with the caller's folder, environment and
standard files, and ends with its exit status."""

import array
import json
import os
import signal
import socket
import sys
from contextlib import suppress


def call(boundary: str, words: list[str]) -> int:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(boundary)
        request = json.dumps([words, os.getcwd(), dict(os.environ)]).encode()
        files = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
        line.sendmsg([len(request).to_bytes(4, "big")], files)
        line.sendall(request)
        status = line.recv(1)
    return status[0] if status else 70


def serve(boundary: str) -> None:
    from memstream.cli import app

    app.application()
    app.failure(ValueError())  # imports what commands may raise: most of what they need
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as front:
        front.bind(boundary)
        front.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            line, _ = front.accept()
            length, files, _, _ = socket.recv_fds(line, 4, 3)
            words, folder, environment = json.loads(_whole(line, int.from_bytes(length, "big")))
            if os.fork() == 0:
                line.sendall(bytes([_run(words, folder, environment, files)]))
                os._exit(0)
            for number in files:
                os.close(number)
            line.close()


def _whole(line: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        found += line.recv(size - len(found))
    return found


def _run(words: list[str], folder: str, environment: dict[str, str], files: list[int]) -> int:
    from memstream.cli import app

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["memstream", *words]
    status: object = 0
    try:
        app.main()
    except SystemExit as exc:
        status = exc.code
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    return status if isinstance(status, int) else 0 if status is None else 1


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(sys.argv[1])
    sys.exit(call(sys.argv[1], sys.argv[2:]))
