"""`GET /docs`: the description of the API as a page of our own. It has no script and asks nobody else for anything: it
lies on the origin whose tab may hold an operator's key (D6, M2)."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code, pre { font-family: ui-monospace, monospace } pre { overflow: auto; padding: .75rem; border: 1px solid #8886 }
summary { cursor: pointer; padding: .25rem 0 } td { padding: .15rem .75rem .15rem 0; vertical-align: top }
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_REF = "#/components/schemas/"


def install(app: FastAPI, described: Callable[[], Mapping[str, Any]]) -> None:
    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(page(described()), headers=HEADERS)


def page(described: Mapping[str, Any]) -> str:
    """Operations by tag, then the schemas that they name."""
    tags: dict[str, list[str]] = {}
    for path, methods in described["paths"].items():
        for method, spec in methods.items():
            named = (spec.get("tags") or ["other"])[0]
            tags.setdefault(named, []).append("".join(_operation(method.upper(), path, spec)))
    info = described["info"]
    parts = [f"<h1>{_text(info['title'])} {_text(info['version'])}</h1><p>{_text(info.get('summary', ''))}</p>"]
    parts += [f"<h2>{_text(tag)}</h2>{''.join(found)}" for tag, found in sorted(tags.items())]
    parts.append("<h2>schemas</h2>")
    for name, schema in sorted(described.get("components", {}).get("schemas", {}).items()):
        shown = f"<summary><code>{_text(name)}</code></summary>{_json(schema)}"
        parts.append(f'<details id="{_text(name)}">{shown}</details>')
    body = "\n".join(parts)
    raw = '<p>The same for programs: <a href="/openapi.json">/openapi.json</a></p>'
    head = f'<meta charset="utf-8"><title>{_text(info["title"])}</title><style>{_STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}{raw}</body></html>'


def _operation(method: str, path: str, spec: Mapping[str, Any]) -> Iterator[str]:
    yield f"<details><summary><code>{method} {_text(path)}</code> {_text(spec.get('summary', ''))}</summary>"
    yield f"<p>{_text(spec.get('description', ''))}</p>"
    if found := spec.get("parameters"):
        rows = (
            f"<tr><td><code>{_text(p['name'])}</code></td><td>{_text(p['in'])}</td>"
            f"<td>{'required' if p.get('required') else ''}</td><td>{_text(p.get('description', ''))}</td></tr>"
            for p in found
        )
        yield f"<table>{''.join(rows)}</table>"
    for media in spec.get("requestBody", {}).get("content", {}).values():
        yield f"<p>body: {_named(media.get('schema', {}))}</p>"
    for status, answer in sorted(spec.get("responses", {}).items()):
        schemas = [m.get("schema", {}) for m in answer.get("content", {}).values()]
        description = _text(answer.get("description", ""))
        yield f"<p><code>{_text(status)}</code> {description} {' '.join(map(_named, schemas))}</p>"
    yield "</details>"


def _named(schema: Mapping[str, Any]) -> str:
    name = str(schema.get("$ref", "")).removeprefix(_REF)
    if name:
        return f'<a href="#{_text(name)}"><code>{_text(name)}</code></a>'
    return _json(schema) if schema else ""


def _json(schema: Mapping[str, Any]) -> str:
    return f"<pre>{_text(json.dumps(schema, indent=1, ensure_ascii=False))}</pre>"


def _text(value: Any) -> str:
    return html.escape(str(value))
