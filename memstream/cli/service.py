"""Commands that work on a running service: ingest, demo, status, eval."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast
from urllib.parse import quote

import typer
from rich.console import Console
from rich.table import Table

from memstream.cli.formats import FileError, FileFormat, read_turns
from memstream.cli.target import Data, Url, service, settings_of
from memstream.cli.terminal import output
from memstream.connect import service as connected
from memstream.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

console = output()
Format = Annotated[str | None, typer.Option("--format", help="jsonl or locomo; guessed when not given.")]
JsonOut = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]


def _format(name: str | None) -> FileFormat | None:
    if name not in (None, "jsonl", "locomo"):
        raise typer.BadParameter("expected jsonl or locomo", param_hint="--format")
    return cast("FileFormat | None", name)


def ingest(file: Path, fmt: Format = None, data: Data = None, url: Url = None, as_json: JsonOut = False) -> None:
    """Send a file of turns through the running service and wait until it is readable.

    Example: memstream ingest conversation.jsonl
    """
    from dataclasses import asdict

    from memstream.cli.app import print_json
    from memstream.cli.ingest import ingest as run

    turns = list(read_turns(file, _format(fmt)))
    done = run(service(data, url), turns, Console(stderr=True) if as_json else console)
    if as_json:
        print_json(asdict(done))
    else:
        console.print(f"{done.turns} turns in {done.seconds:.1f} s, readable {done.fresh_seconds:.1f} s later")
    if not done.fresh:
        raise typer.Exit(1)


def demo(
    file: Annotated[Path | None, typer.Argument(help="JSONL of turns or a LoCoMo-shaped file.")] = None,
    fmt: Format = None,
    question: Annotated[str | None, typer.Option("--question", help="What to ask of your own file.")] = None,
    data: Data = None,
) -> None:
    """Start the stack, ingest a conversation, show what was remembered and why; then stop.

    Example: memstream demo conversation.jsonl --question "Where do I live?"
    """
    from memstream.cli.demo import show
    from memstream.stack.state import running_addresses
    from memstream.stack.up import single_threaded

    single_threaded()
    settings = settings_of(data)
    turns = None if file is None else list(read_turns(file, _format(fmt)))
    if turns == []:
        raise FileError(f"{file}: holds no turn")

    async def run() -> None:
        async with _stack(settings) as url:
            await asyncio.to_thread(show, console, connected(settings, url), turns, question)
            console.rule()
            console.print(f"service {url}   ops page {url}/ops   API {url}/docs", soft_wrap=True)

    asyncio.run(run())
    if "query" not in (running_addresses(settings.data_dir) or {}):
        console.print("The demo has stopped its servers. `memstream up` starts them to stay.")


@asynccontextmanager
async def _stack(settings: Settings) -> AsyncIterator[str]:
    """The stack that runs on the data folder, else one of our own for as long as the block lasts."""
    from memstream.checks.addresses import check_given
    from memstream.stack import EmbeddedStack
    from memstream.stack.state import running_addresses
    from memstream.stack.up import given, start

    found = running_addresses(settings.data_dir)
    if found and "query" in found:
        yield found["query"]
        return
    await asyncio.to_thread(check_given, settings)
    with console.status("starting Kafka, Postgres, Valkey, Milvus and the workers") as status:

        def report(name: str, state: str) -> None:
            status.update(f"{name}: {state}")

        stack = EmbeddedStack(settings.data_dir, given(settings), on_progress=report, nice=settings.nice)
        await stack.__aenter__()
        try:
            url = await start(stack, settings, report)
        except BaseException:
            await stack.__aexit__(None, None, None)
            raise
    try:
        yield url
    finally:
        with console.status("stopping"):
            await stack.__aexit__(None, None, None)


def status(data: Data = None, url: Url = None, as_json: JsonOut = False) -> None:
    """The pipeline at a glance: what is not well, lag, rate and freshness a stage and store. Exit status 1 when
    something is not well.

    Example: memstream status --json
    """
    from memstream.cli.app import print_json

    pipeline = service(data, url).get("/v1/pipeline")
    pipeline.pop("_fresh", None)
    if as_json:
        print_json(pipeline)
    else:
        _show_pipeline(pipeline)
    if not pipeline["ready"]:
        raise typer.Exit(1)


def _show_pipeline(pipeline: dict[str, Any]) -> None:
    _show_health(pipeline)
    table = Table(box=None, pad_edge=False)
    for column in ("stage", "rate/s", "lag", "state"):
        table.add_column(column)
    for s in pipeline.get("stages", []):
        table.add_row(str(s.get("name")), f"{s.get('rate', 0):.1f}", str(s.get("lag", "?")), str(s.get("state", "")))
    console.print(table)
    for name, f in sorted(pipeline.get("freshness", {}).items()):
        if f.get("p50_seconds") is not None:
            console.print(f"{name}: p50 {f['p50_seconds'] * 1000:.0f} ms, p99 {f['p99_seconds'] * 1000:.0f} ms")


def _show_health(pipeline: dict[str, Any]) -> None:
    if pipeline["ready"]:
        console.print("ready: every stage moves, every store answers", style="green", highlight=False)
    for reason in pipeline["reasons"]:
        console.print(f"not well: {reason}", style="red", markup=False, highlight=False)
    if letters := pipeline["dead_letters"]["count"]:
        open_ = "1 dead letter is open" if letters == 1 else f"{letters} dead letters are open"
        console.print(f"{open_}: `memstream dlq list`", style="yellow", highlight=False)
    if pending := pipeline["erasures_pending"]:
        console.print(f"{pending} {'erasure is' if pending == 1 else 'erasures are'} under way", highlight=False)


def originals(
    turn_id: Annotated[str, typer.Argument(help="The turn; a memory names its source turns.")],
    user: Annotated[str, typer.Option("--user", help="Whose turn it is.")],
    data: Data = None,
    url: Url = None,
    as_json: JsonOut = False,
) -> None:
    """What the PII policy `encrypt` took out of a turn. Needs a key with the scope pii, and is in the access log.

    Example: memstream originals turn-17 --user ann
    """
    from memstream.cli.app import print_json

    path = f"/v1/turns/{quote(turn_id, safe='')}/originals?user_id={quote(user, safe='')}"
    answer = service(data, url).get(path)
    answer.pop("_fresh", None)
    if as_json:
        print_json(answer)
        return
    for found in answer["originals"]:
        console.print(f"{found['placeholder']}  {found['value']}", markup=False, highlight=False, soft_wrap=True)
    if not answer["originals"]:
        console.print("nothing was encrypted in this turn")


class EvalName(StrEnum):
    """What can be measured."""

    PII = "pii"
    DEDUP = "dedup"
    EXTRACTION = "extraction"
    RETRIEVAL = "retrieval"


def evaluate(
    name: Annotated[EvalName, typer.Argument(help="pii, dedup, extraction, or retrieval (over the running service).")],
    file: Annotated[Path, typer.Argument(help="The annotated file; shapes are in docs/quality.md.")],
    with_file: Annotated[
        Path | None, typer.Option("--with", help="Facts (extraction) or memories (retrieval).")
    ] = None,
    data: Data = None,
    url: Url = None,
    as_json: JsonOut = False,
) -> None:
    """Measure a gate or retrieval on an annotated file.

    Example: memstream eval pii annotated.jsonl
    """
    from memstream.cli.app import print_json
    from memstream.stack.up import single_threaded

    if url is not None and name is not EvalName.RETRIEVAL:
        raise typer.BadParameter(f"{name.value} measures by itself and asks no service", param_hint="--url")
    single_threaded()
    try:
        result = _measured(name, file, with_file, data, url)
    except OSError as exc:
        raise FileError(f"{exc.filename or file}: {exc.strerror}") from None
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError) as exc:
        detail = f" ({exc} is missing)" if isinstance(exc, KeyError) else ""
        raise FileError(f"{file}: not of the shape that docs/quality.md gives for {name.value}{detail}") from None
    if as_json:
        print_json(result)
    else:
        console.print_json(data=result, default=str)


def _measured(name: EvalName, file: Path, with_file: Path | None, data: Path | None, url: str | None) -> Any:
    from memstream.evaluation import gates, retrieval
    from schemas.profile.model import load_profile

    match name:
        case EvalName.PII:
            return gates.pii(file)
        case EvalName.DEDUP:
            return gates.dedup(file)
        case EvalName.EXTRACTION:
            settings = settings_of(data)
            return gates.extraction(file, with_file, load_profile(settings.profile, settings.profiles_dir))
        case EvalName.RETRIEVAL:
            return retrieval.retrieval(file, with_file, lambda: service(data, url), Console(stderr=True))


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    for command in (ingest, demo, status, originals):
        app.command()(command)
    app.command("eval")(evaluate)
