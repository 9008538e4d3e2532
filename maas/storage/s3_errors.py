"""Converts errors of the S3 library to those that every storage of Django raises."""

from collections.abc import Iterator
from contextlib import contextmanager

from boto3.exceptions import Boto3Error  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]


@contextmanager
def as_os_error() -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError, Boto3Error) as error:
        raise OSError(f"object storage: {error}") from error
