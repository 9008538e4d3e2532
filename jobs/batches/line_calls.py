"""Answers one line of a batch as its call would be answered: by the gateway's own handlers, for a tenant that does not
wait.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from inference.gateway.batch_lines import BulkExchange, PinnedTargets
from inference.gateway.exchange import Exchange
from inference.gateway.gateway import WRONGLY_ASKED, Handler
from inference.gateway.inference import Inference
from inference.gateway.open_inference.infer import infer
from inference.gateway.open_inference.statistics_book import StatisticsBook
from inference.gateway.openai.embeddings import Embeddings
from inference.gateway.outcomes import Answers
from inference.gateway.replies import Reply
from inference.gateway.room import Room
from inference.gateway.targets import Targets
from jobs.batches.claims import TaskClaim
from jobs.batches.ids import line_id
from jobs.batches.line_parsing import EMBEDDINGS, BatchLine
from tenants.authentication.selectors import effective_limits
from tenants.billing.ledger.call_holds import CallHolds
from tenants.billing.metering.events import MeterEvent
from tenants.core.asgi.protocol import REQUEST_ID, ClientGone, Scope
from tenants.core.asgi.stopping import Stop
from tenants.core.errors import DomainError
from tenants.identity.identity import Identity

BATCH_LINE = "batch_line"
JSON = "application/json"
MAX_ANSWER_BYTES = 64 << 20
"""The largest response of one line."""

Wording = Callable[[Scope, DomainError], tuple[int, bytes]]
"""A function that returns the status and the body of a refusal, as a call of that scope would have received it."""


@dataclass(frozen=True, slots=True)
class LineCall:
    status: int
    body: bytes
    uses: tuple[MeterEvent, ...] = ()
    tokens: int = 0
    tell: Callable[[bool], None] = field(default=lambda _: None, compare=False)
    """The function to call once, with whether the uses were recorded. Only responses that are paid for are kept for
    others.
    """
    held_bytes: int = 0
    """The bytes that are held in memory until then."""


class Asker:
    """Answers lines of batches. There is one for each process that works on batches, in its event loop."""

    def __init__(
        self, targets: Targets, answers: Answers, wording: Wording, call_holds: CallHolds | None = None
    ) -> None:
        self._targets = targets
        self._call_holds = call_holds
        self._answers = answers
        self._wording = wording
        self._stop = Stop()
        self._room = Room()
        self._book = StatisticsBook()

    def of(self, claim: TaskClaim) -> "SliceAsker":
        assert claim.model_key is not None
        assert claim.price is not None
        pinned = PinnedTargets(self._targets, claim.model_key, claim.price, claim.cached_price)
        handler = self._handler(claim, pinned)
        return SliceAsker(claim, handler, self._wording, self._stop, self._room, call_holds=self._call_holds)

    def _handler(self, claim: TaskClaim, pinned: PinnedTargets) -> Handler:
        inference = Inference(pinned, self._answers)
        if claim.endpoint == EMBEDDINGS:
            return Embeddings(inference)

        async def handle(exchange: Exchange) -> Reply:
            return await infer(inference, None, self._book, exchange, str(claim.model_key))

        return handle


class SliceAsker:
    """Answers the lines of one claim, which all use the same version and the same prices."""

    def __init__(
        self,
        claim: TaskClaim,
        handler: Handler,
        wording: Wording,
        stop: Stop,
        room: Room,
        *,
        call_holds: CallHolds | None = None,
    ) -> None:
        self._claim = claim
        self._call_holds = call_holds
        self._handler = handler
        self._wording = wording
        self._stop = stop
        self._room = room
        self._identity = Identity(
            tenant_id=claim.tenant_id,
            limits=effective_limits(),
            scopes=frozenset({"jobs:write"}),
            livemode=claim.livemode,
            key_id=claim.api_key_id,
            models=claim.key_models,
        )

    async def ask(self, line: BatchLine) -> LineCall:
        """Answer a line. Raises DomainError if the line was refused or the model is unavailable. The caller decides
        whether to try again.
        """
        name = line_id(self._claim.batch_id, line.number)
        with self._room.share(self._claim.tenant_id) as share:
            exchange = BulkExchange(
                path=self._claim.endpoint,
                body=line.written_body,
                identity=self._identity,
                request_id=name.hex,
                stop=self._stop,
                share=share,
                call_holds=self._call_holds,
            )
            try:
                return await self._answered(exchange, line)
            except BaseException:
                exchange.settle(written=False)
                raise

    async def _answered(self, exchange: Exchange, line: BatchLine) -> LineCall:
        try:
            reply = await self._handler(exchange)
            _check_can_be_written(reply)
        except ClientGone as gone:
            # The run was ended by something else than its sender: no client can disconnect here.
            raise DomainError(
                "The run was interrupted. Try again.",
                code="inference_unavailable",
                gate="workers",
                extra={"retry_after_s": 1},
            ) from gone
        except DomainError as error:
            if error.code != WRONGLY_ASKED:
                raise
            # A model may have run, and its result cannot be expressed in the form that was requested.
            exchange.spend()
            return replace(
                self.refused(line, error),
                uses=self._uses(exchange, line),
                tell=_teller(exchange),
                held_bytes=exchange.held_bytes,
            )
        exchange.spend()
        tokens = exchange.tokens + exchange.known_tokens
        return LineCall(
            reply.status,
            reply.body,
            self._uses(exchange, line),
            tokens,
            _teller(exchange),
            exchange.held_bytes,
        )

    def refused(self, line: BatchLine, error: DomainError) -> LineCall:
        name = line_id(self._claim.batch_id, line.number)
        scope: Scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "path": self._claim.endpoint,
            "query_string": b"",
            "headers": [],
            REQUEST_ID: name.hex,
        }
        status, body = self._wording(scope, error)
        return LineCall(status, body)

    def _uses(self, exchange: Exchange, line: BatchLine) -> tuple[MeterEvent, ...]:
        """Return the uses of a line. They are the same however often the line is run."""
        batch_id = self._claim.batch_id
        return tuple(
            replace(use, id=line_id(batch_id, line.number, part), source_kind=BATCH_LINE)
            for part, use in enumerate(exchange.uses)
        )


def _teller(exchange: Exchange) -> Callable[[bool], None]:
    return lambda written: exchange.settle(written=written)


def _check_can_be_written(reply: Reply) -> None:
    if len(reply.body) > MAX_ANSWER_BYTES:
        raise DomainError(
            f"The response has {len(reply.body)} bytes, but at most {MAX_ANSWER_BYTES} are allowed per line: "
            "split the line.",
            code=WRONGLY_ASKED,
        )
    if reply.content_type != JSON:
        raise DomainError(
            "A batch line cannot contain binary tensors. Remove `binary_data` and `binary_data_output`.",
            code=WRONGLY_ASKED,
        )
