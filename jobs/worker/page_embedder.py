"""Embeds pages for the search after their results are out: one thread of a worker, one page after the other."""

from collections.abc import Collection

import structlog
from django.db import InterfaceError, OperationalError

from inference.core.calls import Call
from inference.core.contracts import Embedding, PageInput, TextLine
from inference.engine.engine import Engine
from jobs.search.embedding_orders import Embeddable, EmbeddingOrder, embeddable, finish_order, take_orders
from jobs.worker.rounds import Rounds
from jobs.worker.versions import VersionCatalog

log = structlog.get_logger(__name__)


class PageEmbedder:
    """The embedding thread of a worker process, which starts and stops it."""

    def __init__(self, engine: Engine, versions: VersionCatalog, pools: Collection[str]) -> None:
        self._engine = engine
        self._versions = versions
        self._pools = pools
        self._call = Call()
        self._rounds = Rounds("page-embedder", self.work_once)

    def start(self) -> None:
        self._rounds.start()

    def stop(self, timeout_s: float) -> None:
        """Stop the thread. Orders that are not carried out are taken again later."""
        self._call.cancel()
        self._rounds.stop(timeout_s)

    def work_once(self) -> bool:
        """Carry out the oldest orders. Return whether there were any."""
        orders = take_orders(self._pools)
        for order in orders:
            if not self._rounds.stopping.is_set():
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
            if self._rounds.stopping.is_set():
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
