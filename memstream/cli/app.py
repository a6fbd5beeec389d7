"""The command line (CONTRACT "Command line")."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
import typer.main
from pydantic import ValidationError
from rich.console import Console

from memstream.cli.terminal import output
from memstream.coredumps import forbid_core_dumps
from memstream.settings import Settings, unknown_names

if TYPE_CHECKING:
    import httpx

app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    help="Agent memory as a log.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,  # a traceback with locals would print secrets
)
topics_app = typer.Typer(no_args_is_help=True, help="The topics of the broker.")
app.add_typer(topics_app, name="topics")

SERVING = frozenset({"up", "worker", "sink", "serve"})
"""Commands of this module that processes are started with; they do without what the others import."""
console = output()
errors = Console(stderr=True)
Json = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
Data = Annotated[Path | None, typer.Option("--data", help="Folder of the embedded servers.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("memstream"))
        raise typer.Exit


@app.callback(help="Agent memory as a log.")
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """What is asked of no command."""


class UsageError(Exception):
    """Shown as one line, exit status 2."""


def settings_of(data: Path | None = None) -> Settings:
    settings = Settings()
    return settings if data is None else settings.model_copy(update={"data_dir": data})


def running(data: Path | None = None) -> Settings:
    """Settings with the addresses of the stack that runs on the data folder: all of them where `data` names it, else
    those that are not given.

    Raises StackError naming the remedy when nothing runs on the folder that is named, or addresses are missing.
    """
    from memstream.connect import with_addresses

    return with_addresses(settings_of(data), by_folder=data is not None)


@app.command()
def up(data: Data = None) -> None:
    """Start everything that is not given by address; Ctrl-C stops it.

    Example: memstream up --data /srv/memstream
    """
    from memstream.checks.addresses import check_given
    from memstream.stack import EmbeddedStack
    from memstream.stack.up import given, single_threaded, start
    from schemas.profile.model import load_profile

    single_threaded()
    settings = settings_of(data)
    for name, near in unknown_names(os.environ):
        suggestion = f"; did you mean {near}?" if near else ""
        errors.print(f"memstream: {name} is no setting and is passed over{suggestion}", markup=False, soft_wrap=True)
    load_profile(settings.profile, settings.profiles_dir)  # here, and not again and again in processes that restart
    check_given(settings)

    def report(name: str, state: str) -> None:
        console.print(f"{name:<18} {state}", highlight=False)

    async def run() -> None:
        async with EmbeddedStack(settings.data_dir, given(settings), on_progress=report, nice=settings.nice) as stack:

            async def everything() -> None:
                url = await start(stack, settings, report)
                if settings.port and not url.endswith(f":{settings.port}"):
                    console.print(f"port {settings.port} is taken: another one was chosen", highlight=False)
                console.print(
                    f"\nmemstream is up: {url}  (ops page: {url}/ops, API: {url}/docs; "
                    f"Kafka: {stack.addresses.kafka})\nCtrl-C stops it.",
                    soft_wrap=True,
                )

            await stack.supervisor.run(everything)

    asyncio.run(run())


@app.command()
def worker(
    steps: Annotated[list[str], typer.Argument(help="Steps, `all`, `timer`, `jobs`, `eraser`, or `audit`.")],
) -> None:
    """Run steps of the topology in this process.

    Example: memstream worker extract gate
    """
    from memstream.logs import configure
    from memstream.stack.up import single_threaded

    single_threaded()
    settings = running()
    configure(settings.log_level, settings.instance or f"worker-{'-'.join(steps)}")
    if steps == ["timer"]:
        from memstream.workers.timer import run_timer

        run_timer(settings)
        return
    if steps == ["eraser"]:
        from memstream.erasure.worker import run_eraser

        run_eraser(settings)
        return
    if steps == ["audit"]:
        from memstream.workers.auditor import run_auditor

        run_auditor(settings)
        return
    if steps == ["jobs"]:
        from memstream.workers.jobs import run_jobs

        asyncio.run(run_jobs(settings))
        return
    from memstream.workers.worker import run_worker
    from schemas.components.installed import components

    known = components().steps
    names = list(known) if steps == ["all"] else steps
    if unknown := [s for s in names if s not in known]:
        raise UsageError(f"no step {unknown[0]!r}: expected {', '.join(known)}, all, timer, jobs, eraser or audit")
    asyncio.run(run_worker(settings, names))


@app.command()
def sink(
    name: Annotated[str, typer.Argument(help="postgres, milvus, redis, one of an installed package, or all.")],
    generation: Annotated[int | None, typer.Option("--generation", hidden=True)] = None,
) -> None:
    """Run a sink in this process (`all`: each in a process of its own).

    Example: memstream sink postgres
    """
    from memstream.logs import configure
    from memstream.workers.sink import run_all, run_sink
    from schemas.components.builtin import SINKS
    from schemas.components.installed import components

    settings = running()
    configure(settings.log_level, settings.instance or f"sink-{name}")
    if name == "all":
        raise typer.Exit(run_all(settings))
    if name not in SINKS and name not in components().sinks:
        raise UsageError(f"no sink {name!r}: expected {', '.join(components().sinks)} or all")
    run_sink(settings, name, generation)


@app.command()
def serve() -> None:
    """Run the query service in this process.

    Example: memstream serve
    """
    import uvloop

    from memstream.logs import configure
    from memstream.stack.up import single_threaded
    from memstream.workers.serve import serve as run

    single_threaded()
    settings = running()
    configure(settings.log_level, settings.instance or "query")
    uvloop.run(run(settings))


@topics_app.command("apply")
def topics_apply(
    data: Data = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report drift, change nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Create missing topics, set drifted settings, report both. Refuses to change a partition count. Exit status 1
    where a topic was refused, with --dry-run where one differs.

    Example: memstream topics apply --dry-run
    """
    from memstream.topics import apply

    settings = running(data)
    states = apply(settings.brokers, settings.partitions, settings.replication, dry_run=dry_run)
    if as_json:
        print_json([asdict(s) for s in states])
    else:
        for s in states:
            console.print(f"{s.action:<8} {s.name}  {s.detail}", highlight=False)
    if any(s.action == "refused" or (dry_run and s.action != "ok") for s in states):
        raise typer.Exit(1)


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


