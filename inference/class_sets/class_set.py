"""A set of classes, which labels documents and pages, and is stored as JSON."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from inference.class_sets.errors import ClassSetError
from inference.class_sets.evaluation import UNSURE, Evaluation
from inference.class_sets.page_features import EMBEDDING_SIZE, LOOKS, PageFeatures
from inference.class_sets.regression import Numbers, probabilities_of
from inference.class_sets.space import Space, Vocabulary

VERSION = 1
"""The version of the stored form and of the features. Another version must be trained anew."""


@dataclass(frozen=True, slots=True)
class Classified:
    label: str
    """One of the set's classes, or `UNSURE`."""
    probabilities: Mapping[str, float]
    """The probability of each class, the most probable first. They sum to 1."""


@dataclass(frozen=True, slots=True)
class ClassifiedDocument:
    label: str
    probabilities: Mapping[str, float]
    pages: tuple[Classified, ...]


@dataclass(frozen=True)
class ClassSet:
    classes: tuple[str, ...]
    space: Space
    weights: Numbers
    temperature: float
    min_probability: float
    """The probability that the best class must have to be the label."""
    evaluation: Evaluation

    def classify(self, pages: Sequence[PageFeatures]) -> ClassifiedDocument:
        """Return the class of a document and of each of its pages. A page without text is of no class."""
        read = [page for page in pages if page.has_text]
        whole = self._classified(self.space.document(read)) if read else self._nothing()
        each = [self._classified(self.space.page(page)) if page.has_text else self._nothing() for page in pages]
        return ClassifiedDocument(whole.label, whole.probabilities, tuple(each))

    def _classified(self, vector: Numbers) -> Classified:
        found = probabilities_of(vector @ self.weights, self.temperature)
        best_first = sorted(zip(self.classes, found.tolist(), strict=True), key=lambda each: (-each[1], each[0]))
        label, probability = best_first[0]
        return Classified(label if probability >= self.min_probability else UNSURE, dict(best_first))

    def _nothing(self) -> Classified:
        return Classified(UNSURE, dict.fromkeys(self.classes, 1 / len(self.classes)))

    def to_json(self) -> dict[str, Any]:
        space = self.space
        return {
            "version": VERSION,
            "classes": list(self.classes),
            "temperature": self.temperature,
            "min_probability": self.min_probability,
            "words": _vocabulary_to_json(space.words),
            "title_words": _vocabulary_to_json(space.title_words),
            "meaning": _packed(space.meaning, np.float16),
            "looks": _packed(space.looks, np.float16),
            "spreads": _packed(space.spreads, np.float16),
            "weights": _packed(self.weights, np.float16),
            "evaluation": self.evaluation.to_json(),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "ClassSet":
        """Return a stored class set; raise a `ClassSetError` if it is of another version or damaged."""
        if content.get("version") != VERSION:
            raise ClassSetError(
                "class_set_version",
                f"This class set has version {content.get('version')!r}, but version {VERSION} is needed. "
                "Train it again.",
            )
        try:
            return cls._read(content)
        except (KeyError, TypeError, ValueError, binascii.Error) as error:
            raise ClassSetError("class_set_damaged", "This class set is damaged. Train it again.") from error

    @classmethod
    def _read(cls, content: Mapping[str, Any]) -> "ClassSet":
        classes = tuple(content["classes"])
        space = Space(
            words=_vocabulary(content["words"]),
            title_words=_vocabulary(content["title_words"]),
            meaning=_unpacked(content["meaning"], EMBEDDING_SIZE),
            looks=_unpacked(content["looks"], LOOKS),
            spreads=_unpacked(content["spreads"], LOOKS),
        )
        return cls(
            classes,
            space,
            _unpacked(content["weights"], space.size * len(classes)).reshape(space.size, len(classes)),
            float(content["temperature"]),
            float(content["min_probability"]),
            Evaluation.from_json(content["evaluation"]),
        )


def _vocabulary_to_json(vocabulary: Vocabulary) -> dict[str, str]:
    return {
        "keys": _packed(np.array(vocabulary.keys, dtype=np.uint32), np.uint32),
        "rarities": _packed(np.array(vocabulary.rarities), np.float16),
    }


def _vocabulary(content: Mapping[str, str]) -> Vocabulary:
    keys = np.frombuffer(base64.b64decode(content["keys"], validate=True), "<u4")
    return Vocabulary(tuple(keys.tolist()), tuple(_unpacked(content["rarities"], len(keys)).tolist()))


def _packed(numbers: npt.NDArray[Any], kind: type[np.generic]) -> str:
    return base64.b64encode(numbers.astype(np.dtype(kind).newbyteorder("<")).tobytes()).decode()


def _unpacked(packed: str, count: int) -> Numbers:
    numbers = np.frombuffer(base64.b64decode(packed, validate=True), "<f2").astype(np.float64)
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise ValueError("Other numbers are stored than the classes and words need.")
    return numbers
