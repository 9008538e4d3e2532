"""Test that Markdown of a job is shown by a parser as the page was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from inference.tables.table import Cell, Table
from jobs.core.models import Job
from jobs.results.exports.markdown import markdown_of
from jobs.results.exports.page_blocks import TYPES, TextBlock, blocks_of, body_of
from jobs.results.exports.services import MARKDOWN
from jobs.results.exports.text_lists import TextList, with_lists
from tests.jobs.results.exports.conftest import ReadingDesk, box, line
from tests.jobs.results.exports.test_markdown_escapes import TEXTS
from tests.jobs.results.exports.test_page_blocks import TABLE, result, with_table

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def markdown(*blocks: TextBlock) -> str:
    return "\n\n".join("\n".join(part) for part in markdown_of(blocks, above=1))


def test_markdown_has_headings_and_paragraphs_and_nothing_in_it_is_markup_by_chance(
    desk: ReadingDesk, partial_job: Job
) -> None:
    assert desk.exported(partial_job, MARKDOWN).decode() == (
        "# a.pdf\n\n> Pages 2 and 4 of 4 are missing.\n"
        "\n## Page 1\n\nDear \\*Anna\\*,\n\n1\\. hello\n"
        "\n## Page 2\n\n> Page 2 is missing: it failed. Ink. (page_unreadable)\n"
        "\n## Page 3\n\nBye\n"
        "\n## Page 4\n\n> Page 4 is missing: it waits to be read.\n"
    )


def test_lines_without_blocks_that_were_ended_on_purpose_are_broken(desk: ReadingDesk) -> None:
    job = desk.submit()
    desk.read(job, 1, line("Acme", box(0, 0, 100)), line("Main Street 1", box(0, 45, 200)), line("", box(0, 90, 9)))
    assert desk.exported(job, MARKDOWN).decode().endswith("\n\nAcme\\\nMain Street 1\n")


@pytest.mark.parametrize(("pages", "mark"), [(1, "##"), (2, "###")])
def test_headings_of_a_page_are_below_those_of_the_file(desk: ReadingDesk, pages: int, mark: str) -> None:
    job = desk.submit(pages=pages)
    desk.answer(job, 1, result())
    paragraph = "A paragraph that runs on in the next printed line, and ends."
    assert f"\n{mark} Report\n\n{paragraph}\n" in desk.exported(job, MARKDOWN).decode()


def test_a_page_has_lists_captions_notes_and_no_edges() -> None:
    blocks = [
        TextBlock("header", "Acme annual report"),
        TextBlock("heading", "Sums", level=2),
        TextBlock("footnote", "1 See there."),
        TextBlock("list_item", "• one\nmore"),
        TextBlock("list_item", "• two"),
        TextBlock("list_item", "3. three"),
        TextBlock("list_item", "7. seven"),
        TextBlock("side_note", "Note this"),
        TextBlock("table", "VAT 20 %\nTotal 5 * 3"),
        TextBlock("caption", "Figure 1: *All*"),
        TextBlock("page_number", "7"),
    ]
    assert markdown(*blocks) == (
        "### Sums\n\n- one\\\n  more\n- two\n\n3. three\n\n7) seven\n\n> Note this\n\nVAT 20 %\\\nTotal 5 * 3\n\n"
        "*Figure 1: \\*All\\**\n\n---\n\n1 See there."
    )


BLOCKS = st.builds(TextBlock, st.sampled_from(sorted(TYPES)), TEXTS, st.integers(1, 3))


def bare(text: str) -> str:
    return "".join(char for char in text if not char.isspace())


@given(st.lists(BLOCKS, min_size=1, max_size=5))
def test_every_text_is_shown_in_its_order(blocks: list[TextBlock]) -> None:
    tokens = PARSER.parse(markdown(*blocks))
    found = []
    for token in tokens:
        found += [child.content for child in token.children or () if child.type == "text"]
    marks = {token.type for token in tokens}
    assert not marks & {"code_block", "fence", "html_block", "table_open"}
    assert bare("".join(found)) == bare("".join(unmarked(block) for block in body_of(blocks)))


def unmarked(block: TextBlock) -> str:
    """Return the text as a list shows it, without its mark."""
    (shown,) = with_lists([block])
    return shown.items[0] if isinstance(shown, TextList) else shown.text


def test_a_table_is_one_of_pipes() -> None:
    (block,) = blocks_of(with_table())
    assert markdown(block) == "| Sums \\| all |  |\n| --- | --- |\n| VAT | 20 |"
    assert "table_open" in {token.type for token in PARSER.parse(markdown(block))}


def test_a_table_without_headers_has_an_empty_header() -> None:
    (block,) = blocks_of(with_table({**TABLE, "header_rows": 0}))
    assert markdown(block).startswith("|  |  |\n| --- | --- |\n| Sums")


@given(st.lists(TEXTS, min_size=2, max_size=6))
def test_every_text_of_a_table_is_shown_in_its_cell(texts: list[str]) -> None:
    cells = tuple(Cell(row, 0, text, None) for row, text in enumerate(texts))
    tokens = PARSER.parse(markdown(TextBlock("table", "x", table=Table(len(texts), 1, cells, header_rows=1))))
    inside = [token for token in tokens if token.type == "inline"]
    found = ["".join(child.content for child in token.children or () if child.type == "text") for token in inside]
    assert [bare(text) for text in found] == [bare(text) for text in texts]
