"""Read a request to `/v1/embeddings` in OpenAI's form, and make all checks that need no model."""

from dataclasses import dataclass

from inference.core.contracts import Json, TextInput, TokenInput
from inference.gateway.described import describe
from inference.gateway.json_parts import MAX_VALUES, has_too_many_parts
from inference.gateway.openai.refusals import refused
from inference.gateway.repeated_names import RepeatedName, strict_decoder

FIELDS = ("model", "input", "encoding_format", "dimensions", "user")
FORMATS = ("float", "base64")
MAX_MARKS = 20_000
"""The most lists, objects and keys in the JSON of a body: ten times as many as the lists that a model takes at once."""
INPUTS = "a text, a list of texts, a list of token ids, or a list of such lists"
_DECODER = strict_decoder()


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    model: str
    work: TextInput | TokenInput
    in_base64: bool = False
    dimensions: int | None = None
    """The number of dimensions, or None for the model's own."""


def read_request(body: bytes) -> EmbeddingRequest:
    fields = _object(body)
    unknown = next((name for name in fields if name not in FIELDS), None)
    if unknown is not None:
        raise refused(f"Unknown parameter: {unknown[:80]!r}. There are {', '.join(FIELDS)}.", param=unknown[:80])
    for name in ("model", "input"):
        if fields.get(name) is None:
            raise refused(f"Missing required parameter: '{name}'.", param=name)
    _check_text(fields, "model")
    _check_text(fields, "user")
    return EmbeddingRequest(
        fields["model"], _work(fields["input"]), _in_base64(fields), _dimensions(fields.get("dimensions"))
    )


def _object(body: bytes) -> dict[str, Json]:
    if has_too_many_parts(body, MAX_MARKS):
        raise refused(
            f"The JSON has more than {MAX_MARKS} lists, objects and keys, or more than {MAX_VALUES} values. "
            "Send fewer texts at a time."
        )
    try:
        value = _DECODER.decode(body.decode("utf-8-sig"))
    except RepeatedName as error:
        raise refused(str(error)) from None
    except RecursionError:
        raise refused("The JSON is nested too deeply.") from None
    except ValueError as error:
        raise refused(f"The body is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise refused(f"The body must be a JSON object; it is {describe(value)}.")
    return value


def _check_text(fields: dict[str, Json], name: str) -> None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise refused(f"'{name}' must be a text; it is {describe(value)}.", param=name)


def _work(written: Json) -> TextInput | TokenInput:
    if isinstance(written, str):
        return TextInput((written,), single=True)
    if not isinstance(written, list):
        raise refused(f"'input' must be {INPUTS}; it is {describe(written)}.", param="input")
    kinds = set(map(type, written))
    if kinds <= {str}:
        return TextInput(tuple(written), single=False)
    if kinds == {int}:
        return TokenInput((tuple(written),), single=True)
    if kinds == {list}:
        return TokenInput(tuple(_row(row, position) for position, row in enumerate(written)), single=False)
    odd = next(one for one in written if type(one) is not type(written[0]) or type(one) not in (str, int, list))
    raise refused(f"'input' must be {INPUTS}; there is {describe(odd)} in the list.", param="input")


def _row(row: list[Json], position: int) -> tuple[int, ...]:
    odd = [one for one in row if type(one) is not int]
    if odd:
        raise refused(
            f"'input[{position}]' must be a list of token ids; there is {describe(odd[0])} in it.",
            param="input",
        )
    return tuple(row)


def _in_base64(fields: dict[str, Json]) -> bool:
    chosen = fields.get("encoding_format")
    if chosen is not None and chosen not in FORMATS:
        raise refused(
            f"'encoding_format' must be 'float' or 'base64'; it is {describe(chosen)}.",
            param="encoding_format",
        )
    return bool(chosen == "base64")


def _dimensions(chosen: Json) -> int | None:
    if chosen is None:
        return None
    if type(chosen) is not int or chosen < 1:
        raise refused(f"'dimensions' must be a whole number from 1; it is {describe(chosen)}.", param="dimensions")
    return chosen
