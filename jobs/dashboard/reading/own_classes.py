"""The class of a document by the class set of its job, and the documents in a stack. This module makes no queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.class_sets.names import reference
from jobs.core.models import Job
from jobs.dashboard.reading.opinions import ClassView, KindView, class_view, kind_title
from jobs.dashboard.reading.selectors import Reading


@dataclass(frozen=True)
class SegmentView:
    first_page: int
    last_page: int
    title: str
    percent: int
    open: bool
    """The page that is shown belongs to it."""

    @property
    def pages(self) -> str:
        return str(self.first_page) if self.first_page == self.last_page else f"{self.first_page}–{self.last_page}"


@dataclass(frozen=True)
class OwnClassView:
    """The class that a class set gave to the whole document."""

    key: str
    """The version, such as `letters@3`."""
    name: str
    found: ClassView
    kinds: Sequence[KindView]
    """The classes that a person may choose from."""
    segments: Sequence[SegmentView]
    """The documents in the file. It is empty for a file of one document."""
    undo: str
    """The URL of the correction, if there is one."""


def own_class_view(reading: Reading) -> OwnClassView | None:
    job = reading.job
    if not job.class_set or job.document_class is None:
        return None
    found = class_view({"class": job.document_class.to_json()})
    if job.class_corrected:
        found = ClassView(job.class_label, found.kinds, corrected=True)
    segments = reading.segments if len(reading.segments) > 1 else ()
    return OwnClassView(
        key=job.class_set,
        name=reference(job.class_set).name,
        found=found,
        kinds=[KindView(label, 0) for label in reading.labels],
        segments=[_segment(segment, reading.page.number) for segment in segments],
        undo=_undo(job),
    )


def _undo(job: Job) -> str:
    return f"/v1/jobs/{job.id}/class" if job.class_corrected else ""


def _segment(segment: Mapping[str, Any], number: int) -> SegmentView:
    first, last = segment["first_page"], segment["last_page"]
    return SegmentView(
        first, last, kind_title(segment["class"]), round(100 * segment["probability"]), first <= number <= last
    )
