from uuid import UUID

import pytest

from jobs.search.queries import MAX_TERMS, parsed

TENANT = UUID("00000000-0000-7000-8000-0000abcd1234")


def wanted(typed: str) -> str | None:
    question = parsed(typed).wanted_by(TENANT)
    return question and question.replace("abcd1234", "")


@pytest.mark.parametrize(
    ("typed", "question"),
    [
        ("acme invoi", "('acme') & ('invoi':*)"),
        ("acme invoice ", "('acme') & ('invoice')"),
        ('"total due" acme ', "('total' <-> 'due') & ('acme')"),
        ('"total du', "('total' <-> 'du':*)"),
        ('"total du"', "('total' <-> 'du')"),
        ("2024-03", "('2024' <-> '03':*)"),
        ("发票号码", "('发票' <-> '票号' <-> '号码')"),
        ("票", "('票':*)"),
        ("a", "('a')"),
        ("acme acme ", "('acme')"),
    ],
)
def test_what_is_typed_becomes_a_question(typed: str, question: str) -> None:
    assert wanted(typed) == question


def test_a_minus_keeps_words_out() -> None:
    query = parsed('acme -draft -"not final"')
    assert query.wanted_by(TENANT) == "('abcd1234acme')"
    assert query.unwanted_by(TENANT) == "('abcd1234draft') | ('abcd1234not' <-> 'abcd1234final')"


@pytest.mark.parametrize("typed", ["", "  ", "-", '"', '""', "-draft", "!&|():*<->", "\0", "''\\", "\ud800"])
def test_what_asks_for_no_word_asks_for_nothing(typed: str) -> None:
    assert parsed(typed).wanted_by(TENANT) is None


def test_a_question_is_bounded() -> None:
    assert len(parsed(" ".join(f"w{number}x" for number in range(5_000))).terms) == MAX_TERMS
