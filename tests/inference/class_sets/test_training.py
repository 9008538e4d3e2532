"""Test the training of class sets, their labels and their stored form."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from inference.class_sets.class_set import ClassSet
from inference.class_sets.errors import ClassSetError
from inference.class_sets.evaluation import UNSURE
from inference.class_sets.page_features import features_of
from inference.class_sets.regression import fit
from inference.class_sets.stored_pages import is_current, pages_from_json, pages_to_json
from inference.class_sets.training import Example, train
from tests.inference.class_sets.papers import KINDS, examples, page, printed


def code_of(given: list[Example]) -> str:
    with pytest.raises(ClassSetError) as caught:
        train(given)
    return caught.value.code


def test_unseen_papers_get_their_class() -> None:
    trained = train(examples())
    for kind in KINDS:
        for seed in range(100, 110):
            assert trained.classify([page(kind, seed)]).label == kind


def test_a_document_and_each_of_its_pages_has_probabilities_that_sum_to_1() -> None:
    found = train(examples()).classify([page("offer", 50), features_of({"text": ""}), page("offer", 51)])
    assert sum(found.probabilities.values()) == pytest.approx(1)
    assert [sum(each.probabilities.values()) for each in found.pages] == pytest.approx([1, 1, 1])
    assert [each.label for each in found.pages] == ["offer", UNSURE, "offer"]


def test_a_document_like_no_example_is_of_no_class() -> None:
    poem = printed(["The quiet river", "Remembers the winter", "Behind hidden mountains"], large=())
    assert train(examples()).classify([features_of(poem)]).label == UNSURE


@pytest.mark.parametrize("pages", [[], [features_of({"text": " \n"})]])
def test_a_document_without_text_is_of_no_class(pages: list[object]) -> None:
    assert train(examples()).classify(pages).label == UNSURE  # type: ignore[arg-type]


def test_the_order_of_the_examples_does_not_matter() -> None:
    given = examples()
    assert train(given).to_json() == train(given[::-1]).to_json()


def test_a_wrong_label_is_found_among_the_examples() -> None:
    given = examples()
    given.append(Example("mislabeled", "offer", [page("invoice", 77)]))
    mistakes = train(given).evaluation.mistakes
    assert [(each.document, each.label, each.predicted) for each in mistakes] == [("mislabeled", "offer", "invoice")]


def test_the_confusion_counts_every_example_once() -> None:
    evaluation = train(examples()).evaluation
    assert {label: sum(row.values()) for label, row in evaluation.confusion.items()} == dict.fromkeys(KINDS, 6)
    assert evaluation.accuracy == pytest.approx(np.mean(list(evaluation.recall.values())), abs=1e-3)


def test_scores_of_left_out_examples_are_those_of_a_fit_without_them() -> None:
    chance = np.random.default_rng(3)
    vectors, labels = chance.normal(size=(12, 30)), np.arange(12) % 3
    whole = fit(vectors, labels, 3, 0.5)
    weights = np.full(12, 0.5 * 4 * 3 / 12)
    for at in range(12):
        rest = np.delete(np.arange(12), at)
        kernel = vectors[rest] @ vectors[rest].T + np.diag(weights[rest])
        duals = np.linalg.solve(kernel, np.eye(3)[labels[rest]] - 1 / 3)
        assert vectors[at] @ vectors[rest].T @ duals == pytest.approx(whole.left_out[at])


def test_a_stored_class_set_gives_the_same_labels() -> None:
    trained = train(examples())
    stored = ClassSet.from_json(json.loads(json.dumps(trained.to_json())))
    assert stored.evaluation == trained.evaluation
    for kind in KINDS:
        before, after = (each.classify([page(kind, 200)]) for each in (trained, stored))
        assert before.label == after.label == kind
        assert after.probabilities == pytest.approx(before.probabilities, abs=0.01)


def test_stored_pages_are_learned_from_as_the_pages_themselves_are() -> None:
    given = examples()
    stored = [json.loads(json.dumps(pages_to_json(example.pages))) for example in given]
    assert all(is_current(content) for content in stored)
    again = [replace(example, pages=pages_from_json(content)) for example, content in zip(given, stored, strict=True)]
    assert train(again).evaluation.confusion == train(given).evaluation.confusion
    for before, after in zip(given, again, strict=True):
        assert after.pages[0].words == pytest.approx(before.pages[0].words, rel=0.001)
        assert after.pages[0].looks == pytest.approx(before.pages[0].looks, abs=0.001)


def test_stored_pages_have_no_words_and_no_numbers() -> None:
    paper = page("offer", 1, number="Customer 123456")
    assert paper.numbers
    stored = json.dumps(pages_to_json([paper])).lower()
    assert "northgate" not in stored
    assert set(json.loads(stored)["pages"][0]) == {"words", "title_words", "looks"}


@pytest.mark.parametrize("change", [{"version": 0}, {"version": None}])
def test_another_version_must_be_trained_anew(change: dict[str, object]) -> None:
    with pytest.raises(ClassSetError, match="Train it again"):
        ClassSet.from_json(train(examples()).to_json() | change)


@pytest.mark.parametrize("change", [{"weights": "AAAA"}, {"classes": []}, {"looks": "?"}, {"words": {}}, {"words": 3}])
def test_a_damaged_class_set_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ClassSetError) as caught:
        ClassSet.from_json(train(examples()).to_json() | change)
    assert caught.value.code == "class_set_damaged"


def test_no_word_of_the_examples_is_stored() -> None:
    stored = json.dumps(train(examples()).to_json()).lower()
    assert "northgate" not in stored
    assert "copper" not in stored


def test_20_classes_with_many_words_take_less_than_300_kb() -> None:
    chance = random.Random(4)
    usual = page("offer", 1)
    given = []
    for number in range(100):
        words = {chance.randrange(6_000): 1.0 for _ in range(300)} | {10_000 + number // 5: 2.0}
        pages = [replace(usual, words=words, title_words=words)]
        given.append(Example(f"{number:036}", f"class {number // 5}", pages))
    assert len(json.dumps(train(given).to_json())) < 300_000


def test_bad_examples_are_refused_with_what_to_do() -> None:
    good = examples()
    assert code_of([]) == "too_few_classes"
    assert code_of(good[:6]) == "too_few_classes"
    assert code_of(good[:-2]) == "too_few_examples"
    assert code_of([*good, replace(good[0], label="offer")]) == "two_labels"
    assert code_of([*good, good[0]]) == "repeated_example"
    assert code_of([*good, Example("empty", "offer", [features_of({"text": ""})])]) == "no_text"
    assert code_of([*good, Example("none", "offer", [])]) == "no_text"
    assert code_of([*good, *(Example(f"o{at}", "offer", good[-1].pages) for at in range(20))]) == "too_many_examples"
    assert code_of([Example(f"{at}", f"class {at // 5}", good[0].pages) for at in range(105)]) == "too_many_classes"
    for label in ("", " x", "x" * 61, "a\nb", "Unsure"):
        assert code_of([*good, replace(good[0], document="new", label=label)]) == "bad_label"


def test_the_message_names_the_class_and_its_examples() -> None:
    with pytest.raises(ClassSetError, match=r"at least 5 examples: 'offer' has 4\. Add more documents\."):
        train(examples()[:-2])


@pytest.mark.parametrize(
    "text", ["x" * 100_000, "word " * 50_000, "\x00", "漢字 " * 9_000, "a:" * 50_000, "9/" * 50_000]
)
def test_any_page_has_features(text: str) -> None:
    lines = [{"text": line, "box": None} for line in (text, *["1" * 500] * 2_000)]
    assert features_of({"text": text, "lines": lines, "width": 0, "height": -1}).page_number is None
