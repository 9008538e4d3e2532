import gzip
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.gateway.open_inference.encodings import (
    DEFLATE,
    GZIP,
    IDENTITY,
    encoding_for,
    let_out,
    made_smaller,
)
from tenants.core.errors import DomainError

MOST = 10_000
# The timestamp in it is fixed, because it is part of the test's name, which must be the same in every process.
PACKED = gzip.compress(b"{}", mtime=0)


@given(st.binary(max_size=2000), st.sampled_from([GZIP, DEFLATE, IDENTITY]))
def test_what_is_made_smaller_is_let_out_as_it_was(body: bytes, encoding: str) -> None:
    assert let_out(made_smaller(body, encoding), encoding, MOST) == body


@pytest.mark.parametrize(("pack", "encoding"), [(gzip.compress, "gzip"), (zlib.compress, "Deflate ")])
def test_a_body_may_be_as_large_as_the_limit_and_no_larger(pack: Callable[[bytes], bytes], encoding: str) -> None:
    assert len(let_out(pack(bytes(MOST)), encoding, MOST)) == MOST
    with pytest.raises(DomainError, match="larger than 10000 bytes once") as refused:
        let_out(pack(bytes(1000 * MOST)), encoding, MOST)
    assert refused.value.code == "request_too_large"


@pytest.mark.parametrize(
    ("body", "encoding", "code", "words"),
    [
        (b"{}", "gzip", "invalid_request", "is not gzip"),
        (PACKED, "deflate", "invalid_request", "is not deflate"),
        (PACKED[:-1], "gzip", "invalid_request", "ends too early"),
        (PACKED + b"x", "gzip", "invalid_request", "goes on after its end"),
        (b"", "gzip", "invalid_request", "ends too early"),
        (b"{}", "br", "unsupported_media_type", "here are read: gzip, deflate"),
    ],
)
def test_a_body_that_is_not_what_its_header_says_is_refused(body: bytes, encoding: str, code: str, words: str) -> None:
    with pytest.raises(DomainError, match=words) as refused:
        let_out(body, encoding, MOST)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("accepted", "size_bytes", "has_tensors", "encoding"),
    [
        (None, 5000, False, IDENTITY),
        ("gzip", 10, True, GZIP),
        ("deflate", 10, True, DEFLATE),
        ("gzip, deflate, br", 5000, False, GZIP),
        ("br;q=1.0, deflate;q=0.5", 5000, False, DEFLATE),
        ("gzip, deflate, br", 5000, True, IDENTITY),
        ("gzip, deflate, br", 500, False, IDENTITY),
        ("gzip;q=0, deflate;q=0.0", 5000, False, IDENTITY),
        ("identity", 5000, False, IDENTITY),
        ("br", 5000, False, IDENTITY),
    ],
)
def test_an_answer_is_made_smaller_for_who_wishes_it_or_where_it_pays(
    accepted: str | None, size_bytes: int, has_tensors: bool, encoding: str
) -> None:
    assert encoding_for(accepted, size_bytes, has_tensors=has_tensors) == encoding
