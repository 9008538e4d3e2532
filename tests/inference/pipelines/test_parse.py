import json
from dataclasses import replace

import numpy as np
import pytest

from inference.core.contracts import (
    ItemCell,
    Json,
    PageInput,
    PageItem,
    Pixels,
    Quad,
    TextInput,
    TextLine,
    WorkInput,
    WorkOutput,
    WorkRefused,
)
from inference.core.errors import StepFailed
from tests.inference.pipelines.sample_texts import SAMPLES, Sample
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs
from tests.inference.runtime.pictures import LETTER, draw_page, picture_page


def parse(work: WorkInput, **parameters: Json) -> WorkOutput:
    return builtin_engine().run(builtin_specs()["parse"], work, parameters)


def never_decoded() -> Pixels:
    raise AssertionError("the picture of a page that has text was decoded")


def box_at(row: int) -> Quad:
    top = 100.0 + 12 * row
    return (100.0, top), (300.0, top), (300.0, top + 9), (100.0, top + 9)


def text_page(*texts: str) -> PageInput:
    lines = tuple(TextLine(text, box_at(row), 1.0) for row, text in enumerate(texts))
    return PageInput(1, 600, 800, lines, never_decoded)


def test_page_with_text_is_read_directly() -> None:
    answer = parse(text_page("Dear Anna,", "it was lovely to see you."))
    assert answer.result["source"] == "text_layer"
    assert answer.result["text"] == "Dear Anna, it was lovely to see you."
    assert answer.result["lines"][0] == {"text": "Dear Anna,", "box": box_at(0), "confidence": 1.0}
    assert [(block["type"], block["lines"]) for block in answer.result["blocks"]] == [("paragraph", [0, 1])]
    assert (answer.result["width"], answer.result["height"]) == (600, 800)
    assert (answer.result["rotation"], answer.result["angle"], answer.result["sheet"]) == (0, 0, None)
    assert (answer.result["needs_review"], answer.result["warnings"]) == (False, [])
    assert answer.units.pages == 1
    assert answer.units.tokens == 0


def test_page_without_text_is_recognized_from_its_picture() -> None:
    answer = parse(picture_page(draw_page(LETTER)))
    assert answer.result["source"] == "ocr"
    assert answer.result["text"].split() == " ".join(LETTER).split()
    assert [line["text"] for line in answer.result["lines"]] == list(LETTER)
    assert answer.result["lines"][0]["confidence"] > 0.9
    numbers = [number for block in answer.result["blocks"] for number in block["lines"]]
    assert numbers == list(range(len(LETTER)))
    assert (answer.result["width"], answer.result["height"]) == (900, 640)
    assert answer.result["quality"] > 0.9
    assert not answer.result["needs_review"]


def test_asked_confidence_reaches_text_recognition() -> None:
    answer = parse(picture_page(draw_page(LETTER)), min_confidence=1.0)
    assert len(answer.result["lines"]) < len(LETTER)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.label}: {sample.text[:24]!r}")
def test_realistic_text_is_classified_as_a_person_would(sample: Sample) -> None:
    kind = parse(TextInput((sample.text,), single=True)).result["class"]
    # Source code has the short lines and marks of a form, so that no class has half of the probability.
    assert kind["label"] == ("unsure" if sample.text.startswith("def ") else sample.label)
    assert max(kind["probabilities"], key=kind["probabilities"].__getitem__) == sample.label
    assert sum(kind["probabilities"].values()) == pytest.approx(1, abs=0.001)


def test_text_sent_as_such_is_parsed_like_a_page() -> None:
    answer = parse(TextInput(("one\ntwo",), single=True))
    assert answer.result["source"] == "text"
    assert [line["text"] for line in answer.result["lines"]] == ["one", "two"]
    assert answer.units.pages == 1


@pytest.mark.parametrize("page", [text_page(), picture_page(np.full((300, 200, 3), 255, np.uint8))])
def test_blank_page_succeeds_and_is_of_no_kind(page: PageInput) -> None:
    answer = parse(page, include_embedding=True)
    assert (answer.result["text"], answer.result["lines"], answer.result["embedding"]) == ("", [], None)
    assert answer.result["blocks"] == []
    assert answer.result["needs_review"] is False
    assert max(answer.result["class"]["probabilities"].values()) <= 0.5
    assert (answer.units.pages, answer.units.tokens) == (1, 0)


