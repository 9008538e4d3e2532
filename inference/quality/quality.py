"""The quality of a reading, from 0 to 1: the probability that at most 1.5 % of the characters are wrong."""

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from inference.quality.facts import ReadingFacts

REVIEW_BELOW = 0.6
"""The quality below which a person should look at the page."""
FILE = Path(__file__).with_name("weights.json")
"""The weights of the terms, which `python -m tests.benchmarks.fit_quality` fits."""
BIAS = "bias"
LEAST_SHARE = 0.002
"""The number that is added to a share, so that its logarithm is bounded."""


def quality_of(facts: ReadingFacts) -> float:
    if not facts.mean_doubt and not facts.unread_share:
        return 1.0
    if not facts.characters:
        return 0.0
    weights = _weights()
    score = weights[BIAS] + sum(weights[name] * value for name, value in terms_of(facts).items())
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, score)))), 3)


def terms_of(facts: ReadingFacts) -> Mapping[str, float]:
    """Return what is weighed: logarithms, because twice the doubt means the same anywhere on the scale."""
    return {
        "unread": math.log(facts.unread_share + LEAST_SHARE),
        "doubt": math.log(facts.mean_doubt + LEAST_SHARE),
        "height": math.log(max(1.0, facts.line_height)),
    }


@cache
def _weights() -> Mapping[str, float]:
    weights: Mapping[str, float] = json.loads(FILE.read_text("utf-8"))
    return weights
