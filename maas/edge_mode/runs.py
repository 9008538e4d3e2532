"""Runs requests on the engine in limited slots: a text, texts or tensors as one page, a document page by page."""

import asyncio
import contextvars
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

import structlog

from inference.core.calls import Call
from inference.core.contracts import Json, PageInput, Pixels, WorkInput, WorkRefused
from inference.core.errors import DeadlinePassed, ModelFailed
from inference.engine.engine import Engine
from inference.runtime.load_watch import watching_loads
from inference.runtime.parameters import (
    DOCUMENT,
    documents_of,
    mismatch,
    validate_parameters,
    validate_work_kind,
)
from jobs.documents.reader import DocumentReader, DocumentRejected, Kind
from maas.edge_mode.call_parsing import read_asked
from maas.edge_mode.responses import PageAnswer
from maas.edge_mode.served_models import ShelfModel
from tenants.core.asgi.threads import Overloaded

P = ParamSpec("P")
R = TypeVar("R")
WAITING_EACH = 2
"""Calls in progress beyond each one that is worked on: enough that no thread idles while a body arrives."""


class CallSlot:
    """The slot of one call. It is released when the call has its response and all its threads are done."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self._threads = threads
        self.working: set[Future[object]] = set()

    async def run(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        context = contextvars.copy_context()
        future = self._threads.submit(context.run, lambda: work(*args, **kwargs))
        self.working.add(future)  # type: ignore[arg-type]  # a set of futures of anything
        return await asyncio.wrap_future(future)


class CallSlots:
    """The slots for calls in one event loop. It refuses a call at once rather than let a queue grow."""

    def __init__(self, at_once: int) -> None:
        self._most = at_once * (1 + WAITING_EACH)
        self._taken = 0
        self._empty = asyncio.Event()
        self._empty.set()
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="edge")

    @asynccontextmanager
    async def take(self) -> AsyncIterator[CallSlot]:
        if self._taken >= self._most:
            raise Overloaded(
                f"{self._taken} calls are inside already. Try again.",
                gate="edge_calls",
                extra={"retry_after_s": 1},
            )
        self._taken += 1
        self._empty.clear()
        slot = CallSlot(self._threads)
        try:
            yield slot
        finally:
            self._leave(slot)

    async def wait_until_empty(self) -> None:
        await self._empty.wait()

    def _give_back(self) -> None:
        self._taken -= 1
        if not self._taken:
            self._empty.set()

    def _leave(self, slot: CallSlot) -> None:
        """Release a slot. If a caller has disconnected, its slot stays taken while threads still work for it."""
        left = [future for future in slot.working if not future.cancel() and not future.done()]
        if not left:
            self._give_back()
            return
        loop = asyncio.get_running_loop()
        waiting = len(left)

        def one_ended() -> None:
            nonlocal waiting
            waiting -= 1
            if not waiting:
                self._give_back()

        for future in left:
            future.add_done_callback(lambda _: loop.call_soon_threadsafe(one_ended))


log = structlog.get_logger(__name__)
PAGES_AT_ONCE = 4
"""Pages of one document in progress at once: enough that the next is read while another is in its model."""
OURS = {"code": "internal_error", "detail": "Something went wrong on our side; the log has the details."}


@dataclass(frozen=True, slots=True)
class Runs:
    engine: Engine
    reader: DocumentReader

    def check_document(self, model: ShelfModel, parameters: Mapping[str, Json]) -> None:
        """Refuse, before the document has arrived, what the model would refuse."""
        validate_work_kind(model.spec.runtime, DOCUMENT, model.spec.config)
        validate_parameters(model.spec.runtime, parameters, model.spec.config)

    async def inline(self, model: ShelfModel, body: bytes, slot: CallSlot, call: Call) -> list[PageAnswer]:
        """Run a request that has a single input. Its error is the error of the whole response."""
        return [await slot.run(self._inline, model, body, call)]

    async def document(
        self, model: ShelfModel, file: Path, parameters: Mapping[str, Json], slot: CallSlot, call: Call
    ) -> list[PageAnswer]:
        """Run every page on its own. If a page fails, the other pages keep their results."""
        found = await slot.run(self.reader.inspect, file)
        readable = documents_of(model.spec.runtime, model.spec.config)
        if found.kind not in readable:
            raise WorkRefused("input_not_accepted", mismatch(model.spec.model, readable, found.kind))
        turns = asyncio.Semaphore(PAGES_AT_ONCE)

        async def read_page(number: int) -> PageAnswer:
            async with turns:
                read = partial(self._read, file, found.kind, number, call)
                return await slot.run(self._page, model, number, read, parameters, call)

        pages = [asyncio.ensure_future(read_page(number)) for number in range(1, found.pages_total + 1)]
        try:
            return await asyncio.gather(*pages)
        finally:
            for page in pages:
                page.cancel()

    def _read(self, file: Path, kind: Kind, number: int, call: Call) -> PageInput:
        """Read a page. One that has text of its own is drawn when a step looks at its picture."""
        content = self.reader.read_page(file, kind, number, call)
        load_pixels: Callable[[], Pixels] | None = None
        if content.width_px:
            load_pixels = partial(self._pixels, file, kind, number, call, content.pixels)
        size = content.width_px, content.height_px
        return PageInput(number, *size, content.text_lines, load_pixels, content.scans, content.rules, content.items)

    def _pixels(self, file: Path, kind: Kind, number: int, call: Call, drawn: Pixels | None) -> Pixels:
        pixels = self.reader.read_page(file, kind, number, call, drawn=True).pixels if drawn is None else drawn
        if pixels is None:
            raise ValueError(f"page {number} was not drawn")
        return pixels

    def _inline(self, model: ShelfModel, body: bytes, call: Call) -> PageAnswer:
        request = read_asked(body)
        validate_work_kind(model.spec.runtime, request.kind, model.spec.config)
        return self._run(model, 1, lambda: request.work, request.parameters, call)

    def _page(
        self,
        model: ShelfModel,
        number: int,
        read: Callable[[], PageInput],
        parameters: Mapping[str, Json],
        call: Call,
    ) -> PageAnswer:
        try:
            return self._run(model, number, read, parameters, call)
        except DeadlinePassed:
            raise
        except (WorkRefused, DocumentRejected, ModelFailed) as error:
            return PageAnswer(number, error={"code": error.code, "detail": error.detail})

    def _run(
        self,
        model: ShelfModel,
        number: int,
        read: Callable[[], WorkInput],
        parameters: Mapping[str, Json],
        call: Call,
    ) -> PageAnswer:
        call.check()
        began_s = time.perf_counter()
        work = read()
        read_s = time.perf_counter() - began_s
        with watching_loads(lambda: None) as loads:
            answer = self.engine.run(model.spec, work, parameters, call)
        run_s = time.perf_counter() - began_s - read_s - loads.waited_s
        timings = {"read_ms": _ms(read_s), "load_ms": _ms(loads.waited_s), "run_ms": _ms(run_s)}
        if answer.steps:
            timings["steps_ms"] = {name: _ms(seconds) for name, seconds in answer.steps.items()}
        return PageAnswer(number, answer.result, timings=timings)


def _ms(seconds: float) -> Json:
    return max(0, round(1000 * seconds))
