"""Tests of the kinds of input that the playground offers, and of how it describes parameters."""

from inference.registry.models import ModelVersion, ServedModel
from inference.runtime.parameters import EVERY_KIND
from jobs.dashboard.catalog.model_view import takes_in_words
from jobs.dashboard.catalog.views import input_kinds, playground_view
from tenants.plans.agreed import NONE


def test_models_of_texts_begin_with_a_text_and_others_with_a_document() -> None:
    assert input_kinds(["document", "text", "texts"]) == ["text", "texts", "document"]
    assert input_kinds(["document", "text"]) == ["document", "text"]
    assert input_kinds(["something new"]) == ["tensors"]


def test_parameters_say_their_range() -> None:
    described = {"name": "p", "type": "number", "default": 1, "description": "What."}
    bounds: tuple[dict[str, float], ...] = (
        {},
        {"minimum": 0.0},
        {"maximum": 2.5},
        {"minimum": 0.0, "maximum": 2.5},
    )
    served = ServedModel(
        accepts=["text"],
        price_meter="call",
        price_micros=1,
        parameters=[{**described, **bound} for bound in bounds],
        current=ModelVersion(),
    )
    assert [field.range for field in playground_view(served, NONE, ModelVersion()).parameters] == [
        "",
        "at least 0",
        "at most 2.5",
        "0 to 2.5",
    ]


def test_what_is_taken_is_a_sentence() -> None:
    assert takes_in_words(["document"], EVERY_KIND) == "documents"
    assert takes_in_words(["document", "text"], ["pdf", "image"]) == "documents (PDF files and images) or a text"
    assert takes_in_words(["text", "texts"], []) == "a text or several texts at once"
