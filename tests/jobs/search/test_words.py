import pytest

from jobs.search.words import LONGEST_WORD, words_of


def lexemes(text: str) -> list[str]:
    return [word.lexeme for word in words_of(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("invoice_2024-03.pdf", ["invoice", "2024", "03", "pdf"]),
        ("Rechnung2024", ["rechnung", "2024"]),
        ("Straße, CAFÉ!", ["strasse", "cafe"]),
        ("Ａｃｍｅ ﬁne", ["acme", "fine"]),
        ("हिन्दी", ["हिन्दी"]),
        ("... --- \0 ??", []),
        ("\ud800 half", ["half"]),
    ],
    ids=[
        "file name",
        "letters and digits",
        "accents",
        "forms",
        "vowel signs",
        "no words",
        "half a character",
    ],
)
def test_words_are_what_a_person_would_type(text: str, words: list[str]) -> None:
    assert lexemes(text) == words


def test_a_script_without_spaces_is_cut_into_neighbors() -> None:
    assert lexemes("增值税发票 No") == ["增值", "值税", "税发", "发票", "票", "no"]


def test_a_word_says_where_it_stands_in_the_text_as_it_came() -> None:
    text = "Die Größe: ①"
    assert [text[word.start : word.end] for word in words_of(text)][:2] == ["Die", "Größe"]


def test_an_endless_word_counts_as_far_as_a_lexeme_may_reach() -> None:
    assert lexemes("a" * 100_000) == ["a" * LONGEST_WORD]
