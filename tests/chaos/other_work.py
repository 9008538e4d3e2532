"""Checks work other than jobs: batches, whose requests are each charged once, and synchronous calls. The checks are
pure.
"""

from collections.abc import Iterator

from .books import Books, Broken

_ENDS = {"completed", "failed", "expired", "cancelled"}


def broken_batches(books: Books) -> Iterator[Broken]:
    charged = [use for use in books.uses if use.kind == "batch_line"]
    for key, ids in books.accepted_batches.items():
        if len(set(ids)) > 1:
            yield Broken("doubled", f"the batch of key {key} was answered with {sorted(set(ids))}", ids[0])
        batch = books.batches.get(ids[0])
        if batch is None:
            yield Broken("lost", f"a batch that was accepted under key {key} is in no table", ids[0])
        elif batch.status not in _ENDS:
            yield Broken("lost", f"a batch was accepted, and is still {batch.status}", batch.id)
        elif batch.status != "completed" or batch.completed + batch.failed != batch.lines:
            words = f"{batch.status}: {batch.completed} and {batch.failed} of {batch.lines} lines"
            yield Broken("ends", f"a batch that nobody canceled is {words}", batch.id)
    completed = sum(batch.completed for batch in books.batches.values())
    if len(charged) != completed:
        rule = "charged twice" if len(charged) > completed else "not charged"
        yield Broken(rule, f"{completed} lines of batches were completed, {len(charged)} charged")
    if len({use.source_id for use in charged}) != len(charged):
        yield Broken("charged twice", "a line of a batch has two usage rows")
    cost, rows = (
        sum(batch.cost_micros for batch in books.batches.values()),
        sum(u.amount_micros for u in charged),
    )
    if cost != rows:
        yield Broken("cost", f"batches cost {cost}, the usage rows of their lines come to {rows}")


def broken_calls(books: Books) -> Iterator[Broken]:
    """Check calls. Each call that was sent may have been done, with or without a response. Each call with a response
    was done.
    """
    charged, calls = sum(use.kind == "call" for use in books.uses), books.calls
    if charged > calls.sent:
        yield Broken("charged twice", f"{charged} calls were charged, and {calls.sent} were sent")
    if charged < calls.answered and not calls.may_be_lost:
        yield Broken("not charged", f"{calls.answered} calls were answered, and {charged} charged")
