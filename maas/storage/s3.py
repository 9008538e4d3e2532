"""An S3-compatible storage that fails as every storage of Django does: soon, and with an OSError."""

from functools import cached_property
from typing import Any

from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import ClientError  # type: ignore[import-untyped]
from storages.backends.s3 import S3Storage
from storages.utils import clean_name

from maas.storage.s3_parts import ObjectParts, as_os_error

_TIMEOUTS = Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 3})
"""Timeouts and retries. The library's defaults would block a caller for minutes when the storage is unavailable."""


class ObjectStorage(S3Storage):  # type: ignore[misc]
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.client_config: Any = self.client_config.merge(_TIMEOUTS)

    def get_default_settings(self) -> dict[str, Any]:
        return {**super().get_default_settings(), "public_endpoint_url": None}

    @cached_property
    def parts(self) -> ObjectParts:
        """Return the multipart uploads, whose parts clients send to the storage themselves."""
        return ObjectParts(self)

    def _open(self, name: str, mode: str = "rb") -> Any:
        """Open a file. FileNotFoundError means a missing file, any other OSError an unavailable storage."""
        with as_os_error():
            try:
                opened = super()._open(name, mode)
            except FileNotFoundError:
                self.check_bucket(name)
                raise
            if "r" in mode:
                # The file is fetched here rather than at the first read, so that its errors are handled here.
                opened.file  # noqa: B018
            return opened

    def check_bucket(self, name: str) -> None:
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
        """Delete a file. The library's own method treats a missing bucket as a file that is already deleted."""
        with as_os_error():
            self._object(name).delete()

    def exists(self, name: str) -> bool:
        with as_os_error():
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        with as_os_error():
            return int(super().size(name))

    def key_of(self, name: str) -> str:
        return str(self._normalize_name(clean_name(name)))

    def signer(self, config: Any) -> Any:
        """Return a client that signs URLs for the address under which callers reach the storage."""
        return self._create_session().client(
            "s3",
            region_name=self.region_name,
            use_ssl=self.use_ssl,
            endpoint_url=self.public_endpoint_url or self.endpoint_url,
            config=self.client_config.merge(config),
            verify=self.verify,
        )

    def _object(self, name: str) -> Any:
        return self.bucket.Object(self.key_of(name))
