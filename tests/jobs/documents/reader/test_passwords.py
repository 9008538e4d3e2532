"""Tests of PDFs that open only with a password: a copy without it is made in the child, or the exact error is given."""

import hashlib
from pathlib import Path

import pytest

from jobs.documents.reader import DocumentReader, DocumentRejected
from tests.samples.pdfs import encrypted_pdf, locked_pdf, text_pdf

REVISIONS = (2, 3, 4, 5, 6)


def decrypted(reader: DocumentReader, path: Path, password: str) -> bytes:
    copy = bytearray()
    assert reader.decrypt(path, password, copy.extend) == bool(copy)
    return bytes(copy)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "file"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("password", ["secret", "owner"])
def test_a_copy_opens_without_a_password(reader: DocumentReader, tmp_path: Path, revision: int, password: str) -> None:
    copy = decrypted(reader, written(tmp_path, locked_pdf("forty boxes", revision=revision)), password)
    path = written(tmp_path, copy)
    assert reader.inspect(path).pages_total == 1
    lines = reader.read_page(path, "pdf", 1).text_lines or ()
    assert [line.text for line in lines] == ["forty boxes"]
    assert b"/Encrypt" not in copy
    assert b"/UE" not in copy


def test_the_same_file_has_the_same_copy_whichever_password_opens_it(reader: DocumentReader, tmp_path: Path) -> None:
    path = written(tmp_path, locked_pdf())
    copies = {hashlib.sha256(decrypted(reader, path, word)).hexdigest() for word in ("secret", "owner", "secret")}
    assert len(copies) == 1


def test_a_password_may_have_letters_of_any_script(reader: DocumentReader, tmp_path: Path) -> None:
    path = written(tmp_path, locked_pdf(user="pässwörd 密码"))
    assert decrypted(reader, path, "pässwörd 密码")


def test_a_file_that_opens_without_a_password_is_not_copied(reader: DocumentReader, tmp_path: Path) -> None:
    for content in (text_pdf("open"), locked_pdf(user=""), b"plain text" * 9000):
        assert decrypted(reader, written(tmp_path, content), "secret") == b""


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("password", ["not it", "x" * 1000, "secret\0", "ünknown"])
def test_a_wrong_password_is_an_exact_error_that_does_not_repeat_it(
    reader: DocumentReader, tmp_path: Path, revision: int, password: str
) -> None:
    with pytest.raises(DocumentRejected) as refused:
        decrypted(reader, written(tmp_path, locked_pdf(revision=revision)), password)
    assert refused.value.code == "wrong_password"
    assert password not in str(refused.value)


def test_a_missing_password_says_how_to_send_it(reader: DocumentReader, tmp_path: Path) -> None:
    with pytest.raises(DocumentRejected, match="in the field `password`") as refused:
        reader.inspect(written(tmp_path, locked_pdf()))
    assert refused.value.code == "document_encrypted"


def test_a_file_with_random_keys_has_no_password(reader: DocumentReader, tmp_path: Path) -> None:
    with pytest.raises(DocumentRejected) as refused:
        decrypted(reader, written(tmp_path, encrypted_pdf()), "secret")
    assert refused.value.code == "wrong_password"


def test_a_broken_file_is_corrupt_also_with_its_password(reader: DocumentReader, tmp_path: Path) -> None:
    content = locked_pdf()
    found = {_outcome(reader, written(tmp_path, content[:end])) for end in range(40, len(content) - 60, 97)}
    assert found <= {"document_corrupt", "wrong_password"}


def _outcome(reader: DocumentReader, path: Path) -> str:
    try:
        return decrypted(reader, path, "secret")[:5].decode()
    except DocumentRejected as refused:
        return refused.code
