import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.documents.names import FALLBACK, LONGEST, safe_name


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("invoice.pdf", "invoice.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\scans\\a.tif", "a.tif"),
        ("a\0.pdf", "a.pdf"),
        ("evil\u202efdp.exe", "evilfdp.exe"),
        ("", FALLBACK),
        ("..", FALLBACK),
        ("x" * 300 + ".pdf", "x" * 251 + ".pdf"),
    ],
)
def test_a_name_is_kept_but_disarmed(given_name: str, shown: str) -> None:
    assert safe_name(given_name) == shown


@given(st.text(max_size=600))
def test_no_name_has_folders_or_control_characters_or_is_too_long(text: str) -> None:
    name = safe_name(text)
    assert 0 < len(name) <= LONGEST
    assert "/" not in name
    assert not any(unicodedata.category(char) in {"Cc", "Cf"} for char in name)
