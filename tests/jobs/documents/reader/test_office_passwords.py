"""Test that an Office document with a password is opened by it, at a cost that the document cannot choose."""

from collections.abc import Callable
from pathlib import Path

import pytest

from jobs.documents.reader import DocumentReader, DocumentRejected
from tests.samples import office
from tests.samples.locked_office import locked_office, with_spins
from tests.samples.old_office import old_office

from .conftest import Store


def decrypted(reader: DocumentReader, path: Path, password: str) -> bytes:
    copy = bytearray()
    assert reader.decrypt(path, password, copy.extend) == bool(copy)
    return bytes(copy)


@pytest.mark.parametrize(
    ("make", "kind"), [(office.word_document, "docx"), (office.workbook, "xlsx"), (office.presentation, "pptx")]
)
def test_copy_is_the_document_as_it_was(
    reader: DocumentReader, store: Store, make: Callable[[], bytes], kind: str
) -> None:
    content = make()
    copy = decrypted(reader, store(locked_office(content)), "secret")
    assert copy == content
    assert reader.inspect(store(copy)).kind == kind


@pytest.mark.parametrize("password", ["not it", "secret\0", "x" * 1000, "pässwörd"])
def test_wrong_password_is_an_exact_error_that_does_not_repeat_it(
    reader: DocumentReader, store: Store, password: str
) -> None:
    with pytest.raises(DocumentRejected) as refused:
        decrypted(reader, store(locked_office(office.word_document())), password)
    assert refused.value.code == "wrong_password"
    assert refused.value.detail == "The password does not open the Office document. Check it and send both again."


def test_document_without_its_password_asks_for_it(reader: DocumentReader, store: Store) -> None:
    with pytest.raises(DocumentRejected) as refused:
        reader.inspect(store(locked_office(office.word_document())))
    assert refused.value.code == "document_encrypted"
    assert "The Office document is password protected. Send it by itself with its password" in refused.value.detail


@pytest.mark.parametrize(("spins", "code"), [(1_000_001, "document_too_complex"), (99_999_999, "document_corrupt")])
def test_password_is_not_hashed_as_often_as_a_document_likes(
    reader: DocumentReader, store: Store, spins: int, code: str
) -> None:
    with pytest.raises(DocumentRejected) as refused:
        decrypted(reader, store(with_spins(locked_office(office.word_document()), spins)), "secret")
    assert refused.value.code == code
    assert "needs more than" not in refused.value.detail


def _laughing() -> bytes:
    locked = locked_office(office.word_document())
    start = locked.index(b"<?xml")
    entities = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    entities += b"".join(b'<!ENTITY %c "%s">' % (98 + level, b"&%c;" % (97 + level) * 9) for level in range(8))
    changed = entities + b"]><x>&i;</x>"
    return locked[:start] + changed + locked[start + len(changed) :]


LIES: dict[str, Callable[[], bytes]] = {
    "streams without content": lambda: old_office("EncryptionInfo", "EncryptedPackage"),
    "no description": lambda: old_office("EncryptedPackage"),
    "entities in the description": _laughing,
    "cut in half": lambda: locked_office(office.word_document())[:20_000],
}


@pytest.mark.parametrize("name", LIES)
def test_lie_is_refused(reader: DocumentReader, store: Store, name: str) -> None:
    with pytest.raises(DocumentRejected) as refused:
        decrypted(reader, store(LIES[name]()), "secret")
    assert refused.value.code == "document_corrupt"
    assert refused.value.detail.startswith("The Office document is damaged, or encrypted in an unknown way")


def test_old_office_file_with_a_password_sent_is_named(reader: DocumentReader, store: Store) -> None:
    with pytest.raises(DocumentRejected) as refused:
        decrypted(reader, store(old_office("WordDocument")), "secret")
    assert "an old Word file (.doc)" in refused.value.detail
