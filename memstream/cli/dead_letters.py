"""`memstream dlq`: dead letters through the query service, which holds the one implementation."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from memstream.cli.target import Data, Url, service
from memstream.cli.terminal import output

if TYPE_CHECKING:
    from memstream.cli.http import Service

dlq_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Dead letters: what a step, sink or job could not take, kept as it came.",
)
console = output()
JsonOut = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
Step = Annotated[str | None, typer.Option("--step", help="Who failed: screen, gate, sink-milvus, jobs ...")]
Reason = Annotated[str | None, typer.Option("--reason", help="Why: invalid, malformed_json, wrong_partition ...")]
Since = Annotated[str | None, typer.Option("--since", help="Not before: 30m, 6h, 7d, or a time (RFC 3339).")]
Until = Annotated[str | None, typer.Option("--until", help="Before: 30m, 6h, 7d ago, or a time (RFC 3339).")]
_AGO = re.compile(r"(\d{1,6})([smhd])\Z")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_PAGE = 200
_NOT_DONE = {"failed", "gone", "unreplayable", "replayed_before", "dropped_before"}


def moment(text: str | None, option: str, now: datetime) -> str | None:
    """`6h` ago or a time, as RFC 3339. Raises typer.BadParameter."""
    if text is None:
        return None
    if ago := _AGO.match(text):
        return (now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).isoformat()
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("expected 30m, 6h, 7d or 2026-11-21T08:00:00Z", param_hint=option) from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).isoformat()


def _filters(step: str | None, reason: str | None, since: str | None, until: str | None) -> dict[str, str]:
    now = datetime.now(UTC)
    given = {
        "step": step, "reason": reason, "since": moment(since, "--since", now), "until": moment(until, "--until", now),
    }  # fmt: skip
    return {name: value for name, value in given.items() if value is not None}


@dlq_app.command("list")
def list_letters(
    step: Step = None,
    reason: Reason = None,
    since: Since = None,
    until: Until = None,
    state: Annotated[str, typer.Option("--state", help="open, replayed, dropped or all.")] = "open",
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many.")] = 50,
    data: Data = None,
    url: Url = None,
    as_json: JsonOut = False,
) -> None:
    """Newest first.

    Example: memstream dlq list --step screen --since 6h
    """
    from memstream.cli.app import print_json

    found = _listed(service(data, url), {**_filters(step, reason, since, until), "state": state}, limit)
    if as_json:
        print_json(found)
        return
    if not found["dead_letters"]:
        console.print("No dead letters." if state == "open" else f"No dead letters that are {state}.")
        return
    table = Table(box=None, pad_edge=False)
    for column in ("id", "since", "step", "reason", "tries", "what was expected", "state"):
        table.add_column(column, overflow="fold")
    for x in found["dead_letters"]:
        since_when = str(x["dead_since"])[:19].replace("T", " ")
        table.add_row(
            x["id"], since_when, x["step"], x["reason"], str(x["attempts"]), x["message"] or "", x["state"]
        )  # fmt: skip
    console.print(table, markup=False)
    total = sum(c["count"] for c in found["counts"])
    if total > len(found["dead_letters"]):
        console.print(f"{len(found['dead_letters'])} of {total}; --limit shows more")


def _listed(svc: Service, query: dict[str, str], limit: int) -> dict[str, Any]:
    letters: list[dict[str, Any]] = []
    cursor, counts = None, []
    while len(letters) < limit:
        params = {**query, "limit": str(min(_PAGE, limit - len(letters))), **({"cursor": cursor} if cursor else {})}
        page = svc.get("/v1/dead-letters?" + _encoded(params))
        letters += page["dead_letters"]
        counts, cursor = page["counts"], page["cursor"]
        if cursor is None:
            break
    return {"dead_letters": letters, "counts": counts}


def _encoded(params: dict[str, str]) -> str:
    from urllib.parse import urlencode

    return urlencode(params)


@dlq_app.command()
def show(
    letter: Annotated[str, typer.Argument(help="The id, as `list` shows it (partition:offset).")],
    data: Data = None,
    url: Url = None,
    as_json: JsonOut = False,
) -> None:
    """One letter: where it came from, why it is here, and its form with the values masked.

    Example: memstream dlq show 3:17
    """
    from urllib.parse import quote

    from memstream.cli.app import print_json

    found = service(data, url).get(f"/v1/dead-letters/{quote(letter, safe=':')}")
    found.pop("_fresh", None)
    if as_json:
        print_json(found)
        return
    for name in ("id", "state", "step", "reason", "message", "attempts", "failed_at", "dead_since", "bytes", "tenant"):
        if found[name] not in (None, ""):  # a record of nobody knows whom, or without a time, has nothing to tell
            console.print(f"{name:<11} {found[name]}", markup=False, highlight=False)
    s = found["source"]
    console.print(f"{'source':<11} {s['topic']}/{s['partition']}:{s['offset']}", markup=False, highlight=False)
    if found["decided"]:
        d = found["decided"]
        console.print(f"{'decided':<11} {d['action']} {d['at']} {d['target'] or ''}", markup=False, highlight=False)
    console.print("\nForm, values masked:")
    value = found["preview"]["value"]
    if found["preview"]["form"] == "json":
        console.print_json(data=value)
    else:
        console.print(str(value), markup=False, highlight=False)


Ids = Annotated[list[str] | None, typer.Argument(help="Ids, as `list` shows them; or give filters, or --all.")]
All = Annotated[bool, typer.Option("--all", help="All that are open.")]


@dlq_app.command()
def replay(
    ids: Ids = None, step: Step = None, reason: Reason = None, since: Since = None, until: Until = None,
    every: All = False, data: Data = None, url: Url = None, as_json: JsonOut = False,
) -> None:  # fmt: skip
    """Put letters back, each for the reader that failed; safe to run twice.

    Example: memstream dlq replay --step sink-milvus --reason sink_failed
    """
    wanted = _wanted("replayed", ids or [], _filters(step, reason, since, until), every)
    _decide("replay", wanted, service(data, url), as_json)


@dlq_app.command()
def drop(
    ids: Ids = None, step: Step = None, reason: Reason = None, since: Since = None, until: Until = None,
    every: All = False, data: Data = None, url: Url = None, as_json: JsonOut = False,
) -> None:  # fmt: skip
    """Decide that letters are not wanted: they are offered no more, and leave the log with its retention.

    Example: memstream dlq drop 3:17 3:18
    """
    wanted = _wanted("dropped", ids or [], _filters(step, reason, since, until), every)
    _decide("drop", wanted, service(data, url), as_json)


def _wanted(done: str, ids: list[str], filters: dict[str, str], every: bool) -> dict[str, Any]:
    """Which letters, as the service takes it. Raises UsageError where that is not said in one way."""
    from memstream.cli.app import UsageError

    if sum((bool(ids), bool(filters), every)) != 1:
        raise UsageError(f"what is to be {done}? Give ids, or filters, or --all")
    return {"ids": ids} if ids else {**filters} if filters else {"all": True}


def _decide(what: str, wanted: dict[str, Any], svc: Service, as_json: bool) -> None:
    from memstream.cli.app import print_json

    outcomes: dict[str, int] = {}
    results: list[Any] = []
    while True:
        answer = svc.post(f"/v1/dead-letters/{what}", wanted)
        results += answer["results"]
        for word, n in answer["outcomes"].items():
            outcomes[word] = outcomes.get(word, 0) + n
        if answer["left"]:
            Console(stderr=True).print(f"{len(results)} done, {answer['left']} left", highlight=False)
        # What is decided fits no filter any more; what could not be decided would be met again for ever.
        if not answer["left"] or set(answer["outcomes"]) - {"replayed", "dropped"}:
            break
    if as_json:
        print_json({"outcomes": outcomes, "results": results})
    else:
        summary = ", ".join(f"{n} {word.replace('_', ' ')}" for word, n in sorted(outcomes.items()))
        console.print(summary or "Nothing fits.", highlight=False)
    if set(outcomes) & _NOT_DONE:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.add_typer(dlq_app, name="dlq")
