"""Test the class of a page on documents that the weights were not fitted to."""

import json
import random

import pytest

from inference.classes.features import NAMES, features_of
from inference.classes.page_class import UNSURE, class_of, labeled
from inference.classes.phrases import EVIDENCE
from inference.classes.weights import LABELS, fitted_weights, read_weights
from inference.core.contracts import TextLine
from tests.benchmarks.classes.fitting import rows_of
from tests.benchmarks.classes.scores import score
from tests.benchmarks.classes.wear import misread
from tests.benchmarks.classes.written import written
from tests.inference.pipelines.sample_texts import SAMPLES

DOCUMENTS = written("test")


def share_right(texts: list[tuple[str, str]]) -> float:
    return sum(class_of(text).label == label for label, text in texts) / len(texts)


def test_nine_of_ten_documents_get_their_class() -> None:
    assert share_right([(each.label, each.text) for each in DOCUMENTS]) >= 0.9


@pytest.mark.parametrize("label", LABELS)
def test_no_class_is_forgotten(label: str) -> None:
    assert share_right([(each.label, each.text) for each in DOCUMENTS if each.label == label]) >= 0.8


def test_the_samples_of_pipelines_get_their_class() -> None:
    assert share_right([(each.label, each.text) for each in SAMPLES]) >= 0.9


def test_errors_of_recognition_are_borne() -> None:
    chance = random.Random(3)
    assert share_right([(each.label, misread(each.text, chance, 0.03)) for each in DOCUMENTS]) >= 0.85


def test_probabilities_can_be_believed() -> None:
    assert score(fitted_weights(), rows_of(DOCUMENTS), bins=5).calibration_error < 0.08


@pytest.mark.parametrize("text", ["", "   \n ", "7", "…", "\x00", "漢字", "x" * 100_000, "word " * 50_000])
def test_any_text_has_probabilities_that_sum_to_1(text: str) -> None:
    found = class_of(text)
    assert sum(found.probabilities.values()) == pytest.approx(1)
    assert set(found.probabilities) == set(LABELS)


@pytest.mark.parametrize("text", ["", "   \n ", "17", "Page two", "Invoice"])
def test_a_page_with_hardly_a_word_is_of_no_class(text: str) -> None:
    assert class_of(text).label == UNSURE
    assert sum(class_of(text).probabilities.values()) == pytest.approx(1)
    assert class_of(text).probabilities["other"] == max(class_of(text).probabilities.values())


def test_lines_say_as_much_as_the_text() -> None:
    for each in DOCUMENTS[:10]:
        lines = [TextLine(line, None, None) for line in each.text.splitlines()]
        assert class_of("", (), lines).probabilities == pytest.approx(class_of(each.text).probabilities)


def test_a_closing_at_the_end_of_a_long_page_is_seen() -> None:
    long = "The meadow behind the mill is wide and green. " * 200
    assert features_of(f"{long}\nYours sincerely")["letter_closing"] > 0


def test_a_label_needs_half_of_the_probability() -> None:
    assert labeled({"letter": 0.5, "form": 0.3, "other": 0.2}).label == "letter"
    assert labeled({"letter": 0.4, "form": 0.3, "other": 0.3}).label == UNSURE


def test_phrases_speak_for_their_own_class() -> None:
    slopes = fitted_weights().slopes
    for evidence in EVIDENCE:
        row = slopes[NAMES.index(evidence.name)]
        assert row.argmax() == LABELS.index(evidence.label), evidence.name


def test_names_of_features_are_all_different_and_in_order() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert tuple(features_of("any text")) == NAMES


def test_weights_outlive_their_file() -> None:
    weights = fitted_weights()
    again = read_weights(json.loads(weights.to_json()))
    assert again.slopes == pytest.approx(weights.slopes)
    assert again.temperature == weights.temperature
