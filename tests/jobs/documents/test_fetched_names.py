import pytest

from jobs.documents.fetched_names import fetched_name


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
