"""`memstream rebuild ...`: the views made anew from the log, beside those that are read (N1)."""

from __future__ import annotations

import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

if TYPE_CHECKING:
    import psycopg

    from memstream.reprocess.driver import Options, Outcome
    from memstream.settings import Settings

from memstream.cli.terminal import output

console = output()
Data = Annotated[Path | None, typer.Option("--data", help="Folder of the embedded servers.")]
JsonOut = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
DropOld = Annotated[bool, typer.Option("--drop-old", help="Drop the generation that was read, once it is not.")]
Repair = Annotated[
    bool, typer.Option("--repair", help="The live views are damaged: compare the new ones with the log instead.")
]
NoSwitch = Annotated[bool, typer.Option("--no-switch", help="Build and compare, but let readers stay where they are.")]
StoreName = Annotated[str, typer.Argument(help="postgres, milvus, or redis.")]
app = typer.Typer(
    no_args_is_help=True,
    help="Make the views of a store anew from the log, beside those that are read; compare, then switch. No model is "
    "asked. Reads and writes go on. Safe to kill and to run again.",
    epilog="Example: memstream rebuild postgres --drop-old",
)


class Bars:
    """Progress on the terminal: a bar a store, with what is going on and how long it may take."""

    def __init__(self, console: Console) -> None:
        self._bars = Progress(
            TextColumn("{task.fields[store]:<9}"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.description}", markup=False), console=console,
        )  # fmt: skip
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def step(self, store: str, what: str) -> None:
        self._bars.update(self._task(store), description=what)

    def left(self, store: str, total: int, left: int, seconds: float | None, what: str = "") -> None:
        eta = "" if seconds is None or not left else f"about {_duration(seconds)} left"
        description = ", ".join(part for part in (what, eta) if part)
        self._bars.update(self._task(store), total=total, completed=total - left, description=description)

    def full(self, store: str) -> None:
        task = self._task(store)
        self._bars.update(task, completed=self._bars.tasks[task].total)

    def _task(self, store: str) -> TaskID:
        if store not in self._tasks:
            self._tasks[store] = self._bars.add_task("", total=None, store=store)
        return self._tasks[store]


class Phases:
    """The bar of a command that goes over the log in phases, each with its own time left."""

    def __init__(self, bars: Bars, name: str) -> None:
        self._bars, self._name, self._phase = bars, name, ""

    def __call__(self, what: str, total: int, left: int) -> None:
        from memstream.reprocess.offsets import Eta

        if what != self._phase:
            self._phase, self._eta = what, Eta()
        self._bars.left(self._name, total, left, self._eta.update(time.monotonic(), left), what)


def _one(name: str) -> Any:
    def command(
        data: Data = None, drop_old: DropOld = False, repair: Repair = False, no_switch: NoSwitch = False,
        as_json: JsonOut = False,
    ) -> None:  # fmt: skip
        from memstream.reprocess.stores import rebuildable

        options = options_of(repair, no_switch, drop_old)
        names = rebuildable() if name == "all" else (name,)
        finish(_rebuilt(running_settings(data), names, options), as_json)

    what = "every store, one after the other" if name == "all" else f"the views in {name.capitalize()}"
    command.__doc__ = f"Rebuild {what}.\n\nExample: memstream rebuild {name} --no-switch"
    return command


for _name in ("postgres", "milvus", "redis", "all"):
    app.command(_name)(_one(_name))


@app.command()
def status(data: Data = None, as_json: JsonOut = False) -> None:
    """The generations that exist, and which are read.

    Example: memstream rebuild status --json
    """
    from memstream.cli.app import print_json
    from schemas.storage import generations

    with connected(running_settings(data)) as conn:
        found = generations.all_of(conn)
    if as_json:
        print_json([
            {"store": g.store, "generation": g.number, "state": g.state, "live": g.live, "embedder": g.embedder}
            for g in found
        ])  # fmt: skip
        return
    for g in found:
        state = "live" if g.live else g.state
        console.print(f"{g.store:<9} {g.number:>3}  {state:<9} {g.embedder}".rstrip(), highlight=False)


@app.command()
def switch(
    store: StoreName, to: Annotated[int, typer.Option("--to", help="The generation to read from now on.")],
    data: Data = None,
) -> None:  # fmt: skip
    """Read another existing generation: also the way back after a rebuild. Where its vectors are of another model,
    the other store with vectors goes along.

    Example: memstream rebuild switch postgres --to 1
    """
    from schemas.storage import generations

    with connected(running_settings(data)) as conn:
        together = generations.companions(conn, store, to)
        generations.switch(conn, together)
    for name, number in together.items():
        console.print(f"{name}: generation {number} is read from now on", highlight=False)


