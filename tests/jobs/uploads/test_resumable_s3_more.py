"""Tests of uploads in pieces with S3 as storage, in cases that hardly depend on the storage."""

import pytest

from tests.jobs.uploads.test_resumable import (
    test_a_chunk_that_was_to_be_checked_and_broke_off_is_not_kept,
    test_a_chunk_with_a_wrong_checksum_leaves_nothing_and_can_be_sent_again,
    test_an_upload_nobody_goes_on_with_expires,
    test_many_pieces_and_cuts_make_the_same_file,
    test_the_same_bytes_are_one_document_however_they_came,
    tus,
)
from tests.jobs.uploads.test_resumable_s3 import bucket, web_server

__all__ = [
    "bucket",
    "test_a_chunk_that_was_to_be_checked_and_broke_off_is_not_kept",
    "test_a_chunk_with_a_wrong_checksum_leaves_nothing_and_can_be_sent_again",
    "test_an_upload_nobody_goes_on_with_expires",
    "test_many_pieces_and_cuts_make_the_same_file",
    "test_the_same_bytes_are_one_document_however_they_came",
    "tus",
    "web_server",
]
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("resumable_s3_more")]
