"""The client for programs that do something else meanwhile: the same methods as `Client`, to be awaited."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import ExitStack, closing
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import httpx
from websockets.asyncio.client import connect

from maas_client.archive_calls import ArchiveCalls, ArchiveTold
from maas_client.archives import Archive, ArchiveEntry, Unpacking
from maas_client.async_models import AsyncModels
from maas_client.calls import Calls, Filters, Part, Told, Worry
from maas_client.class_sets import AsyncClassSets
from maas_client.configuration import Configuration
from maas_client.exchange import Flow, Lost, Pause, Reply, Request
from maas_client.fields import AsyncFields
from maas_client.job_filters import JobFilters
from maas_client.resources import Document, Event, EventPage, Job, Model, Page, Result, SearchHit
from maas_client.retries import Retries
from maas_client.submissions import Work
from maas_client.tails import CUTS, Tail
from maas_client.transport import built, lost, options, saved_whole
from maas_client.uploads import Progress, Source, file_part

T = TypeVar("T")


class AsyncClient:
    """A client for asyncio. Close it when it is no longer needed, or use it in `async with`."""

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
        """Create a client. The URL and the key come from MAAS_URL and MAAS_API_KEY of the environment unless given.

        `worry` is called once, with the first error, in each outage that a submission or a wait survives.
        """
        self._configuration = Configuration.found(
            url, api_key, timeout_s=timeout, max_retries=max_retries, ssl_context=ssl_context
        )
        self._calls = Calls(Retries(max_retries), worry=worry)
        self._archives = ArchiveCalls(self._calls)
        self.class_sets = AsyncClassSets(self._calls, self._play)
        self.fields = AsyncFields(self._calls, self._play, self._each)
        self.models = AsyncModels(self._calls, self._play)
        self._http = httpx.AsyncClient(**options(self._configuration))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._configuration.url!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    # Work

    async def run(
        self, model: str, file: Source | None = None, *, wait: float | None = 600.0, **work: Unpack[Work]
    ) -> Result:
        """Submit a job, wait for it and return its result: `run("parse", "scan.pdf").text`.

        `file` is a path, bytes or an open file. Instead of it you can give `text=`, `texts=`, `tensors=`, `document=`
        or `document_url=`. Raises JobFailed if the job ended without a result, and WaitTimedOut after `wait` seconds
        (None: never).
        """
        return await self._play(self._calls.run(model, file, work, wait))

    async def submit(self, model: str, file: Source | None = None, **work: Unpack[Work]) -> Job:
        """Submit a job as `run` does, without waiting."""
        return await self._play(self._calls.submit(model, file, work))

    async def wait(self, job_id: str, *, seconds: float | None = None, told: Told | None = None) -> Result:
        """Wait until the job ends, and return its result in any case.

        `told` is called with the current job about every two seconds. Raises WaitTimedOut after `seconds` (None:
        never).
        """
        return await self._play(self._calls.wait(job_id, seconds, told))

    async def job(self, job_id: str) -> Job:
        return await self._play(self._calls.job(job_id))

    def jobs(self, **filters: Unpack[JobFilters]) -> AsyncIterator[Job]:
        """List jobs, newest first. `state` may be several states, separated by commas."""
        return self._each(self._calls.jobs(filters))

    def search(self, words: str, **filters: Unpack[Filters]) -> AsyncIterator[SearchHit]:
        """Find pages that have all the words, newest job first, or, with `by="meaning"`, pages nearest in meaning."""
        return self._each(self._calls.search(words, filters))

    async def result(self, job_id: str) -> Result:
        """Return the current result: it contains every page, finished or not."""
        return await self._play(self._calls.result(job_id))

    async def markdown(self, job_id: str) -> str:
        """Return the text as Markdown, with a heading for each page."""
        return await self._play(self._calls.exported(job_id, "md"))

    async def html(self, job_id: str) -> str:
        """Return the text as one HTML document."""
        return await self._play(self._calls.exported(job_id, "html"))

    async def csv(self, job_id: str) -> str:
        """Return all tables as CSV, with an empty line between two. Raises InvalidRequest if there are none."""
        return await self._play(self._calls.csv(job_id))

    async def chunks(self, job_id: str) -> list[dict[str, Any]]:
        """Return the text in chunks for retrieval, each with its pages and headings."""
        return await self._play(self._calls.chunks(job_id))

    async def download(self, job_id: str, path: str | PathLike[str], *, kind: str | None = None) -> Path:
        """Save the result as a file. `kind` is txt, md, html, json, chunks, pdf, csv or xlsx.

        By default the path's ending decides; chunks end in .jsonl.

        The file appears once it is complete. The PDF is searchable: it has the page pictures with invisible text over
        them.
        """
        return await self._play(self._calls.download(job_id, Path(path), kind))

    async def fields_file(
        self, path: str | PathLike[str], *, jobs: Sequence[str] = (), **filters: Unpack[JobFilters]
    ) -> Path:
        """Save the fields of many documents as .csv or .xlsx: these jobs, or all that match the filters."""
        return await self._play(self._calls.fields_file(Path(path), jobs, filters))

    def pages(self, job_id: str) -> AsyncIterator[Page]:
        """List all pages, one after the other."""
        return self._each(self._calls.pages(job_id))

    async def events(self, job_id: str | None = None, *, after: str | int | None = None) -> AsyncGenerator[Event, None]:
        """Follow events as they happen: those of a job, after a number and up to its end, or all, after a cursor and
        forever.

        A connection that breaks is opened again. No event is left out, and none comes twice.
        """
        tail = Tail(job_id, after, self._configuration.max_cuts)
        patient = self._calls.with_retries(self._configuration.max_cuts)
        while not tail.over and (path := await self._play(patient.socket_path(tail))):
            try:
                async with connect(self._configuration.socket_url(path), ssl=self._configuration.socket_ssl) as socket:
                    if opening := tail.opening():
                        await socket.send(opening)
                    while not tail.over:
                        if event := tail.take(await socket.recv()):
                            yield event
            except CUTS as error:
                await self._play(patient.after_cut(tail, error))

    async def event_page(self, after: str | None = None, *, limit: int = 100, wait: float = 0.0) -> EventPage:
        """Return the account's events after a cursor. Without a cursor, return the cursor of this moment.

        With `wait`, the service answers when something has happened, or after this many seconds (60 at most).
        """
        return await self._play(self._calls.event_page(after, limit, wait))

    async def cancel(self, job_id: str) -> Job:
        return await self._play(self._calls.cancel(job_id))

    async def retry(self, job_id: str, *, idempotency_key: str | None = None) -> Job:
        """Create a new job for the pages that did not succeed."""
        return await self._play(self._calls.retry(job_id, idempotency_key))

    # Documents and models

    async def upload(
        self,
        file: Source,
        *,
        name: str | None = None,
        progress: Progress | None = None,
        password: str | None = None,
        idempotency_key: str | None = None,
    ) -> Document:
        """Upload a document. The same bytes are always the same document. `password` opens an encrypted PDF."""
        part = file_part(file, name, progress)
        return await self._play(self._calls.upload(part, idempotency_key, password))

    async def document_from_url(
        self, url: str, *, name: str | None = None, password: str | None = None, idempotency_key: str | None = None
    ) -> Document:
        """Let the service fetch a document: `https://…`, from a public server without a sign-in or redirects."""
        return await self._play(self._calls.document_from_url(url, name, idempotency_key, password))

    async def document(self, document_id: str) -> Document:
        return await self._play(self._calls.document(document_id))

    def documents(self) -> AsyncIterator[Document]:
        """List documents, newest first."""
        return self._each(self._calls.documents())

    async def delete_document(self, document_id: str) -> None:
        """Erase the document. A document that is already erased is no error."""
        await self._play(self._calls.delete_document(document_id))

    async def model(self, name: str) -> Model:
        return await self.models.get(name)

    # Archives

    async def upload_archive(self, file: Source, **how: Unpack[Unpacking]) -> Archive:
        """Upload a ZIP file. Each document in it becomes a document and, if `model=` is given, a job."""
        return await self._play(self._archives.upload(file, how))

    async def archive(self, archive_id: str) -> Archive:
        return await self._play(self._archives.archive(archive_id))

    def archives(self) -> AsyncIterator[Archive]:
        """List archives, newest first."""
        return self._each(self._archives.archives())

    def archive_entries(self, archive_id: str) -> AsyncIterator[ArchiveEntry]:
        """List the entries in the order of the archive, with their results so far."""
        return self._each(self._archives.entries(archive_id))

    async def wait_for_archive(
        self, archive_id: str, *, seconds: float | None = None, told: ArchiveTold | None = None
    ) -> Archive:
        """Wait until no entry waits. Its jobs continue by themselves.

        Raises ArchiveTimedOut after `seconds` (None: never).
        """
        return await self._play(self._archives.wait(archive_id, seconds, told))

    async def cancel_archive(self, archive_id: str) -> Archive:
        """Stop opening entries. Documents and jobs that were already created stay."""
        return await self._play(self._archives.cancel(archive_id))

    async def delete_archive(self, archive_id: str) -> None:
        """Delete the record of the archive. Documents and jobs that were already created stay."""
        await self._play(self._archives.delete(archive_id))

    # Execution of flows

    async def _play(self, flow: Flow[T]) -> T:
        outcome: Reply | Lost | None = None
        with closing(flow):
            while True:
                try:
                    step = flow.send(outcome)
                except StopIteration as end:
                    answer: T = end.value
                    return answer
                outcome = await self._do(step)

    async def _do(self, step: Request | Pause) -> Reply | Lost | None:
        if isinstance(step, Request):
            return await self._send(step)
        await asyncio.sleep(step.seconds)
        return None

    async def _each(self, first: Flow[Part[T]]) -> AsyncIterator[T]:
        following: Flow[Part[T]] | None = first
        while following is not None:
            part = await self._play(following)
            for item in part.items:
                yield item
            following = part.more

    async def _send(self, request: Request) -> Reply | Lost:
        with ExitStack() as files:
            asked = built(self._http, self._configuration, request, files)
            try:
                if request.save_to is not None:
                    return await self._save(asked, request.save_to)
                answer = await self._http.send(asked)
            except httpx.TransportError as error:
                return lost(asked, error)
        return Reply(answer.status_code, answer.headers, answer.content)

    async def _save(self, asked: httpx.Request, path: Path) -> Reply:
        """Send a request and save its answer. A refusal is short and is returned; a good answer may be larger than
        memory.
        """
        answer = await self._http.send(asked, stream=True)
        try:
            if not answer.is_success:
                return Reply(answer.status_code, answer.headers, await answer.aread())
            with saved_whole(path) as file:
                async for piece in answer.aiter_bytes():
                    file.write(piece)
        finally:
            await answer.aclose()
        return Reply(answer.status_code, answer.headers, b"")
