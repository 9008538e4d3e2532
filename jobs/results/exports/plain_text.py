"""A job's text as plain text."""

from collections.abc import Iterator

from jobs.results.exports.job_export import JobExport


def text_blocks(export: JobExport) -> Iterator[bytes]:
    if export.remark and not export.single:
        yield f"[{export.remark}]\n\n".encode()
    for page in export.read():
        if not export.single:
            yield f"--- Page {page.number} of {export.job.pages_total} ---\n".encode()
        text = f"[{page.remark}]" if page.remark else str(page.result["text"])
        yield f"{text.rstrip()}\n".encode() if export.single else f"{text.rstrip()}\n\n".encode()
