"""S3-compatible storage that fails the way every storage of Django fails: soon, and with an OSError."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boto3.exceptions import Boto3Error  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from storages.backends.s3 import S3Storage
from storages.utils import clean_name

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
        """FileNotFoundError says that the file is missing, any other OSError that the storage is."""
        with _as_os_error():
            try:
                opened = super()._open(name, mode)
            except FileNotFoundError:
                self._check_bucket(name)
                raise
            if "r" in mode:
                # Fetched here and not at the first read, where its errors would be out of reach.
                opened.file  # noqa: B018
            return opened

    def _check_bucket(self, name: str) -> None:
        """The question that the library asks is answered alike for a missing file and a missing bucket."""
        try:
            self._object(name).get()["Body"].close()
        except ClientError as error:
            if error.response["Error"]["Code"] != "NoSuchKey":
                raise

    def _save(self, name: str, content: Any) -> str:
        with _as_os_error():
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        """Not the library's own: it takes a missing bucket for a file that is gone already."""
        with _as_os_error():
            self._object(name).delete()

    def exists(self, name: str) -> bool:
        with _as_os_error():
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        with _as_os_error():
            return int(super().size(name))

    def _object(self, name: str) -> Any:
        return self.bucket.Object(self._normalize_name(clean_name(name)))
