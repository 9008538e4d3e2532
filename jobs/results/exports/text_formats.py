"""A job's text as plain text, or as Markdown with paragraphs that follow the gaps between lines."""

import re
from collections.abc import Iterator, Sequence

from jobs.results.exports.job_export import ExportPage, JobExport
from jobs.results.exports.paragraphs import Row, paragraphs


def text_blocks(export: JobExport) -> Iterator[bytes]:
    if export.remark and not export.single:
        yield f"[{export.remark}]\n\n".encode()
    for page in export.read():
        if not export.single:
            yield f"--- Page {page.number} of {export.job.pages_total} ---\n".encode()
        text = f"[{page.remark}]" if page.remark else str(page.result["text"])
        yield f"{text.rstrip()}\n".encode() if export.single else f"{text.rstrip()}\n\n".encode()


_ANYWHERE = re.compile(r"([\\`*_\[\]<>|~&$])")
_AT_THE_START = re.compile(r"^([#+=-])")
_NUMBERED = re.compile(r"^(\d+)([.)])")


def markdown_blocks(export: JobExport) -> Iterator[bytes]:
    yield f"# {escaped(export.title)}\n".encode()
    if export.remark and not export.single:
        yield f"\n> {escaped(export.remark)}\n".encode()
    for page in export.read():
        if not export.single:
            yield f"\n## Page {page.number}\n".encode()
        yield _body(page).encode()


def _body(page: ExportPage) -> str:
    if page.remark:
        return f"\n> {escaped(page.remark)}\n"
    found = paragraphs(page.lines, str(page.result["text"]))
    return "".join(f"\n{_paragraph(rows)}\n" for rows in found)


def _paragraph(rows: Sequence[Row]) -> str:
    """Return a paragraph. A backslash at the end of a text line keeps it from running into the next text line."""
    *others, last = rows
    return "".join(f"{escaped(row.text)}{chr(92) * row.ended_early}\n" for row in others) + escaped(last.text)


def escaped(text: str) -> str:
    """Return one text line that Markdown shows as it is."""
    text_line = _ANYWHERE.sub(r"\\\1", " ".join(text.split()))
    return _NUMBERED.sub(r"\1\\\2", _AT_THE_START.sub(r"\\\1", text_line))
