"""The inputs that members of a pipeline take and the answers they give, as types and as values in a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from inference.core.contracts import (
    Embedding,
    Json,
    PageInput,
    TensorInput,
    TextInput,
    TextLine,
    VersionSpec,
    WorkInput,
    WorkOutput,
)
from inference.core.errors import ModelFailed
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
    Value,
    ValueType,
    object_of,
    tensor_of,
)
from inference.runtime.parameters import DOCUMENT, GRAPH, Parameter
from inference.runtime.parameters import TEXT as TEXT_KIND
from inference.runtime.parameters import TEXTS as TEXTS_KIND
from inference.runtime.tensor_requests import NUMPY_TYPES

Types = Mapping[str, ValueType]


@dataclass(frozen=True, slots=True)
class Member:
    """The facts about a version that are needed to declare a step on it."""

    key: str
    runtime: str
    signature: Mapping[str, Json] = field(default_factory=dict)
    accepts: tuple[str, ...] = ()
    """The kinds of work that a declared pipeline accepts."""
    answer: ValueType | None = None
    """The type of a declared pipeline's answer."""
    parameters: tuple[Parameter, ...] = ()


_OCR = object_of(
    {"text": TEXT, "lines": LINES, "unread": JSON, "upside_down": BOOLEAN, "width": NUMBER, "height": NUMBER}
)
_TURN = object_of({"rotation": NUMBER, "angle": NUMBER, "sheet": JSON, "certainty": NUMBER})
_EMBEDDED = object_of({"embedding": VECTOR, "truncated": BOOLEAN, "tokens": NUMBER, "dimensions": NUMBER})
_EMBEDDED_LIST = object_of({"embeddings": VECTORS, "truncated": JSON, "tokens": NUMBER, "dimensions": NUMBER})

# The keys are a runtime and the single input of each form; the values are the types of input and answer.
_FORMS: Mapping[str, Mapping[str, tuple[ValueType, ValueType]]] = {
    "ocr": {"page": (PAGE, _OCR)},
    "orient": {"page": (PAGE, _TURN)},
    "embed": {
        "page": (PAGE, _EMBEDDED),
        "text": (TEXT, _EMBEDDED),
        "texts": (TEXTS, _EMBEDDED_LIST),
    },
}


_INPUTS: Mapping[str, tuple[str, ValueType]] = {
    DOCUMENT: ("page", PAGE),
    TEXT_KIND: ("text", TEXT),
    TEXTS_KIND: ("texts", TEXTS),
}
"""The name and type of the input of a declared pipeline, by the kind of work."""


def answer_type(member: Member, given: Types) -> ValueType:
    """Return the type of the member's answer; raise ValueError if the member cannot take these inputs."""
    if member.runtime == "onnx":
        return _tensors_type(member, given)
    forms = _graph_forms(member) if member.runtime == GRAPH else _FORMS.get(member.runtime)
    if not forms:
        raise ValueError(
            f"{member.key} is a '{member.runtime}', which cannot be a member; there are {', '.join((*_FORMS, 'onnx'))}"
        )
    if len(given) != 1 or not set(given) <= set(forms):
        wanted = " or ".join(f"'{name}'" for name in forms)
        raise ValueError(f"{member.key} takes one input, {wanted}; it is given {_listed(given)}")
    ((name, given_type),) = given.items()
    wanted_type, answer = forms[name]
    if not given_type.fits(wanted_type):
        raise ValueError(f"'{name}' must be {wanted_type}, not {given_type}")
    return answer


def _graph_forms(member: Member) -> Mapping[str, tuple[ValueType, ValueType]]:
    """Return the forms of a declared pipeline. Tensors are only sent to ONNX graphs."""
    if member.answer is None:
        return {}
    answer = _as_answered(member.answer)
    return {name: (given, answer) for kind, (name, given) in _INPUTS.items() if kind in member.accepts}


def _as_answered(answer: ValueType) -> ValueType:
    """Return the type of an answer that was JSON on its way. Lines are lines again, and vectors stay lists."""
    plain = {TEXT.kind, NUMBER.kind, BOOLEAN.kind}
    return object_of(
        {
            name: found if found.kind in plain or (found.kind == LINES.kind and name == "lines") else JSON
            for name, found in answer.fields.items()
        }
    )


def _tensors_type(member: Member, given: Types) -> ValueType:
    takes = _tensor_types(member.signature.get("inputs", ()))
    if set(given) != set(takes):
        raise ValueError(f"{member.key} takes the tensors {_listed(takes)}; it is given {_listed(given)}")
    for name, wanted in takes.items():
        if not given[name].fits(wanted):
            raise ValueError(f"'{name}' must be {wanted}, not {given[name]}")
    return object_of(_tensor_types(member.signature.get("outputs", ())))


def _tensor_types(listed: Json) -> dict[str, ValueType]:
    return {tensor["name"]: tensor_of(tensor["datatype"], shape=tensor["shape"]) for tensor in listed}


def _listed(names: Types) -> str:
    return ", ".join(f"'{name}'" for name in sorted(names)) or "nothing"


def work_for(member: VersionSpec, inputs: Mapping[str, Value]) -> WorkInput:
    if member.runtime == "onnx":
        return TensorInput(inputs)
    ((name, value),) = inputs.items()
    if isinstance(value, PageInput):
        return value
    return TextInput((value,), single=True) if name == "text" else TextInput(tuple(value), single=False)


def value_of(member: VersionSpec, answer: WorkOutput) -> dict[str, Value]:
    """Return the answer as later steps read it."""
    result = dict(answer.result)
    if member.runtime == "onnx":
        return {tensor["name"]: _tensor(tensor) for tensor in result["outputs"]}
    if "lines" in result:
        result["lines"] = tuple(_text_line(line) for line in result["lines"])
    if member.runtime == "embed" and "embedding" in result:
        result["embedding"] = Embedding(member.digest, tuple(result["embedding"]))
    if "embeddings" in result:
        result["embeddings"] = np.array(result["embeddings"], np.float32)
    return result


def _text_line(line: Mapping[str, Json]) -> TextLine:
    return TextLine(line["text"], line["box"], line["confidence"], tuple(tuple(word) for word in line.get("words", ())))


def _tensor(tensor: Mapping[str, Json]) -> Value:
    if tensor["datatype"] not in NUMPY_TYPES:
        raise ModelFailed("model_output_invalid", f"output '{tensor['name']}' has the datatype {tensor['datatype']}")
    return np.array(tensor["data"], NUMPY_TYPES[tensor["datatype"]]).reshape(tensor["shape"])