@cache
def application() -> Any:
    """The command line with the commands of every module (a click group), which are added once."""
    from memstream.cli import audit, check, dead_letters, keys, mcp, recover, schema, service
    from memstream.cli import erasure as erasure_cli
    from memstream.cli import keyring as keyring_cli
    from memstream.cli import rebuild as again

    service.register(app)
    again.register(app)
    check.register(app)
    recover.register(app)
    dead_letters.register(app)
    keys.register(app)
    audit.register(app)
    erasure_cli.register(app)
    keyring_cli.register(app)
    schema.register(app)
    mcp.register(app)
    return typer.main.get_command(app)


def main() -> None:
    """Entry point: known errors are one line with the remedy, never a traceback."""
    forbid_core_dumps()
    serving = SERVING.intersection(sys.argv[1:2])
    try:
        command = app if serving else application()
        command()
    except Exception as exc:
        message = failure(exc)
        if message is None:
            raise
        fail(*message)


_FENCED = (
    "this process lost its place in its Kafka group: it stood still for longer than its session, or another runs with "
    "its MEMSTREAM_INSTANCE (give each its own)"
)


def _fenced(exc: Exception) -> bool:
    """Whether a member of a Kafka group was put out by another with its static name; librdkafka tells it as fatal."""
    import confluent_kafka

    error = exc.args[0] if exc.args else None
    return isinstance(error, confluent_kafka.KafkaError) and "fenced" in error.str().lower()


def _of_alembic(exc: Exception) -> bool:
    """Whether it is an error of alembic's, which takes a second to import: where nothing has, it has raised nothing."""
    errors_of = sys.modules.get("alembic.util.exc")
    return isinstance(exc, getattr(errors_of, "CommandError", ()))


