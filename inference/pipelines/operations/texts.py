"""Operations on lines, texts and pages."""

from collections.abc import Mapping

from inference.core.contracts import Json, PageInput, TextLine
from inference.pipelines.operations.operation import (
    POSTPROCESS,
    PREPROCESS,
    Operation,
    Setting,
    always,
    text,
)
from inference.pipelines.operations.values import LINES, NUMBER, PAGE, TEXT, Value, text_of

Values = Mapping[str, Value]
Settings = Mapping[str, Json]


def _text_page(inputs: Values, settings: Settings) -> Value:
    lines = tuple(TextLine(line, None, 1.0) for line in inputs["text"].splitlines())
    return PageInput(1, 0, 0, lines, load_pixels=None)


def _page_of_lines(inputs: Values, settings: Settings) -> Value:
    return PageInput(1, inputs["width"], inputs["height"], inputs["lines"], load_pixels=None)


def _keep_confident(inputs: Values, settings: Settings) -> Value:
    """Return the lines with enough confidence. Lines without a confidence are kept."""
    least = inputs["at_least"]
    return tuple(line for line in inputs["lines"] if line.confidence is None or line.confidence >= least)


def _text_of_lines(inputs: Values, settings: Settings) -> Value:
    return text_of(inputs["lines"])


def _join_texts(inputs: Values, settings: Settings) -> Value:
    joined: str = settings["separator"].join(inputs.values())
    return joined


TEXT_PAGE = Operation("text_page", PREPROCESS, gives=always(PAGE), run=_text_page, takes={"text": TEXT})

PAGE_OF_LINES = Operation(
    "page_of_lines",
    POSTPROCESS,
    gives=always(PAGE),
    run=_page_of_lines,
    takes={"lines": LINES, "width": NUMBER, "height": NUMBER},
)

KEEP_CONFIDENT = Operation(
    "keep_confident",
    POSTPROCESS,
    gives=always(LINES),
    run=_keep_confident,
    takes={"lines": LINES, "at_least": NUMBER},
)

TEXT_OF_LINES = Operation("text_of_lines", POSTPROCESS, gives=always(TEXT), run=_text_of_lines, takes={"lines": LINES})

JOIN_TEXTS = Operation(
    "join_texts",
    POSTPROCESS,
    gives=always(TEXT),
    run=_join_texts,
    any_of=TEXT,
    settings=(Setting("separator", text, "a text", "\n"),),
)
