"""A job's text as one HTML document that needs nothing else: no script, no picture, no other file."""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape

from inference.layout.direction import has_right_to_left, runs_from_right
from inference.tables.table import Table
from jobs.results.exports.job_export import ExportPage, JobExport
from jobs.results.exports.page_blocks import TextBlock, blocks_of, body_of, with_letterhead
from jobs.results.exports.table_cells import placed_cells
from jobs.results.exports.text_lists import TextList, with_lists

STYLE = """
body { max-width: 45rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 sans-serif; overflow-wrap: break-word }
section { border-top: 1px solid; margin-top: 2rem }
.page, .remark, .notes, figure, aside { font-size: .875rem }
.notes { border-top: 1px dotted }
figure { margin: 1rem 0; font-style: italic }
aside { margin: 1rem 2rem }
td, th { padding: 0 1rem 0 0; vertical-align: top; text-align: start }
[dir=rtl] td, [dir=rtl] th { padding: 0 0 0 1rem }
"""
STYLE_SOURCE = f"style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'"
POLICY = f"default-src 'none'; {STYLE_SOURCE}; base-uri 'none'; form-action 'none'"
"""The content security policy of the document, which it also contains: a file on a disk has no headers."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_SCRIPTS = (("Hebr", re.compile(r"[\u0590-\u05ff]")), ("Arab", re.compile(r"[\u0600-\u06ff\u0750-\u077f]")))


def html_blocks(export: JobExport) -> Iterator[bytes]:
    title = _text(export.title)
    yield (
        f'<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n<style>{STYLE}</style>\n'
        f"</head>\n<body>\n<header>\n<h1{_direction(export.title)}>{title}</h1>\n"
    ).encode()
    if export.remark and not export.single:
        yield f"{_remark(export.remark)}\n".encode()
    yield b"</header>\n<main>\n"
    for page in export.read():
        yield _section(page).encode()
    yield b"</main>\n</body>\n</html>\n"


def _section(page: ExportPage) -> str:
    number = page.number
    start = f'<section id="page-{number}" aria-label="Page {number}">\n<p class="page">Page {number}</p>\n'
    blocks = with_letterhead(blocks_of(page.result), number)
    body = _remark(page.remark) if page.remark else "\n".join(html_of(blocks))
    return f"{start}{body}\n</section>\n"


def _remark(text: str) -> str:
    return f'<p class="remark">{_text(text)}</p>'


def html_of(blocks: Sequence[TextBlock]) -> Iterator[str]:
    """Yield the elements of a page."""
    body = body_of(blocks)
    notes = [block for block in body if block.type == "footnote"]
    yield "<div>"
    for part in with_lists(block for block in body if block.type != "footnote"):
        yield _list(part) if isinstance(part, TextList) else _element(part)
    if notes:
        yield '<div class="notes" role="group" aria-label="Footnotes">'
        yield from map(_element, notes)
        yield "</div>"
    yield "</div>"


def _element(block: TextBlock) -> str:
    direction, text = _direction(block.text), _text(block.text)
    match block.type:
        case "heading":
            return f"<h{block.level + 1}{direction}>{text}</h{block.level + 1}>"
        case "caption":
            return f"<figure><figcaption{direction}>{text}</figcaption></figure>"
        case "side_note":
            return f"<aside{direction}><p>{text}</p></aside>"
        case "table" if block.table is not None:
            return _table(block.table, direction)
        case "table" | "rows":
            rows = ("".join(f"<td>{_text(cell)}</td>" for cell in row) for row in block.cells)
            return f"<table{direction}>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    return f"<p{direction}>{text}</p>"


def _table(table: Table, direction: str) -> str:
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    for cell, is_header in placed_cells(table):
        spans = "".join(
            f' {name}="{span}"'
            for name, span in (("rowspan", cell.row_span), ("colspan", cell.column_span))
            if span > 1
        )
        name = "th" if is_header else "td"
        rows[cell.row].append(f"<{name}{spans}>{_text(cell.text)}</{name}>")
    return f"<table{direction}>{''.join(f'<tr>{row}</tr>' for row in map(''.join, rows))}</table>"


def _list(found: TextList) -> str:
    name = "ul" if found.start is None else "ol"
    start = "" if found.start in (None, 1) else f' start="{found.start}"'
    direction = _direction("\n".join(found.items))
    items = "".join(f"<li>{_text(item)}</li>" for item in found.items)
    return f"<{name}{start}{direction}>{items}</{name}>"


def _text(text: str) -> str:
    return "<br>".join(map(escape, _CONTROL.sub("", text).split("\n")))


def _direction(text: str) -> str:
    """Return the attributes of a text that is read from right to left, or has some such words."""
    if not runs_from_right([text]):
        return ' dir="auto"' if has_right_to_left(text) else ""
    counts = [(len(letters.findall(text)), script) for script, letters in _SCRIPTS]
    most, script = max(counts)
    return f' dir="rtl" lang="und-{script}"' if most else ' dir="rtl"'
