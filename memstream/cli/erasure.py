"""`memstream erase USER`."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from memstream.cli.http import Service
from memstream.cli.target import Data, Url, service
from memstream.cli.terminal import output

console = output()
_PLAIN: dict[str, Any] = {"highlight": False, "markup": False}
Json = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]


def erase(
    user: Annotated[str | None, typer.Argument(help="The user to erase.")] = None,
    session: Annotated[str | None, typer.Option("--session", help="Only this session of the user.")] = None,
    tenant: Annotated[bool, typer.Option("--tenant", help="Everything of the tenant of the key.")] = False,
    status: Annotated[str | None, typer.Option("--status", help="How far an erasure is, by its id.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="Which erasures are under way, the oldest first.")] = False,
    verify: Annotated[Path | None, typer.Option("--verify", help="Check the signature of a report.")] = None,
    key: Annotated[str | None, typer.Option("--key", help="The key id that must have signed it.")] = None,
    probe: Annotated[
        list[str] | None, typer.Option("--probe", help="Look for a word in every store, topic and file; repeatable.")
    ] = None,
    compact: Annotated[
        bool, typer.Option("--compact", help="Let the stores compact now: what was deleted leaves their files.")
    ] = False,
    export: Annotated[
        Path | None, typer.Option("--export", help="Write the erasures of all tenants to a file, for a restore.")
    ] = None,
    again: Annotated[
        Path | None, typer.Option("--again", help="Behind a restore: do again what such a file has, and nobody knows.")
    ] = None,
    since: Annotated[
        datetime | None, typer.Option("--since", help="Of the file those accepted at this time (UTC) or later.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
    wait: Annotated[float, typer.Option("--wait", help="Seconds to wait for the report.")] = 300.0,
    data: Data = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Erase a user, a session or the tenant, and print the signed report; verify one; look for what is left.

    Example: memstream erase ana --session s1
    """
    of_stores = [bool(probe) or compact, export is not None, again is not None]
    given = [user is not None, tenant, status is not None, listed, verify is not None, *of_stores]
    if sum(given) != 1 or (session is not None and user is None) or (since is not None and again is None):
        raise typer.BadParameter(
            "expected one of USER (with --session or without), --tenant, --status, --list, --verify, --probe,"
            " --compact, --export, --again (with --since or without)"
        )
    if any(of_stores):
        if url is not None:
            raise typer.BadParameter(
                "--probe, --compact, --export and --again go to the stores, which --data names, or settings",
                param_hint="--url",
            )
        _stores(probe or [], compact, export, again, since, yes, data, as_json)
    elif verify is not None:
        _verify(verify, key, as_json)
    elif listed:
        _list(service(data, url), as_json)
    elif status is not None:
        _show(service(data, url).get(f"/v1/erasures/{_quoted(status)}"), as_json)
    else:
        erased = service(data, url)
        path, what = _scope(user, session)
        if not yes:
            _ask(f"Erase {what} at {erased.url}?")
        _erase(erased, path, as_json, wait)


def _stores(
    words: list[str], compact: bool, export: Path | None, again: Path | None, since: datetime | None, yes: bool,
    data: Path | None, as_json: bool,
) -> None:  # fmt: skip
    from memstream.cli import erasure_export

    if export is not None:
        erasure_export.write(export, data, as_json)
    elif again is not None:
        erasure_export.again(again, since, yes, data, as_json)
    else:
        _look(words, compact, data, as_json)


def _scope(user: str | None, session: str | None) -> tuple[str, str]:
    """The path of what is erased, and how a question names it."""
    if user is None:
        return "/v1/tenant", "everything of this tenant"
    path = f"/v1/users/{_quoted(user)}"
    if session is None:
        return path, f"everything of user {user}"
    return f"{path}/sessions/{_quoted(session)}", f"session {session} of user {user}"


