"""`memstream keyring status|rotate|backup|restore`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import orjson
import psycopg
import typer
from psycopg.rows import dict_row

from memstream.secretfile import replace_private

Data = Annotated[Path | None, typer.Option("--data", help="Folder of the embedded servers.")]
Json = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
app = typer.Typer(no_args_is_help=True, help="Data keys of owners and the master key that wraps them.")
_COUNTS = """
SELECT master_id, count(*) FILTER (WHERE wrapped IS NOT NULL) AS keys,
  count(*) FILTER (WHERE wrapped IS NULL) AS destroyed FROM trust.data_keys GROUP BY 1 ORDER BY 1
"""
_RESTORE = """
INSERT INTO trust.data_keys (owner, generation, master_id, wrapped, made_at, destroyed_at)
VALUES (%(owner)s, %(generation)s, %(master_id)s, decode(%(wrapped)s, 'hex'), %(made_at)s, %(destroyed_at)s)
ON CONFLICT (owner, generation) DO NOTHING
"""


_DESTROY = """
UPDATE trust.data_keys SET wrapped = NULL, destroyed_at = now()
WHERE owner = %(owner)s AND generation = %(generation)s AND made_at = %(made_at)s AND wrapped IS NOT NULL
"""
"""Of the very key that the backup knows as destroyed: `made_at` tells it from another system's. Dated now: what was
changed seconds ago is what running processes look for, and one with a copy of the key would seal under it."""
_OTHERS = """
SELECT count(*) FROM trust.data_keys WHERE owner = %(owner)s AND generation = %(generation)s AND made_at <> %(made_at)s
"""


class BackupError(ValueError):
    """A file that is no backup of a keyring."""


@app.command()
def status(data: Data = None, as_json: Json = False) -> None:
    """How many keys each master key wraps, and how many are destroyed.

    Example: memstream keyring status
    """
    with _connect(data) as conn:
        rows = conn.execute(_COUNTS).fetchall()
    _print_result(
        {"masters": rows}, as_json, *(f"{r['master_id']}  {r['keys']} keys, {r['destroyed']} destroyed" for r in rows)
    )


@app.command()
def rotate(
    drop_old: Annotated[bool, typer.Option("--drop-old", help="Forget the older master keys afterwards.")] = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """A new master key in the file (or the first one of MEMSTREAM_MASTER_KEY), and every data key wrapped with it.
    Nothing has to stop; a run that was cut off goes on where it was.

    Example: memstream keyring rotate
    """
    from memstream.cli.app import running
    from memstream.keyring.store import Keyring
    from memstream.keyring.wiring import master_keys

    settings = running(data)
    masters = master_keys(settings)
    keyring = Keyring(settings.postgres.get_secret_value(), masters)
    of_file = not settings.master_key.get_secret_value()
    keyring.turn(masters.rotate if of_file else lambda: None)
    count = keyring.rewrap()
    dropped = masters.drop_others() if drop_old else 0
    keyring.close()
    result = {"master_id": masters.current, "rewrapped": count, "dropped": dropped}
    _print_result(
        result, as_json, f"{count} data keys are wrapped with {masters.current}; {dropped} older master keys dropped"
    )


@app.command()
def backup(file: Path, data: Data = None, as_json: Json = False) -> None:
    """Write the keyring to a file. Its data keys stay wrapped: keep the master keys elsewhere.

    Example: memstream keyring backup keyring.json
    """
    with _connect(data) as conn:
        rows = conn.execute(
            "SELECT owner, generation, master_id, encode(wrapped, 'hex') AS wrapped, made_at, destroyed_at"
            " FROM trust.data_keys ORDER BY owner, generation"
        ).fetchall()
    replace_private(file, b"".join(orjson.dumps(r) + b"\n" for r in rows))
    _print_result({"keys": len(rows), "file": str(file)}, as_json, f"{len(rows)} keys in {file}")


@app.command()
def restore(file: Path, data: Data = None, as_json: Json = False) -> None:
    """Put back what is missing, and destroy what the backup knows as destroyed. A key that was destroyed stays so.

    Example: memstream keyring restore keyring.json
    """
    with _connect(data) as conn, conn.transaction():
        rows = [_row(line) for line in file.read_bytes().splitlines()]
        added = sum(conn.execute(_RESTORE, row).rowcount for row in rows)
        destroyed = sum(conn.execute(_DESTROY, row).rowcount for row in rows if row["wrapped"] is None)
        others = sum(_number(conn.execute(_OTHERS, row).fetchone()) for row in rows if row["wrapped"] is not None)
    result = {"keys": len(rows), "added": added, "destroyed": destroyed, "others": others}
    lines = [f"{added} of {len(rows)} keys were missing, {destroyed} were destroyed since"]
    if others:
        lines.append(
            f"{others} are not those that stand under their name: made anew before this restore, or of another system;"
            " what lies under the backup's cannot be opened"
        )
    _print_result(result, as_json, *lines)


def _number(row: dict[str, Any] | None) -> int:
    return 0 if row is None else int(row["count"])


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = orjson.loads(line)
        return {n: row[n] for n in ("owner", "generation", "master_id", "wrapped", "made_at", "destroyed_at")}
    except (ValueError, KeyError, TypeError):
        raise BackupError("the file is no backup of a keyring: expected one JSON object a line") from None


def _connect(data: Path | None) -> psycopg.Connection[dict[str, Any]]:
    from memstream.cli.app import running
    from schemas.storage import postgres_connections

    dsn = running(data).postgres.get_secret_value()
    return postgres_connections.connect(dsn, autocommit=True, row_factory=dict_row)


def _print_result(result: dict[str, Any], as_json: bool, *lines: str) -> None:
    from memstream.cli.app import print_json

    if as_json:
        print_json(result)
    else:
        typer.echo("\n".join(lines))


def register(parent: typer.Typer) -> None:
    """Add the commands to the application."""
    parent.add_typer(app, name="keyring")
