"""The `type` of a problem leads to a page that says what it means."""

import pytest
from django.test import Client

from maas.web.errors.api_errors import STATUS, problem
from maas.web.errors.reference.views import Meaning, in_html, meanings, read_meanings


def test_the_type_of_every_problem_is_a_page_that_everybody_may_see() -> None:
    client = Client()
    for code in {*STATUS, *meanings()}:
        answer = client.get(str(problem(code, "")["type"]))
        assert answer.status_code == 200, code
        assert f"<h1><code>{code}</code></h1>" in answer.content.decode()


def test_the_page_says_the_status_what_it_means_and_what_to_do() -> None:
    page = Client().get("/errors/rate_limited").content.decode()
    assert "Status 429 · Too many requests" in page
    assert "of your account, key or model is reached" in page
    assert "Wait for the seconds in <code>Retry-After</code>" in page


def test_a_code_of_two_tables_has_both_meanings() -> None:
    page = Client().get("/errors/input_not_accepted").content.decode()
    assert "<h2>Input and parameter errors</h2>" in page
    assert "<h2>Page and job errors</h2>" in page


@pytest.mark.parametrize("code", ["nothing_like_this", "<script>", "x" * 5000])
def test_an_unknown_code_is_not_found(code: str) -> None:
    answer = Client().get(f"/errors/{code}")
    assert answer.status_code == 404
    assert "<script>" not in answer.content.decode()


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a < `b<c>`", "a &lt; <code>b&lt;c&gt;</code>"),
        ("see [`x` there](#there)", "see <code>x</code> there"),
        ("**not** *so*", "<strong>not</strong> <em>so</em>"),
    ],
)
def test_markdown_of_the_document_is_shown_and_nothing_else(text: str, html: str) -> None:
    assert in_html(text) == html


TABLES = """
## Before

| `not_this` | 400 | x |

## Errors

| `nor_this` | 400 | It stands under no heading of its own. |

### Request errors

| code | status | when |
|---|---|---|
| `bad` | 400 | Of [two](#two) | or one. |
| `within` | | In an answer. |

### Outside

| code | when |
|---|---|
| `bad` | Elsewhere. |

## After

| `later` | 400 | x |
"""


def test_rows_are_read_with_their_section_and_status() -> None:
    assert read_meanings(TABLES) == {
        "bad": (
            Meaning("Request errors", 400, "Of [two](#two) | or one."),
            Meaning("Outside", None, "Elsewhere."),
        ),
        "within": (Meaning("Request errors", None, "In an answer."),),
    }


def test_every_code_with_a_status_has_a_meaning_and_that_status() -> None:
    told = {code: {one.status for one in found} - {None} for code, found in meanings().items()}
    assert {code: told.get(code) for code in STATUS} == {code: {status} for code, status in STATUS.items()}
    assert all(one.text for found in meanings().values() for one in found)
