from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.core.contracts import Json
from inference.pipelines.checking import check_graph
from inference.pipelines.declaration import MAX_NESTED, MAX_STEPS, read_graph
from inference.pipelines.graph import GraphInvalid, ModelStep
from inference.pipelines.members import Member
from inference.pipelines.ocr import OCR
from inference.pipelines.operations.values import ValueType
from inference.pipelines.parse import PARSE
from tests.inference.pipelines.declarations import CLASSIFIER, MEMBERS, READER, changed


def problem(declared: Json, members: tuple[str, ...] = ("colors",)) -> str:
    with pytest.raises(GraphInvalid) as refusal:
        check_graph(read_graph(declared), {role: MEMBERS[role] for role in members})
    return str(refusal.value)


def set_step(place: int, **fields: Json) -> Callable[[Any], object]:
    return lambda declared: declared["steps"][place].update(fields)


def text_step(name: str, **inputs: Json) -> Json:
    return {
        "name": name,
        "kind": "postprocess",
        "operation": "join_texts",
        "inputs": inputs or {"a": "input"},
    }


def chain(length: int) -> Json:
    steps = [text_step(f"s{n}", a=f"s{n - 1}" if n else "input") for n in range(length)]
    return {"accepts": ["text"], "steps": steps, "output": {"text": f"s{length - 1}"}}


def nested(depth: int) -> Json:
    block: Json = {"output": {"text": "input"}}
    for level in range(depth):
        branch = {
            "name": f"b{level}",
            "kind": "branch",
            "if": {"value": "input.is_blank", "is": True},
            "then": block,
            "else": {"output": {"text": "input"}},
        }
        block = {"steps": [branch], "output": f"b{level}"}
    return {"accepts": ["text"], **block}


def test_what_is_declared_is_read_as_it_stands() -> None:
    graph = read_graph(CLASSIFIER)
    assert [step.name for step in graph.block.steps] == ["picture", "scores", "chances", "best"]
    assert graph.accepts == ("document",)
    assert graph.roles == {"colors"}


def test_declarations_that_hold_together_say_what_they_answer() -> None:
    answer = check_graph(read_graph(CLASSIFIER), {"colors": MEMBERS["colors"]})
    assert {name: one.kind for name, one in answer.fields.items()} == {
        "label": "text",
        "score": "number",
        "top": "json",
    }
    text = check_graph(read_graph(READER), {"reader": MEMBERS["reader"]})
    assert {name: one.kind for name, one in text.fields.items()} == {"text": "text"}


PLACED = ["text", "lines", "blocks", "tables", "width", "height", "rotation", "angle", "sheet"]
READING = [*PLACED, "quality", "needs_review", "warnings", "codes", "marks", "pairs"]


def ocr_answer() -> ValueType:
    return check_graph(read_graph(OCR), {"orient": MEMBERS["orient"], "read": MEMBERS["reader"]})


def pipeline_member(name: str, declared: Json, answer: ValueType) -> Member:
    graph = read_graph(declared)
    return Member(name, "graph", accepts=graph.accepts, answer=answer, parameters=graph.parameters)


def test_built_in_pipelines_pass_the_same_checks() -> None:
    assert list(ocr_answer().fields) == READING
    members = {"ocr": pipeline_member("ocr@1", OCR, ocr_answer()), "read": MEMBERS["reader"], "embed": MEMBERS["embed"]}
    answer = check_graph(read_graph(PARSE), members)
    assert list(answer.fields) == [*READING, "source", "class", "field_candidates"]


def test_member_that_embeds_for_the_search_needs_a_text_in_the_answer() -> None:
    page = {"kind": "preprocess", "name": "page", "operation": "text_page", "inputs": {"text": "input"}}
    declared: Json = {"accepts": ["text"], "steps": [page], "output": {"width": "page.width"}}
    declared["search_by"] = {"role": "embed"}
    with pytest.raises(GraphInvalid, match="embeds the answer's `text`, and the output has none"):
        check_graph(read_graph(declared), {"embed": MEMBERS["embed"]})
    declared["output"] = {"text": "page.text"}
    assert list(check_graph(read_graph(declared), {"embed": MEMBERS["embed"]}).fields) == ["text"]


