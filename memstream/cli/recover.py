"""`memstream recover`: after a power cut, before anything writes."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memstream.cli.terminal import output

if TYPE_CHECKING:
    from memstream.recovery import Comparison

console = output()


def recover(
    yes: Annotated[bool, typer.Option("--yes", help="Mend the logs; without it they are only compared.")] = False,
    data: Annotated[Path | None, typer.Option("--data", help="Folder of the embedded servers.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print data as JSON.")] = False,
) -> None:
    """Find logs that have lost what was read of them, also where they have grown since; occupy the lost offsets so that
    none is used twice, and send again what was written where readers had passed. Says whether Kafka or Postgres is
    older, as behind a restore. Stop all processes and producers before. Exit status 1 where a log has lost something
    and --yes was not given.

    Example: memstream recover --yes
    """
    from memstream import recovery
    from memstream.cli.app import print_json, running

    settings = running(data)
    where = settings.brokers, settings.postgres.get_secret_value(), settings.partitions
    logs = recovery.recover(*where) if yes else recovery.short_logs(*where)
    found = recovery.compared(*where)
    if as_json:
        never_read = [asdict(place) | {"lost": place.lost} for place in found.unreadable]
        print_json([*(asdict(log) | {"lost": log.lost, "filled": yes} for log in logs), *never_read])
    else:
        for log in logs:
            word = ("mended" if yes else "grown") if log.written else ("filled" if yes else "short")
            console.print(f"{word:<7}{log}", highlight=False)
        for place in found.unreadable:
            console.print(f"{'unread':<7}{place}", highlight=False)
        console.print(_older(bool(logs), found), highlight=False)
    if logs and not yes:
        raise typer.Exit(1)


def _older(short: bool, found: Comparison) -> str:
    """Which of Kafka and Postgres is the older one."""
    if short:
        return "Kafka is older than Postgres: what was read and is lost is written nowhere else"
    unread = f"{found.unread} records are still to be read"
    if found.unreadable:
        return f"Postgres is older than the log keeps its records; {unread}"
    return f"every log reaches as far as it was read; {unread}"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(recover)
