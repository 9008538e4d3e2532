"""Test what a submission sends for each kind of input."""

import pytest

from maas_client.cli.arguments import parser
from maas_client.cli.commands import _works
from maas_client.submissions import submission


def test_an_address_is_sent_as_it_is_and_given_time_to_be_fetched() -> None:
    asked = submission("parse", None, {"document_url": "https://example.com/a.pdf"})
    assert asked.json == {"model": "parse", "parameters": {}, "document_url": "https://example.com/a.pdf"}
    assert asked.held_s >= 60
    again = asked.at_once()
    assert (again.held_s, "Prefer" in again.headers) == (asked.held_s, False)


def test_an_address_beside_anything_else_is_refused() -> None:
    with pytest.raises(TypeError, match="a file, document_url"):
        submission("parse", b"x", {"document_url": "https://example.com/a.pdf"})


def test_the_command_line_takes_addresses_beside_files_and_shows_no_query() -> None:
    given = parser().parse_args(["run", "parse", "https://example.com/a.pdf?signature=secret"])
    [(name, file, key)] = _works(given, "key")
    assert (name, key) == ("https://example.com/a.pdf", "key")
    assert file == "https://example.com/a.pdf?signature=secret"
