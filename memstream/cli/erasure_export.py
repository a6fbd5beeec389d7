"""`memstream erase --export` and `--again`: erasures kept for the day on which a backup is put back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import typer
from psycopg.rows import dict_row


def write(file: Path, data: Path | None, as_json: bool) -> None:
    """All tenants' erasures, with their reports."""
    from memstream.cli.app import print_json, running
    from memstream.erasure.export import exported
    from memstream.secretfile import replace_private
    from schemas.storage import postgres_connections

    dsn = running(data).postgres.get_secret_value()
    with postgres_connections.connect(dsn, autocommit=True, row_factory=dict_row) as conn:
        lines = list(exported(conn))
    replace_private(file, b"".join(lines))
    if as_json:
        print_json({"erasures": len(lines), "file": str(file)})
    else:
        typer.echo(f"{len(lines)} erasures in {file}")


def again(file: Path, since: datetime | None, yes: bool, data: Path | None, as_json: bool) -> None:
    """Compare an export with what was put back; with `yes` do again what is missing. Exit status 1 where something is
    missing and nothing was done."""
    from memstream.cli.app import print_json, running
    from memstream.erasure import export
    from memstream.erasure.kafka import KafkaTopics
    from memstream.keyring.wiring import sealing_of
    from schemas.storage import postgres_connections

    settings = running(data)
    since = since.replace(tzinfo=UTC) if since is not None and since.tzinfo is None else since
    erasures = export.read(file.read_bytes(), since)
    log, count = KafkaTopics(settings.brokers), settings.partitions
    dsn = settings.postgres.get_secret_value()
    with postgres_connections.connect(dsn, autocommit=True, row_factory=dict_row) as conn:
        wanted = export.planned(conn, log, erasures, count)
        if yes:
            sealing = sealing_of(settings)
            try:
                new_key = sealing.keyring.renewed_if_any
                export.do_again(conn, log, sealing.codec, lambda e: new_key(e.owner), wanted, count)
            finally:
                sealing.close()
    figures = {"asked": len(wanted.asked), "sought": len(wanted.sought), "coming": len(wanted.coming), "done": yes}
    if as_json:
        print_json(figures)
    else:
        verb = ("were", "is") if yes else ("are to be", "is to be")
        typer.echo(f"{len(wanted.asked)} are known to neither Postgres nor the log: they {verb[0]} asked for again")
        typer.echo(f"{len(wanted.sought)} are done: what the log holds of them again {verb[1]} nulled")
        typer.echo(f"{len(wanted.coming)} lie in the log, and are done by the steps")
    if not yes and (wanted.asked or wanted.sought):
        typer.echo("nothing was done: --yes does it", err=True)
        raise typer.Exit(1)
