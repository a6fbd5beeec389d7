"""`memstream reembed` and `memstream reprocess ...`: another embedding model, another gate, other days of retention, a
tighter PII policy, a newer reader over what the log holds (N1, C8, D5)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer
from rich.console import Console

from memstream.cli.rebuild import (
    Bars,
    Data,
    DropOld,
    JsonOut,
    NoSwitch,
    Phases,
    Repair,
    connected,
    console,
    finish,
    options_of,
    running_settings,
)

if TYPE_CHECKING:
    import psycopg

    from memstream.keyring.wiring import Sealing
    from memstream.settings import Settings

app = typer.Typer(
    no_args_is_help=True,
    help="Apply the current PII policy, retention, gate or reader to what is stored. Reads and writes go on. Safe to "
    "kill and to run again.",
    epilog="Example: memstream reprocess gate",
)
OLD_NAMES = {"gate": "regate", "dates": "redate", "screen": "rescreen"}
"""Command of the group -> the name that it had, which is taken for one more release."""
Apply = Annotated[
    bool, typer.Option("--apply", help="Bring about what differs; without it, differences are only reported.")
]


def reembed(
    model: Annotated[str, typer.Argument(help="The embedding model: e5, or use (the one that the workers use).")],
    data: Data = None, drop_old: DropOld = False, repair: Repair = False, no_switch: NoSwitch = False,
    as_json: JsonOut = False,
) -> None:  # fmt: skip
    """Make the vectors in Postgres and Milvus again with another embedding model, beside those that are read; compare,
    then switch both at once. Questions are embedded with the model of what is read.

    Reads and writes go on. Safe to kill and to run again. `memstream rebuild switch milvus --to N` is the way back.

    Example: memstream reembed e5
    """
    from memstream.reprocess.reembed import Reembed, name_of

    options = options_of(repair, no_switch, drop_old)
    embedder, settings = name_of(model), running_settings(data)
    with Bars(Console(stderr=True)) as bars:
        outcomes = Reembed(settings, bars, options, lambda: connected(settings)).run(embedder)
    finish(outcomes, as_json)


@app.command()
def gate(data: Data = None, apply: Apply = False, as_json: JsonOut = False) -> None:
    """Decide again from the ledger what became memory, with the current gate and profiles, beside what is stored. No
    model is asked for its words again. What a user corrected, rejected, forgot or had erased does not come back.

    Run it first without --apply and look at what differs. Reads and writes go on. Safe to kill and to run again.

    Example: memstream reprocess gate --json
    """
    from memstream.reprocess.regate_run import Regate

    out = _ran("gate", data, lambda settings, sealing, phases: Regate(settings, sealing, phases), dry=not apply)
    _end(out, _print_regate, as_json)


@app.command()
def dates(
    data: Data = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would end otherwise, change nothing.")] = False,
    as_json: JsonOut = False,
) -> None:  # fmt: skip
    """Give stored records the end that the days of retention say now: sooner, later, or none.

    First change the days in the profile (and restart the workers, where it is a file's); then run this. What is over
    by the new days goes with the next ticks. Reads and writes go on. Safe to kill and to run again.

    Example: memstream reprocess dates --dry-run
    """
    from memstream.reprocess.redate_run import Redate

    out = _ran("dates", data, lambda settings, sealing, phases: Redate(settings, sealing.codec, phases), dry=dry_run)
    _end(out, _print_redate, as_json)


@app.command()
def screen(
    data: Data = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be masked, change nothing.")] = False,
    as_json: JsonOut = False,
) -> None:
    """Mask in what is stored what the PII policy masks now: every view and the topics behind screen.

    First tighten the policy in the profile and restart the workers; then run this. Safe to run again.

    Example: memstream reprocess screen --dry-run
    """
    from memstream.reprocess.rescreen_run import Rescreen

    def work(settings: Settings, sealing: Sealing, phases: Phases) -> Rescreen:
        return Rescreen(settings, sealing.codec, sealing.vault, phases)

    out = _ran("screen", data, work, dry=dry_run)
    _end(out, _print_rescreen, as_json)


@app.command()
def read(
    data: Data = None, apply: Apply = False,
    rate: Annotated[float, typer.Option("--rate", min=0.1, help="Turns that are read a second, at most.")] = 20.0,
    tenant: Annotated[str | None, typer.Option("--tenant", help="Only turns of this tenant.")] = None,
    user: Annotated[str | None, typer.Option("--user", help="Only turns of this user.")] = None,
    as_json: JsonOut = False,
) -> None:  # fmt: skip
    """Read the stored turns again that an older version of the reader read, and restate what is remembered of them. No
    model is asked. What a user wrote, corrected or confirmed stays.

    Run it first without --apply and look at what changes. What was read is not read again: safe to kill and to run
    again.

    Example: memstream reprocess read --apply --rate 5
    """
    from memstream.reprocess.reread import Only
    from memstream.reprocess.reread_run import Reread

    def work(settings: Settings, sealing: Sealing, phases: Phases) -> Reread:
        return Reread(settings, sealing, phases, Only(tenant, user), rate)

    _end(_ran("read", data, work, dry=not apply), _print_read, as_json)


class Work(Protocol):
    """One of these commands at work: what it found, and `still_there` for what is left after it. Close after use."""

    def run(self, conn: psycopg.Connection[Any], *, dry: bool) -> dict[str, Any]: ...

    def close(self) -> None: ...


def _ran(
    name: str, data: Path | None, work: Callable[[Settings, Sealing, Phases], Work], *, dry: bool
) -> dict[str, Any]:
    from memstream.keyring.wiring import sealing_of
    from memstream.stack.up import single_threaded

    single_threaded()
    settings = running_settings(data)
    with connected(settings) as conn, Bars(Console(stderr=True)) as bars:
        phases = Phases(bars, name)
        with closing(sealing_of(settings)) as sealing, closing(work(settings, sealing, phases)) as running:
            return running.run(conn, dry=dry)


def _end(out: dict[str, Any], say: Callable[[dict[str, Any]], None], as_json: bool) -> None:
    """Print, and leave with 1 where something is still there."""
    from memstream.cli.app import print_json

    if as_json:
        print_json(out)
    else:
        say(out)
    if out.get("still_there"):
        raise typer.Exit(1)


def _print_redate(out: dict[str, Any]) -> None:
    found = ", ".join(f"{n} {name}" for name, n in out["classes"].items()) or "nothing"
    word = "would end at another time" if out["dry_run"] else "given another end"
    console.print(f"{out['looked_at']} versions of records looked at; {word}: {found}", highlight=False)
    for name, n in out.get("still_there", {}).items():
        console.print(f"  {n} {name} still end otherwise: they changed meanwhile, or the workers run another profile; "
                      "run it again", style="red", highlight=False)  # fmt: skip


def _print_regate(out: dict[str, Any]) -> None:
    found = out["differences"]
    word = "decided anew" if out["applied"] else "would be decided otherwise"
    count = sum(g["records"] for g in found)
    console.print(f"{out['looked_at']} records looked at; {count} {word}", highlight=False)
    _groups(found)
    for why, n in out["left"].items():
        console.print(f"  {n} differ and stay as they are: {_WHY[why]}", style="yellow", highlight=False)
    if out["unreadable"]:
        console.print(f"  {out['unreadable']} records of the ledger are refused by the gate of now", style="yellow")
    if out.get("still_there"):
        console.print("still otherwise (they changed meanwhile, or workers run another version): run it again",
                      style="red")  # fmt: skip
        _groups(out["still_there"])
    elif found and not out["applied"]:
        console.print("nothing is changed yet: `memstream reprocess gate --apply` does that", highlight=False)


_WHY = {
    "the_users_own": "a command or feedback of the user made or changed them",
    "rejected": "the user rejected what they say",
    "deleted": "they were deleted, archived or forgotten",
    "not_in_the_ledger": "the ledger does not hold what they came from",
    "changed_meanwhile": "they changed while they were looked at: run it again",
}


def _groups(found: list[dict[str, Any]]) -> None:
    for g in found:
        name = f"{g['kind']} {g['field'] or ''}".strip()
        phases = f" ({', '.join(g['differs'])})" if g["differs"] else ""
        console.print(f"  {g['what']:<8} {g['records']:>6}  {name}{phases}  {' '.join(g['examples'])}", highlight=False)


def _print_read(out: dict[str, Any]) -> None:
    word = "were read again" if out["applied"] else "would be read again"
    console.print(f"{out['turns']} turns are stored; {out['older']} {word} by {out['reader']}", highlight=False)
    _groups(out["memories"])
    for why, n in out["left"].items():
        console.print(f"  {n} {_LEFT[why]}", style="yellow", highlight=False)
    if out.get("still_there"):
        console.print(f"{out['still_there']} turns are still of an older version: workers run it, or have not come to "
                      "them; run it again", style="red", highlight=False)  # fmt: skip
    elif out["older"] and not out["applied"]:
        console.print("nothing is changed yet: `memstream reprocess read --apply` does that", highlight=False)


_LEFT = {
    "forgotten_soon": "turns stay as they were read: their 30 days end within a day",
    "not_read_yet": "turns stay as they are: the rules have not read them, or not within 30 days",
    "rejected": "statements are not taken: the user rejected what they say",
    "the_users_own": "statements change nothing: the user wrote, corrected or confirmed what they speak of",
    "turns_are_gone": "memories of an older version stay as they are: their turns are stored no more",
    "unreadable": "turns are refused by the current gate",
}


def _print_rescreen(out: dict[str, Any]) -> None:
    records = ", ".join(f"{n} {kind}" for kind, n in out["records"].items()) or "nothing"
    word = "would be masked" if out["dry_run"] else "masked"
    console.print(f"{out['looked_at']} records looked at; {word}: {records}", highlight=False)
    for entity, n in out["entities"].items():
        console.print(f"  {entity:<32} {n}", highlight=False)
    for kind, n in out["left"].items():
        console.print(f"  {n} {kind}: no amendment reaches these, write or ingest them again", style="yellow")
    for kind, n in out.get("still_there", {}).items():
        console.print(f"  {n} {kind} still hold it: workers run another profile (restart them where it is a file's), "
                      "or it changes all the time; then run this again", style="red", highlight=False)  # fmt: skip


def register(cli: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    cli.command()(reembed)
    cli.add_typer(app, name="reprocess")
    for new, command in (("gate", gate), ("dates", dates), ("screen", screen)):
        old = OLD_NAMES[new]
        text = (
            f"Deprecated: `memstream reprocess {new}` under the name that it had, which the next release drops.\n\n"
            f"Example: memstream {old} --json"
        )
        cli.command(old, help=text, deprecated=True)(command)
