"""An S3-compatible storage that fails as Django's storages do: soon, and with an OSError."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boto3.exceptions import Boto3Error  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from storages.backends.s3 import S3Storage
from storages.utils import clean_name


@contextmanager
def as_os_error() -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError, Boto3Error) as error:
        raise OSError(f"object storage: {error}") from error


_TIMEOUTS = Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 3})
"""Timeouts and retries. The library's defaults would block a caller for minutes when the storage is unavailable."""


class ObjectStream:
    """The bytes of a file while they arrive. A connection that breaks is an OSError, and never the end of the file."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def read(self, size: int = -1) -> bytes:
        with as_os_error():
            return bytes(self._body.read(None if size < 0 else size))

    def close(self) -> None:
        self._body.close()


class ObjectStorage(S3Storage):  # type: ignore[misc]
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.client_config: Any = self.client_config.merge(_TIMEOUTS)

    def _open(self, name: str, mode: str = "rb") -> Any:
        """Open a file. FileNotFoundError means a missing file, any other OSError an unavailable storage."""
        with as_os_error():
            try:
                opened = super()._open(name, mode)
            except FileNotFoundError:
                self._check_bucket(name)
                raise
            if "r" in mode:
                # The file is fetched here rather than at the first read, so that its errors are handled here.
                opened.file  # noqa: B018
            return opened

    def open_stream(self, name: str, first: int = 0) -> "ObjectStream":
        """Open a file to be read once, from the byte `first`, while it arrives. Errors are those of `open`."""
        begin = {"Range": f"bytes={first}-"} if first else {}
        with as_os_error():
            try:
                return ObjectStream(self._object(name).get(**begin)["Body"])
            except ClientError as error:
                if error.response["Error"]["Code"] == "NoSuchKey":
                    raise FileNotFoundError(f"file does not exist: {name}") from error
                raise

    def _check_bucket(self, name: str) -> None:
        """Raise OSError if the bucket is missing, which the library reports like a missing file."""
        with as_os_error():
            try:
                self._object(name).get()["Body"].close()
            except ClientError as error:
                if error.response["Error"]["Code"] != "NoSuchKey":
                    raise

    def _save(self, name: str, content: Any) -> str:
        with as_os_error():
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        """Delete a file. It is not the library's own method, which would treat a missing bucket as a file that is
        already deleted.
        """
        with as_os_error():
            self._object(name).delete()

    def exists(self, name: str) -> bool:
        with as_os_error():
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        with as_os_error():
            return int(super().size(name))

    def _object(self, name: str) -> Any:
        return self.bucket.Object(str(self._normalize_name(clean_name(name))))
