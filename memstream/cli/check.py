"""`memstream check`, `memstream migrate`, `memstream alive`: what an operator runs before and behind a deployment."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from memstream.cli.target import Data, Url, named, settings_of
from memstream.cli.terminal import output

console = output()
JsonOut = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
_STYLES = {"ok": "green", "warn": "yellow", "fail": "red", "skip": "dim"}


def check(
    only: Annotated[list[str] | None, typer.Argument(help="Names of checks; all when none is given.")] = None,
    data: Data = None,
    url: Url = None,
    as_json: JsonOut = False,
) -> None:
    """Test every address, version, topic, schema, model and profile, and say how to mend each.

    Exit status 1 when something fails.

    Example: memstream check kafka postgres
    """
    from memstream.checks import CHECKS, Status, run_checks
    from memstream.cli.app import UsageError, print_json
    from memstream.connect import with_addresses
    from memstream.stack import NoStackError

    if unknown := [n for n in only or () if n not in CHECKS]:
        raise UsageError(f"no check {unknown[0]!r}: expected {', '.join(CHECKS)}")
    settings = settings_of(data)
    settings = settings.model_copy(update={"url": named(data, url) or settings.url})
    missing: NoStackError | None = None
    try:
        settings = with_addresses(settings, by_folder=data is not None)
    except NoStackError as exc:  # which the stores say
        missing = exc
    results = []
    for result in run_checks(settings, only or (), by_folder=data is not None, missing=missing):
        results.append(result)
        if not as_json:
            style = _STYLES[result.status]
            console.print(f"{result.status:<5}", style=style, end=" ", highlight=False)
            console.print(f"{result.name}: {result.detail}", highlight=False, markup=False, soft_wrap=True)
            if result.remedy and result.status is not Status.OK:
                console.print(f"      {result.remedy}", highlight=False, markup=False, soft_wrap=True)
    if as_json:
        print_json([asdict(r) for r in results])
    if any(r.status is Status.FAIL for r in results):
        raise typer.Exit(1)


def migrate(data: Data = None) -> None:
    """Bring the Postgres schema to the newest version; safe while other processes do the same.

    Example: memstream migrate
    """
    from memstream.cli.app import running
    from schemas import migrations

    settings = running(data)
    migrations.upgrade(settings.postgres.get_secret_value())
    console.print(f"schema {migrations.newest()}", highlight=False)


def alive(
    process: Annotated[str, typer.Argument(help="Its MEMSTREAM_INSTANCE, for example worker-screen.")],
    within: Annotated[float, typer.Option("--within", help="Oldest heartbeat that counts, seconds.")] = 30.0,
    data: Data = None,
) -> None:
    """Exit status 0 when the process has sent a heartbeat lately: the health check of a worker's container.

    While Postgres is away nobody knows, and a restart would mend nothing: that is 0 too, and the output names it.

    Example: memstream alive sink-postgres --within 60
    """
    import psycopg

    from memstream.cli.app import running
    from schemas.storage import postgres_connections

    settings = running(data)
    try:
        with postgres_connections.connect(settings.postgres.get_secret_value()) as conn:
            row = conn.execute(
                "SELECT extract(epoch FROM clock_timestamp() - at)::float FROM ops.heartbeats WHERE process = %s",
                (process,),
            ).fetchone()
    except psycopg.OperationalError as exc:
        console.print(f"{process}: Postgres does not answer ({type(exc).__name__}), nobody can tell")
        return
    if row is None or row[0] > within:
        console.print(f"{process}: {'no heartbeat' if row is None else f'last heartbeat {row[0]:.0f} s ago'}")
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    for command in (check, migrate, alive):
        app.command()(command)
