"""Tests of which languages read a script."""

from inference.runtime.tesseract_languages import (
    KNOWN_LANGUAGES,
    LANGUAGES_OF_SCRIPT,
    languages_of,
    listed_languages,
    script_of,
    unknown_language,
)


def test_wanted_languages_of_a_script_come_in_the_operators_order() -> None:
    assert languages_of("cyrillic", ["ukr", "ara", "rus"]) == ("ukr", "rus")
    assert languages_of("Arabic", ["ukr", "ara", "rus"]) == ("ara",)


def test_script_without_wanted_language_has_none() -> None:
    assert languages_of("thai", ["rus"]) == ()
    assert languages_of("latin", ["rus"]) == ()


def test_every_language_has_one_script() -> None:
    assert len(KNOWN_LANGUAGES) == sum(map(len, LANGUAGES_OF_SCRIPT.values()))
    assert all(language in LANGUAGES_OF_SCRIPT[script_of(language)] for language in KNOWN_LANGUAGES)


def test_list_is_read_in_order_without_spaces_and_repeats() -> None:
    assert listed_languages(" rus, ara,,rus ") == ("rus", "ara")
    assert listed_languages("") == ()


def test_unknown_language_is_named_with_known_ones() -> None:
    assert unknown_language(["rus", "ara"]) == ""
    assert unknown_language(["rus", "klingon"]) == (
        "MAAS_OCR_LANGUAGES names 'klingon', which is no known language: use codes such as rus, ukr, ara, heb, hin, "
        "tha, kor, ell, separated by commas (docs/settings.md lists all)"
    )
