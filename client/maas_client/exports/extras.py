"""The extras of this client: packages that only some commands need."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from maas_client.errors import MissingExtra


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Turn a missing package into the command that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        url = (os.environ.get("MAAS_URL") or "https://maas.example.com").rstrip("/")
        raise MissingExtra(
            f"The package {(error.name or name).partition('.')[0]} is not installed. "
            f'Run: pip install "maas-client[{name}] @ {url}/client.zip"',
            code="missing_extra",
        ) from error
