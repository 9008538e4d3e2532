"""Test that versions of `parse` that had their steps in the code still run as declared pipelines."""

import json
from pathlib import Path

from inference import migrations
from inference.core.contracts import Json, TextInput, WorkInput, WorkOutput
from inference.pipelines.checking import check_graph
from inference.pipelines.declaration import read_graph
from tests.inference.pipelines.declarations import MEMBERS, pipeline_spec
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs
from tests.inference.runtime.pictures import LETTER, draw_page, picture_page

EARLIER: Json = json.loads(Path(migrations.__file__).with_name("parse_before_blocks.json").read_text())


def parse(work: WorkInput, **parameters: Json) -> WorkOutput:
    specs = builtin_specs()
    spec = pipeline_spec(EARLIER, "parse", ocr=specs["read"], embed=specs["embed"])
    return builtin_engine().run(spec, work, parameters)


def test_steps_fit_the_members_of_that_time() -> None:
    answer = check_graph(read_graph(EARLIER), {"ocr": MEMBERS["reader"], "embed": MEMBERS["embed"]})
    assert list(answer.fields) == ["text", "lines", "width", "height", "source", "class"]


def test_picture_is_read_line_by_line_and_compared_with_sentences() -> None:
    answer = parse(picture_page(draw_page(LETTER)))
    assert answer.result["text"] == "\n".join(LETTER)
    assert answer.result["source"] == "ocr"
    found = answer.result["class"]
    assert found["label"] == "letter"
    assert found["score"] == max(found["scores"].values())
    assert len(answer.result["embedding"]) == 384


def test_embedding_is_left_out_on_request_and_kept_beside_the_result() -> None:
    answer = parse(TextInput(("Please pay the invoice.",), single=True), include_embedding=False)
    assert "embedding" not in answer.result
    assert answer.embedding is not None


def test_blank_text_is_other() -> None:
    answer = parse(picture_page(draw_page(())))
    assert (answer.result["text"], answer.result["class"]["label"]) == ("", "other")
