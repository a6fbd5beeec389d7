"""The four servers of `memstream up`, started where no address is given."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from memstream.stack import kafka, milvus, ports, postgres, valkey
from memstream.stack.credentials import password
from memstream.stack.errors import StartError
from memstream.stack.spec import ChildSpec
from memstream.stack.state import read_state
from memstream.stack.supervisor import Progress, Supervisor

DEFAULT_PORTS: Mapping[str, int] = {
    "kafka": 9092,
    "kafka-controller": 9093,
    "postgres": 5432,
    "valkey": 6379,
    "milvus": 19530,
}
_PORT_TRIES = 3


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the four stores are; an empty string means: not given, start one."""

    kafka: str = ""  # bootstrap servers, host:port[,host:port]
    postgres: str = field(default="", repr=False)  # postgresql:// DSN, which holds a password, as the next one
    redis: str = field(default="", repr=False)  # redis:// URL
    milvus: str = ""  # http:// URI


class EmbeddedStack:
    """Starts the servers that `given` has no address for, under one supervisor.

    Use as `async with EmbeddedStack(data_dir, given) as stack`, then `await stack.start()`; workers are added with
    `stack.add(spec)` and `stack.supervisor.start(name)`. `default_ports` says which ports to try first; `nice`, whether
    Milvus gives way to the others where cores are short.
    """

    def __init__(
        self,
        data_dir: Path,
        given: Addresses | None = None,
        on_progress: Progress | None = None,
        default_ports: Mapping[str, int] = DEFAULT_PORTS,
        nice: bool = True,
    ) -> None:
        self.supervisor = Supervisor(data_dir, on_progress)
        self.data_dir = self.supervisor.folder.path
        self.addresses = given or Addresses()
        self._default_ports = default_ports
        self._nice = nice
        self._chosen: dict[str, int] = {}

    async def __aenter__(self) -> Self:
        await self.supervisor.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.supervisor.__aexit__(kind, error, trace)

    async def start(self) -> Addresses:
        """Start what is not given, side by side; the addresses of all four once they serve.

        Raises StackError (missing Java, jars, wheels) or StartError (with the end of the server's log).
        """
        missing = [name for name in ("kafka", "postgres", "redis", "milvus") if not getattr(self.addresses, name)]
        makers: dict[str, Callable[[], Awaitable[tuple[ChildSpec, str]]]] = {
            "kafka": self._kafka,
            "postgres": self._postgres,
            "redis": self._valkey,
            "milvus": self._milvus,
        }
        names: dict[str, str] = {}
        for store in missing:
            child, address = await makers[store]()
            self.supervisor.add(child)
            names[child.name] = store
            self.addresses = replace(self.addresses, **{store: address})
        await self._start(names, makers)
        state = self.supervisor.folder.state
        state.addresses = asdict(self.addresses)
        state.ports |= self._chosen
        self.supervisor.folder.save()
        return self.addresses

    def add(self, *specs: ChildSpec) -> None:
        """Add further children (workers, sinks, the query service); start them through `supervisor`."""
        self.supervisor.add(*specs)

    async def _start(
        self, names: Mapping[str, str], makers: Mapping[str, Callable[[], Awaitable[tuple[ChildSpec, str]]]]
    ) -> None:
        """Start the servers; one whose port was taken after it was chosen gets another."""
        for attempt in range(1, _PORT_TRIES + 1):
            try:
                await self.supervisor.start(*names)
            except StartError as error:
                lost = [port for port in self._ports_of(error.name) if not ports.is_free(port)]
                if attempt == _PORT_TRIES or error.name not in names or not lost:
                    raise
                child, address = await makers[names[error.name]]()
                self.supervisor.add(child)
                self.addresses = replace(self.addresses, **{names[error.name]: address})
            else:
                return

    def _ports_of(self, name: str) -> list[int]:
        return [port for key, port in self._chosen.items() if key == name or key.startswith(f"{name}-")]

    def _port(self, key: str) -> int:
        remembered = read_state(self.data_dir).ports.get(key)
        others = [port for other, port in self._chosen.items() if other != key]
        self._chosen[key] = ports.pick((remembered, self._default_ports.get(key)), others)
        return self._chosen[key]

    async def _kafka(self) -> tuple[ChildSpec, str]:
        port, controller = self._port("kafka"), self._port("kafka-controller")
        return await kafka.spec(self.data_dir, port, controller), f"{ports.HOST}:{port}"

    async def _postgres(self) -> tuple[ChildSpec, str]:
        port = self._port("postgres")
        secret = password(self.data_dir, postgres.NAME)
        return await postgres.spec(self.data_dir, port), postgres.dsn(port, secret)

    async def _valkey(self) -> tuple[ChildSpec, str]:
        port = self._port("valkey")
        secret = password(self.data_dir, valkey.NAME)
        return await valkey.spec(self.data_dir, port), valkey.url(port, secret)

    async def _milvus(self) -> tuple[ChildSpec, str]:
        port = self._port("milvus")
        spec = await milvus.spec(self.data_dir, port)
        return spec if self._nice else replace(spec, nice=0), milvus.uri(port)
