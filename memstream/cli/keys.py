"""`memstream keys`: the API keys of a running memstream."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from schemas.security.scope import Permission

if TYPE_CHECKING:
    from memstream.keys import Minted

from memstream.cli.terminal import output

app = typer.Typer(no_args_is_help=True, help="API keys: made, listed, rotated, revoked.")
console = output()
Data = Annotated[Path | None, typer.Option("--data", help="Folder of the embedded servers.")]
Json = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
Expires = Annotated[str | None, typer.Option("--expires", help="Life of the key, such as 90d, 12h or 30m.")]
_SCOPES = "read, write, documents, everyone, pii, operator, admin; may be repeated."
_PROJECT = "Bind to a project; may be repeated. A key with --user reaches the projects named here; '*' is all."
_SHUT = "This is the first key: from now on nobody is answered without one, also on 127.0.0.1, even if it is revoked."
_SPAN = re.compile(r"([1-9][0-9]{0,4})([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def span(text: str, option: str) -> timedelta:
    """A length of time as `90d`. Raises typer.BadParameter."""
    found = _SPAN.fullmatch(text)
    if found is None:
        raise typer.BadParameter("expected a number and s, m, h, d or w, such as 90d", param_hint=option)
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def _until(expires: str | None) -> datetime | None:
    return None if expires is None else datetime.now(UTC) + span(expires, "--expires")


def _dsn(data: Path | None) -> str:
    from memstream.cli.app import running
    from schemas import migrations

    dsn = running(data).postgres.get_secret_value()
    migrations.upgrade(dsn)
    return dsn


@app.command()
def create(
    tenant: Annotated[str, typer.Option("--tenant", help="The tenant that the key belongs to.")] = "default",
    name: Annotated[str, typer.Option("--name", help="What the key is for.")] = "",
    scope: Annotated[
        list[Permission] | None, typer.Option("--scope", help=_SCOPES)
    ] = None,
    user: Annotated[list[str] | None, typer.Option("--user", help="Bind to a user; may be repeated.")] = None,
    project: Annotated[list[str] | None, typer.Option("--project", help=_PROJECT)] = None,
    expires: Expires = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Make a key. It is shown once; only its hash is kept.

    Example: memstream keys create --tenant acme --scope read --scope write
    """
    from memstream import keys

    scopes = tuple(dict.fromkeys(scope or [Permission.READ, Permission.WRITE]))
    grant = keys.Grant(
        tenant, name, scopes, tuple(user) if user else None, tuple(project) if project else None, _until(expires)
    )
    dsn = _dsn(data)
    first = not keys.exist(dsn)
    _show(keys.create(dsn, grant), as_json)
    if first:
        typer.echo(_SHUT, err=True)


@app.command("list")
def list_keys(
    tenant: Annotated[str | None, typer.Option("--tenant", help="Only the keys of this tenant.")] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """The keys, without their secrets.

    Example: memstream keys list --tenant acme
    """
    from memstream import keys
    from memstream.cli.app import print_json

    rows = keys.listed(_dsn(data), tenant)
    if as_json:
        print_json(rows)
        return
    table = Table(box=None, pad_edge=False)
    for column in ("key id", "tenant", "name", "scopes", "bound to", "state", "expires"):
        table.add_column(column)
    for row in rows:
        bound = [*(f"user {u}" for u in row["users"] or ()), *(f"project {p}" for p in row["projects"] or ())]
        expires = row["expires_at"].isoformat(timespec="seconds") if row["expires_at"] else "never"
        scopes = ",".join(row["scopes"])
        table.add_row(row["key_id"], row["tenant"], row["name"], scopes, ", ".join(bound), row["state"], expires)
    console.print(table, markup=False)


@app.command()
def rotate(
    key_id: Annotated[str, typer.Argument(help="The id of the key, as `keys list` shows it.")],
    grace: Annotated[str, typer.Option("--grace", help="How long the old key goes on.")] = "1d",
    expires: Expires = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """A new key with the same reach; the old one ends after the grace.

    Example: memstream keys rotate 4f1c22aa --grace 2h
    """
    from memstream import keys

    _show(keys.rotate(_dsn(data), key_id, span(grace, "--grace"), _until(expires)), as_json)


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(help="The id of the key, as `keys list` shows it.")], data: Data = None
) -> None:
    """End a key; running services notice within seconds.

    Example: memstream keys revoke 4f1c22aa
    """
    from memstream import keys

    keys.revoke(_dsn(data), key_id)
    console.print(f"revoked {key_id}", highlight=False)


def _show(minted: Minted, as_json: bool) -> None:
    from memstream.cli.app import print_json

    if as_json:
        print_json({"key_id": minted.key_id, "key": minted.key})
        return
    console.print(f"key id  {minted.key_id}", highlight=False)
    console.print(f"key     {minted.key}", highlight=False, soft_wrap=True)
    console.print("This key is not shown again.", highlight=False)


def register(cli: typer.Typer) -> None:
    cli.add_typer(app, name="keys")
