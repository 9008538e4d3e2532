"""Tests of the picture of a pipeline."""

from jobs.dashboard.own_models.graph_picture import GAP_X, HEIGHT, WIDTH, graph_picture
from tests.inference.pipelines.declarations import CLASSIFIER, READER


def test_each_step_is_right_of_what_it_needs() -> None:
    picture = graph_picture(CLASSIFIER, {"colors": "colors@1"})
    assert [(box.name, box.what, box.needs) for box in picture.boxes] == [
        ("input", "document", ()),
        ("picture", "picture_tensor", ("input",)),
        ("scores", "colors@1", ("picture",)),
        ("chances", "softmax", ("scores",)),
        ("best", "top_labels", ("chances",)),
        ("output", "", ("best",)),
    ]
    assert all(arrow.x1 < arrow.x2 for arrow in picture.arrows)
    assert len(picture.arrows) == 5


def test_steps_inside_branches_are_shown_with_the_condition() -> None:
    picture = graph_picture(READER, {"reader": "ocr@1"})
    shown = {box.name: (box.what, box.needs) for box in picture.boxes}
    assert shown["ocr"] == ("ocr@1", ("input",))
    assert shown["text"] == ("input.has_text is True", ("input", "ocr"))


def test_no_arrow_crosses_a_box_that_it_does_not_lead_to() -> None:
    picture = graph_picture(READER, {"reader": "ocr@1"})
    between = next(box for box in picture.boxes if box.name == "ocr")
    (past,) = [arrow for arrow in picture.arrows if arrow.x1 < between.x and arrow.x2 > between.x + WIDTH]
    assert past.lane is not None
    assert between.y + HEIGHT < past.lane <= picture.height
    assert f"H{past.x2 - GAP_X}" in past.path
    assert [arrow.lane for arrow in picture.arrows if arrow is not past] == [None] * (len(picture.arrows) - 1)


def test_boxes_of_one_column_do_not_lie_on_each_other_and_long_names_are_cut() -> None:
    steps = [
        {"name": f"step_{letter}", "kind": "model", "role": letter, "inputs": {"x": "input.x"}} for letter in "abc"
    ]
    output = {step["name"]: step["name"] for step in steps}
    picture = graph_picture({"accepts": ["tensors"], "steps": steps, "output": output}, {"a": "a" * 60})
    places = {(box.x, box.y) for box in picture.boxes}
    assert len(places) == len(picture.boxes)
    assert max(len(box.shown_what) for box in picture.boxes) == 20
