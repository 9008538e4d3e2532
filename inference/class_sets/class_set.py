"""A set of classes, which labels documents and pages, and is stored as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.class_sets.errors import ClassSetError
from inference.class_sets.evaluation import UNSURE, Evaluation
from inference.class_sets.packing import packed, packed_keys, unpacked, unpacked_keys
from inference.class_sets.page_features import LOOKS, VERSION, PageContent
from inference.class_sets.regression import Numbers, probabilities_of
from inference.class_sets.space import Space, Vocabulary


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

    def classify(self, pages: Sequence[PageContent]) -> ClassifiedDocument:
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
            "looks": packed(space.looks),
            "spreads": packed(space.spreads),
            "weights": packed(self.weights),
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
        except (KeyError, TypeError, ValueError) as error:
            raise ClassSetError("class_set_damaged", "This class set is damaged. Train it again.") from error

    @classmethod
    def _read(cls, content: Mapping[str, Any]) -> "ClassSet":
        classes = tuple(content["classes"])
        space = Space(
            words=_vocabulary(content["words"]),
            title_words=_vocabulary(content["title_words"]),
            looks=unpacked(content["looks"], LOOKS),
            spreads=unpacked(content["spreads"], LOOKS),
        )
        return cls(
            classes,
            space,
            unpacked(content["weights"], space.size * len(classes)).reshape(space.size, len(classes)),
            float(content["temperature"]),
            float(content["min_probability"]),
            Evaluation.from_json(content["evaluation"]),
        )


def _vocabulary_to_json(vocabulary: Vocabulary) -> dict[str, str]:
    return {
        "keys": packed_keys(vocabulary.keys),
        "rarities": packed(vocabulary.rarities),
    }


def _vocabulary(content: Mapping[str, str]) -> Vocabulary:
    keys = unpacked_keys(content["keys"])
    return Vocabulary(tuple(keys), tuple(unpacked(content["rarities"], len(keys)).tolist()))
