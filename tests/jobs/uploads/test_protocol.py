from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.uploads.protocol import read_announced, read_checksum, read_metadata
from tenants.core.errors import InvalidRequest


@given(st.text(max_size=200))
def test_whatever_a_header_says_is_read_or_refused(sent: str) -> None:
    for read in (read_metadata, read_checksum, lambda text: read_announced(text, text)):
        with suppress(InvalidRequest):
            read(sent)


def test_metadata_and_its_values_may_be_empty() -> None:
    assert read_metadata("is_confidential,filename YS5wZGY=") == {"is_confidential": "", "filename": "a.pdf"}
    assert read_metadata("") == {}


def test_a_file_without_a_name_gets_one() -> None:
    assert read_announced("5", None).name == "document"


@pytest.mark.parametrize("digits", ["0", "5368709120"])
def test_a_length_is_a_whole_number(digits: str) -> None:
    assert read_announced(digits, None).size_bytes == int(digits)
