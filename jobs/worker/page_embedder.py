"""Embeds pages for the search after their results are out: one thread of a worker, one page after the other."""

import threading
from collections.abc import Collection

import structlog
from django.db import InterfaceError, OperationalError, close_old_connections

from inference.core.calls import Call
from inference.core.contracts import Embedding, PageInput, TextLine
from inference.engine.engine import Engine
from jobs.search.embedding_orders import Embeddable, EmbeddingOrder, embeddable, finish_order, take_orders
from jobs.worker.versions import VersionCatalog

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 1.0


class PageEmbedder:
    """The embedding thread of a worker process, which starts and stops it."""

    def __init__(self, engine: Engine, versions: VersionCatalog, pools: Collection[str]) -> None:
        self._engine = engine
        self._versions = versions
        self._pools = pools
        self._stopping = threading.Event()
        self._call = Call()
        self._thread = threading.Thread(target=self._run, name="page-embedder", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_s: float) -> None:
        """Stop the thread. Orders that are not carried out are taken again later."""
        self._stopping.set()
        self._call.cancel()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                worked = self.work_once()
            except (OperationalError, InterfaceError) as error:
                log.warning("database_unavailable", error=str(error).strip())
                worked = False
            except Exception:
                log.exception("embedding_round_failed")
                worked = False
            finally:
                close_old_connections()
            if not worked:
                self._stopping.wait(LOOK_EVERY_S)

    def work_once(self) -> bool:
        """Carry out the oldest orders. Return whether there were any."""
        orders = take_orders(self._pools)
        for order in orders:
            if not self._stopping.is_set():
                self._carry_out(order)
        return bool(orders)

    def _carry_out(self, order: EmbeddingOrder) -> None:
        """Carry out one order. If that fails, the order is taken again later, a few times."""
        try:
            page = embeddable(order.page)
            finish_order(order, None if page is None else self._embedding(order, page))
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            if self._stopping.is_set():
                return
            about = {"job_id": str(order.page.job_id), "page": order.page.number, "attempt": order.attempt}
            log.warning("page_not_embedded", error=str(error), **about)
            if order.is_last_attempt:
                finish_order(order, None)

    def _embedding(self, order: EmbeddingOrder, page: Embeddable) -> Embedding:
        spec = self._versions.get(order.model_version_id, self._call)
        if page.embedding is not None:
            return Embedding(spec.digest, tuple(page.embedding))
        lines = tuple(TextLine(line, None, 1.0) for line in page.text.splitlines())
        call = Call(tenant=str(order.page.tenant_id))
        withdraw = self._call.on_cancel(call.cancel)
        try:
            answer = self._engine.run(spec, PageInput(1, 0, 0, lines, load_pixels=None), {}, call)
        finally:
            withdraw()
        return Embedding(spec.digest, tuple(answer.result["embedding"]))
