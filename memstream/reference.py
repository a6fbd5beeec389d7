"""The tables of the reference pages in docs/, made from the code: `python -m memstream.reference` writes them.

A page keeps its own words; only what stands between `<!-- NAME:start -->` and `<!-- NAME:end -->` is made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from memstream.connections import Connections
from memstream.settings import Settings


def settings_table() -> str:
    """A row a setting."""
    rows = ["| variable | default | meaning |", "|---|---|---|"]
    # Those of encrypted connections, which the class inherits, come last.
    for name, field in sorted(Settings.model_fields.items(), key=lambda item: item[0] in Connections.model_fields):
        rows.append(f"| `MEMSTREAM_{name.upper()}` | {_default(name, field)} | {field.description} |")
    return "\n".join(rows)


def _default(name: str, field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if name == "profiles_dir":
        return "`profiles` beside the packages"
    return f"`{value}`" if value is not None and str(value) else "empty"


def topics_table() -> str:
    """A row a topic, those of installed packages last."""
    from schemas.components.installed import catalogue

    rows = ["| topic | owner | kept | clients write | what |", "|---|---|---|---|---|"]
    for t in catalogue():
        owners = ", ".join(o.value for o in t.owners)
        days = "for good" if t.retention_days is None else f"{t.retention_days} days"
        kept = {"delete": days, "compact": "compacted", "compact,delete": f"compacted, {days}"}[t.cleanup.value]
        rows.append(f"| `{t.name}` | {owners} | {kept} | {'yes' if t.root else ''} | {t.purpose} |")
    return "\n".join(rows)


def components_table() -> str:
    """A row a step, then a row a sink: what it reads and writes, and its process under `memstream up`."""
    from schemas.components.installed import components

    found = components()
    rows = ["| step or sink | reads | writes | process |", "|---|---|---|---|"]
    rows += [
        f"| `{s.name}` | `{s.reads.name}` | {', '.join(f'`{t.name}`' for t in s.writes)} | `worker-{s.runs_in}` |"
        for s in found.steps.values()
    ]
    rows += [
        f"| `{s.name}` | {', '.join(f'`{t}`' for t in s.feed.topics)} | its store | `sink-{s.name}` |"
        for s in found.sinks.values()
    ]
    return "\n".join(rows)


def metrics_table() -> str:
    """A row a metric, in the order of the list."""
    from schemas.metrics import METRICS

    rows = ["| metric | kind | of | labels | what |", "|---|---|---|---|---|"]
    for m in METRICS:
        labels = ", ".join(f"`{label}`" for label in m.labels)
        rows.append(f"| `{m.name}` | {m.kind} | {m.of} | {labels} | {m.help} |")
    return "\n".join(rows)


def http_table() -> str:
    """A row an operation of the service: who may call it, and its first sentence."""
    from query.app import PARTS

    rows = ["| | path | permission | what |", "|---|---|---|---|"]
    found = [(r.path, sorted(r.methods)[0], _permission(r.dependant), _first(r.endpoint)) for r in _routes(PARTS)]
    for path, method, permission, what in sorted(found):
        rows.append(f"| {method} | `{path}` | {permission} | {what} |")
    return "\n".join(rows)


def _routes(parts: Any) -> Iterator[Any]:
    from fastapi.routing import APIRoute

    for part in parts:
        for route in part.router.routes:
            if isinstance(route, APIRoute) and route.include_in_schema:
                yield route


def _permission(dependant: Any) -> str:
    """The scopes that a route's dependencies demand, wherever in their tree they are asked for."""
    from query.auth import boundary

    permissions = {
        boundary.reader: "read",
        boundary.writer: "write",
        boundary.documents_writer: "documents",
        boundary.operator: "operator",
        boundary.originals_reader: "pii",
    }
    found = (permissions.get(d.call) or _permission(d) for d in dependant.dependencies)
    return ", ".join(dict.fromkeys(scope for scope in found if scope))


def _first(call: Callable[..., Any]) -> str:
    """The first sentence of its docstring, on one line of a table."""
    text = " ".join((call.__doc__ or "").split("\n\n")[0].split())
    return text.replace("|", "\\|")


def commands_table() -> str:
    """A row a command of the command line."""
    from memstream.cli.app import application

    rows = ["| command | what |", "|---|---|"]
    for name, command in _commands(application(), ("memstream",)):
        rows.append(f"| `{name}` | {' '.join((command.help or '').split(chr(10) * 2)[0].split())} |")
    return "\n".join(rows)


def _commands(group: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for name, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from _commands(command, (*path, name))
            continue
        arguments = [p.name.upper() for p in command.params if p.param_type_name == "argument"]
        yield " ".join((*path, name, *arguments)).replace("|", "\\|"), command


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "settings": ("configuration.md", settings_table),
    "topics": ("topics.md", topics_table),
    "components": ("topics.md", components_table),
    "http": ("http.md", http_table),
    "commands": ("commands.md", commands_table),
    "metrics": ("metrics.md", metrics_table),
}
"""Name of the marker -> page in docs/, and what makes the table."""


def with_table(page: str, name: str = "settings") -> str:
    """The page with a table between its markers. Raises ValueError for a page without them."""
    start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
    head, rest = page.split(start, 1)
    return f"{head}{start}\n{TABLES[name][1]()}\n{end}{rest.split(end, 1)[1]}"


def main() -> None:
    """Write every table into its page."""
    docs = Path(__file__).resolve().parents[1] / "docs"
    for name, (file, _) in TABLES.items():
        path = docs / file
        path.write_text(with_table(path.read_text(encoding="utf-8"), name), encoding="utf-8")


if __name__ == "__main__":
    main()
