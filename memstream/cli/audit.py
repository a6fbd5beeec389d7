"""`memstream audit`: the access log of a running memstream (C10)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from memstream.cli.terminal import output

if TYPE_CHECKING:
    from schemas.security.audit import Fault

app = typer.Typer(no_args_is_help=True, help="The access log: who read or wrote which memory, when.")
console = output()
Data = Annotated[Path | None, typer.Option("--data", help="Folder of the embedded servers.")]
Json = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
_SHOWN_FAULTS = 20


@app.command()
def verify(
    against: Annotated[
        Path | None, typer.Option("--against", help="An earlier output of `audit verify --json`: it must still hold.")
    ] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Check every chain of the access log; exit status 1 when an entry was changed, added or removed.

    Example: memstream audit verify --json
    """
    from memstream import audit
    from memstream.cli.app import print_json, running
    from memstream.workers.auditor import audit_key

    settings = running(data)
    anchors = None if against is None else audit.read_anchors(against)
    found = audit.verify(settings.postgres.get_secret_value(), audit_key(settings), anchors)
    if as_json:
        faults = [{"chain": f.chain, "seq": f.seq, "what": f.what} for f in found.faults]
        summary = {"entries": found.entries, "erased": found.erased, "faults": faults, "heads": found.heads}
        print_json({**summary, "begun_at": found.begun_at})
    else:
        for fault in found.faults[:_SHOWN_FAULTS]:
            console.print(_fault_text(fault), highlight=False)
        result = "verified" if not found.faults else f"NOT as written: {len(found.faults)} faults"
        since = f", begun {found.begun_at.isoformat(timespec='seconds')}" if found.begun_at else ""
        console.print(f"{found.entries} entries ({found.erased} of erased owners){since}: {result}", highlight=False)
    if found.faults:
        raise typer.Exit(1)


def _fault_text(fault: Fault) -> str:
    if fault.what == "list":
        return "the list of chains is missing or was changed: was `worker audit` never started, or the log emptied?"
    if fault.what == "lost":
        return f"chain {fault.chain}: not the {fault.seq} entries that the list of chains has"
    return f"chain {fault.chain}, entry {fault.seq}: {fault.what} does not agree"


@app.command("list")
def list_accesses(
    tenant: Annotated[str, typer.Option("--tenant", help="Whose memory.")] = "default",
    user: Annotated[str | None, typer.Option("--user", help="Only this user's memory.")] = None,
    principal: Annotated[str | None, typer.Option("--principal", help="Only by key:ID or jwt:SUBJECT.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="Only the last 90d, 12h or 30m.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100_000)] = 100,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Entries of the access log, the newest first.

    Example: memstream audit list --user ana --limit 20
    """
    from memstream import audit
    from memstream.cli.app import print_json, running
    from memstream.cli.keys import span

    start = None if since is None else datetime.now(UTC) - span(since, "--since")
    dsn = running(data).postgres.get_secret_value()
    rows = audit.listed(dsn, tenant, user, principal, start, limit)
    if as_json:
        print_json(rows)
        return
    table = Table(box=None, pad_edge=False)
    for column in ("at", "who", "what", "owner", "memories"):
        table.add_column(column)
    for row in rows:
        what = f"{row['action']} {row['operation']}".strip()
        owner = row["owner"] or f"erased {row['subject']}"
        at = row["at"].isoformat(timespec="seconds")
        table.add_row(at, row["principal"], what, owner, str(len(row["record_ids"] or ())))
    console.print(table, markup=False)


def register(cli: typer.Typer) -> None:
    cli.add_typer(app, name="audit")
