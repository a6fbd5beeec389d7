"""`memstream schema export`: what flows on the topics, for others' code (CONTRACT "Topics")."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memstream.cli.terminal import output

console = output()
schema_app = typer.Typer(no_args_is_help=True, help="The schemas of the topics.")
JsonOut = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]


@schema_app.command()
def export(
    folder: Annotated[Path, typer.Argument(help="Where the documents go.")] = Path("memstream-schemas"),
    as_json: JsonOut = False,
) -> None:
    """Write AsyncAPI 3 and a JSON Schema a topic.

    Refuses, and writes nothing, where the folder holds schemas that a change of the models would break.
    Example: memstream schema export schemas/published
    """
    from memstream.cli.app import UsageError, print_json
    from schemas.compatibility.export import BreakingChangeError, write

    try:
        written = write(folder)
    except BreakingChangeError as exc:
        listed = "\n".join(f"  {change}" for change in exc.changes)
        raise UsageError(f"the schemas in {folder} would be broken; make a new version instead:\n{listed}") from None
    if as_json:
        print_json([str(path) for path in written])
    else:
        console.print(f"{len(written)} documents in {folder}", highlight=False)


@schema_app.command()
def check(
    folder: Annotated[Path, typer.Argument(help="Schemas that were exported before.")],
    as_json: JsonOut = False,
) -> None:
    """Say what the current models would break of exported schemas; exits 1 when there is something.

    Example: memstream schema check schemas/published
    """
    from memstream.cli.app import UsageError, print_json
    from schemas.compatibility.export import breaking_changes

    if not any(folder.glob("*.schema.json")):
        raise UsageError(f"no exported schemas in {folder}: make them with `memstream schema export {folder}`")
    changes = breaking_changes(folder)
    if as_json:
        print_json(changes)
    else:
        for change in changes or ["nothing is broken"]:
            console.print(change, highlight=False, markup=False)
    if changes:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the group to the application."""
    app.add_typer(schema_app, name="schema")