@app.command()
def drop(store: StoreName, data: Data = None, as_json: JsonOut = False) -> None:
    """Drop every generation of a store that is not read: those left after a switch, and one that was given up.

    Example: memstream rebuild drop milvus
    """
    from memstream.cli.app import print_json
    from memstream.reprocess.driver import Options, Rebuild
    from memstream.reprocess.errors import RebuildError
    from memstream.reprocess.ports import of_servers
    from memstream.reprocess.stores import rebuildable
    from memstream.reprocess.stores import store as store_of
    from schemas.storage import generations

    if store not in rebuildable():
        raise RebuildError(f"no store {store!r}: expected {', '.join(rebuildable())}")
    settings = running_settings(data)
    made = store_of(settings, store)
    dropped = []
    with connected(settings) as conn, closing(made.contents), Bars(Console(stderr=True)) as bars:
        if not generations.drive(conn, f"rebuild/{store}"):
            raise RebuildError(f"another command is rebuilding {store} in this stack: end it first")
        for g in generations.all_of(conn, store):
            if not g.live:
                Rebuild(of_servers(settings, made, conn), made, bars, Options()).drop(g.number)
                dropped.append(g.number)
    if as_json:
        print_json({"store": store, "dropped": dropped})
    else:
        console.print(f"{store}: dropped {', '.join(map(str, dropped)) or 'nothing'}", highlight=False)


def _rebuilt(settings: Settings, names: tuple[str, ...], options: Options) -> list[Outcome]:
    from memstream.reprocess.driver import Rebuild
    from memstream.reprocess.ports import of_servers
    from memstream.reprocess.stores import store

    out = []
    with Bars(Console(stderr=True)) as bars:
        for name in names:
            made = store(settings, name)
            with connected(settings) as conn, closing(made.contents):
                out.append(Rebuild(of_servers(settings, made, conn), made, bars, options).run())
    return out


def finish(outcomes: list[Outcome], as_json: bool) -> None:
    """Print, and leave with 1 where a comparison did not agree."""
    from memstream.cli.app import print_json

    if as_json:
        print_json([o.as_json() for o in outcomes])
    else:
        for o in outcomes:
            _print(o)
    if not all(o.comparison.agrees for o in outcomes):
        raise typer.Exit(1)


def _print(o: Outcome) -> None:
    """Lines whole, also into a file: a command that is broken in two cannot be copied."""
    say = partial(console.print, highlight=False, soft_wrap=True)
    rows = ", ".join(f"{view} {b}" for view, (_, b) in sorted(o.comparison.rows.items())) or "no rows"
    say(f"{o.store}: generation {o.generation} holds {rows}")
    for view, n in o.carried.items():
        say(f"  {n} {view} that the log no longer holds were carried over")
    for (view, word), n in sorted(o.comparison.different.items()):
        say(f"  {view}: {n} {word}", style="red")
    if not o.comparison.agrees:
        say(
            f"  not switched: it does not agree with generation {o.live_before}. Where that one is damaged, run the "
            "command again with --repair."
        )
    elif o.switched:
        old = "is dropped" if o.dropped else f"is still written (`memstream rebuild drop {o.store}` ends that)"
        say(f"  switched: it is read from now on; generation {o.live_before} {old}")
    else:
        say("  agrees, not switched: the same command without --no-switch does that")


def options_of(repair: bool, no_switch: bool, drop_old: bool) -> Options:
    """Raises RebuildError where they do not go together."""
    from memstream.reprocess.driver import Options
    from memstream.reprocess.errors import RebuildError

    if no_switch and drop_old:
        raise RebuildError("--drop-old drops what is read no more: it does not go with --no-switch")
    return Options(repair, not no_switch, drop_old)


def running_settings(data: Path | None) -> Settings:
    from memstream.cli.app import running

    return running(data)


def connected(settings: Settings) -> psycopg.Connection[Any]:
    from schemas.storage.postgres_connections import LONG_SECONDS, connect

    return connect(
        settings.postgres.get_secret_value(), autocommit=True, answer_seconds=LONG_SECONDS,
        application_name="memstream-rebuild",
    )  # fmt: skip


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def register(cli: typer.Typer) -> None:
    """Add the commands of this module to the application, and one for each store of an installed package that can be
    rebuilt. Raises ComponentError."""
    from memstream.cli import reprocess
    from schemas.components.builtin import SINKS
    from schemas.components.installed import components

    for name, sink in components().sinks.items():
        if sink.contents and name not in SINKS:
            app.command(name)(_one(name))

    cli.add_typer(app, name="rebuild")
    reprocess.register(cli)