def test_steps_fed_by_constants_alone_are_settled() -> None:
    constant = {"name": "known", "kind": "model", "role": "embed", "inputs": {"texts": {"constant": ["a", "b"]}}}
    asked = {"name": "asked", "kind": "model", "role": "embed", "inputs": {"text": "input"}}
    output = {"a": "known.embeddings", "b": "asked.embedding"}
    graph = read_graph({"accepts": ["text"], "steps": [constant, asked], "output": output})
    steps = [step for step in graph.block.walk() if isinstance(step, ModelStep)]
    assert [(step.name, step.is_settled) for step in steps] == [("known", True), ("asked", False)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (set_step(2, operation="sigmoid"), "step 'chances': there is no operation 'sigmoid'; there are assess"),
        (set_step(2, kind="preprocess"), "step 'chances': 'softmax' is a postprocess, not a preprocess"),
        (set_step(2, kind="loop"), "step 'chances': `kind` is 'loop'; there are model, preprocess"),
        (set_step(1, role="paints"), "step 'scores': no member has the role 'paints'; members: 'colors'"),
        (set_step(2, name="scores"), "two steps are called 'scores'"),
        (set_step(2, name="Big"), "steps[2] of the declaration is called 'Big'"),
        (set_step(2, name="input"), "'input' and 'parameters' are taken"),
        (set_step(1, inputs={"pixels": "best"}), "step 'scores': inputs.pixels refers to 'best', which is no earlier"),
        (set_step(2, inputs={"tensor": "scores.y"}), "'scores' is object, of which can be read: 'logits'"),
        (set_step(2, inputs={"tensor": "picture"}), "there are 3 labels for scores of the shape [1, 3, 8, 8]"),
        (set_step(1, inputs={"pixels": "input"}), "step 'scores': 'pixels' must be FP32 tensor of shape"),
        (set_step(1, inputs={"image": "picture"}), "colors@1 takes the tensors 'pixels'; it is given 'image'"),
        (set_step(1, parameters={"k": {"constant": 1}}), "step 'scores': colors@1 has no parameter 'k'"),
        (
            set_step(0, parameters={"width": 9, "height": 8}),
            "step 'scores': 'pixels' must be FP32 tensor of shape [-1, 3, 8, 8], not FP32 tensor of shape [1, 3, 8, 9]",
        ),
        (
            set_step(0, parameters={"width": 8, "height": 8, "datatype": "UINT8"}),
            "must be FP32 tensor of shape [-1, 3, 8, 8], not UINT8 tensor of shape [1, 3, 8, 8]",
        ),
        (set_step(0, parameters={"width": 8}), "'picture_tensor' needs the parameter 'height'"),
        (set_step(0, parameters={"width": 8, "height": 8, "depth": 1}), "has no parameter 'depth'; it has 'width'"),
        (set_step(0, parameters={"width": 8.5, "height": 8}), "'width' must be a whole number from 1 to 4096, not 8.5"),
        (set_step(0, parameters={"width": 8, "height": 8, "mean": [1, 2]}), "'mean' must be a list of one or three"),
        (set_step(0, parameters={"width": 8, "height": 8, "deviation": [0]}), "none of them 0"),
        (set_step(3, parameters={"labels": ["a"]}), "there are 1 labels for scores of the shape [-1, 3]"),
        (set_step(0, color="red"), "step 'picture' has no field 'color'; it may have name, kind"),
        (lambda d: d["steps"].append(7), "steps[4] of the declaration must be an object, not the value 7"),
        (lambda d: d.update(output="best"), ""),
        (lambda d: d.update(output="chances"), "the output is FP32 tensor of shape [-1, 3], and an answer"),
        (lambda d: d.update(output={"page": "input"}), "the output holds a page, which no answer carries: page"),
        (lambda d: d.update(output={"state": "best.label"}), "the output names a value 'state', which every page has"),
        (lambda d: d.update(output={"text": "best.score"}), "the output's 'text' is text in every answer, not number"),
        (lambda d: d.update(output={"outputs": "best.top"}), "'outputs' is what ONNX graphs give, not json"),
        (lambda d: d.update(output=None), "the output of the declaration must be the name of an earlier step"),
        (lambda d: d.update(accepts=["pages"]), "`accepts` must be a list of document, text, texts, tensors"),
        (lambda d: d.update(accepts=["document", "document"]), "`accepts` names a kind twice"),
        (lambda d: d.update(accepts=["document", "text"]), "which may be document or text here: tell them apart"),
        (lambda d: d.update(extra=1), "the declaration has no field 'extra'"),
        (lambda d: d.update(search_by="best.label"), "search_by must be the embedding of a text, not text"),
        (lambda d: d.update(search_by={"role": "none"}), "search_by: no member has the role 'none'"),
        (lambda d: d.update(search_by={"role": 1}), "search_by: `role` must be a text, not"),
        (lambda d: d.update(search_by={"role": "embed", "of": "x"}), "search_by has no field 'of'; it may have role"),
        (lambda d: d.update(search_by={"role": "colors"}), "embeds no pages; name a member with"),
        (lambda d: d.update(tensors=[]), "`tensors` lists tensors that are sent, and `accepts` does not name them"),
        (lambda d: d.update(accepts=["tensors"]), "`accepts` names tensors, and `tensors` is missing"),
        (lambda d: d.update(parameters=[{"name": "p", "type": "text", "default": ""}]), "is not a parameter"),
        (lambda d: d.update(parameters=[{"name": "p", "type": "number", "default": 2, "maximum": 1}]), "a parameter"),
    ],
)  # fmt: skip
def test_every_mistake_is_told_with_its_place(change: Callable[[Any], object], words: str) -> None:
    declared = changed(CLASSIFIER, change)
    if words:
        assert words in problem(declared)
    else:
        check_graph(read_graph(declared), {"colors": MEMBERS["colors"]})


