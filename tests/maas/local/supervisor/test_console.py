"""Tests of how the output of many processes becomes readable lines."""

import io

from hypothesis import given
from hypothesis import strategies as st

from maas.local.supervisor.console import LONGEST_LINE_BYTES, Console, LineSplitter


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", codec="utf-8")), max_size=8), st.integers(1, 7))
def test_lines_do_not_depend_on_how_the_bytes_arrive(lines: list[str], size: int) -> None:
    stream = "".join(f"{line}\n" for line in lines).encode()
    splitter = LineSplitter()
    chunks = [stream[start : start + size] for start in range(0, len(stream), size)]
    assert [line for chunk in chunks for line in splitter.feed(chunk)] == lines


def test_last_line_without_an_end_is_kept_until_asked_for() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"one\ntw") == ["one"]
    assert splitter.finish() == ["tw"]
    assert splitter.finish() == []


def test_endless_line_is_cut() -> None:
    assert LineSplitter().feed(b"x" * (LONGEST_LINE_BYTES + 1)) == ["x" * (LONGEST_LINE_BYTES + 1)]


def test_every_line_says_who_speaks() -> None:
    stream = io.StringIO()
    Console(stream).line("web", "hello")
    assert stream.getvalue() == "web       | hello\n"


def test_color_is_for_terminals() -> None:
    stream = io.StringIO()
    Console(stream, color=True).line("web", "hello")
    assert stream.getvalue().startswith("\x1b[")


def test_reader_that_has_gone_stops_nobody() -> None:
    stream = io.StringIO()
    stream.close()
    Console(stream, color=False).line("web", "hello")
