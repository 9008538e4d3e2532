"""Texts of the list for a count, for the outcome of a bulk action, and for the consequences of a deletion."""

from collections import Counter
from collections.abc import Iterable

from jobs.dashboard.listing.query import ListQuery
from jobs.dashboard.listing.selectors import MAX_COUNTED, Listing
from jobs.many_jobs.services import (
    CANCELED,
    DELETED,
    ENDED,
    LEFT,
    NO_DOCUMENT,
    NOT_FOUND,
    RETRIED,
    Consequences,
    Erasure,
    Outcome,
)
from jobs.search.selectors import MAX_HITS

NAMES_SHOWN = 5

_OUTCOMES = {
    CANCELED: "{} canceled",
    RETRIED: "{} retried",
    DELETED: "{} deleted",
    LEFT: "{} not retried, too many pages at once: select them again",
    ENDED: "{} already finished",
    NO_DOCUMENT: "{} without a file, not changed",
    NOT_FOUND: "{} not found",
    "nothing_to_retry": "{} had nothing to retry",
    "input_not_accepted": "{} not accepted by the model",
    "job_not_finished": "{} not finished",
    "erasure_incomplete": "{} with too many jobs to delete at once: select them again",
    "document_deleted": "{} whose file was deleted",
    "model_paused": "{} whose model is paused",
    "model_not_found": "{} whose model is not available",
}
"""The texts, in the order in which they are shown. A refusal for another reason is shown by its code."""


def count_words(query: ListQuery, listing: Listing) -> str:
    stretch = listing.stretch
    many = stretch.total > MAX_COUNTED
    text = f"More than {MAX_COUNTED:,} jobs" if many else f"{stretch.total:,} {plural(stretch.total, 'job')}"
    if not listing.all_found:
        text += f" among the newest {MAX_HITS:,} matches"
    if query.page > 1:
        text += f", page {query.page}"
    if many and not query.by_age:
        text += f"; only the newest {MAX_COUNTED:,} are sorted"
    return text


def outcome_words(outcomes: Iterable[Outcome]) -> str:
    """Return a text that has each kind of outcome once: `3 canceled, 1 already finished.`"""
    counts = Counter(outcome.code for outcome in outcomes)
    texts = [template.format(counts.pop(code)) for code, template in _OUTCOMES.items() if code in counts]
    texts += [f"{number} refused ({code})" for code, number in sorted(counts.items())]
    return f"{', '.join(texts)}." if texts else "Nothing was selected."


def deleted_words(found: Consequences) -> str:
    documents = len(found.names)
    return f"{documents:,} {plural(documents, 'file')} of {found.jobs:,} {plural(found.jobs, 'job')}"


def consequence_words(found: Consequences) -> list[str]:
    many = len(found.names)
    sentences = [f"{_listed(found.names)}: {plural(many, 'file')} and page images are deleted permanently."]
    if found.unfinished:
        sentences.append(f"{found.unfinished} unfinished {plural(found.unfinished, 'job')}: will be canceled.")
    if found.others:
        sentences.append(
            f"{found.others} more {plural(found.others, 'job')} on the same files: also listed under “Deleted”."
        )
    if found.without_document:
        sentences.append(
            f"{found.without_document} {plural(found.without_document, 'job')} without a file: not changed."
        )
    sentences.append("The recognized text is kept under “Deleted”. “Delete file and text” deletes it too.")
    return sentences


def erased_words(found: Erasure) -> str:
    text = f"the text of {found.jobs:,} {plural(found.jobs, 'job')}"
    return f"{found.documents:,} {plural(found.documents, 'file')} and {text}" if found.documents else text


def erasure_words(found: Erasure) -> list[str]:
    sentences = ["Recognized text, input, files and page images are deleted permanently."]
    if found.unfinished:
        sentences.append(f"{found.unfinished} unfinished {plural(found.unfinished, 'job')}: will be canceled first.")
    if found.others:
        sentences.append(f"{found.others} more {plural(found.others, 'job')} on the same files: also deleted.")
    sentences.append("The cost stays on your bill.")
    return sentences


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in names[:NAMES_SHOWN])
    rest = len(names) - NAMES_SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


def plural(number: int, noun: str) -> str:
    return noun if number == 1 else f"{noun}s"
