"""Which memstream a command acts on: the options that name it, and the service behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from memstream.cli.http import Service
from memstream.connect import service as connected
from memstream.connect import service_url
from memstream.connections import service_address
from memstream.settings import Settings

Data = Annotated[Path | None, typer.Option("--data", help="Folder of the embedded servers.")]
Url = Annotated[
    str | None,
    typer.Option("--url", help="Address of the service; if not given, that of --data, else MEMSTREAM_URL."),
]


def settings_of(data: Path | None) -> Settings:
    """The settings, with the folder that the option names."""
    settings = Settings()
    return settings if data is None else settings.model_copy(update={"data_dir": data})


def named(data: Path | None, url: str | None) -> str:
    """The address that --url names, "" where it is not given. Raises typer.BadParameter where it is none, or where
    both options are given, which could mean two instances."""
    if url is None:
        return ""
    if data is not None:
        raise typer.BadParameter("expected --url or --data, not both", param_hint="--url")
    try:
        return service_address(url)  # an empty one is refused: what a script left empty names no instance
    except ValueError as exc:
        raise typer.BadParameter(str(exc), param_hint="--url") from None


def address(data: Path | None, url: str | None) -> str:
    """Of the service that the options name. Raises typer.BadParameter where they are wrong, StackError where they, and
    the settings, name none."""
    return named(data, url) or service_url(settings_of(data), by_folder=data is not None)


def service(data: Path | None, url: str | None) -> Service:
    """The service that the options name; its address is printed on standard error.

    Raises as `address` does.
    """
    found = address(data, url)
    Console(stderr=True).print(f"service: {found}", markup=False, highlight=False, soft_wrap=True)
    return connected(settings_of(data), found)
