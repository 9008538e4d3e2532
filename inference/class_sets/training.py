"""The training of a class set: checks of the examples, weights, probabilities and evaluation."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inference.class_sets.class_set import ClassSet
from inference.class_sets.errors import ClassSetError
from inference.class_sets.evaluation import UNSURE, best_bound, evaluation_of
from inference.class_sets.page_features import PageContent
from inference.class_sets.regression import best_temperature, fit, loss, probabilities_of
from inference.class_sets.space import space_of

MIN_CLASSES, MAX_CLASSES = 2, 20
MIN_EXAMPLES, MAX_EXAMPLES = 5, 20
"""The examples of each class."""
MAX_LABEL = 60
STIFFNESSES = (0.03, 0.1, 0.3, 1.0)


@dataclass(frozen=True, slots=True)
class Example:
    document: str
    """The id of the document."""
    label: str
    pages: Sequence[PageContent]


def train(examples: Sequence[Example]) -> ClassSet:
    """Return the class set of these examples; raise a `ClassSetError` if they do not suffice.

    The same examples give the same class set in whatever order they are.
    """
    check(examples)
    ordered = sorted(examples, key=lambda example: (example.label, example.document))
    classes = tuple(sorted({example.label for example in ordered}))
    labels = np.array([classes.index(example.label) for example in ordered])
    read = [[page for page in example.pages if page.has_text] for example in ordered]
    space = space_of(read)
    vectors = np.array([space.document(pages) for pages in read])
    fits = [fit(vectors, labels, len(classes), stiffness) for stiffness in STIFFNESSES]
    temperatures = [best_temperature(each.left_out, labels) for each in fits]
    best, temperature = min(
        zip(fits, temperatures, strict=True), key=lambda each: loss(each[0].left_out, labels, each[1])
    )
    probabilities = probabilities_of(best.left_out, temperature)
    bound = best_bound(labels, probabilities)
    documents = [example.document for example in ordered]
    evaluation = evaluation_of(documents, classes, labels, probabilities, bound)
    return ClassSet(classes, space, best.weights, round(temperature, 6), bound, evaluation)


def check(examples: Sequence[Example]) -> None:
    """Raise a `ClassSetError` that says what is wrong with the examples, and what to do."""
    _check_labels(examples)
    _check_documents(examples)
    counts = Counter(example.label for example in examples)
    if len(counts) < MIN_CLASSES:
        names = f", not only {next(iter(counts))!r}" if counts else ""
        raise ClassSetError("too_few_classes", f"A class set needs at least {MIN_CLASSES} classes{names}. Add a class.")
    if len(counts) > MAX_CLASSES:
        raise ClassSetError(
            "too_many_classes", f"A class set has at most {MAX_CLASSES} classes, not {len(counts)}. Remove some."
        )
    few = {label: count for label, count in sorted(counts.items()) if count < MIN_EXAMPLES}
    if few:
        listed = ", ".join(f"{label!r} has {count}" for label, count in few.items())
        raise ClassSetError(
            "too_few_examples", f"Each class needs at least {MIN_EXAMPLES} examples: {listed}. Add more documents."
        )
    many = {label: count for label, count in sorted(counts.items()) if count > MAX_EXAMPLES}
    if many:
        listed = ", ".join(f"{label!r} has {count}" for label, count in many.items())
        raise ClassSetError(
            "too_many_examples", f"Each class takes at most {MAX_EXAMPLES} examples: {listed}. Remove some."
        )


def _check_labels(examples: Sequence[Example]) -> None:
    for label in sorted({example.label for example in examples}):
        if not label.strip() or label != label.strip() or len(label) > MAX_LABEL or not label.isprintable():
            raise ClassSetError(
                "bad_label",
                f"The label {label[: MAX_LABEL + 1]!r} cannot be used. Use 1 to {MAX_LABEL} printable characters "
                "without spaces around them.",
            )
        if label.casefold() == UNSURE:
            raise ClassSetError("bad_label", f"The label {label!r} is that of documents of no class. Choose another.")


def _check_documents(examples: Sequence[Example]) -> None:
    labels: dict[str, str] = {}
    for example in examples:
        known = labels.setdefault(example.document, example.label)
        if known != example.label:
            raise ClassSetError(
                "two_labels",
                f"Document {example.document!r} is an example of {known!r} and of {example.label!r}. "
                "Keep one of the labels.",
            )
    repeated = [document for document, count in Counter(each.document for each in examples).items() if count > 1]
    if repeated:
        raise ClassSetError("repeated_example", f"Document {repeated[0]!r} is given twice. Leave it out once.")
    empty = [example.document for example in examples if not any(page.has_text for page in example.pages)]
    if empty:
        listed = ", ".join(map(repr, empty[:5])) + (f" and {len(empty) - 5} more" if len(empty) > 5 else "")
        raise ClassSetError("no_text", f"No text was found in these examples: {listed}. Choose other documents.")