def _ask(question: str) -> None:
    """Raises UsageError where nobody sits at a terminal to answer, typer.Abort where the answer is no."""
    from memstream.cli.app import UsageError

    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("erase asks first, and standard input is no terminal: nothing was erased; --yes does not ask")
    # Not typer.confirm: it writes to standard output, too, where the report goes.
    typer.echo(f"{question} [y/N]: ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise typer.Abort


def _look(words: list[str], compact: bool, data: Path | None, as_json: bool) -> None:
    """Exit status 1 when a word is found anywhere."""
    from memstream.cli.app import print_json, running
    from memstream.erasure.compact import Compaction
    from memstream.erasure.probe import Probe

    settings = running(data)
    done = []
    for one in Compaction(settings).everything() if compact else ():
        done.append(one)
        if not as_json:
            console.print(f"{one.store:<10} {one.done}{one.left and f'; left: {one.left}'}", **_PLAIN)
    probe = Probe(settings, words)
    found = probe.everything() if words else {}
    if as_json:
        places = {p: {"hits": n, **({"until": probe.until[p]} if p in probe.until else {})} for p, n in found.items()}
        print_json({"compacted": [asdict(d) for d in done], "found": places})
    else:
        for place, count in found.items():
            until = f" (until {probe.until[place]})" if place in probe.until else ""
            console.print(f"{place}: {count}{until}", **_PLAIN)
        if words and not found:
            console.print("found nowhere", **_PLAIN)
    if found:
        raise typer.Exit(1)


def _verify(file: Path, key: str | None, as_json: bool) -> None:
    """Exit status 1 when the signature does not fit."""
    from memstream.erasure.report import ReportError
    from memstream.erasure.report import verify as check

    try:
        signed_report = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise typer.BadParameter(f"{file}: not a JSON file ({type(exc).__name__})") from None
    report = (
        signed_report["report"]
        if isinstance(signed_report, dict) and isinstance(signed_report.get("report"), dict)
        else signed_report
    )
    try:
        signer = check(report, key)
    except ReportError as exc:
        console.print(f"{file}: {exc}", style="red", highlight=False, markup=False)
        raise typer.Exit(1) from None
    if as_json:
        typer.echo(json.dumps({"valid": True, "key_id": signer, "expected": key is not None}))
    else:
        unknown = "" if key else " (anybody can make a key: --key KEY_ID says whose it must be)"
        console.print(f"{file}: signed by {signer}{unknown}", highlight=False, markup=False, soft_wrap=True)


def _erase(service: Service, path: str, as_json: bool, wait: float) -> None:
    taken = service.delete(path)
    name, token = taken["erasure_id"], taken["freshness_token"]
    until = time.monotonic() + wait
    with Console(stderr=True).status("erasing") as shown:
        while True:
            status = service.get(f"/v1/erasures/{name}", token)
            if status["state"] == "done" or time.monotonic() >= until:
                break
            shown.update(f"erasing: {status['step']}, {status['places']} places have answered")
            time.sleep(0.5)
    _show(status, as_json)
    if status["state"] != "done":
        console.print(f"still under way: memstream erase --status {name} --url {service.url}", **_PLAIN)
        raise typer.Exit(1)


def _list(service: Service, as_json: bool) -> None:
    """A page at a time; as JSON each page is one line."""
    table, cursor = Table("erasure", "of", "since", "waits for", "places", box=None, pad_edge=False), ""
    while True:
        page = service.get(f"/v1/erasures?limit=200{cursor}")
        page.pop("_fresh", None)
        if as_json:
            typer.echo(json.dumps(page, ensure_ascii=False))
        for e in page["erasures"]:
            of = " ".join(filter(None, (e["scope"], e["user_id"], e["session_id"])))
            table.add_row(e["erasure_id"], of, e["started_at"], e["step"], str(e["places"]))
        if page["cursor"] is None:
            break
        cursor = f"&cursor={_quoted(page['cursor'])}"
    if not as_json:
        if page["erasures"] or cursor:
            console.print(table, markup=False)
        console.print(f"{page['under_way']} under way", **_PLAIN)


def _show(status: dict[str, Any], as_json: bool) -> None:
    from memstream.cli.app import print_json

    status.pop("_fresh", None)
    if as_json:
        print_json(status)
        return
    report = status.get("report")
    if not report:
        console.print(f"{status['state']}: {status['step']}, {status['places']} places have answered", highlight=False)
        return
    table = Table("where", "removed", box=None, pad_edge=False)
    for where, counts in sorted(report["removed"].items()):
        table.add_row(where, ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))
    console.print(table)
    for r in report["remains"]:
        # With encryption off all of them are, which the key that nobody destroyed says already.
        still = f", {r['readable']} of them readable" if r.get("readable") and report["encryption"] == "sealed" else ""
        console.print(f"{r['topic']}: {r['records']} records until {r['until']} ({r['how']}){still}", highlight=False)
    console.print(f"signed by {report['signature']['key_id']}", highlight=False)


def _quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(erase)
