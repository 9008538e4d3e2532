from inference.scripts.page_scripts import LATIN, READ_SCRIPTS, ReadLine, is_unknown, scripts_of
from inference.scripts.weights import fitted_weights

SCRIPTS = ("cyrillic", LATIN, "thai")


def line(*chances: float, text: str = "x", confidence: float = 0.5, length: float = 10.0) -> ReadLine:
    return ReadLine(text, confidence, length, chances)


def test_doubtful_lines_have_their_likeliest_script() -> None:
    assert scripts_of([line(0.9, 0.05, 0.05), line(0.8, 0.1, 0.1)], SCRIPTS) == ["cyrillic", "cyrillic"]


def test_lines_of_a_page_agree_where_one_alone_is_unsure() -> None:
    sure = [line(0.9, 0.05, 0.05)] * 5
    assert scripts_of([*sure, line(0.4, 0.1, 0.5)], SCRIPTS)[-1] == "cyrillic"
    assert scripts_of([line(0.4, 0.1, 0.5)], SCRIPTS) == ["thai"]


def test_what_was_read_well_is_never_taken_for_another_script() -> None:
    well = line(0.99, 0.005, 0.005, text="Twenty letters and some", confidence=0.98)
    assert scripts_of([well], SCRIPTS) == [LATIN]


def test_line_with_far_too_few_letters_is_doubtful_however_sure_it_is() -> None:
    empty = line(0.99, 0.005, 0.005, text=".    ,  .", confidence=0.98, length=20)
    assert scripts_of([empty], SCRIPTS) == ["cyrillic"]


def test_one_line_in_another_script_is_found_among_well_read_ones() -> None:
    well = line(0.0, 1.0, 0.0, text="Twenty letters and some", confidence=0.98)
    assert scripts_of([well] * 9 + [line(0.95, 0.001, 0.049)], SCRIPTS)[-1] == "cyrillic"


def test_page_without_lines_has_no_scripts() -> None:
    assert scripts_of([], SCRIPTS) == []


def test_weights_tell_the_scripts_that_are_read_from_others() -> None:
    scripts = fitted_weights().scripts
    assert set(scripts) >= READ_SCRIPTS
    assert [script for script in scripts if not is_unknown(script)] == sorted(READ_SCRIPTS)
