import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.documents.names import FALLBACK, LONGEST, fetched_name, safe_name


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


@pytest.mark.parametrize(
    ("disposition", "path", "name"),
    [
        ("", "/a/report%20one.pdf?sig=x/secret.pdf", "report one.pdf"),
        ('attachment; filename="x.pdf"', "/a", "x.pdf"),
        ("attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf; filename=resume.pdf", "/a", "résumé.pdf"),
        ('attachment; filename="rÃ©sumÃ©.pdf"', "/a", "résumé.pdf"),
        ("attachment; filename*=no-such-charset''x", "/a", None),
        ("inline", "/", "example.com"),
        ("attachment; filename=" + "x" * 100_000, "/a", None),
        ("\udcff;;=;", "/%00%ff", None),
        ("attachment; filename*=a; filename*0=b", "/a", "a"),
    ],
)
def test_it_is_the_servers_word_else_the_addresss_and_never_the_query(
    disposition: str, path: str, name: str | None
) -> None:
    found = fetched_name(given="", disposition=disposition, path=path, host="example.com")
    assert name is None or found == name
    assert found
    assert "sig" not in found


def test_the_callers_word_goes_before_all() -> None:
    given = fetched_name(given="mine", disposition="attachment; filename=x", path="/a", host="h")
    assert given == "mine"
