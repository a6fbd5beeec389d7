"""Which memstream a command acts on: the options that name it, and the service behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from memstream.cli.http import Service
from memstream.connect import service as connected
from memstream.connect import service_url
from memstream.settings import Settings

Data = Annotated[Path | None, typer.Option("--data", help="Folder of the embedded servers.")]
Url = Annotated[
    str, typer.Option("--url", help="Address of the service; if not given, that of --data, else MEMSTREAM_URL.")
]


def settings_of(data: Path | None) -> Settings:
    """The settings, with the folder that the option names."""
    settings = Settings()
    return settings if data is None else settings.model_copy(update={"data_dir": data})


def address(data: Path | None, url: str = "") -> str:
    """Of the service that the options name. Raises StackError where they, and the settings, name none."""
    return service_url(settings_of(data), url, by_folder=data is not None)


def service(data: Path | None, url: str = "") -> Service:
    """The service that the options name; its address is printed on standard error.

    Raises StackError where they, and the settings, name none.
    """
    found = address(data, url)
    Console(stderr=True).print(f"service: {found}", markup=False, highlight=False, soft_wrap=True)
    return connected(settings_of(data), found)
