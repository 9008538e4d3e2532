import numpy as np

from inference.pipelines.operations.classification import Classification, classify

LABELS = ("invoice", "invoice", "letter", "other")
EXAMPLES = np.eye(len(LABELS), dtype=np.float32)
MIN_SCORE = 0.25


def verdict_on(*cosines: float) -> Classification:
    """Return the verdict on a text that resembles the examples by these cosines."""
    vector = np.array(cosines, np.float32)
    return classify(vector, EXAMPLES, LABELS, min_score=MIN_SCORE, otherwise="other")


def test_text_is_of_the_kind_whose_example_it_resembles_most() -> None:
    verdict = verdict_on(0.1, 0.8, 0.5, 0.2)
    assert verdict.label == "invoice"
    assert np.isclose(verdict.score, 0.8)
    assert {label: round(score, 4) for label, score in verdict.scores.items()} == {
        "invoice": 0.8,
        "letter": 0.5,
        "other": 0.2,
    }


def test_text_that_resembles_nothing_is_otherwise() -> None:
    assert verdict_on(MIN_SCORE - 0.01, 0.0, 0.1, 0.0).label == "other"
    assert verdict_on(MIN_SCORE + 0.01, 0.0, 0.1, 0.0).label == "invoice"
