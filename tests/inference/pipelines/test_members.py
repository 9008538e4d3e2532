import numpy as np
import pytest

from inference.core.contracts import Embedding, PageInput, TextInput, TextLine, VersionSpec, WorkOutput
from inference.pipelines.members import Member, answer_type, value_of, work_for
from inference.pipelines.operations.values import (
    BOOLEAN,
    JSON,
    LINES,
    NUMBER,
    PAGE,
    TEXT,
    TEXTS,
    VECTOR,
    VECTORS,
    ValueType,
    object_of,
)
from tests.inference.pipelines.declarations import READER, pipeline_spec
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs
from tests.inference.runtime.pictures import LETTER, draw_page, picture_page

ANSWER = object_of(
    {"text": TEXT, "lines": LINES, "sure": BOOLEAN, "score": NUMBER, "embedding": VECTOR, "others": VECTORS}
)
INNER = VersionSpec("inner", 1, "digest of inner", "graph", {}, config={"graph": READER})


def pipeline(*accepts: str) -> Member:
    return Member("inner@1", "graph", accepts=accepts, answer=ANSWER)


@pytest.mark.parametrize(
    ("accepts", "name", "given"),
    [("document", "page", PAGE), ("text", "text", TEXT), ("texts", "texts", TEXTS)],
)
def test_pipeline_takes_each_kind_that_it_accepts_by_one_name(accepts: str, name: str, given: ValueType) -> None:
    answer_type(pipeline(accepts), {name: given})
    with pytest.raises(ValueError, match=f"takes one input, '{name}'; it is given 'other'"):
        answer_type(pipeline(accepts), {"other": given})


def test_answer_of_a_pipeline_is_what_is_left_of_it_as_json() -> None:
    fields = answer_type(pipeline("text"), {"text": TEXT}).fields
    assert {name: found.kind for name, found in fields.items()} == {
        "text": TEXT.kind,
        "lines": LINES.kind,
        "sure": BOOLEAN.kind,
        "score": NUMBER.kind,
        "embedding": JSON.kind,
        "others": JSON.kind,
    }


def test_page_reaches_a_pipeline_as_it_is_and_texts_as_they_are_sent() -> None:
    page = PageInput(1, 10, 10, None, None)
    assert work_for(INNER, {"page": page}) is page
    assert work_for(INNER, {"text": "one"}) == TextInput(("one",), single=True)
    assert work_for(INNER, {"texts": ["one", "two"]}) == TextInput(("one", "two"), single=False)


def test_lines_of_a_pipelines_answer_are_lines_again_and_its_vectors_stay_lists() -> None:
    line = {"text": "a", "box": None, "confidence": 0.9}
    value = value_of(INNER, WorkOutput({"lines": [line], "embedding": [0.6, 0.8]}))
    assert value["lines"] == (TextLine("a", None, 0.9),)
    assert value["embedding"] == [0.6, 0.8]


def test_vectors_of_an_embedding_model_are_vectors_of_its_version() -> None:
    spec = VersionSpec("embed", 1, "digest of embed", "embed", {})
    assert value_of(spec, WorkOutput({"embedding": [0.6, 0.8]}))["embedding"] == Embedding(spec.digest, (0.6, 0.8))
    many = value_of(spec, WorkOutput({"embeddings": [[0.6, 0.8]]}))["embeddings"]
    assert many.dtype == np.float32


def test_pipeline_in_a_pipeline_runs_with_its_own_members_and_parameters() -> None:
    specs = builtin_specs()
    inner = pipeline_spec(READER, "inner", reader=specs["ocr"])
    outer = pipeline_spec(READER, "outer", reader=inner)
    page = picture_page(draw_page(LETTER))
    answer = builtin_engine().run(outer, page, {})
    assert answer.result["text"] == builtin_engine().run(specs["ocr"], page, {}).result["text"]
    assert builtin_engine().session_paths(outer) == builtin_engine().session_paths(specs["ocr"])
    assert answer.units.pages == 1
