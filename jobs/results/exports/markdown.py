"""A job's text as Markdown, with the headings, lists and notes that its results mark."""

from collections.abc import Iterator, Sequence

from inference.tables.table import Table
from jobs.results.exports.job_export import ExportPage, JobExport
from jobs.results.exports.markdown_escapes import escaped, escaped_heading
from jobs.results.exports.page_blocks import TextBlock, body_of, marked_blocks, with_letterhead
from jobs.results.exports.page_lines import one_line, text_of
from jobs.results.exports.paragraphs import Row, paragraphs
from jobs.results.exports.text_lists import TextList, with_lists

_PARTED = "---"
"""The line between the text of a page and its footnotes."""


def markdown_blocks(export: JobExport) -> Iterator[bytes]:
    yield f"# {escaped_heading(one_line(export.title))}\n".encode()
    if export.remark and not export.single:
        yield f"\n> {escaped(one_line(export.remark))}\n".encode()
    for page in export.read():
        if not export.single:
            yield f"\n## Page {page.number}\n".encode()
        yield _body(page, above=1 if export.single else 2).encode()


def _body(page: ExportPage, *, above: int) -> str:
    """Return a page's text below headings of the level `above`."""
    if page.remark:
        return f"\n> {escaped(one_line(page.remark))}\n"
    blocks = marked_blocks(page.result, page.lines)
    if blocks is None:
        found = map(_paragraph, paragraphs(page.lines, text_of(page.result)))
    else:
        found = map("\n".join, markdown_of(with_letterhead(blocks, page.number), above=above))
    return "".join(f"\n{part}\n" for part in found if part)


def _paragraph(rows: Sequence[Row]) -> str:
    """Return a paragraph. A backslash at the end of a text line keeps it from running into the next text line."""
    filled = [row for row in rows if one_line(row.text)]
    lines = escaped("\n".join(one_line(row.text) for row in filled)).split("\n")
    ended = [*(row.ended_early for row in filled[:-1]), False]
    return "\n".join(line + "\\" * end for line, end in zip(lines, ended, strict=True)) if filled else ""


def markdown_of(blocks: Sequence[TextBlock], *, above: int) -> Iterator[list[str]]:
    """Yield the lines of each part of a page. Its parts are separated by empty lines."""
    before: TextBlock | TextList | None = None
    delimiter = "."
    for part in with_lists(body_of(blocks)):
        if isinstance(part, TextList):
            # Two lists with numbers beside each other would become one, but for the sign after the number.
            follows = isinstance(before, TextList) and before.start is not None
            delimiter = ")" if follows and delimiter == "." else "."
            yield _list(part, delimiter)
        else:
            if part.type == "footnote" and isinstance(before, TextBlock | TextList) and not _is_note(before):
                yield [_PARTED]
            yield _block(part, above)
        before = part


def _is_note(part: TextBlock | TextList) -> bool:
    return isinstance(part, TextBlock) and part.type == "footnote"


def _block(block: TextBlock, above: int) -> list[str]:
    match block.type:
        case "heading":
            return [f"{'#' * (above + block.level)} {escaped_heading(one_line(block.text))}"]
        case "caption":
            return _broken(f"*{escaped(block.text, emphasized=True)}*")
        case "table" if block.table is not None:
            return _table(block.table)
        case "side_note":
            return [f"> {line}" for line in _broken(escaped(block.text))]
    return _broken(escaped(block.text))


def _table(table: Table) -> list[str]:
    """Return a table of pipes. Markdown knows one header row and no spans: a cell stands in its first place."""
    first, *others = table.grid()
    if not table.header_rows:
        first, others = [""] * table.columns, [first, *others]
    return [_row(first), _row(["---"] * table.columns, plain=True), *map(_row, others)]


def _row(texts: Sequence[str], *, plain: bool = False) -> str:
    cells = texts if plain else [escaped(one_line(text)).replace("|", "\\|") for text in texts]
    return f"| {' | '.join(cells)} |"


def _broken(text: str) -> list[str]:
    """Return the lines of a text. A backslash at the end of a line keeps it from running into the next."""
    return text.replace("\n", "\\\n").split("\n")


def _list(found: TextList, delimiter: str) -> list[str]:
    lines: list[str] = []
    for number, item in enumerate(found.items, found.start or 0):
        mark = "- " if found.start is None else f"{number}{delimiter} "
        first, *others = _broken(escaped(item))
        lines += [mark + first, *(" " * len(mark) + line for line in others)]
    return lines
