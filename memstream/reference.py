"""The settings table of docs/configuration.md, made from the settings model."""

from __future__ import annotations

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from memstream.settings import Settings

START, END = "<!-- settings:start -->", "<!-- settings:end -->"


def settings_table() -> str:
    """Markdown, a row a setting."""
    rows = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        rows.append(f"| `MEMSTREAM_{name.upper()}` | {_default(name, field)} | {field.description} |")
    return "\n".join(rows)


def with_table(page: str) -> str:
    """The page with the table between its markers."""
    head, rest = page.split(START, 1)
    return f"{head}{START}\n{settings_table()}\n{END}{rest.split(END, 1)[1]}"


def _default(name: str, field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if name == "profiles_dir":
        return "`profiles` beside the packages"
    return f"`{value}`" if str(value) else "empty"
