"""The content of the page of a model's moves: its history, and what answered at a moment."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from inference.registry.aliases import version_at
from inference.registry.models import AliasMove
from inference.registry.owners import owned_model
from inference.registry.references import CURRENT

MAX_MOVES = 200
MAX_OFFSET_MINUTES = 24 * 60


@dataclass(frozen=True)
class Question:
    """The question which version answered for an alias at a moment."""

    alias: str = CURRENT
    typed: str = ""
    """The moment as a date-time field has it, without a zone."""
    offset_minutes: int = 0
    """The minutes that are added to the reader's time to get UTC, as browsers give them."""

    @property
    def moment(self) -> datetime | None:
        """Return the moment in UTC, or None if the text is no moment."""
        try:
            typed = datetime.fromisoformat(self.typed)
            return typed.replace(tzinfo=UTC) + timedelta(minutes=self.offset_minutes)
        except (ValueError, OverflowError):
            return None


@dataclass(frozen=True)
class History:
    model: str
    title: str
    aliases: tuple[str, ...]
    moves: tuple[AliasMove, ...]
    question: Question
    answer: int | None
    """The version that answered at the moment of the question."""


def history_of(tenant_id: UUID, name: str, question: Question) -> History:
    """Return the moves of all aliases, the last one first, in the scope of the tenant. Raises ModelNotFound."""
    served = owned_model(tenant_id, name)
    moves = served.moves.select_related("previous", "version").order_by("-id")[:MAX_MOVES]
    moment = question.moment
    answered = version_at(served, question.alias, moment) if moment else None
    aliases = set(served.moves.order_by().values_list("alias", flat=True).distinct())
    return History(
        model=served.name,
        title=served.title or served.name,
        aliases=tuple(sorted(aliases, key=lambda alias: (alias != CURRENT, alias))),
        moves=tuple(moves),
        question=question,
        answer=answered.number if answered else None,
    )
