"""A stand-in on this machine for S3-compatible storage."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import uuid4

import boto3  # type: ignore[import-untyped]
import botocore.session  # type: ignore[import-untyped]
import pytest
from moto.server import ThreadedMotoServer

REGION = "eu-central-1"
KEYS = f"access_key=stand-in&secret_key=stand-in&region={REGION}"
PREFIX = "tenants-of-ours"


@dataclass(frozen=True)
class Bucket:
    endpoint: str
    name: str

    @property
    def url(self) -> str:
        return f"s3://{self.name}/{PREFIX}?endpoint={self.endpoint}&{KEYS}"

    @property
    def client(self) -> Any:
        return s3_client(self.endpoint)

    def objects(self, below: str = "") -> list[str]:
        found = self.client.list_objects_v2(Bucket=self.name, Prefix=f"{PREFIX}/{below}")
        return [one["Key"] for one in found.get("Contents", [])]


@contextmanager
def stand_in_s3() -> Iterator[str]:
    """Run the stand-in, and yield its address."""
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        # Each session reads megabytes of JSON that describe the service, which takes most of the time of a storage
        # test.
        patch.setattr(botocore.session, "create_loader", cache(botocore.session.create_loader))
        try:
            yield f"http://{host}:{port}"
        finally:
            server.stop()


def new_bucket(endpoint: str) -> Bucket:
    name = f"maas-{uuid4().hex}"
    s3_client(endpoint).create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
    return Bucket(endpoint, name)


@cache
def s3_client(endpoint: str) -> Any:
    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id="stand-in",
        aws_secret_access_key="stand-in",
        region_name=REGION,
    )
