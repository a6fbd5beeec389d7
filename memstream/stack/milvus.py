"""Milvus Lite 2.5 (the last C++ generation) run as a TCP server, so that several processes can use it."""

import asyncio
import importlib.util
from pathlib import Path

import grpc

from memstream.stack import milvus_file
from memstream.stack.errors import StackError
from memstream.stack.ports import HOST
from memstream.stack.process import listens
from memstream.stack.spec import ChildSpec, Probe
from memstream.stack.unprivileged import private_folder

NAME = "milvus"
NICE = 13
"""Its views may be a second old, those of the other stores a quarter of one: it and its sink stand behind."""
_CONNECT = "/milvus.proto.milvus.MilvusService/Connect"  # what every client calls first
# A proxy in the environment is not for the loopback.
_CHANNEL = (("grpc.enable_http_proxy", 0),)


def uri(port: int) -> str:
    """Address of the embedded server."""
    return f"http://{HOST}:{port}"


async def spec(data_dir: Path, port: int) -> ChildSpec:
    """Milvus on `port`, data in data_dir/milvus/memstream.db. Raises StackError when the wheel is missing."""
    home = private_folder(data_dir / "milvus")
    found = library()
    return ChildSpec(
        name=NAME,
        argv=(str(found / "milvus"), str(home / milvus_file.FILE), f"{HOST}:{port}", "ERROR"),
        # Its library would write logs of megabytes into the system's temporary folder.
        env={"LD_LIBRARY_PATH": str(found), "GLOG_logtostderr": "1", "GLOG_minloglevel": "2"},
        cwd=home,
        prepare=lambda: asyncio.to_thread(milvus_file.prepare, home),
        ready=_probe(port),
        stop_timeout=10.0,
        nice=NICE,
    )


def library() -> Path:
    """Folder of the server and its libraries. Raises StackError when the wheel is missing or of another generation."""
    found = importlib.util.find_spec("milvus_lite")
    folders = list(found.submodule_search_locations or []) if found else []
    folder = next((Path(name, "lib") for name in folders if Path(name, "lib", "milvus").is_file()), None)
    if folder is None:
        raise StackError(
            "Milvus Lite 2.5 is not installed: `pip install 'memstream[embedded]'` (versions 3 and later will not do), "
            "or give the address of a running Milvus"
        )
    return folder


def _probe(port: int) -> Probe:
    async def ready(pid: int) -> bool:
        if not listens(pid, port):
            return False
        async with grpc.aio.insecure_channel(f"{HOST}:{port}", options=_CHANNEL) as channel:
            # The request and its answer are read as bytes: no need for the client's generated classes here.
            ask: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(_CONNECT)
            try:
                await ask(b"", timeout=3)
            except grpc.aio.AioRpcError:
                return False
        return True

    return ready
