"""Tests of the export as HTML: a parser finds the text in its elements, and nothing else."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from jobs.core.models import Job
from jobs.results.exports.html_result import html_of
from jobs.results.exports.page_blocks import TYPES, TextBlock, blocks_of, body_of
from jobs.results.exports.services import HTML
from tenants.api.authentication import IDENTITY
from tests.jobs.results.exports.conftest import ReadingDesk, box, line
from tests.jobs.results.exports.test_markdown import bare, unmarked
from tests.jobs.results.exports.test_page_blocks import PARAGRAPH, result, with_table

VOID = {"meta", "br"}
ELEMENTS = {"h2", "h3", "h4", "p", "ul", "ol", "li", "table", "tr", "td", "figure", "figcaption", "aside", "div", "br"}


class Reader(HTMLParser):
    """A parser that collects the text and the elements, and checks that each is closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def html(*blocks: TextBlock) -> str:
    return "\n".join(html_of(blocks))


def test_each_page_is_a_section_that_says_what_is_missing(desk: ReadingDesk, partial_job: Job) -> None:
    reader = parsed(desk.exported(partial_job, HTML).decode())
    assert ("html", {}) in reader.elements
    sections = [attributes["id"] for tag, attributes in reader.elements if tag == "section"]
    assert sections == ["page-1", "page-2", "page-3", "page-4"]
    for text in ("a.pdf", "Pages 2 and 4 of 4 are missing.", "Dear *Anna*,", "Ink. (page_unreadable)", "Bye"):
        assert text in reader.text


def test_blocks_become_elements(desk: ReadingDesk) -> None:
    job = desk.submit()
    desk.answer(job, 1, result())
    made = desk.exported(job, HTML).decode()
    assert f"<h2>Report</h2>\n<p>{PARAGRAPH}</p>\n</div>\n</section>" in made


def test_lists_tables_captions_and_notes_have_their_elements() -> None:
    assert html(
        TextBlock("footnote", "1 There"),
        TextBlock("heading", "Sums", level=3),
        TextBlock("list_item", "• one\nmore"),
        TextBlock("list_item", "3. three"),
        TextBlock("table", "VAT 20", cells=(("VAT", "20"), ("<b>",))),
        TextBlock("caption", "Figure 1"),
        TextBlock("side_note", "Note"),
        TextBlock("footer", "Acme"),
    ).split("\n") == [
        "<div>",
        "<h4>Sums</h4>",
        "<ul><li>one<br>more</li></ul>",
        '<ol start="3"><li>three</li></ol>',
        "<table><tr><td>VAT</td><td>20</td></tr><tr><td>&lt;b&gt;</td></tr></table>",
        "<figure><figcaption>Figure 1</figcaption></figure>",
        "<aside><p>Note</p></aside>",
        '<div class="notes" role="group" aria-label="Footnotes">',
        "<p>1 There</p>",
        "</div>",
        "</div>",
    ]


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("שלום עולם 42", ' dir="rtl" lang="und-Hebr"'),
        ("مرحبا بالعالم", ' dir="rtl" lang="und-Arab"'),
        ("Hello שלום", ' dir="auto"'),
        ("Grüße 漢字", ""),
    ],
)
def test_text_from_right_to_left_says_so(text: str, attributes: str) -> None:
    assert f"<p{attributes}>{text}</p>" in html(TextBlock("paragraph", text))


ANY_TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn")) | st.sampled_from("<>&\"'/"), min_size=1)
BLOCKS = st.builds(TextBlock, st.sampled_from(sorted(TYPES - {"table", "rows"})), ANY_TEXT, st.integers(1, 3))


@given(st.lists(BLOCKS, max_size=5))
def test_any_text_is_shown_and_never_markup(blocks: list[TextBlock]) -> None:
    reader = parsed(html(*blocks))
    assert {tag for tag, _ in reader.elements} <= ELEMENTS
    assert bare(reader.text) == bare("".join(unmarked(block) for block in body_of(blocks)))


def test_a_hostile_name_and_text_are_escaped(desk: ReadingDesk) -> None:
    job = desk.submit()
    desk.read(job, 1, line("</p><script>alert(1)</script>\x1b", box(0, 0, 300)))
    made = desk.exported(job, HTML).decode()
    assert "<script" not in made
    assert "&lt;/p&gt;&lt;script&gt;" in made


def test_a_browser_may_load_nothing_but_the_style_of_the_document(desk: ReadingDesk) -> None:
    job = desk.submit()
    desk.read(job, 1, line("Hello", box(0, 0, 200)))
    answer = Client().get(f"/v1/jobs/{job.id}/result.html", **{IDENTITY: desk.identity})  # type: ignore[arg-type]
    made = b"".join(answer).decode()
    style = re.search("<style>(.*)</style>", made, re.DOTALL)
    assert style
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert answer["Content-Security-Policy"] == f"{policy}; sandbox"
    assert f'http-equiv="Content-Security-Policy" content="{policy}"' in made
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"].startswith("attachment; ")


def test_a_table_has_its_headers_and_spans() -> None:
    found = "".join(html_of(blocks_of(with_table())))
    assert found == (
        '<div><table><tr><th colspan="2">Sums | all</th></tr><tr><td>VAT</td><td>20</td></tr></table></div>'
    )
