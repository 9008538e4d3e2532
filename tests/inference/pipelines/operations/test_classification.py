import numpy as np

from inference.pipelines.operations.classification import (
    MIN_SCORE,
    OTHER,
    PROTOTYPES,
    Classification,
    classify,
    prototype_labels,
    prototype_sentences,
)

SENTENCES = prototype_sentences()
PROTOTYPE_VECTORS = np.eye(len(SENTENCES), dtype=np.float32)


def verdict_on(kind: str, cosine: float) -> Classification:
    vector = np.zeros(len(SENTENCES), np.float32)
    vector[SENTENCES.index(PROTOTYPES[kind][-1])] = cosine
    return classify(vector, PROTOTYPE_VECTORS, prototype_labels(), min_score=MIN_SCORE, otherwise=OTHER)


def test_text_is_of_the_kind_whose_sentence_it_resembles_most() -> None:
    for kind in PROTOTYPES:
        verdict = verdict_on(kind, 0.8)
        assert verdict.label == kind
        assert np.isclose(verdict.score, 0.8)
        assert set(verdict.scores) == set(PROTOTYPES)


def test_text_that_resembles_nothing_is_other() -> None:
    assert verdict_on("invoice", MIN_SCORE - 0.01).label == OTHER
    assert verdict_on("invoice", MIN_SCORE + 0.01).label == "invoice"
