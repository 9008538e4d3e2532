"""Tests of uploads in pieces with S3 as storage (a stand-in on this machine)."""

from collections.abc import Iterator

import pytest

from tests.jobs.uploads.test_resumable import (
    test_a_connection_that_breaks_off_costs_nothing_that_arrived,
    test_a_file_that_came_in_pieces_is_one_document_with_its_last_byte,
    test_an_upload_given_up_while_bytes_arrive_keeps_none_of_them,
    test_an_upload_that_was_given_up_is_gone_and_its_bytes_are_erased,
    test_of_many_at_once_each_byte_is_counted_once,
    tus,
)
from tests.maas.granian_server import GranianServer
from tests.stand_in_s3 import Bucket, new_bucket, stand_in_s3

# These are the same cases as with a folder, on the server below. More of them are in `test_resumable_s3_more`.
__all__ = [
    "test_a_connection_that_breaks_off_costs_nothing_that_arrived",
    "test_a_file_that_came_in_pieces_is_one_document_with_its_last_byte",
    "test_an_upload_given_up_while_bytes_arrive_keeps_none_of_them",
    "test_an_upload_that_was_given_up_is_gone_and_its_bytes_are_erased",
    "test_of_many_at_once_each_byte_is_counted_once",
    "tus",
]
pytestmark = pytest.mark.xdist_group("resumable_s3")


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    with stand_in_s3() as address:
        yield new_bucket(address)


@pytest.fixture(scope="module")
def web_server(bucket: Bucket) -> Iterator[GranianServer]:
    with GranianServer("maas.asgi:application", {"MAAS_STORAGE_URL": bucket.url}) as server:
        yield server
