"""Texts of the list for a count, for the outcome of a bulk action, and for the consequences of a deletion."""

from collections import Counter
from collections.abc import Iterable

from jobs.bulk.erasing import Erasure
from jobs.bulk.services import (
    CANCELED,
    DELETED,
    ENDED,
    LEFT,
    NO_DOCUMENT,
    NOT_FOUND,
    RETRIED,
    Consequences,
    Outcome,
)
from jobs.dashboard.listing.query import ListQuery
from jobs.dashboard.listing.selectors import MAX_COUNTED, Listing
from jobs.search.selectors import MAX_HITS

NAMES_SHOWN = 5

_OUTCOMES = {
    CANCELED: "{} canceled",
    RETRIED: "{} sent again",
    DELETED: "{} deleted",
    LEFT: "{} left as they are, as too many pages for one go: choose them again",
    ENDED: "{} had ended already",
    NO_DOCUMENT: "{} without a document of their own left as they are",
    NOT_FOUND: "{} not found any more",
    "nothing_to_retry": "{} had nothing to retry",
    "input_not_accepted": "{} on a document that the model cannot read",
    "job_not_finished": "{} still running",
    "more_to_erase": "{} with more jobs than are erased at once: choose them again",
    "document_deleted": "{} whose document is deleted",
    "model_paused": "{} whose model is paused",
    "model_not_found": "{} whose model is not served any more",
}
"""The texts, in the order in which they are shown. A refusal for another reason is shown by its code."""


def count_words(query: ListQuery, listing: Listing) -> str:
    stretch = listing.stretch
    many = stretch.total > MAX_COUNTED
    words = f"More than {MAX_COUNTED:,} jobs" if many else f"{stretch.total:,} {plural(stretch.total, 'job')}"
    if not listing.all_found:
        words += f" among the newest {MAX_HITS:,} that were found"
    if query.page > 1:
        words += f", page {query.page}"
    if many and not query.by_age:
        words += f"; the newest {MAX_COUNTED:,} of them are put in this order"
    return words


def outcome_words(outcomes: Iterable[Outcome]) -> str:
    """Return a text that has each kind of outcome once: `3 canceled, 1 had ended already.`"""
    counts = Counter(outcome.code for outcome in outcomes)
    said = [words.format(counts.pop(code)) for code, words in _OUTCOMES.items() if code in counts]
    said += [f"{number} refused ({code})" for code, number in sorted(counts.items())]
    return f"{', '.join(said)}." if said else "Nothing was selected."


def deleted_words(found: Consequences) -> str:
    """Return what is deleted, for the question, its button and the notice: `2 documents and 334 jobs`."""
    documents = len(found.names)
    return f"{documents:,} {plural(documents, 'document')} and {found.jobs:,} {plural(found.jobs, 'job')}"


def consequence_words(found: Consequences) -> list[str]:
    """Return what a person should know before documents are erased."""
    many = len(found.names)
    words = [f"{_listed(found.names)}: erased for good, with {'their' if many > 1 else 'its'} page pictures."]
    if found.unfinished:
        words.append(f"{found.unfinished} {plural(found.unfinished, 'job')} still at work on them: canceled.")
    if found.others:
        words.append(
            f"{found.others} more {plural(found.others, 'job')} on the same files: listed as deleted too."
        )
    if found.without_document:
        words.append(f"{found.without_document} sent inline: nothing to delete, left as they are.")
    words.append("Recognised text stays with the jobs, under “Deleted”; “Erase all” takes it too.")
    return words


def erased_words(found: Erasure) -> str:
    return f"{found.jobs:,} {plural(found.jobs, 'job')} and {found.documents:,} {plural(found.documents, 'document')}"


def erasure_words(found: Erasure) -> list[str]:
    """Return what a person should know before everything is erased."""
    words = [
        "Recognised text, what was sent, and the files with their page pictures: erased for good, everywhere."
    ]
    if found.unfinished:
        words.append(f"{found.unfinished} {plural(found.unfinished, 'job')} still at work: canceled first.")
    if found.others:
        words.append(f"{found.others} more {plural(found.others, 'job')} on the same files: erased too.")
    words.append("What they cost stays on the bill.")
    return words


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in names[:NAMES_SHOWN])
    rest = len(names) - NAMES_SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


def plural(number: int, noun: str) -> str:
    return noun if number == 1 else f"{noun}s"
