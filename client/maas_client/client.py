"""The client for programs that wait for each answer."""

import ssl
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar, Unpack

import httpx
from websockets.sync.client import connect

from maas_client.archive_calls import ArchiveCalls, ArchiveTold
from maas_client.archives import Archive, ArchiveEntry, Unpacking
from maas_client.calls import Calls, Part, Told, Worry
from maas_client.configuration import Configuration
from maas_client.exchange import Flow, Lost, Pause, Reply, Request
from maas_client.resources import Document, Event, EventPage, Job, Model, Page, Result
from maas_client.retries import Retries
from maas_client.submissions import Work
from maas_client.tails import CUTS, Tail
from maas_client.transport import built, lost, options, saved_whole
from maas_client.uploads import Progress, Source, file_part

T = TypeVar("T")


class Client:
    """Safe to share between threads. Close it, or use it in `with`, when it is no longer needed."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        max_retries: int = 3,
        ssl_context: ssl.SSLContext | None = None,
        worry: Worry | None = None,
    ) -> None:
        """Address and key are MAAS_URL and MAAS_API_KEY of the environment unless given.

        `worry` is called once in each outage that a submission or a wait sits through, with what went wrong.
        """
        self._configuration = Configuration.found(
            url, api_key, timeout_s=timeout, max_retries=max_retries, ssl_context=ssl_context
        )
        self._calls = Calls(Retries(max_retries), worry=worry)
        self._archives = ArchiveCalls(self._calls)
        self._http = httpx.Client(**options(self._configuration))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._configuration.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    # Work

    def run(
        self, model: str, file: Source | None = None, *, wait: float | None = 600.0, **work: Unpack[Work]
    ) -> Result:
        """The result of a job, once it has one: `run("parse", "scan.pdf").text`.

        `file` is a path, bytes or an open file; in its place may stand `text=`, `texts=`, `tensors=`,
        `document=` or `document_url=`.
        Raises JobFailed when nothing came of it, and WaitTimedOut after `wait` seconds (None: never).
        """
        return self._play(self._calls.run(model, file, work, wait))

    def submit(self, model: str, file: Source | None = None, **work: Unpack[Work]) -> Job:
        """As `run`, without waiting."""
        return self._play(self._calls.submit(model, file, work))

    def wait(self, job_id: str, *, seconds: float | None = None, told: Told | None = None) -> Result:
        """What came of the job, whichever way it ended; WaitTimedOut after so many seconds (None: never).

        `told` is called with the job as it stands, every two seconds or so.
        """
        return self._play(self._calls.wait(job_id, seconds, told))

    def job(self, job_id: str) -> Job:
        return self._play(self._calls.job(job_id))

    def jobs(
        self, *, state: str | None = None, model: str | None = None, document: str | None = None
    ) -> Iterator[Job]:
        """Newest first. `state` may be several, separated by commas."""
        return self._each(self._calls.jobs({"state": state, "model": model, "document": document}))

    def result(self, job_id: str) -> Result:
        """As far as it has come: every page is there, finished or not."""
        return self._play(self._calls.result(job_id))

    def markdown(self, job_id: str) -> str:
        """The text with a heading for each page, in paragraphs."""
        return self._play(self._calls.markdown(job_id))

    def download(self, job_id: str, path: str | PathLike[str], *, kind: str | None = None) -> Path:
        """The result as a file: `kind` is txt, md, json or pdf, by the path's ending unless told.

        The file is there once it is complete. The PDF is searchable: page pictures with the text unseen over them.
        """
        return self._play(self._calls.download(job_id, Path(path), kind))

    def pages(self, job_id: str) -> Iterator[Page]:
        """One after the other, however many there are."""
        return self._each(self._calls.pages(job_id))

    def events(
        self, job_id: str | None = None, *, after: str | int | None = None
    ) -> Generator[Event, None, None]:
        """As they happen: a job's own, after a number and to its end; or all there are, after a cursor and for ever.

        A connection that breaks is opened again; no event is left out, and none comes twice.
        """
        tail = Tail(job_id, after, self._configuration.most_cuts)
        patient = self._calls.with_retries(self._configuration.most_cuts)
        while not tail.over and (path := self._play(patient.socket_path(tail))):
            try:
                with connect(
                    self._configuration.socket_url(path), ssl=self._configuration.socket_ssl
                ) as socket:
                    if opening := tail.opening():
                        socket.send(opening)
                    while not tail.over:
                        if event := tail.take(socket.recv()):
                            yield event
            except CUTS as error:
                self._play(patient.after_cut(tail, error))

    def event_page(self, after: str | None = None, *, limit: int = 100, wait: float = 0.0) -> EventPage:
        """What happened to the account after a cursor; without one, where to go on from now.

        With `wait`, it is answered once something has happened, or after so many seconds, 60 at most.
        """
        return self._play(self._calls.event_page(after, limit, wait))

    def cancel(self, job_id: str) -> Job:
        return self._play(self._calls.cancel(job_id))

    def retry(self, job_id: str, *, idempotency_key: str | None = None) -> Job:
        """A new job for the pages that did not succeed."""
        return self._play(self._calls.retry(job_id, idempotency_key))

    # Documents and models

    def upload(
        self,
        file: Source,
        *,
        name: str | None = None,
        progress: Progress | None = None,
        idempotency_key: str | None = None,
    ) -> Document:
        """The same bytes are the same document, however often they are sent."""
        part = file_part(file, name, progress)
        return self._play(self._calls.upload(part, idempotency_key))

    def document_from_url(
        self, url: str, *, name: str | None = None, idempotency_key: str | None = None
    ) -> Document:
        """The service fetches it: `https://…`, from a public server, without a sign-in and without redirects."""
        return self._play(self._calls.document_from_url(url, name, idempotency_key))

    def document(self, document_id: str) -> Document:
        return self._play(self._calls.document(document_id))

    def documents(self) -> Iterator[Document]:
        """Newest first."""
        return self._each(self._calls.documents())

    def delete_document(self, document_id: str) -> None:
        """Erases it. One that is erased already is no error."""
        self._play(self._calls.delete_document(document_id))

    def model(self, name: str) -> Model:
        return self._play(self._calls.model(name))

    def models(self) -> list[Model]:
        return self._play(self._calls.models())

    # Archives

    def upload_archive(self, file: Source, **how: Unpack[Unpacking]) -> Archive:
        """A ZIP file of documents, each of which becomes a document and, where `model=` is named, a job."""
        return self._play(self._archives.upload(file, how))

    def archive(self, archive_id: str) -> Archive:
        return self._play(self._archives.archive(archive_id))

    def archives(self) -> Iterator[Archive]:
        """Newest first."""
        return self._each(self._archives.archives())

    def archive_entries(self, archive_id: str) -> Iterator[ArchiveEntry]:
        """In the order of the archive, with what came of each so far."""
        return self._each(self._archives.entries(archive_id))

    def wait_for_archive(
        self, archive_id: str, *, seconds: float | None = None, told: ArchiveTold | None = None
    ) -> Archive:
        """Until no entry waits; ArchiveTimedOut after so many seconds (None: never). Its jobs go on by themselves."""
        return self._play(self._archives.wait(archive_id, seconds, told))

    def cancel_archive(self, archive_id: str) -> Archive:
        """No further entry is opened. Documents and jobs that were made stay."""
        return self._play(self._archives.cancel(archive_id))

    def delete_archive(self, archive_id: str) -> None:
        """What was noted of it. Documents and jobs that were made stay."""
        self._play(self._archives.delete(archive_id))

    # How flows are played

    def _play(self, flow: Flow[T]) -> T:
        outcome: Reply | Lost | None = None
        with closing(flow):
            while True:
                try:
                    step = flow.send(outcome)
                except StopIteration as end:
                    answer: T = end.value
                    return answer
                outcome = self._do(step)

    def _do(self, step: Request | Pause) -> Reply | Lost | None:
        if isinstance(step, Request):
            return self._send(step)
        time.sleep(step.seconds)
        return None

    def _each(self, first: Flow[Part[T]]) -> Iterator[T]:
        following: Flow[Part[T]] | None = first
        while following is not None:
            part = self._play(following)
            yield from part.items
            following = part.more

    def _send(self, request: Request) -> Reply | Lost:
        with ExitStack() as files:
            asked = built(self._http, self._configuration, request, files)
            try:
                if request.save_to is not None:
                    return self._save(asked, request.save_to)
                answer = self._http.send(asked)
            except httpx.TransportError as error:
                return lost(asked, error)
        return Reply(answer.status_code, answer.headers, answer.content)

    def _save(self, asked: httpx.Request, path: Path) -> Reply:
        """A refusal is short and comes back; a good answer may be larger than memory."""
        answer = self._http.send(asked, stream=True)
        try:
            if not answer.is_success:
                return Reply(answer.status_code, answer.headers, answer.read())
            with saved_whole(path) as file:
                for piece in answer.iter_bytes():
                    file.write(piece)
        finally:
            answer.close()
        return Reply(answer.status_code, answer.headers, b"")