def test_member_that_no_step_asks_is_refused() -> None:
    assert "the member 'reader' (read@1) is used by no step" in problem(CLASSIFIER, ("colors", "reader"))


def test_step_whose_value_nobody_takes_is_refused() -> None:
    idle = changed(chain(2), lambda declared: declared.update(output={"text": "s0"}))
    assert problem(idle, ()) == "step 's1' is used by no other step and is not the output"


def pipeline_around_ocr(change: Callable[[Any], object] = lambda declared: None) -> ValueType:
    members = {"reader": pipeline_member("inner@1", OCR, ocr_answer())}
    return check_graph(read_graph(changed(READER, change)), members)


def set_reading(**fields: Json) -> Callable[[Any], object]:
    return lambda declared: declared["steps"][0]["else"]["steps"][0].update(fields)


def test_declared_pipeline_may_be_a_member() -> None:
    answer = pipeline_around_ocr()
    assert answer.is_json
    assert pipeline_around_ocr(set_reading(parameters={"min_confidence": {"constant": 0.7}})) == answer


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (set_reading(inputs={"text": "input.text"}), "step 'ocr': inner@1 takes one input, 'page'; it is given 'text'"),
        (set_reading(inputs={"page": "input.text"}), "step 'ocr': 'page' must be page, not text"),
        (set_reading(parameters={"k": {"constant": 1}}), "inner@1 has no parameter 'k'; it has 'min_confidence'"),
        (
            set_reading(parameters={"min_confidence": {"constant": 2}}),
            "'min_confidence' must be a number from 0 to 1, not 2",
        ),
        (
            lambda d: d["steps"][0]["else"].update(output="ocr.color"),
            "but 'ocr' is object, of which can be read: 'text', 'lines', 'blocks'",
        ),
    ],
)
def test_mistakes_around_a_pipeline_as_a_member_are_told_with_their_place(
    change: Callable[[Any], object], words: str
) -> None:
    with pytest.raises(GraphInvalid) as refusal:
        pipeline_around_ocr(change)
    assert words in str(refusal.value)


def test_pipeline_of_tensors_may_not_be_a_member() -> None:
    tensors = Member("inner@1", "graph", accepts=("tensors",), answer=ocr_answer())
    with pytest.raises(GraphInvalid, match="inner@1 is a 'graph', which cannot be a member; there are ocr, orient"):
        check_graph(read_graph(CLASSIFIER), {"colors": tensors})


def test_steps_are_limited_in_number_and_depth() -> None:
    check_graph(read_graph(chain(MAX_STEPS)), {})
    assert problem(chain(MAX_STEPS + 1), ()).startswith("there are more than 32 steps")
    check_graph(read_graph(nested(MAX_NESTED)), {})
    assert "branches are nested deeper than 6" in problem(nested(MAX_NESTED + 1), ())