def test_embedding_is_that_of_the_embedding_model_and_is_given_on_request() -> None:
    page = text_page(*["Please pay the invoice for the chairs."] * 40, "And now for something else: the fox ran home.")
    alone = builtin_engine().run(builtin_specs()["embed"], page, {}).result["embedding"]
    assert parse(page, include_embedding=True).result["embedding"] == alone
    assert "embedding" not in parse(page).result


def test_answer_is_json() -> None:
    answer = parse(picture_page(draw_page(LETTER[:2]))).result
    assert json.loads(json.dumps(answer)) == answer


def test_empty_text_is_refused() -> None:
    with pytest.raises(WorkRefused, match="input_empty"):
        parse(TextInput(("  ",), single=True))


def test_failing_step_names_itself() -> None:
    spec = builtin_specs()["parse"]
    ocr = spec.steps["ocr"]
    broken = replace(ocr, steps={**ocr.steps, "read": replace(ocr.steps["read"], artifacts={})})
    with pytest.raises(StepFailed, match="step 'read': read@1 has no artifact 'detection'"):
        builtin_engine().run(
            replace(spec, steps={**spec.steps, "ocr": broken}), picture_page(draw_page(LETTER[:1])), {}
        )


def test_nothing_is_embedded_before_the_result_unless_it_is_in_the_result() -> None:
    answer = parse(text_page("Dear Anna,"))
    assert (answer.embedding, answer.embedded_by, answer.units.tokens) == (None, "embed", 0)
    assert "embed" not in answer.steps
    assert parse(text_page("Dear Anna,"), include_embedding=True).units.tokens > 0


def test_scanned_parts_of_a_page_with_text_are_read_too() -> None:
    pixels = draw_page(("Dear Anna,", "your order:", "Chairs 39.00", "Lamps 25.00", "Logo"))
    own = tuple(
        TextLine(text, ((60.0, top), (300.0, top), (300.0, top + 36), (60.0, top + 36)), 1.0)
        for text, top in (("Dear Anna,", 50.0), ("your order:", 120.0))
    )
    page = PageInput(1, 900, 640, own, lambda: pixels, scans=((0.0, 100.0, 900.0, 310.0),))
    result = parse(page).result
    assert result["source"] == "mixed"
    assert [line["text"] for line in result["lines"]] == ["Dear Anna,", "your order:", "Chairs 39.00", "Lamps 25.00"]
    assert [line["confidence"] == 1.0 for line in result["lines"]] == [True, True, False, False]
    assert (result["rotation"], result["width"], result["height"]) == (0, 900, 640)


def test_page_that_says_what_it_consists_of_is_taken_at_its_word() -> None:
    cells = (ItemCell(0, 0, "Item", header=True), ItemCell(0, 1, "Price", header=True), ItemCell(1, 0, "Pump", 1, 2))
    items = (
        PageItem("heading", "Offer", 1),
        PageItem("paragraph", "Two\nlines."),
        PageItem("table", "", None, 2, 2, 1, cells),
    )
    lines = tuple(TextLine(line, None, 1.0) for item in items for line in item.lines)
    answer = parse(PageInput(1, 0, 0, lines, None, items=items)).result
    assert answer["source"] == "document"
    assert answer["text"] == "Offer\n\nTwo\nlines.\n\nItem\tPrice\nPump"
    assert [line["text"] for line in answer["lines"]] == ["Offer", "Two", "lines.", "Item\tPrice", "Pump"]
    assert answer["blocks"] == [
        {"type": "heading", "level": 1, "box": None, "lines": [0]},
        {"type": "paragraph", "box": None, "lines": [1, 2]},
        {"type": "table", "table": 0, "box": None, "lines": [3, 4]},
    ]
    (table,) = answer["tables"]
    assert (table["rows"], table["columns"], table["header_rows"], table["box"]) == (2, 2, 1, None)
    assert table["cells"][2] == {
        "row": 1, "column": 0, "row_span": 1, "column_span": 2, "text": "Pump", "box": None, "confidence": 1.0,
        "header": False,
    }  # fmt: skip
    assert (answer["quality"], answer["needs_review"], answer["warnings"]) == (1, False, [])


@pytest.mark.parametrize(
    "page", [PageInput(1, 0, 0, (), None, items=()), PageInput(1, 0, 0, (TextLine("a", None, 1.0),), None)]
)
def test_page_without_tables_has_none(page: PageInput) -> None:
    assert parse(page).result["tables"] == []
