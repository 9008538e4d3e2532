"""Actions on rows of a list, each in a transaction of its own, and the message about all of them."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

from django.contrib import messages
from django.http import HttpRequest

from tenants.admin_base.records import OperatorAdmin
from tenants.core.errors import DomainError


class ActsOnEach(OperatorAdmin):
    """A list whose actions run row by row. A row that refuses does not keep the others from it."""

    one_transaction = False

    @abstractmethod
    def transaction_of(self, row: Any) -> AbstractContextManager[Any]:
        """Return the transaction in which a row is changed, by the role of its owner."""

    def act_on_each(
        self, request: HttpRequest, rows: Iterable[Any], action: Callable[[Any], object], done: str
    ) -> None:
        """Act on each row and write the log entry in one transaction, so that either both are done or neither."""
        count = 0
        for row in rows:
            try:
                with self.transaction_of(row):
                    action(row)
                    self.log_change(request, row, f"{done}.")
                count += 1
            except DomainError as refusal:
                self.message_user(request, f"{self.in_words(row)}: {refusal.detail}", messages.WARNING)
        level = messages.SUCCESS if count else messages.WARNING
        self.message_user(request, f"{count} {done.lower()}.", level)
