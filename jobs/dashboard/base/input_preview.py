"""The beginning of the input of jobs that were sent without a document. It distinguishes these jobs, and is read
without the rest of the input.
"""

from django.db.models import F, Func, IntegerField, QuerySet
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Left

from jobs.core.models import Job

LONGEST = 80


def with_first_words(jobs: "QuerySet[Job]") -> "QuerySet[Job]":
    """Read the beginning of each input. The inputs themselves are not read, because they may be megabytes each."""
    first_tensor = KeyTransform("0", KeyTransform("tensors", "input"))
    return jobs.defer("input").annotate(
        first_text=Left(KeyTextTransform("text", F("input")), LONGEST),
        texts_count=_length("texts"),
        tensors_count=_length("tensors"),
        tensor_name=Left(KeyTextTransform("name", first_tensor), LONGEST),
        tensor_shape=Left(KeyTextTransform("shape", first_tensor), LONGEST),
    )


def _length(key: str) -> Func:
    return Func(KeyTransform(key, F("input")), function="jsonb_array_length", output_field=IntegerField())


def first_words(job: Job) -> str:
    """Return the beginning of the input of a job that was read by `with_first_words`."""
    read = vars(job)
    if text := read.get("first_text"):
        line = " ".join(text.split())
        return f"“{line}{' …' if len(text) == LONGEST else ''}”" if line else "Text without a file"
    if count := read.get("texts_count"):
        return f"{count:,} {'text' if count == 1 else 'texts'}"
    if count := read.get("tensors_count"):
        more = f" and {count - 1:,} more" if count > 1 else ""
        shape = (read.get("tensor_shape") or "").replace(" ", "")
        return f"Tensors {read.get('tensor_name')} {shape}{more}"
    return "Input without a file"
