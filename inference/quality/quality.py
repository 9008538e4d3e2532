"""The quality of a reading, from 0 to 1: the higher, the likelier it has hardly any wrong characters."""

import math

from inference.quality.facts import ReadingFacts

REVIEW_BELOW = 0.6
"""The quality below which a person should look at the page."""

# These were chosen by hand, and not fitted: clean pages reach 0.99, and pages in a script that the model does not know
# come out near 0.
_OFFSET = 4.0
_MEAN, _DOUBTFUL, _WORST = 60.0, -12.0, 8.0
_TYPICAL_MEAN, _TYPICAL_WORST = 0.97, 0.95


def quality_of(facts: ReadingFacts) -> float:
    if not facts.characters:
        return 1.0
    score = (
        _OFFSET
        + _MEAN * (facts.mean_confidence - _TYPICAL_MEAN)
        + _DOUBTFUL * facts.doubtful_share
        + _WORST * (facts.worst_confidence - _TYPICAL_WORST)
    )
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, score)))), 3)
