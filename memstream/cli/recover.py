"""`memstream recover`: after a power cut, before anything writes."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from memstream.cli.terminal import output

console = output()


def recover(
    yes: Annotated[bool, typer.Option("--yes", help="Mend the logs; without it they are only compared.")] = False,
    data: Annotated[Path | None, typer.Option("--data", help="Folder of the embedded servers.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print data as JSON.")] = False,
) -> None:
    """Find logs that have lost what was read of them, also where they have grown since; occupy the lost offsets so that
    none is used twice, and send again what was written where readers had passed. Stop all processes and producers
    before. Exit status 1 where a log has lost something and --yes was not given.

    Example: memstream recover --yes
    """
    from memstream import recovery
    from memstream.cli.app import print_json, running

    settings = running(data)
    look = recovery.recover if yes else recovery.short_logs
    logs = look(settings.brokers, settings.postgres.get_secret_value(), settings.partitions)
    if as_json:
        print_json([asdict(log) | {"lost": log.lost, "filled": yes} for log in logs])
    else:
        for log in logs:
            word = ("mended" if yes else "grown") if log.written else ("filled" if yes else "short")
            console.print(f"{word:<7}{log}", highlight=False)
        if not logs:
            console.print("every log reaches as far as it was read", highlight=False)
    if logs and not yes:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(recover)
