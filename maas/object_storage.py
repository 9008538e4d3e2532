"""S3-compatible storage that fails the way every storage of Django fails: soon, and with an OSError."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boto3.exceptions import Boto3Error  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from storages.backends.s3 import S3Storage

_PATIENCE = Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 3})
"""The library's own would hold a caller for minutes when the storage is away."""


@contextmanager
def _as_os_error() -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError, Boto3Error) as error:
        raise OSError(f"object storage: {error}") from error


class ObjectStorage(S3Storage):  # type: ignore[misc]
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.client_config: Any = self.client_config.merge(_PATIENCE)

    def _open(self, name: str, mode: str = "rb") -> Any:
        with _as_os_error():
            opened = super()._open(name, mode)
            if "r" in mode:
                # Fetched here and not at the first read, where its errors would be out of reach.
                opened.file  # noqa: B018
            return opened

    def _save(self, name: str, content: Any) -> str:
        with _as_os_error():
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        with _as_os_error():
            super().delete(name)

    def exists(self, name: str) -> bool:
        with _as_os_error():
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        with _as_os_error():
            return int(super().size(name))
