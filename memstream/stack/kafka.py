"""Apache Kafka 4.x in KRaft mode: one node, broker and controller in one JVM."""

import asyncio
import signal
import uuid
from base64 import urlsafe_b64encode
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from memstream.stack.errors import StackError
from memstream.stack.jars import find_jars, find_java
from memstream.stack.ports import HOST
from memstream.stack.process import listens, run_tool
from memstream.stack.spec import ChildSpec, Probe
from memstream.stack.unprivileged import private_folder

NAME = "kafka"
MAX_MESSAGE_BYTES = 4 * 1024 * 1024

# Small enough to share two cores and a laptop's memory with three other servers and the workers.
_JVM = (
    "-Xms96m",
    "-Xmx384m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:MaxMetaspaceSize=160m",
    "-XX:+ExitOnOutOfMemoryError",
    "-Xshare:auto",
    "-Djava.awt.headless=true",
)

_LOG4J = """<?xml version="1.0" encoding="UTF-8"?>
<Configuration status="WARN" shutdownHook="disable">
  <Appenders>
    <Console name="out"><PatternLayout pattern="%d{ISO8601} %p %c{1}: %m%n"/></Console>
  </Appenders>
  <Loggers>
    <Logger name="org.apache.kafka" level="WARN"/>
    <Logger name="kafka" level="WARN"/>
    <Logger name="kafka.server.KafkaRaftServer" level="INFO"/>
    <Root level="WARN"><AppenderRef ref="out"/></Root>
  </Loggers>
</Configuration>
"""


async def spec(data_dir: Path, port: int, controller_port: int) -> ChildSpec:
    """The broker on `port`, data under data_dir/kafka; formats the storage on first use.

    Raises StackError when Java or the jars are missing.
    """
    java, jars = await asyncio.gather(find_java(), find_jars())
    home = private_folder(data_dir / "kafka")
    cluster = _cluster_id(home)
    config, log4j = home / "server.properties", home / "log4j2.xml"
    run = (str(java), *_JVM, f"-Dlog4j2.configurationFile={log4j}", "-cp", f"{jars}/*")

    async def prepare() -> None:
        log4j.write_text(_LOG4J)
        config.write_text(_properties(home / "log", port, controller_port))
        if (home / "log" / "meta.properties").exists():
            return
        status, output = await run_tool(
            (*run, "kafka.tools.StorageTool", "format", "--standalone", "-t", cluster, "-c", str(config))
        )
        if status != 0:
            raise StackError(f"Kafka's storage under {home} could not be formatted: {output.strip()[-400:]}")

    return ChildSpec(
        name=NAME,
        argv=(*run, "kafka.Kafka", str(config)),
        cwd=home,
        prepare=prepare,
        ready=_probe(port, cluster),
        start_timeout=120.0,
        stop_signal=signal.SIGTERM,
        stop_timeout=20.0,
    )


def _cluster_id(home: Path) -> str:
    """The cluster's id, made on first use: it also tells our broker from a stranger's on the same port."""
    path = home / "cluster-id"
    if not path.exists():
        # A leading dash would read as an option of the format tool.
        path.write_text("M" + urlsafe_b64encode(uuid.uuid4().bytes).decode()[1:22])
    return path.read_text().strip()


def _properties(log_dir: Path, port: int, controller_port: int) -> str:
    settings = {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.bootstrap.servers": f"{HOST}:{controller_port}",
        "listeners": f"PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{controller_port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "PLAINTEXT",
        "log.dirs": log_dir,
        "auto.create.topics.enable": "false",
        "default.replication.factor": 1,
        "min.insync.replicas": 1,
        "num.partitions": 8,
        "offsets.topic.num.partitions": 8,
        "offsets.topic.replication.factor": 1,
        "offsets.topic.segment.bytes": 16 * 1024 * 1024,
        "transaction.state.log.num.partitions": 4,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.min.isr": 1,
        "share.coordinator.state.topic.num.partitions": 1,
        "share.coordinator.state.topic.replication.factor": 1,
        "share.coordinator.state.topic.min.isr": 1,
        # After a kill the new broker may register only when the old one's session is over.
        "broker.session.timeout.ms": 3000,
        "broker.heartbeat.interval.ms": 500,
        "group.initial.rebalance.delay.ms": 0,
        "message.max.bytes": MAX_MESSAGE_BYTES,
        "replica.fetch.max.bytes": MAX_MESSAGE_BYTES,
        "log.segment.bytes": 64 * 1024 * 1024,
        "log.index.size.max.bytes": 1024 * 1024,
        "log.cleaner.dedupe.buffer.size": 16 * 1024 * 1024,
        "log.cleaner.threads": 1,
        "num.network.threads": 2,
        "num.io.threads": 4,
        "background.threads": 2,
        "num.recovery.threads.per.data.dir": 2,
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def _probe(port: int, cluster: str) -> Probe:
    async def ready(pid: int) -> bool:
        return listens(pid, port) and await asyncio.to_thread(_serves, port, cluster)

    return ready


def _serves(port: int, cluster: str) -> bool:
    """Whether the broker is registered with its controller and answers for our cluster."""
    try:
        admin = AdminClient({"bootstrap.servers": f"{HOST}:{port}", "log_level": 0, "socket.timeout.ms": 2000})
        metadata = admin.list_topics(timeout=2)
    except KafkaException:
        return False
    return bool(metadata.brokers) and metadata.cluster_id == cluster