def test_what_runs_on_one_side_only_is_not_there_afterwards() -> None:
    leaking = changed(READER, lambda declared: declared.update(output={"text": "ocr.text"}))
    assert "refers to 'ocr', which is no earlier step; earlier steps here: 'text'" in problem(leaking, ("reader",))


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({"input_is": "texts"}, "the input is never 'texts' on one side: it may be document"),
        ({"input_is": "document"}, "the input is never 'document' on one side"),
        ({"value": "input.has_text", "at_least": 1}, "`if` compares boolean with number by 'at_least'"),
        ({"value": "input.has_text", "is": 1}, "`if` compares boolean with number by 'is'"),
        ({"value": "input.width", "is": 1, "below": 2}, "or a value with one of is, at_least, below"),
        ({"value": "input.color", "is": 1}, "'input' is page, of which can be read: 'has_text'"),
        ({}, 'must be {"input_is": kind}, or a value'),
        (7, "`if` of step 'text' must be an object, not the value 7"),
    ],
)
def test_conditions_compare_like_with_like(condition: Json, words: str) -> None:
    assert words in problem(changed(READER, set_step(0, **{"if": condition})), ("reader",))


def test_sides_of_a_branch_must_give_what_its_users_take() -> None:
    def give_a_number(declared: Any) -> None:
        declared["steps"][0]["then"]["output"] = "input.width"
        declared["steps"].append(text_step("more", a="text"))
        declared["output"] = {"text": "more"}

    assert problem(changed(READER, give_a_number), ("reader",)) == "step 'more': 'a' must be text, not json"


def test_sides_that_fit_nothing_together_are_refused() -> None:
    def give_a_page(declared: Any) -> None:
        declared["steps"][0]["then"]["output"] = "input"

    assert "its sides give values that nothing takes both of: page, and text" in problem(
        changed(READER, give_a_page), ("reader",)
    )


@pytest.mark.parametrize("declared", [None, [], "x", {"steps": {}}, {"accepts": ["text"], "steps": 1}])
def test_what_is_no_declaration_is_refused(declared: Json) -> None:
    with pytest.raises(GraphInvalid):
        read_graph(declared)


@pytest.mark.parametrize(
    ("accepts", "documents", "words"),
    [
        (["text"], ["pdf"], "only if `accepts` names document"),
        (["document"], [], "must be a list of pdf, image, text, docx, xlsx, pptx, html, eml"),
        (["document"], ["odt"], "must be a list of pdf, image, text, docx, xlsx, pptx, html, eml"),
        (["document"], [{}], "must be a list of pdf, image, text, docx, xlsx, pptx, html, eml"),
        (["document"], ["pdf", "pdf"], "names a kind twice"),
    ],
)
def test_kinds_of_document_that_do_not_exist_are_refused(accepts: Json, documents: Json, words: str) -> None:
    with pytest.raises(GraphInvalid, match=words):
        read_graph({**READER, "accepts": accepts, "documents": documents})


def test_declaration_of_any_depth_or_length_is_refused_and_not_choked_on() -> None:
    deep: Json = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(GraphInvalid, match="is not JSON"):
        read_graph({"accepts": deep})
    with pytest.raises(GraphInvalid, match="characters as JSON; at most"):
        read_graph({"accepts": ["x" * 300_000]})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("name", "kind", "role", "inputs", "parameters", "operation")
PLACES = ("steps", "output", "accepts", "documents", "parameters", "tensors", "search_by")


def read_or_refused(declared: Json) -> None:
    with suppress(GraphInvalid):
        check_graph(read_graph(declared), {"colors": MEMBERS["colors"]})


@given(place=st.sampled_from(PLACES), value=JSON)
def test_anything_in_any_place_is_read_or_refused(place: str, value: Json) -> None:
    read_or_refused({**CLASSIFIER, place: value})


@given(step=st.integers(0, 3), field=st.sampled_from(FIELDS), value=JSON)
def test_anything_in_any_step_is_read_or_refused(step: int, field: str, value: Json) -> None:
    read_or_refused(changed(CLASSIFIER, set_step(step, **{field: value})))
