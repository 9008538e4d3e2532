import numpy as np

from inference.pipelines.classification import (
    MIN_SCORE,
    OTHER,
    PROTOTYPES,
    classify,
    prototype_sentences,
)

SENTENCES = prototype_sentences()
PROTOTYPE_VECTORS = np.eye(len(SENTENCES), dtype=np.float32)


def vector_like(kind: str, cosine: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    position = SENTENCES.index(PROTOTYPES[kind][-1])
    vector = np.zeros(len(SENTENCES), np.float32)
    vector[position] = cosine
    return vector


def test_text_is_of_the_kind_whose_sentence_it_resembles_most() -> None:
    for kind in PROTOTYPES:
        verdict = classify(vector_like(kind, 0.8), PROTOTYPE_VECTORS)
        assert verdict.label == kind
        assert np.isclose(verdict.score, 0.8)
        assert set(verdict.scores) == set(PROTOTYPES)


def test_text_that_resembles_nothing_is_other() -> None:
    faint = classify(vector_like("invoice", MIN_SCORE - 0.01), PROTOTYPE_VECTORS)
    assert faint.label == OTHER
    assert classify(vector_like("invoice", MIN_SCORE + 0.01), PROTOTYPE_VECTORS).label == "invoice"
