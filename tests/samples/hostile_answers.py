"""Reads a hostile document and says what is wrong with the answer, and listens for anything that is fetched."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jobs.documents.reader import DocumentReader, DocumentRejected, PageContent
from tests.samples.hostile_office import READ
from tests.samples.hostile_remote import SHOWN

NO_ANSWER = "The document is damaged or not valid"
"""How the detail begins when the child failed without an answer of its own."""


def answer_to(reader: DocumentReader, path: Path) -> DocumentRejected | list[PageContent]:
    try:
        inspection = reader.inspect(path)
        return [reader.read_page(path, inspection.kind, number) for number in (1, inspection.pages_total)]
    except DocumentRejected as rejected:
        return rejected


def fault_of(answer: DocumentRejected | list[PageContent], answers: str) -> str:
    """Return what is wrong with the answer to a document. It is empty for one of the right answers."""
    code = answer.code if isinstance(answer, DocumentRejected) else READ
    if isinstance(answer, DocumentRejected) and answer.detail.startswith(NO_ANSWER):
        return "the child had no answer"
    return "" if code in answers.split() else f"{code} instead of {answers}"


def fault_of_text(answer: DocumentRejected | list[PageContent]) -> str:
    """Return what is wrong with the answer to a document that shows nothing but its text."""
    if isinstance(answer, DocumentRejected):
        return f"{answer.code}: {answer.detail}"
    lines = [line.text for line in answer[0].text_lines or ()]
    return "" if lines.count(SHOWN) == 1 else f"the text is {lines}"


@contextmanager
def listener() -> Iterator[tuple[str, list[str]]]:
    """Yield the URL of a server on this machine, and the list of all that connect to it."""
    callers: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_note, args=(server, callers), daemon=True)
        thread.start()
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):  # It would notice a caller: this is one.
            pass
        yield f"http://127.0.0.1:{port}/evil", callers
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)
    callers.pop(0)


def _note(server: socket.socket, callers: list[str]) -> None:
    while True:
        try:
            connection, address = server.accept()
        except OSError:
            return
        callers.append(str(address))
        connection.close()
