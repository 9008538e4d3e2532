"""An S3-compatible storage that fails as Django's storages do: soon, and with an OSError; and its multipart uploads."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from boto3.exceptions import Boto3Error  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from storages.backends.s3 import S3Storage
from storages.utils import clean_name

from jobs.documents.files import StoredPart


@contextmanager
def as_os_error() -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError, Boto3Error) as error:
        raise OSError(f"object storage: {error}") from error


BLOCK_BYTES = 1 << 20
# The older signature version, which the library chooses for some regions, does not cover the length of a body. A
# checksum must not be required, because clients would have to know of it.
_SIGNING = Config(signature_version="s3v4", request_checksum_calculation="when_required")


class ObjectParts:
    def __init__(self, storage: "ObjectStorage") -> None:
        self._storage = storage

    def begin(self, name: str) -> str:
        with as_os_error():
            return str(self._client.create_multipart_upload(**self._at(name))["UploadId"])

    def url(self, name: str, parts_id: str, number: int, size_bytes: int, *, lives_s: int) -> str:
        """Return a signed URL. The signature covers the length, so the storage refuses a body of another length."""
        part = {"UploadId": parts_id, "PartNumber": number, "ContentLength": size_bytes}
        with as_os_error():
            return str(
                self._signer.generate_presigned_url(
                    "upload_part", Params={**self._at(name), **part}, ExpiresIn=lives_s
                )
            )

    def stored(self, name: str, parts_id: str) -> Sequence[StoredPart] | None:
        with as_os_error():
            try:
                pages = list(
                    self._client.get_paginator("list_parts").paginate(**self._at(name), UploadId=parts_id)
                )
            except ClientError as error:
                if error.response["Error"]["Code"] == "NoSuchUpload":
                    return None
                raise
        return [
            StoredPart(part["PartNumber"], part["Size"], part["ETag"])
            for page in pages
            for part in page.get("Parts", [])
        ]

    def join(self, name: str, parts_id: str, parts: Sequence[StoredPart]) -> None:
        listed = [{"PartNumber": part.number, "ETag": part.tag} for part in parts]
        with as_os_error():
            self._client.complete_multipart_upload(
                **self._at(name), UploadId=parts_id, MultipartUpload={"Parts": listed}
            )

    def abort(self, name: str) -> None:
        with as_os_error():
            for parts_id in self._begun(name):
                try:
                    self._client.abort_multipart_upload(**self._at(name), UploadId=parts_id)
                except ClientError as error:
                    if error.response["Error"]["Code"] != "NoSuchUpload":
                        raise

    def size(self, name: str) -> int | None:
        with as_os_error():
            try:
                return int(self._client.head_object(**self._at(name))["ContentLength"])
            except ClientError as error:
                if error.response["ResponseMetadata"]["HTTPStatusCode"] != 404:
                    raise
        self._storage.check_bucket(name)
        return None

    def blocks(self, name: str) -> Iterator[bytes]:
        with as_os_error():
            yield from self._client.get_object(**self._at(name))["Body"].iter_chunks(BLOCK_BYTES)

    def _begun(self, name: str) -> list[str]:
        at = self._at(name)
        pages = self._client.get_paginator("list_multipart_uploads").paginate(
            Bucket=at["Bucket"], Prefix=at["Key"]
        )
        begun = [one for page in pages for one in page.get("Uploads", [])]
        return [one["UploadId"] for one in begun if one["Key"] == at["Key"]]

    def _at(self, name: str) -> dict[str, str]:
        return {"Bucket": self._storage.bucket_name, "Key": self._storage.key_of(name)}

    @property
    def _client(self) -> Any:
        return self._storage.connection.meta.client

    @cached_property
    def _signer(self) -> Any:
        return self._storage.signer(_SIGNING)


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