def failure(exc: Exception) -> tuple[str, int] | None:
    """What a known error is told as, and the exit status; None for one that nobody foresaw. What raises them is
    imported here: a process that runs well needs none of it."""
    import confluent_kafka
    import httpx
    import psycopg
    from kafka.errors import KafkaError
    from psycopg_pool import PoolTimeout

    from inference.weights import WeightsError
    from memstream.audit import AuditError
    from memstream.checks.addresses import AddressError
    from memstream.cli.formats import FileError
    from memstream.cli.http import BusyError, ServiceError
    from memstream.cli.keyring import BackupError
    from memstream.erasure.export import ExportError
    from memstream.erasure.ports import Away
    from memstream.grown_logs import RecoveryError
    from memstream.keyring.master import MasterKeyError
    from memstream.keys import KeyCommandError
    from memstream.reprocess.errors import BrokerAwayError, RebuildError
    from memstream.stack import StackError
    from memstream.topics import PartitionCountError
    from memstream.tracing import TracingError
    from memstream.workers.preflight import PreflightError
    from query.config import ConfigError
    from schemas.components.installed import ComponentError
    from schemas.profile.model import ProfileError
    from schemas.security.sealing import KeysAway
    from schemas.storage.generations import GenerationError
    from sinks.protocol import Transient

    known = (
        UsageError, StackError, PartitionCountError, ProfileError, ConfigError, FileError, ServiceError, PreflightError,
        TracingError, RebuildError, GenerationError, KeyCommandError, AuditError, BackupError, MasterKeyError,
        WeightsError, RecoveryError, ExportError, ComponentError,
    )  # fmt: skip
    if isinstance(exc, BusyError):
        return f"the service could not take the call for a minute ({exc}): run the command again", 3
    if isinstance(exc, known):
        return str(exc), 2
    if isinstance(exc, ValidationError):
        first = exc.errors(include_input=False, include_url=False)[0]
        name = "_".join(("MEMSTREAM", *(str(p).upper() for p in first["loc"])))
        return f"{name}: {first['msg']}", 2
    if isinstance(exc, AddressError):
        return str(exc), 3
    if _of_alembic(exc):
        return f"the schema in Postgres is not of this version of memstream ({exc}): run the version that made it", 2
    if isinstance(exc, (BrokerAwayError, Transient)):
        return f"the store or the brokers do not answer ({exc}): run the command again", 3
    if isinstance(exc, (psycopg.OperationalError, PoolTimeout)):
        return f"Postgres does not answer ({type(exc).__name__}): check MEMSTREAM_POSTGRES", 3
    if isinstance(exc, Away):
        return f"the brokers do not answer, or refuse ({exc}): check MEMSTREAM_KAFKA", 3
    if isinstance(exc, KeysAway):
        return f"the keyring does not open what is sealed ({exc}): check MEMSTREAM_POSTGRES and the master key", 3
    if _fenced(exc):
        return _FENCED, 3
    if isinstance(exc, (KafkaError, confluent_kafka.KafkaException)):
        return f"the Kafka broker does not answer ({type(exc).__name__}): check MEMSTREAM_KAFKA", 3
    if isinstance(exc, httpx.TransportError):
        return _away(exc), 3
    if isinstance(exc, httpx.InvalidURL):
        return "the address of the service is none: check --url and MEMSTREAM_URL", 2
    return None


def _away(exc: httpx.TransportError) -> str:
    """Which service does not answer, and what to do. The text of the error is not told, but for what it is about."""
    try:
        url = exc.request.url
        place = f" at {url.scheme}://{url.netloc.decode()}"
    except RuntimeError:  # raised outside a request
        place = ""
    remedy = "start it with `memstream up`, or name another with --url, --data or MEMSTREAM_URL"
    if "CERTIFICATE_VERIFY_FAILED" in str(exc):
        remedy = "its certificate is not accepted, check MEMSTREAM_HTTP_CA"
    return f"the service{place} does not answer ({type(exc).__name__}): {remedy}"


def fail(message: str, status: int) -> NoReturn:
    """One line on standard error, and the exit status."""
    errors.print(f"memstream: {message}", style="red", markup=False, highlight=False, soft_wrap=True)
    sys.exit(status)
